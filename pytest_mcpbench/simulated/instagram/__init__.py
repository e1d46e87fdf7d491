"""Instagram: the posts, comments and direct messages of one creator's account."""
