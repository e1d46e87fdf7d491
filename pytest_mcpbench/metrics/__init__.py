"""Metrics: pure functions from a task and the evidence of an attempt to a score."""
