"""A team chat with channels, threads and messages."""
