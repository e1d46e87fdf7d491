"""Wiring of this repository's own tests."""

pytest_plugins = ["pytester"]
