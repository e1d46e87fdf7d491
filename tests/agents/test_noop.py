import anyio

from pytest_mcpbench.agents.noop import NoopAgent
from pytest_mcpbench.core.trajectory import Trajectory
from tests.agents.arenas import TinyArena
from tests.builders import a_task, a_tool, expected_call


def test_it_calls_nothing_and_says_nothing() -> None:
    arena = TinyArena((a_tool("add"),))

    trajectory = anyio.run(NoopAgent().attempt, a_task((expected_call("add"),)), arena)

    assert (trajectory, trajectory.answer, arena.made) == (Trajectory(stop="declined"), "", [])
