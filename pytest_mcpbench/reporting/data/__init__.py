"""Flat tables of attempts, scores and calls, for analysis outside of the package."""
