"""Obsidian: a vault of linked Markdown notes, served as by the plugin "Local REST API"."""
