"""Comparisons of values and calls; README.md says which equality applies where."""
