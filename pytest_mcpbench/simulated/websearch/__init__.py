"""Web search: a search engine and a reader over a small web of our own, whose facts exist nowhere else."""
