"""Slack: channels, messages, files and reminders of one workspace."""
