"""A team's chat: channels, threads and messages."""
