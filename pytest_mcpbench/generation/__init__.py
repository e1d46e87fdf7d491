"""Offline pipelines that make task files; never imported by the plugin."""
