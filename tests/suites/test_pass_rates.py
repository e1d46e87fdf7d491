"""Pass rates of the agent without a model, as the manifests of the suites state them."""

from functools import partial

import anyio
import pytest

from pytest_mcpbench.agents.lexical.agent import LexicalAgent
from pytest_mcpbench.attempt.player import Player
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.concurrency import concurrent_map
from pytest_mcpbench.core.score import Scorecard
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.judges.keyfacts.judge import KeyFactsJudge
from pytest_mcpbench.loaders.manifest import read_manifest
from tests.suites import shipped


@pytest.mark.extra
@pytest.mark.parametrize("name", ["adversarial", *shipped.NAMES])
def test_the_agent_without_a_model_passes_as_many_tasks_as_stated(name: str) -> None:
    cards = anyio.run(partial(_play_all, name))
    passed, failed = sum(card.passed for card in cards), sum(bool(card.shortfalls) for card in cards)
    assert passed / (passed + failed) == pytest.approx(_stated_rate(name), abs=0.015)


def _stated_rate(name: str) -> float:
    file = shipped.SUITES / name / "suite.toml"
    return read_manifest(file.read_text(encoding="utf-8"), file, {}).pass_rates["lexical"]


async def _play_all(name: str) -> list[Scorecard]:
    async with ServerPool(root=shipped.SUITES.parent) as pool:
        player = Player(shipped.suite(name), pool, KeyFactsJudge())

        async def play(task: Task) -> Scorecard:
            result = await player.play(task, LexicalAgent())
            assert result.error is None, f"{task.id}: {result.error}"
            return player.score(task, result.evidence)

        return await concurrent_map(shipped.tasks(name), play, concurrency=8)
