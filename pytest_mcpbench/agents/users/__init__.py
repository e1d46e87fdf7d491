"""Users of tasks: fixed messages, a script, or a model."""
