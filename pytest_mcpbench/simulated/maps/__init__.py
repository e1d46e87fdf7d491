"""Map services: one world of cities and places behind the tools of three providers."""
