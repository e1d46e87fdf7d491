"""Proposals of tasks, played by ``oracle`` as the task file will define them."""

from collections.abc import Collection
from pathlib import Path

from pytest_mcpbench.core.errors import McpBenchError, UsageError
from pytest_mcpbench.core.loading import LoadOptions
from pytest_mcpbench.core.payload import payload
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.suggestions import hint
from pytest_mcpbench.core.suite import SuiteManifest, TaskFileRef
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.definitions.canonical import ServerDefinition
from pytest_mcpbench.definitions.proposals import ProposedCall
from pytest_mcpbench.generation.first_suite.proposing import Proposal, Trial, propose_tasks
from pytest_mcpbench.generation.first_suite.task_file import task_file
from pytest_mcpbench.loaders.native import load
from pytest_mcpbench.runtime.agents.oracle import OracleAgent
from pytest_mcpbench.runtime.player import Player
from pytest_mcpbench.runtime.server_pool import ServerPool

_FILE = "proposals.yaml"


async def look_at(ref: ServerRef, allowed: Collection[str]) -> tuple[ServerDefinition, list[Proposal]]:
    """Return the definition of a server, and a proposal for each tool.

    Args:
        ref: The server.
        allowed: Tools that may be called although they do not promise to be read-only.
    """
    async with ServerPool(root=Path.cwd()) as pool:
        definition = await pool.definition(ref)
        for name in allowed:
            if definition.tool(name) is None:
                known = [tool.name for tool in definition.tools]
                raise UsageError(f"--call: the server has no tool {name!r}. {hint(name, known)}")

        async def play(call: ProposedCall) -> Trial:
            return await _play(call, ref, pool)

        return definition, await propose_tasks(definition, play, allowed)


async def _play(call: ProposedCall, ref: ServerRef, pool: ServerPool) -> Trial:
    files = (TaskFileRef(path=_FILE, loader="native"),)
    suite = SuiteManifest(name="proposals", directory=str(Path.cwd()), files=files, servers={ref.name: ref})
    task = _task(call)
    player = Player(suite, pool)
    try:
        played = await player.play(task, OracleAgent())
        if played.error is not None:
            return Trial(str(played.error))
        has_passed = player.score(task, played.evidence).passed
    except McpBenchError as error:
        return Trial(str(error))
    results = [payload(made.result) for made in played.evidence.calls if made.result is not None]
    return Trial(None if has_passed else "the reference does not pass", results)


def _task(call: ProposedCall) -> Task:
    content = task_file({}, [Proposal(call, None)], None).encode()
    (loaded,) = load(content, LoadOptions(_FILE, {}, None))
    if loaded.task is None:
        raise loaded.error or AssertionError("a record without a task has an error")
    return loaded.task
