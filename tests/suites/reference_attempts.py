"""Reference attempts of ``oracle`` at the shipped suites, and attempts without any call derived from them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial

import anyio
import pytest

from pytest_mcpbench.agents.oracle import OracleAgent
from pytest_mcpbench.attempt.player import Player
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.concurrency import concurrent_map
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.planning import Overrides, plan_task
from pytest_mcpbench.core.score import JudgedMetric, Metric, Scorecard, scorecard
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.trajectory import Step, Trajectory
from pytest_mcpbench.core.world import WorldRecord
from pytest_mcpbench.judges.keyfacts.judge import KeyFactsJudge
from pytest_mcpbench.metrics.catalogue import resolve
from tests.suites import shipped

_JUDGE = KeyFactsJudge()


def one_worker(name: str) -> pytest.MarkDecorator:
    """Return the mark that keeps the tests of a suite's attempts in one worker, so that they are played once."""
    return pytest.mark.xdist_group(f"reference attempts of {name}")


@dataclass(frozen=True)
class ReferenceAttempt:
    """The attempt of ``oracle`` at one task."""

    task: Task
    evidence: AttemptEvidence
    problem: str
    """The reason why the attempt does not pass; empty if it passes."""

    @property
    def changes_a_world(self) -> bool:
        return any(world.changes for world in self.evidence.worlds)

    def without_calls(self, *texts: str) -> AttemptEvidence:
        """Return the evidence of an attempt that only writes ``texts``, one a turn, and leaves every world as it is."""
        steps = (Step(turn=turn, text=text) for turn, text in enumerate(texts))
        changes = {
            "trajectory": Trajectory(steps=tuple(steps)),
            "worlds": tuple(_unchanged(world) for world in self.evidence.worlds),
            "verdicts": {},
        }
        return self.evidence.model_copy(update=changes)


@cache
def reference_attempts(name: str) -> tuple[ReferenceAttempt, ...]:
    """Play ``oracle`` on every task of a suite; the results are kept for the process."""
    return tuple(anyio.run(partial(_play_all, name)))


def scores_of(name: str, task: Task, evidence: AttemptEvidence) -> Scorecard:
    """Return the scores of the metrics with a floor; the judge is ``keyfacts``."""
    suite = shipped.suite(name)
    plan = plan_task(suite, task, Overrides())
    metrics = {metric: resolve(metric, suite.metric_settings.get(metric)) for metric in plan.floors}
    return anyio.run(partial(_judged_scores, plan.task, evidence, metrics, plan.floors))


async def _play_all(name: str) -> list[ReferenceAttempt]:
    async with ServerPool(root=shipped.SUITES.parent) as pool:
        player = Player(shipped.suite(name), pool, _JUDGE)
        return await concurrent_map(shipped.tasks(name), partial(_play, player), concurrency=8)


async def _play(player: Player, task: Task) -> ReferenceAttempt:
    result = await player.play(task, OracleAgent())
    if result.error is not None:
        return ReferenceAttempt(task, result.evidence, str(result.error))
    card = player.score(task, result.evidence)
    return ReferenceAttempt(task, result.evidence, "; ".join((*card.shortfalls, *card.unscored)))


async def _judged_scores(
    task: Task, evidence: AttemptEvidence, metrics: Mapping[str, Metric], floors: Mapping[str, float]
) -> Scorecard:
    judged = [metric for metric in metrics.values() if isinstance(metric, JudgedMetric)]
    questions = [question for metric in judged for question in metric.questions(task, evidence)]
    verdicts = {question.key: await _JUDGE.decide(question) for question in questions}
    return scorecard(task, evidence.model_copy(update={"verdicts": verdicts}), metrics, floors)


def _unchanged(world: WorldRecord) -> WorldRecord:
    observations = tuple(each.model_copy(update={"after": each.before}) for each in world.observations)
    return world.model_copy(update={"changes": (), "observations": observations})
