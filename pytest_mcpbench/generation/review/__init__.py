"""Review of tasks by people: their decisions, the local page, and the suite that comes of them."""
