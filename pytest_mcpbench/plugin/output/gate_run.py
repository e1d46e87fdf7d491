"""One gate: first trials from the report, fresh trials of the changed tasks, and the result."""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pytest

from pytest_mcpbench.attempt.attempt import AttemptResult
from pytest_mcpbench.concurrency import wait_for_result
from pytest_mcpbench.core.arm import BASELINE, first_trials, fresh_arm, fresh_pair, with_fresh_trials
from pytest_mcpbench.core.errors import McpBenchError, MetricError
from pytest_mcpbench.core.gate.decision import GateRules, GateTrials, decide, tasks_to_confirm
from pytest_mcpbench.core.gate.result import GateResult, numbers_of
from pytest_mcpbench.core.loading import LoadedTask
from pytest_mcpbench.core.planning import plan_task, planned_trials
from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.core.usage import NO_USAGE
from pytest_mcpbench.definitions.canonical import ToolDefinition
from pytest_mcpbench.options.settings import SETTINGS
from pytest_mcpbench.plugin.collection.item_state import ARMS, ItemState
from pytest_mcpbench.plugin.collection.jobs import Job, written_model
from pytest_mcpbench.plugin.collection.suites import collect_suite
from pytest_mcpbench.plugin.execution.arm_comparisons import SAME, SuiteComparison
from pytest_mcpbench.plugin.execution.budget import BudgetUsedUpError
from pytest_mcpbench.plugin.execution.session import Session
from pytest_mcpbench.plugin.output.recorder import record_of_fresh_trial
from pytest_mcpbench.plugin.output.run_results import RunResults
from pytest_mcpbench.runs.arms.explanation import Side, explain, is_changed_text
from pytest_mcpbench.statistics.groups import group_by, round_robin

_TASKS_OF_A_TOOL = 2
"""Tasks of each changed tool that get fresh trials whatever their first trials say."""
_MOST_NAMED = 8
"""Such tasks of all tools together."""


class GateKey(NamedTuple):
    """Comparison that a gate decides, in plain values that a worker of pytest-xdist can send."""

    file: str
    """Path of the suite's file."""
    arm: str
    model: str


