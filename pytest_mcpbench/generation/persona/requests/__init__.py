"""Handwritten requests, grouped by the apps that they need."""
