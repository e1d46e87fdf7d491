"""The command ``mcpbench``: everything that is not a test run."""

from pytest_mcpbench.cli.command_line import main

__all__ = ["main"]
