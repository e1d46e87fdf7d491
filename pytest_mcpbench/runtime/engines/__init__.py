"""Engines: where attempts are made when it is not in this process."""
