"""One process a run that asks the models for every worker: limits, costs, verdicts and connections are shared in it."""
