"""File management domain: five requests for each of the thirteen tools, and chains of the three that change most."""

from pytest_mcpbench.generation.radar.files.chains import chains
from pytest_mcpbench.generation.radar.files.single import singles
from pytest_mcpbench.generation.radar.home import HOME, home_worlds
from pytest_mcpbench.generation.radar.request import Request, check_reference_calls
from pytest_mcpbench.simulated.files.server import simulation


def requests() -> list[Request]:
    """Return all requests of the domain, after checking that a fresh home directory accepts their reference calls."""
    result = [*singles(), *chains()]
    with home_worlds("files") as world:
        check_reference_calls(result, simulation(HOME), world)
    return result
