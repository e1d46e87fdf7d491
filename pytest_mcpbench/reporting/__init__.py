"""Pure functions from records to what people read."""
