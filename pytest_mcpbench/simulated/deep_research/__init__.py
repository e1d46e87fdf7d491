"""Research over the small web in rounds: search results together with instructions for the next step."""
