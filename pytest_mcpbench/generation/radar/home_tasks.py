"""Domains file management and terminal: operations in a home directory, whose requests ignore the seed."""

from pytest_mcpbench.generation.radar.home import HOME, home_worlds
from pytest_mcpbench.generation.radar.request import Request, check_reference_calls, read_requests
from pytest_mcpbench.simulated.files.server import simulation as files
from pytest_mcpbench.simulated.terminal.server import simulation as terminal
from pytest_mcpbench.simulated.terminal.world import Machine


def file_requests() -> list[Request]:
    """Return the requests about files, after checking that a fresh home directory accepts their reference calls."""
    requests = read_requests("files.yaml")
    with home_worlds("files") as world:
        check_reference_calls(requests, files(HOME), world)
    return requests


def terminal_requests() -> list[Request]:
    """Return the requests to the terminal, after checking that a fresh machine accepts their reference calls."""
    with home_worlds("terminal") as world:

        def pid_of(command: str) -> int:
            return Machine(world(), HOME).start(command, 0, "/bin/sh").pid

        requests = read_requests("terminal.yaml", {"pid_of": pid_of})
        check_reference_calls(requests, terminal(HOME), world)
    return requests
