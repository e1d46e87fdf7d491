"""Generation of pictures and texts from prompts."""
