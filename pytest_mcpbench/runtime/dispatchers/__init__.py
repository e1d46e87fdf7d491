"""Dispatchers: by words, or by a model of embeddings."""
