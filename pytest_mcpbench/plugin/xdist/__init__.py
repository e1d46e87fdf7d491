"""Integration of pytest-xdist: scheduling, crash recovery and stopping of workers."""
