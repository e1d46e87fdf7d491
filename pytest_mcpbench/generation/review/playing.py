"""Plays of references, so that reviewers see results that task files do not record."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_mcpbench.agents.oracle import OracleAgent
from pytest_mcpbench.attempt.player import Player
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.suite_files.loading import LoadedSuite


@dataclass(frozen=True)
class PlayedReference:
    """Results of the reference calls of one task."""

    results: tuple[str, ...] = ()
    """In the order of the task; fewer if the play ended early."""
    problem: str = ""
    """Error that ended the play."""


async def play_references(suites: Sequence[LoadedSuite]) -> dict[str, PlayedReference]:
    """Return the play of each task's reference, by the id of the task."""
    plays: dict[str, PlayedReference] = {}
    for loaded in suites:
        async with ServerPool(root=Path.cwd()) as pool:
            player = Player(loaded.manifest, pool)
            for task in loaded.tasks:
                result = await player.play(task, OracleAgent())
                texts = (call.result.text if call.result else call.problem or "" for call in result.evidence.calls)
                problem = str(result.error) if result.error is not None else ""
                plays[task.id] = PlayedReference(tuple(texts), problem)
    return plays
