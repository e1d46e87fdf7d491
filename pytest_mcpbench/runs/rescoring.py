"""New scores for the records of a finished run, by the present metrics, floors and references of its suite."""

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any

import anyio

from pytest_mcpbench.core.conditions import Conditions
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.judgement import Judge, Question, Verdict
from pytest_mcpbench.core.planning import Overrides, TaskPlan, plan_task, planned_metric_settings
from pytest_mcpbench.core.record import AttemptKey, RunRecord
from pytest_mcpbench.core.reference_lines import reference_lines
from pytest_mcpbench.core.run_settings import read_overrides
from pytest_mcpbench.core.score import JudgedMetric, Metric, scorecard, scorecard_of, waived_floors
from pytest_mcpbench.core.score_changes import AttemptComparison, compare_evaluations
from pytest_mcpbench.core.suite import SuiteManifest, qualified_name
from pytest_mcpbench.core.task import Limits, Task
from pytest_mcpbench.core.usage import NO_USAGE
from pytest_mcpbench.core.variant import typed_values
from pytest_mcpbench.metrics.catalogue import BUILT_IN, resolve
from pytest_mcpbench.metrics.reference_matching import MatchReferences, deciding_matching
from pytest_mcpbench.runs.attempt_records import facts_of_evidence
from pytest_mcpbench.runs.attempt_verdicts import attempt_verdicts
from pytest_mcpbench.suite_files.loading import BUILT_IN_NAMES, KnownNames, load_tasks

SweptValues = tuple[tuple[str, str], ...]
"""Values of the swept conditions, each with its name as in the option."""


@dataclass(frozen=True)
class Rescoring:
    """A suite in its present version, and the values of a finished run that count over its own."""

    suite: SuiteManifest
    """Under the conditions of the run."""
    tasks: Mapping[str, Task]
    """By id."""
    overrides: Overrides
    namesakes: frozenset[str] = frozenset()
    """Names of the run's suites that have the suite's name in another file; their records are not of this suite."""
    of_variant: Callable[[SweptValues], "Rescoring"] | None = None
    """Return the rescoring of the records that were made under these values of a sweep."""

    @classmethod
    def of(cls, suite: SuiteManifest, facts: Mapping[str, Any], names: KnownNames = BUILT_IN_NAMES) -> "Rescoring":
        """Return the rescoring of a run with these facts by a suite. Raises TaskError if a task file cannot be read."""
        overrides, namesakes = read_overrides(facts), _namesakes(suite, facts)
        suites = [about for name, about in _suites_called(suite.name, facts).items() if name not in namesakes]
        # The conditions of the run, as far as they are known.
        conditions: Mapping[str, Any] = (suites[0].get("conditions") if suites else None) or {}

        @functools.cache
        def of_variant(swept: SweptValues) -> "Rescoring":
            values = typed_values(dict(swept))
            own = {name: value for name, value in values.items() if name in Conditions.model_fields}
            limits = {name: value for name, value in values.items() if name in Limits.model_fields}
            loaded = load_tasks(suite.under({**conditions, **own}), names)
            tasks = {task.id: task for task in loaded.tasks}
            return cls(
                loaded.manifest, tasks, replace(overrides, limits={**overrides.limits, **limits}), namesakes, of_variant
            )

        return of_variant(())

    def for_record(self, record: RunRecord) -> "Rescoring":
        """Return the rescoring under the swept values of a record, which replace those of the run."""
        return self.of_variant(tuple(record.swept.items())) if record.swept and self.of_variant else self

    def plan(self, record: RunRecord) -> TaskPlan | None:
        """Return the plan of a record's attempt by the present suite; ``None`` if the suite lacks its task."""
        is_of_suite = (
            record.suite == self.suite.name and qualified_name(record.suite, record.file) not in self.namesakes
        )
        task = self.tasks.get(record.task_id) if is_of_suite else None
        return plan_task(self.suite, task, self.overrides) if task is not None else None

    def metrics(self, plan: TaskPlan, record: RunRecord) -> dict[str, Metric]:
        """Return the built-in metrics of a plan and of the record's scores; those of hooks need pytest."""
        names = dict.fromkeys((*plan.metrics, *record.scorecard.scores))
        return {name: resolve(name, planned_metric_settings(self.suite, name)) for name in names if name in BUILT_IN}

    def match(self, plan: TaskPlan) -> MatchReferences:
        """Return the matching of calls that decides about attempts with this plan."""
        settings = {name: planned_metric_settings(self.suite, name) for name in plan.metrics}
        return deciding_matching(settings, plan.floors)


def rescore(record: RunRecord, rescoring: Rescoring) -> RunRecord:
    """Return the record with new scores; unchanged if the attempt was an error or its task is gone.

    Scores of metrics that are not built in stay.
    """
    rescoring = rescoring.for_record(record)
    plan, evidence = rescoring.plan(record), record.evidence
    if plan is None or evidence is None or record.outcome == "error":
        return record
    metrics = rescoring.metrics(plan, record)
    new = scorecard(plan.task, evidence, metrics, {})
    scores = {**record.scorecard.scores, **new.scores}
    card = scorecard_of(scores, plan.floors, plan.criteria, waived_floors(metrics, plan.task, evidence))
    # A test of the user keeps its outcome, because it has other assertions too.
    outcome = record.outcome if record.is_of_a_written_test else card.verdict
    return record.model_copy(
        update={
            "scorecard": card,
            "outcome": outcome,
            "verdicts": card.verdicts,
            **facts_of_evidence(
                plan.task, evidence, outcome, card.verdicts, rescoring.match(plan), is_routed=rescoring.suite.route
            ),
            "tags": plan.task.tags,
            "expected": reference_lines(plan.task),
        }
    )


