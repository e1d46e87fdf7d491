"""Simulated server of a stranger, whose tools the task declares."""
