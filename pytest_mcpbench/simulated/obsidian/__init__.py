"""Obsidian: a vault of linked Markdown notes behind the plugin "Local REST API"."""
