"""Merging of the records of several runs into one run."""
