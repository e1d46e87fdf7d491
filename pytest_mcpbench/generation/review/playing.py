"""Plays of references, so that reviewers see results that task files do not record."""

from collections.abc import Sequence
from pathlib import Path

from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.runtime.agents.oracle import OracleAgent
from pytest_mcpbench.runtime.player import Player
from pytest_mcpbench.runtime.server_pool import ServerPool
from pytest_mcpbench.runtime.suites.loading import LoadedSuite


async def play_references(suites: Sequence[LoadedSuite]) -> dict[str, tuple[str, ...]]:
    """Return the results of the calls of each task's reference; none for a task that cannot be played."""
    results: dict[str, tuple[str, ...]] = {}
    for loaded in suites:
        async with ServerPool(root=Path.cwd()) as pool:
            results |= await _results(loaded, loaded.manifest, pool)
    return results


async def _results(loaded: LoadedSuite, suite: SuiteManifest, pool: ServerPool) -> dict[str, tuple[str, ...]]:
    player = Player(suite, pool)
    played = {task.id: await player.play(task, OracleAgent()) for task in loaded.tasks}
    return {
        name: tuple(call.result.text if call.result else call.problem or "" for call in result.evidence.calls)
        for name, result in played.items()
    }
