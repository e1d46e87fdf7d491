"""Actions in the simulated apps: one module per app, with ids and texts taken from the app's seed.

Public functions that return an :class:`Action` are documented by the operation that the action asks of the agent: they
describe it and execute nothing. Values, facts and titles passed to them become checkpoints.
"""
