"""Simulated git repositories with history, branches and a working tree for inspection; no git command is executed."""
