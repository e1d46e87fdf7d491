"""Discord: servers, channels and messages that one account can see."""
