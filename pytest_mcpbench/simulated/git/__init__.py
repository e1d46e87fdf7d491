"""Simulated git repositories: history, branches and a working tree to look at; nothing is executed."""