class GateRun:
    """Comparison of one arm with the reference, on one suite and model."""

    def __init__(
        self,
        config: pytest.Config,
        session: Session,
        results: RunResults,
        gate: GateKey,
        others: Mapping[str, GateKey],
    ) -> None:
        """Create the run of a gate; ``others`` are the gates of the same arm and model on other suites, by node id."""
        self._settings = config.stash[SETTINGS]
        self._session = session
        self._results = results
        self._arm = gate.arm
        self._model = gate.model
        self._comparison = _comparison(config, session, Path(gate.file))
        self._config = config
        self._others = others
        self._recorded_run = config.stash[ARMS].recorded_run

    def result(self, node_id: str, rules: GateRules) -> GateResult:
        """Return the result."""
        if self._comparison.is_same:
            return self._stored(node_id, {"verdict": "NOT WORSE", "fails": False, "note": SAME}, ())
        file, first = node_id.partition("::")[0], self._first_attempts(node_id)
        trials, fresh, problem = self._confirm_changes(self._first_trials(first), rules, file)
        compared = [entry for entry in first if entry.arm in (self._comparison.reference, self._arm)] + fresh
        if problem is not None:
            numbers = {"verdict": "UNDECIDED", "fails": False, "note": f"the budget is used up: {problem}"}
            return self._stored(node_id, {**numbers, "tasks": len(trials.screen)}, compared)
        return self._stored(node_id, numbers_of(decide(trials, rules), rules), compared)

    def _first_attempts(self, node_id: str) -> list[Entry]:
        """Return the attempts of the suite of a gate."""
        file = node_id.partition("::")[0]
        return [entry for entry in self._results.entries if entry.file == file and entry.model == self._model]

    def _first_trials(self, entries: Sequence[Entry]) -> GateTrials:
        """Return the first trials, with the tasks that are repeated in any case and the tools that no task measures."""
        comparison = self._comparison
        trials = _trials(comparison, self._arm, entries)
        naming = _tasks_by_tool(comparison, self._arm, trials)
        # The first task of each tool before the second one of any.
        named = dict.fromkeys(round_robin(tasks[:_TASKS_OF_A_TOOL] for tasks in naming.values()))
        unmeasured = [name for name, tasks in naming.items() if not tasks and name not in comparison.accepted]
        elsewhere = self._measured_elsewhere() if unmeasured else []
        changes = comparison.changed_tools(self._arm)
        return replace(
            trials,
            named=tuple(named)[:_MOST_NAMED],
            unmeasured=tuple(name[1] for name in unmeasured if changes[name] not in elsewhere),
        )

    def _measured_elsewhere(self) -> list[tuple[ToolDefinition, ToolDefinition]]:
        """Return the definitions, before and after, of the tools that tasks of other suites measure in this run."""
        measured = []
        for node_id, gate in self._others.items():
            comparison = _comparison(self._config, self._session, Path(gate.file))
            trials = _trials(comparison, self._arm, self._first_attempts(node_id))
            naming = _tasks_by_tool(comparison, self._arm, trials)
            measured += [each for name, each in comparison.changed_tools(self._arm).items() if naming[name]]
        return measured

    def _confirm_changes(
        self, trials: GateTrials, rules: GateRules, file: str
    ) -> tuple[GateTrials, list[Entry], str | None]:
        """Run fresh trials of changed tasks; return all trials, the fresh entries, and why some are missing."""
        entries: list[Entry] = []
        problem = self._session.budget_stop.problem_of(file, self._model)
        if problem is not None:
            return trials, entries, problem
        while tasks := tasks_to_confirm(trials, rules):
            begun = len(entries)
            try:
                for each in run_fresh_trials(
                    self._session, list(self._jobs(tasks)), concurrency=self._settings.concurrency
                ):
                    job = each.state.job
                    node_id = f"{file}::{job.loaded.id}[{job.label}]"
                    record = record_of_fresh_trial(node_id, each.state, each.error)
                    entry = self._results.stored.append(record)
                    self._results.keep(entry)
                    entries.append(entry)
            except BudgetUsedUpError as error:
                return trials, entries, str(error)
            # A trial that a provider did not answer is left out.
            arms = group_by(entries[begun:], lambda entry: (entry.task_id, entry.arm))
            sides = fresh_arm(self._comparison.reference), fresh_arm(self._arm)
            pairs = [fresh_pair(task, *(arms[task, side] for side in sides)) for task in tasks]
            trials = with_fresh_trials(trials, pairs)
        return trials, entries, None

    def _jobs(self, tasks: Sequence[str]) -> Iterator[Job]:
        """Yield the fresh trials; those of the two arms alternate."""
        comparison = self._comparison
        first = planned_trials(comparison.suite, self._settings.overrides)
        count = first + self._settings.confirm
        arms = (comparison.arms[comparison.reference], comparison.arms[self._arm])
        suites = [(arm, arm.suite(comparison.suite)) for arm in arms]
        written = written_model(self._model, self._settings)
        for trial in range(first + 1, count + 1):
            for task in tasks:
                for arm, suite in suites:
                    yield Job(
                        suite,
                        comparison.records[task],
                        self._model,
                        trial,
                        count,
                        self._settings,
                        arm.name,
                        written_model=written,
                    )

    def _stored(self, node_id: str, numbers: dict[str, object], entries: Sequence[Entry]) -> GateResult:
        comparison = self._comparison
        recorded = [entry for entry in entries if self._is_recorded(entry)]
        made = [entry for entry in entries if not self._is_recorded(entry)]
        definitions = comparison.changes_to(self._arm)
        # The numbers with the failure that the settings ask for; a measurement of noise never fails.
        is_undecided = numbers["verdict"] == "UNDECIDED" and self._settings.undecided == "fail"
        result = GateResult.model_validate(
            {
                "node_id": node_id,
                "suite": comparison.suite.name,
                "model": self._model,
                "baseline": comparison.reference,
                "candidate": self._arm,
                "source": comparison.arms[comparison.reference].source,
                "candidate_source": comparison.arms[self._arm].source,
                "is_noise_check": self._settings.aa,
                "definitions": tuple(str(change) for change in definitions if not is_changed_text(change)),
                "attempts": len(made),
                "recorded": len(recorded),
                "usage": sum((entry.usage for entry in made), NO_USAGE),
                **numbers,
                "fails": (bool(numbers["fails"]) or is_undecided) and not self._settings.aa,
            }
        )
        explanation = explain(
            self._side(entries, comparison.reference),
            self._side(entries, self._arm),
            changes=definitions,
            worse=[each.task for each in result.changed if each.direction == "worse"],
            better=[each.task for each in result.changed if each.direction == "better"],
        )
        return result.model_copy(update={"explanation": explanation})

    def _side(self, entries: Sequence[Entry], arm: str) -> Side:
        """Return the first and the fresh trials of an arm."""
        return Side([entry for entry in entries if entry.arm in (arm, fresh_arm(arm))], self._results.directory)

    def _is_recorded(self, entry: Entry) -> bool:
        if entry.arm != BASELINE or self._recorded_run is None:
            return False
        task, suite = self._comparison.records[entry.task_id].task, self._comparison.suite
        if task is None:
            return False
        planned = plan_task(suite, task, self._settings.overrides).task
        record = self._recorded_run.record(suite, planned, entry.model, entry.trial)
        return record is not None and record.outcome != "error"


