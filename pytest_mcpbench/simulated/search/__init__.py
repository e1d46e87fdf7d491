"""Search engines: one index of the simulated sites, served with the tools of two providers."""
