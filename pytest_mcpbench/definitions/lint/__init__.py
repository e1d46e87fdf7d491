"""Lint of tool definitions and of the tasks that use them."""
