"""Arms of a comparison: where their definitions come from, and whether calls can go to the server as it is now."""
