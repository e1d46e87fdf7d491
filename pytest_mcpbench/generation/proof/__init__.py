"""Proof of generated tasks, the same for all pipelines: each task is played, and nothing trivial may pass it."""
