"""Tokenization and BM25 ranking of short texts."""