def _trials(comparison: SuiteComparison, arm: str, entries: Sequence[Entry]) -> GateTrials:
    by_arm = group_by(entries, lambda entry: entry.arm)
    return first_trials(by_arm.get(comparison.reference, []), by_arm.get(arm, []), comparison.dropped)


def _tasks_by_tool(comparison: SuiteComparison, arm: str, trials: GateTrials) -> dict[tuple[str, str], list[str]]:
    """Return for each changed tool, by its server and name, the tasks that name it and pass in either arm."""
    # A task that passes in the baseline can show a loss; one that passes in the candidate alone shows no more than
    # that the tool can be used.
    passing = [pair for pair in trials.screen if pair.baseline.passed or pair.candidate.passed]
    passing.sort(key=lambda pair: -pair.baseline.passed)
    return {
        (server, tool): [pair.task for pair in passing if _names(comparison.records[pair.task], server, tool)]
        for server, tool in comparison.changed_tools(arm)
    }


def _names(record: LoadedTask, server: str, tool: str) -> bool:
    """Return whether a task expects a call of the tool."""
    calls = record.task.expected.flat_calls if record.task is not None else ()
    return any(call.tool == tool and call.server in (None, server) for call in calls)


def _comparison(config: pytest.Config, session: Session, file: Path) -> SuiteComparison:
    """Return the comparison of a suite, which the controller of pytest-xdist has not collected."""
    arms = config.stash[ARMS]
    if file not in arms.suites:
        arms.collect(file, *collect_suite(file, config))
    assert session.comparisons is not None, "a run with gates compares arms"
    return session.comparisons.of_file(file)


@dataclass(frozen=True)
class FinishedTrial:
    """A fresh trial with its scores, or with the error that kept it from having any."""

    state: ItemState
    error: McpBenchError | None = None


def run_fresh_trials(session: Session, jobs: Sequence[Job], *, concurrency: int) -> Iterator[FinishedTrial]:
    """Run attempts in this process, ``concurrency`` at once, and yield them in the order of the jobs.

    They start in that order, too; the caller alternates the arms.

    Raises:
        BudgetUsedUpError: The budget is used up; the trials that had begun have been yielded.
    """
    budget = session.budget
    # With a budget no more are started than run: each that has started has to be paid for.
    most = concurrency if budget.is_limited else len(jobs)
    waiting, problem = deque(jobs), None
    with ExitStack() as exits:
        started: deque[tuple[ItemState, Future[AttemptResult]]] = deque()
        while started or (waiting and problem is None):
            try:
                while waiting and problem is None and len(started) < most:
                    budget.check_fresh_trial()
                    job = waiting.popleft()
                    sandbox = session.factory.open_sandbox(job, job.task, exits)
                    attempt = session.factory.default_attempt(job, job.description, sandbox)
                    future = session.local.executor.submit(attempt)
                    exits.callback(future.cancel)
                    budget.count(job, future)
                    started.append((ItemState(job, datetime.now(UTC).isoformat(timespec="milliseconds")), future))
            except BudgetUsedUpError as error:
                problem = error
                continue
            state, future = started.popleft()
            result = wait_for_result(future)
            state.seconds, state.evidence = result.seconds, result.evidence
            error_of_trial: McpBenchError | None = result.error
            if error_of_trial is None:
                try:
                    state.scorecard = session.scorer.scorecard(state.job, state.job.task, result.evidence)
                except MetricError as error:
                    error_of_trial = error
            yield FinishedTrial(state, error_of_trial)
    if problem is not None:
        raise problem
