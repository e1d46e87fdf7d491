"""Tests of the process that asks the models for all workers."""
