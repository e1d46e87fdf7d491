"""One attempt: its arena, agent and evidence; cassettes, remote execution and engines."""
