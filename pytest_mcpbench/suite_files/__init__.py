"""Suites on disk: discovery by name or path, loading, and checks before a run."""
