"""Discord: servers, channels and messages that one account sees."""
