"""Forms of text in which a model without native tool calls receives tools and writes calls."""
