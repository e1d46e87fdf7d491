"""A language model behind a tool, whose knowledge is the small web."""
