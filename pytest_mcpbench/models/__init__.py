"""Language models behind their providers."""
