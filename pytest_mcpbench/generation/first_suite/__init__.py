"""First files of a project: proposals of tasks, a snapshot test, a workflow."""
