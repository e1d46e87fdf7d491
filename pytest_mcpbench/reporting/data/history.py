"""History of runs: a small value for each suite and model of a run, in one file that CI keeps."""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath

from pydantic import ValidationError

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.model_identity import identity_digest
from pytest_mcpbench.core.model_names import is_competitor, marked_name
from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.reporting.aggregates.conditions import tasks_of_suite
from pytest_mcpbench.reporting.aggregates.pass_rate import PassRate
from pytest_mcpbench.reporting.aggregates.run_end import end_sentence
from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.reporting.forms.display_text import one_line
from pytest_mcpbench.reporting.forms.number_formats import quantity
from pytest_mcpbench.reporting.tables.table import Column, Table, model_name, table_of
from pytest_mcpbench.statistics.groups import group_by
from pytest_mcpbench.statistics.intervals import Interval
from pytest_mcpbench.text.natural_order import natural_key


class HistoryPoint(FrozenModel):
    """Results of one model at one suite in one run."""

    version: int = 2
    run: str
    """Start of the run and name of its directory, which tell it apart from others."""
    started_at: str
    commit: str = ""
    suite: str
    model: str
    tasks: int
    attempts: int
    passed: int
    failed: int
    unscored: int
    errors: int
    pass_range: Interval | None
    """Lowest and highest pass rate that the unscored attempts leave possible."""
    pass_interval: Interval | None
    cost_usd: float | None
    """Mean cost of the attempts that know theirs, without errors before any reply of a model."""
    tokens: float | None
    """Mean tokens, read and written, of the attempts that know theirs."""
    seconds: float
    """Mean duration of an attempt."""
    definition_tokens: int | None
    """Estimated tokens of all definitions of the servers; ``None`` without any attempt that listed them."""
    gate: str = ""
    """Verdict of the gate on this suite and model."""
    end: str = ""
    """How the run ended before all of its attempts had run; empty if by itself."""
    suite_tasks: int | None = None
    """Number of tasks of the suite, or of its sample; ``None`` if the run did not store it."""
    selection: str = ""
    """Digest of the ids of the tasks, if these are not all tasks of the suite or of its sample."""

    @property
    def part(self) -> str:
        """Return why the run is no whole one; empty if it is."""
        return self.end or (f"{self.tasks:,} of {quantity(self.suite_tasks or 0, 'task')}" if self.selection else "")

    @property
    def rate(self) -> PassRate:
        """Return the pass rate."""
        return PassRate(self.passed, self.failed, self.unscored, self.pass_range, self.pass_interval)


def history_points(report: Report, *, commit: str = "") -> Iterator[HistoryPoint]:
    """Yield a point for each suite and model of a run; of a comparison, that of the candidate."""
    gates = {(gate.suite, gate.model): gate for gate in report.gates}
    groups = group_by(
        (
            entry
            for entry in report.entries
            if not entry.arm
            or ((gate := gates.get((entry.suite, entry.model))) is not None and entry.arm == gate.candidate)
        ),
        lambda entry: (entry.suite if entry.arm else entry.series, entry.model),
    )
    started = str(report.facts.get("started_at", ""))
    end = end_sentence(report) or ""
    for (suite, model), entries in groups.items():
        verdict = gates.get((suite, model))
        rate = PassRate.of(entries)
        usages = (entry.usage for entry in entries if not entry.is_unanswered)
        ids = sorted({entry.task_id for entry in entries})
        tasks = tasks_of_suite(report.facts, suite)
        suite_tasks = None if tasks is None else len(tasks)
        used = [(usage.cost_usd, usage.input_tokens, usage.output_tokens) for usage in usages]
        yield HistoryPoint(
            run=f"{started} {PurePath(report.directory or '').name}".strip(),
            started_at=started,
            commit=commit,
            suite=suite,
            model=model,
            tasks=len(ids),
            attempts=len(entries),
            passed=rate.passed,
            failed=rate.failed,
            unscored=rate.unscored,
            errors=len(entries) - rate.made,
            pass_range=rate.range,
            pass_interval=rate.interval,
            cost_usd=_mean_cost([cost for cost, _, _ in used]),
            tokens=_mean([read + written for _, read, written in used if read is not None and written is not None]),
            seconds=_mean([entry.seconds for entry in entries]) or 0.0,
            definition_tokens=_definition_tokens(entries),
            gate=verdict.verdict if verdict is not None else "",
            end=end,
            suite_tasks=suite_tasks,
            selection=identity_digest("\n".join(ids)) if suite_tasks is not None and len(ids) < suite_tasks else "",
        )


