"""Judges: a language model, and key facts without one."""
