"""Map services: one world of cities and places, served with the tools of three providers."""
