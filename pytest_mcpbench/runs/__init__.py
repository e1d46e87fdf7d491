"""Runs on disk: records, locks, lookup, merging, and the arms of a comparison."""
