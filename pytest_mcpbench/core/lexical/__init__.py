"""Choosing a tool and filling its arguments from the words of a request, without a model."""
