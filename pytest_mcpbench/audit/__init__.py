"""Mutation testing of suites: right attempts are changed into wrong ones, and every wrong one must fail."""
