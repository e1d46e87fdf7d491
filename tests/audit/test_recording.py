"""Recording of what references change."""

import anyio

from pytest_mcpbench.attempt.player import Player
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.audit.recording import Recording, record_effects
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import CallGroup, Expected, Task
from tests.builders import a_task, expected_call


def test_a_reference_with_open_values_has_no_effects_but_a_problem() -> None:
    expected = Expected(calls=(CallGroup(calls=(expected_call("a"),)),), open_reference="its call 1 leaves <id> open")
    task = a_task(expected=expected)
    recording = _recorded(task)
    assert (dict(recording.effects), dict(recording.problems)) == ({}, {task.id: "its call 1 leaves <id> open"})


def test_a_change_that_nothing_checks_yet_is_recorded() -> None:
    entity = {"name": "Ada", "entityType": "person", "observations": []}
    call = expected_call("create_entities", {"entities": [entity]}, server="memory")
    expected = Expected(calls=(CallGroup(calls=(call,)),), claims=("Ada is in the graph.",))
    task = a_task(expected=expected, servers=("memory",))
    recording = _recorded(task)
    assert recording.problems == {}
    assert [(each.kind, each.world) for each in recording.effects[task.id]] == [("created", "memory")]


def _recorded(task: Task) -> Recording:
    suite = SuiteManifest.model_validate(
        {
            "name": "suite",
            "directory": "/suite",
            "files": ({"path": "tasks.yaml", "loader": "native"},),
            "servers": {
                "memory": {
                    "name": "memory",
                    "transport": "in_process",
                    "factory": "pytest_mcpbench.simulated.memory.server:server",
                }
            },
        }
    )

    async def record() -> Recording:
        async with ServerPool() as pool:
            return await record_effects(Player(suite, pool), [task])

    return anyio.run(record)
