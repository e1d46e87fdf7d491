"""Simulation of the filesystem server over the attempt's own directory."""
