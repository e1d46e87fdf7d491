"""Programs as agents: each attempt runs a program that reaches the task's servers through recording proxies."""
