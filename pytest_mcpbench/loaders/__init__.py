"""Loaders: pure functions that turn the content of a task file into tasks."""
