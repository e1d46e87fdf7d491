"""Web search: a search engine and a page reader over a small invented web, whose facts exist nowhere else."""
