"""Checks of what an attempt changed in the worlds of its servers."""
