"""Judges: a language model, or rules that compare key facts."""
