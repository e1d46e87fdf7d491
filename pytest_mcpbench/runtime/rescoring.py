"""Stored runs scored again with the present metrics, floors and references; no attempt is made again."""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import anyio

from pytest_mcpbench.core.floors import floors_of
from pytest_mcpbench.core.judgement import Question, Verdict
from pytest_mcpbench.core.record import AttemptKey, Outcome, RunRecord
from pytest_mcpbench.core.reference_lines import reference_lines
from pytest_mcpbench.core.score import JudgedMetric, Metric, Scorecard, scorecard
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Limits, Task
from pytest_mcpbench.core.trajectory import NO_USAGE
from pytest_mcpbench.metrics.catalogue import BUILT_IN, resolve
from pytest_mcpbench.metrics.comparison.table import comparison_rows
from pytest_mcpbench.metrics.failure_analysis.labels import failures
from pytest_mcpbench.runtime.briefing.files import brief
from pytest_mcpbench.runtime.judge import Judge
from pytest_mcpbench.runtime.suites.discovery import read_tasks


@dataclass(frozen=True)
class Rescoring:
    """What is needed to score the runs of one suite again."""

    suite: SuiteManifest
    tasks: Mapping[str, Task]
    """By id."""
    limits: Mapping[str, Any]
    """Limits that the command line of the run put over those of tasks and suite."""
    floors: Mapping[str, float]
    """Likewise."""

    @classmethod
    def of(cls, suite: SuiteManifest, facts: Mapping[str, Any]) -> "Rescoring":
        """For a suite, and the facts of the run whose records are scored."""
        suite = suite.under(_conditions(suite, facts))
        tasks = {loaded.id: loaded.task for loaded in brief(suite, read_tasks(suite)) if loaded.task is not None}
        return cls(suite, tasks, _limits(facts), _asked_floors(facts))

    def task(self, record: RunRecord) -> Task | None:
        """The task of a record as the run saw it, with its conditions and limits; ``None`` if there is none."""
        task = self.tasks.get(record.task_id) if record.suite == self.suite.name else None
        if task is None:
            return None
        limits = (task.limits or self.suite.limits).model_copy(update=dict(self.limits))
        return task.model_copy(update={"limits": limits})

    def metrics(self, floors: Iterable[str]) -> dict[str, Metric]:
        """The built-in metrics among those with a floor and those of the suite; others need pytest and its hooks."""
        names = dict.fromkeys((*floors, *self.suite.metrics))
        return {name: resolve(name, self.suite.metric_settings.get(name)) for name in names if name in BUILT_IN}


def rescored(record: RunRecord, rescoring: Rescoring) -> RunRecord:
    """The record with new scores; as it is where the attempt was an error or its task is gone.

    Scores of metrics that are not built in stay.
    """
    task = rescoring.task(record)
    if task is None or record.evidence is None or record.outcome == "error":
        return record
    evidence, floors = record.evidence, _floors(task, rescoring)
    made = scorecard(task, evidence, rescoring.metrics(floors), {})
    scores = {**record.scorecard.scores, **made.scores}
    card = Scorecard(scores=scores, floors={name: floor for name, floor in floors.items() if name in scores})
    return record.model_copy(
        update={
            "scorecard": card,
            "outcome": _outcome(record, card),
            "failures": failures(task, evidence),
            "tags": task.tags,
            "expected": reference_lines(task),
            "comparison": comparison_rows(task, evidence),
        }
    )


async def with_verdicts(records: Iterable[RunRecord], rescoring: Rescoring, judge: Judge) -> list[RunRecord]:
    """The records with a verdict for each question of the metrics that none of them has an answer to."""
    kept = list(records)
    open_questions = [{question.key: question for question in _open_questions(record, rescoring)} for record in kept]
    verdicts: dict[str, Verdict] = {}

    async def ask(key: str, question: Question) -> None:
        verdicts[key] = await judge.decide(question)

    async with anyio.create_task_group() as group:
        for key, question in {key: one for asked in open_questions for key, one in asked.items()}.items():
            group.start_soon(ask, key, question)
    return [
        _answered(record, {key: _taken(verdicts, key) for key in asked})
        for record, asked in zip(kept, open_questions, strict=True)
    ]


