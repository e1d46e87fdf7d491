"""Pass rates of the agent without a model at samples of the suites, beside those that the manifests state."""

import math
from functools import partial

import anyio
import pytest

from pytest_mcpbench.agents.lexical.agent import LexicalAgent
from pytest_mcpbench.attempt.player import Player
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.concurrency import concurrent_map
from pytest_mcpbench.core.score import Scorecard
from pytest_mcpbench.core.selection import draw_sample
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.judges.keyfacts.judge import KeyFactsJudge
from pytest_mcpbench.loaders.manifest import read_manifest
from tests.suites import shipped

SAMPLE = 60


@pytest.mark.long
@pytest.mark.parametrize("name", ["adversarial", *shipped.NAMES])
def test_the_agent_without_a_model_passes_as_many_tasks_as_stated(name: str) -> None:
    """A rate of none is seen to be wrong from 5 % on, one of 36 % from 16 points on."""
    cards = anyio.run(partial(_play_sample, name))
    passed, failed = sum(card.passed for card in cards), sum(bool(card.shortfalls) for card in cards)
    stated = _stated_rate(name)
    error = math.sqrt(stated * (1 - stated) / (passed + failed))
    assert passed / (passed + failed) == pytest.approx(stated, abs=0.035 + 2 * error)


def _stated_rate(name: str) -> float:
    file = shipped.SUITES / name / "suite.toml"
    return read_manifest(file.read_text(encoding="utf-8"), file, {}).pass_rates["lexical"]


async def _play_sample(name: str) -> list[Scorecard]:
    async with ServerPool(root=shipped.SUITES.parent) as pool:
        player = Player(shipped.suite(name), pool, KeyFactsJudge())

        async def play(task: Task) -> Scorecard:
            result = await player.play(task, LexicalAgent())
            assert result.error is None, f"{task.id}: {result.error}"
            return player.score(task, result.evidence)

        return await concurrent_map(draw_sample(shipped.tasks(name), SAMPLE, seed=0, key=name), play, concurrency=8)
