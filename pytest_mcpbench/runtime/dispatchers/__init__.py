"""Dispatchers, which rank tools by words (BM25) or by embeddings."""
