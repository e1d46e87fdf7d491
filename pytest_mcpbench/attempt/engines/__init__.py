"""Engines: clusters of worker processes in which attempts can run instead of this process."""