@dataclass
class Changes:
    """Scores records again one by one, and knows afterwards what that has changed."""

    rescoring: Rescoring
    outcomes: dict[AttemptKey, tuple[Outcome, Outcome]] = field(default_factory=dict)
    """How each attempt ended before and ends now, by the last of its records."""
    gone: dict[str, None] = field(default_factory=dict)
    """Ids of tasks that are not in the suite; their records stay as they were."""
    altered: dict[str, None] = field(default_factory=dict)
    """Ids of tasks that are not what they were when the runs were made."""
    _hashes: dict[str, str] = field(default_factory=dict)

    def rescored(self, record: RunRecord) -> RunRecord:
        """The record with new scores; see :func:`rescored`."""
        made, task = rescored(record, self.rescoring), self.rescoring.task(record)
        self.outcomes[record.attempt] = record.outcome, made.outcome
        if task is None:
            self.gone[record.task_id] = None
        elif self._hash(task) != record.task_hash:
            self.altered[record.task_id] = None
        return made

    @property
    def moved(self) -> Counter[tuple[Outcome, Outcome]]:
        """Outcome before and now -> how many attempts went from the one to the other."""
        return Counter(pair for pair in self.outcomes.values() if pair[0] != pair[1])

    def _hash(self, task: Task) -> str:
        if task.id not in self._hashes:
            self._hashes[task.id] = task.hash
        return self._hashes[task.id]


def _taken(verdicts: dict[str, Verdict], key: str) -> Verdict:
    """The verdict; the first record that takes it has its cost, for it was asked once."""
    verdict = verdicts[key]
    verdicts[key] = verdict.model_copy(update={"usage": NO_USAGE})
    return verdict


def _answered(record: RunRecord, verdicts: Mapping[str, Verdict]) -> RunRecord:
    if record.evidence is None or not verdicts:
        return record
    evidence = record.evidence.model_copy(update={"verdicts": {**record.evidence.verdicts, **verdicts}})
    return record.model_copy(update={"evidence": evidence})


def _outcome(record: RunRecord, card: Scorecard) -> Outcome:
    """By the floors; a test that people wrote themselves has other assertions too, and keeps its outcome."""
    if ".py::" in record.node_id:
        return record.outcome
    if card.shortfalls:
        return "failed"
    return "unscored" if card.unscored else "passed"


def _floors(task: Task, rescoring: Rescoring) -> dict[str, float]:
    return {**floors_of(task, rescoring.suite), **rescoring.floors}


def _open_questions(record: RunRecord, rescoring: Rescoring) -> Iterator[Question]:
    task = rescoring.task(record)
    if task is None or record.evidence is None or record.outcome == "error":
        return
    for metric in rescoring.metrics(_floors(task, rescoring)).values():
        if isinstance(metric, JudgedMetric):
            asked = metric.questions(task, record.evidence.model_copy(update={"verdicts": {}}))
            yield from (question for question in asked if record.evidence.verdict(question) is None)


def _limits(facts: Mapping[str, Any]) -> dict[str, Any]:
    given = _settings(facts)
    asked = {name: given[name] for name in ("rounds", "tool_calls", "seconds") if name in given}
    checked = Limits.model_validate({name: ast.literal_eval(value) for name, value in asked.items()})
    return {name: getattr(checked, name) for name in asked}


def _conditions(suite: SuiteManifest, facts: Mapping[str, Any]) -> Mapping[str, Any]:
    """Those of the run, as far as they are known."""
    suites = facts.get("suites")
    said = suites.get(suite.name) if isinstance(suites, Mapping) else None
    conditions = said.get("conditions") if isinstance(said, Mapping) else None
    return conditions if isinstance(conditions, Mapping) else {}


def _asked_floors(facts: Mapping[str, Any]) -> dict[str, float]:
    floors: dict[str, float] = ast.literal_eval(_settings(facts).get("floors", "{}"))
    return floors


def _settings(facts: Mapping[str, Any]) -> Mapping[str, str]:
    """``settings`` of ``run.json``, where every value is the text of a Python literal."""
    settings = facts.get("settings")
    return settings if isinstance(settings, Mapping) else {}
