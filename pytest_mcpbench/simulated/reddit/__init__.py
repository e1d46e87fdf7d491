"""Reddit: subreddits with posts and comments, from the point of view of one account."""
