"""Readers of task files: content in, tasks out."""