async def with_verdicts(records: Iterable[RunRecord], rescoring: Rescoring, judge: Judge) -> list[RunRecord]:
    """Return the records with a verdict for each question of the metrics that no stored verdict decides."""
    kept = list(records)
    open_keys: list[tuple[str, ...]] = []
    asked: set[str] = set()
    verdicts: dict[str, Verdict] = {}

    async def ask(questions: Iterable[Question], task: Task, evidence: AttemptEvidence) -> None:
        verdicts.update(await attempt_verdicts(judge, questions, task, evidence))

    async with anyio.create_task_group() as group:
        for record in kept:
            of_record = rescoring.for_record(record)
            plan, evidence = of_record.plan(record), record.evidence
            if plan is None or evidence is None or record.outcome == "error":
                open_keys.append(())
                continue
            questions = _open_questions(plan.task, evidence, of_record.metrics(plan, record).values())
            open_keys.append(tuple(questions))
            # A question that attempts share is asked with the first of them.
            group.start_soon(ask, [one for key, one in questions.items() if key not in asked], plan.task, evidence)
            asked.update(questions)
    completed = []
    for record, keys in zip(kept, open_keys, strict=True):
        taken = {key: verdicts[key] for key in keys}
        # The judge was asked once: only the first record that takes a verdict has its cost.
        verdicts.update((key, _without_usage(verdict)) for key, verdict in taken.items())
        completed.append(_with_verdicts(record, taken))
    return completed


@dataclass
class RescoredRun:
    """Records that are scored again one by one, with the changes that this makes."""

    rescoring: Rescoring
    comparisons: dict[AttemptKey, AttemptComparison] = field(default_factory=dict)
    """Stored and new scores of each attempt that was scored again, by the last of its records."""
    errors: set[AttemptKey] = field(default_factory=set)
    """Attempts that were errors and stay so."""
    gone: dict[str, None] = field(default_factory=dict)
    """Ids of tasks that are not in the suite; their records stay as they were."""
    altered: dict[str, None] = field(default_factory=dict)
    """Ids of tasks that have changed since the attempts were made."""
    _hashes: dict[tuple[str, SweptValues], str] = field(default_factory=dict)

    def rescore(self, record: RunRecord) -> RunRecord:
        """Return the record with new scores; see :func:`rescore`."""
        new, plan = rescore(record, self.rescoring), self.rescoring.for_record(record).plan(record)
        if plan is None:
            self.gone[record.task_id] = None
            return new
        self.comparisons.pop(record.attempt, None)
        self.errors.discard(record.attempt)
        if record.outcome == "error" or record.evidence is None:
            self.errors.add(record.attempt)
        else:
            self.comparisons[record.attempt] = compare_evaluations(record, new)
        # A task has other limits, and so another digest, under other swept values.
        key = plan.task.id, tuple(record.swept.items())
        if key not in self._hashes:
            self._hashes[key] = plan.task.hash
        if self._hashes[key] != record.task_hash:
            self.altered[record.task_id] = None
        return new


def _without_usage(verdict: Verdict) -> Verdict:
    votes, stages = (tuple(map(_without_usage, asked)) for asked in (verdict.votes, verdict.stages))
    return verdict.model_copy(update={"usage": NO_USAGE, "votes": votes, "stages": stages})


def _with_verdicts(record: RunRecord, verdicts: Mapping[str, Verdict]) -> RunRecord:
    if record.evidence is None or not verdicts:
        return record
    stored = record.evidence.verdicts
    known = dict(stored)
    for key, verdict in verdicts.items():
        if key in stored:
            # The question was asked again. A verdict that decides nothing either replaces none, unless it alone has the
            # votes of a panel.
            kept = max(stored[key], verdict, key=lambda each: (each.is_decided, len(each.votes) > 0))
            known[key] = kept.model_copy(update={"usage": stored[key].usage + verdict.usage})
        else:
            known[key] = verdict
    evidence = record.evidence.model_copy(update={"verdicts": known})
    return record.model_copy(update={"evidence": evidence})


def _open_questions(task: Task, evidence: AttemptEvidence, metrics: Iterable[Metric]) -> dict[str, Question]:
    """Return the questions, by key, that no judge was asked or on which none decided."""
    bare = evidence.model_copy(update={"verdicts": {}})
    judged = [metric for metric in metrics if isinstance(metric, JudgedMetric)]
    questions = [question for metric in judged for question in metric.questions(task, bare)]
    return {
        question.key: question
        for question in questions
        if (verdict := evidence.verdict(question)) is None or not verdict.is_decided
    }


def _namesakes(suite: SuiteManifest, facts: Mapping[str, Any]) -> frozenset[str]:
    """Return the suites of a run that have the name of this one, but lie in another file."""
    namesakes = set()
    for name in _suites_called(suite.name, facts):
        if name == suite.name:
            continue
        # The root of the run, to which its files are relative, is not known.
        file = name.removeprefix(f"{suite.name} (").removesuffix(")")
        own = PurePath(suite.directory, PurePath(file).name).as_posix()
        if not own.endswith(f"/{file}"):
            namesakes.add(name)
    return frozenset(namesakes)


def _suites_called(name: str, facts: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    suites = facts.get("suites")
    stored: Mapping[str, Any] = suites if isinstance(suites, Mapping) else {}
    return {shown: about for shown, about in stored.items() if shown == name or shown.startswith(f"{name} (")}
