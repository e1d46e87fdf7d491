"""Stock markets: seeded quotes and histories behind the tools of two data services."""
