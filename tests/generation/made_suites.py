"""Suites that a pipeline has made, as tests read and play them."""

import json
from pathlib import Path
from typing import Any

from pytest_mcpbench.agents.agent import Agent
from pytest_mcpbench.attempt.player import Player
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.suite_files.loading import load_suite


def tasks_of(suite: Path | str) -> list[dict[str, Any]]:
    """Return the lines of the task file."""
    return [json.loads(line) for line in (Path(suite) / "tasks.jsonl").read_text().splitlines()]


async def passes(suite: Path, agent: Agent) -> list[bool]:
    """Return of each task whether an attempt of the agent passes it."""
    loaded = load_suite(suite / "suite.toml", {})
    async with ServerPool() as pool:
        player = Player(loaded.manifest, pool)
        results = [(task, await player.play(task, agent)) for task in loaded.tasks]
        return [result.error is None and player.score(task, result.evidence).passed for task, result in results]
