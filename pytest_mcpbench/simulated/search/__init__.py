"""Search engines: one index of the simulated sites behind the tools of two providers."""
