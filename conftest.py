"""Puts this directory on the import path: tests import ``tests`` and ``fixtures``."""
