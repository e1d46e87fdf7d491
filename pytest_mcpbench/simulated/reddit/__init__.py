"""Reddit: subreddits with posts and comments, seen and written by one account."""
