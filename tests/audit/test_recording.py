"""Recording of what references change."""

import anyio

from pytest_mcpbench.attempt.player import Player
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.audit.recording import record_effects
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import CallGroup, Expected
from tests.builders import a_task, expected_call


def test_a_reference_with_open_values_has_no_effects_but_a_problem() -> None:
    expected = Expected(calls=(CallGroup(calls=(expected_call("a"),)),), open_reference="its call 1 leaves <id> open")
    task = a_task(expected=expected)
    files = ({"path": "tasks.yaml", "loader": "native"},)
    suite = SuiteManifest.model_validate({"name": "suite", "directory": "/suite", "files": files})

    async def record() -> dict[str, object]:
        async with ServerPool() as pool:
            recording = await record_effects(Player(suite, pool), [task])
        return {"effects": dict(recording.effects), "problems": dict(recording.problems)}

    assert anyio.run(record) == {"effects": {}, "problems": {task.id: "its call 1 leaves <id> open"}}
