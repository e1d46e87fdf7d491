"""Terminal domain: five requests for each of the nine tools, and chains of the three most important ones."""

from pytest_mcpbench.generation.radar.home import HOME, home_worlds
from pytest_mcpbench.generation.radar.request import Request, check_reference_calls
from pytest_mcpbench.generation.radar.terminal.chains import chains
from pytest_mcpbench.generation.radar.terminal.single import singles
from pytest_mcpbench.simulated.terminal.server import simulation
from pytest_mcpbench.simulated.terminal.world import Machine


def requests() -> list[Request]:
    """Return all requests of the domain, after checking that a fresh machine accepts their reference calls."""
    with home_worlds("terminal") as world:
        result = [*singles(), *chains(lambda command: Machine(world(), HOME).start(command, 0, "/bin/sh").pid)]
        check_reference_calls(result, simulation(HOME), world)
    return result
