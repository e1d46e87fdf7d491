"""Actions in the simulated apps: one module per app, with ids and texts taken from the app's seed."""