def parse_history(text: str, place: str) -> list[HistoryPoint]:
    """Return the points of a history file. Raises UsageError with the line that is no point."""
    points = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            points += [HistoryPoint.model_validate_json(line)] if line.strip() else []
        except ValidationError as error:
            fault = error.errors()[0]
            field = ".".join(map(str, fault["loc"]))
            raise UsageError(
                f"{place}:{number}: not a point of a history: {f'{field}: ' * bool(field)}{fault['msg']}. "
                "`mcpbench history DIR --file FILE` writes such a file."
            ) from None
    return points


def merge_points(points: Iterable[HistoryPoint]) -> list[HistoryPoint]:
    """Return the points by suite, model and time; of several of one run the last one counts."""
    latest = {(point.suite, point.model, point.run): point for point in points}
    return sorted(
        latest.values(),
        key=lambda point: (
            natural_key(point.suite), not is_competitor(point.model), natural_key(point.model), point.run
        ),
    )  # fmt: skip


def history_lines(points: Iterable[HistoryPoint]) -> str:
    """Return the content of a history file: a line of JSON for each point."""
    return "".join(f"{json.dumps(point.model_dump(mode='json'), ensure_ascii=False)}\n" for point in points)


def history_table(points: Sequence[HistoryPoint]) -> Table:
    """Return the table with a row for each point."""
    columns: tuple[Column[HistoryPoint], ...] = (
        Column("suite", lambda point: one_line(point.suite, 60), is_words=True),
        Column("model", lambda point: model_name(marked_name(point.model)), is_words=True),
        Column("started", lambda point: one_line(point.started_at[:16].replace("T", " "), 16)),
        Column("pass rate", lambda point: point.rate.text),
        Column("95 % interval", lambda point: number_formats.percent_interval(point.pass_interval)),
        Column("tasks", lambda point: number_formats.count(point.tasks)),
        Column("errors", lambda point: number_formats.count(point.errors), is_optional=True),
        Column("cost an attempt", lambda point: number_formats.money(point.cost_usd)),
        Column("tokens an attempt", lambda point: number_formats.tokens(point.tokens)),
        Column("definitions", lambda point: number_formats.tokens(point.definition_tokens)),
        Column("gate", lambda point: one_line(point.gate, 20)),
        Column("commit", lambda point: one_line(point.commit[:9], 9)),
        Column("part", lambda point: one_line(point.part, 80)),
    )
    note = "definitions: estimated tokens of everything that the servers' tools say"
    return table_of("History", columns, points, note)


def joined_runs(points: Iterable[HistoryPoint]) -> set[str]:
    """Return the runs that a curve joins: those that ended by themselves, of the selection of tasks that most have."""
    ended = [point for point in points if not point.end]
    usual = max(
        group_by(ended, lambda point: point.selection).items(),
        key=lambda pair: (len(pair[1]), not pair[0]),
        default=None,
    )
    return {point.run for point in usual[1]} if usual is not None else set()


def _mean_cost(costs: Sequence[float | None]) -> float | None:
    """Return the mean of the known costs; ``None`` if these are 0, as of attempts that asked no model."""
    known = [cost for cost in costs if cost is not None]
    return _mean(known) if any(known) or len(known) == len(costs) else None


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _definition_tokens(entries: Iterable[Entry]) -> int | None:
    """Return the sum over servers of the largest size of their definitions in any attempt."""
    sizes: dict[str, int] = {}
    for entry in entries:
        for server, each in (entry.offered or entry.definitions).items():
            sizes[server] = max(each.tokens, sizes.get(server, 0))
    return sum(sizes.values()) if sizes else None
