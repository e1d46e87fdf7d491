"""Attempts of one suite from the records of several runs, with the conditions of each run."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.natural_order import natural_key
from pytest_mcpbench.core.record import AttemptKey
from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.core.variant import model_of
from pytest_mcpbench.reporting.conditions import conditions_of_suite
from pytest_mcpbench.reporting.papers.catalogue import SUITES
from pytest_mcpbench.reporting.papers.details import Details
from pytest_mcpbench.reporting.papers.experiment import Attempt, Experiment
from pytest_mcpbench.runtime.records import read_facts, read_records
from pytest_mcpbench.runtime.run_lookup import find_runs, run_names


def read_experiment(runs: Sequence[str], suite: str, name: str | None = None) -> Experiment:
    """Return the attempts of a suite, which is called as its paper unless another name is given.

    Tests that users wrote themselves and arms of a comparison are left out. If several runs have the same attempt under
    the same conditions, its model is named with the run.
    """
    every = [(home, attempt) for home in find_runs(runs) for attempt in _attempts_of_run(home)]
    wanted = name or _suite_name([attempt for _, attempt in every], suite)
    own = [(home, attempt) for home, attempt in every if attempt.entry.suite == wanted]
    usual = [(home, attempt) for home, attempt in own if not attempt.entry.test and not attempt.entry.arm]
    if not usual:
        raise UsageError(f"no run has an attempt of the suite {wanted!r}; there are: {_names(every)}.")
    left_out = len(own) - len(usual)
    notes = (f"{left_out} attempts of users' own tests and of arms of comparisons are left out",) if left_out else ()
    return Experiment(tuple(_with_distinct_runs(usual)), notes)


def _attempts_of_run(directory: Path) -> Iterator[Attempt]:
    """Yield the last record of each attempt of a run; swept values are conditions, and no part of the model's name."""
    facts = read_facts(directory)
    latest = {record.attempt: (Entry.of(record, ref), Details.of(record)) for ref, record in read_records(directory)}
    conditions: dict[tuple[str, ...], dict[str, Any]] = {}
    for entry, details in latest.values():
        place = (entry.suite, *entry.swept.values())
        if place not in conditions:
            conditions[place] = conditions_of_suite(facts, entry.suite, entry.swept)
        named = entry.model_copy(update={"model": model_of(entry.model, entry.swept)})
        yield Attempt(named, conditions[place], details)


def _suite_name(attempts: Sequence[Attempt], suite: str) -> str:
    """Return the name of the suite of a paper: its own, or that of the only suite unless it is another paper's."""
    names = {attempt.entry.suite for attempt in attempts}
    if suite in names or len(names) != 1 or names <= set(SUITES):
        return suite
    return names.pop()


def _names(attempts: Sequence[tuple[Path, Attempt]]) -> str:
    return ", ".join(sorted({attempt.entry.suite for _, attempt in attempts}, key=natural_key)) or "none"


def _with_distinct_runs(attempts: Sequence[tuple[Path, Attempt]]) -> Iterator[Attempt]:
    """Yield the attempts; a model that made the same attempt in several runs is named with the run."""
    times = Counter(_identity(attempt) for _, attempt in attempts)
    repeated = {(attempt.entry.model, _settings(attempt)) for _, attempt in attempts if times[_identity(attempt)] > 1}
    labels = run_names([home for home, _ in attempts])
    for home, attempt in attempts:
        entry = attempt.entry
        if (entry.model, _settings(attempt)) in repeated:
            named = entry.model_copy(update={"model": f"{entry.model} [{labels[home]}]"})
            yield Attempt(named, attempt.conditions, attempt.details)
        else:
            yield attempt


def _identity(attempt: Attempt) -> tuple[AttemptKey, str]:
    return attempt.entry.attempt, _settings(attempt)


def _settings(attempt: Attempt) -> str:
    return json.dumps(attempt.conditions, sort_keys=True)
