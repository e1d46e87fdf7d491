"""Agents that ship with the plugin."""
