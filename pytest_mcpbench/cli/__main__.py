"""``python -m pytest_mcpbench.cli`` runs the command ``mcpbench``."""

import sys

from pytest_mcpbench.cli.command_line import main

if __name__ == "__main__":
    sys.exit(main())
