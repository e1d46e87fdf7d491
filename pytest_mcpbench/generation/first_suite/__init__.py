"""First files of a project: proposals of tasks, the lock, a workflow."""
