"""Reports of finished runs, for the commands that show one: ``report`` and ``merge``."""

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from pytest_mcpbench.cli.output import terminal_columns
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.report import Entry, RecordRef, Report, with_distinct_suites
from pytest_mcpbench.reporting.aggregates import conditions
from pytest_mcpbench.reporting.aggregates.run_end import JOINED
from pytest_mcpbench.reporting.data import badge, json
from pytest_mcpbench.reporting.forms.number_formats import quantity
from pytest_mcpbench.reporting.page.attempt_blocks import PackedAttempts
from pytest_mcpbench.reporting.pull_request import report as pull_request_report
from pytest_mcpbench.reporting.texts import annotations, terminal
from pytest_mcpbench.runs.lookup import run_names
from pytest_mcpbench.runs.records import read_report

_RENDERERS: Mapping[str, Callable[[Report], str]] = {
    "markdown": pull_request_report.text,
    "json": json.text,
    "badge": badge.svg,
    "shields": badge.shields,
    "codequality": annotations.code_quality,
}


def add_format_arguments(parser: argparse.ArgumentParser, *more: str) -> None:
    """Add the options that choose a report's format, which may be one more, and its length."""
    parser.add_argument("--format", choices=("terminal", "html", *_RENDERERS, *more), default="terminal")
    parser.add_argument(
        "-v", "--verbose", action="count", default=0, help="also show results by tag, kinds of failure and tools"
    )


def read_runs(directories: Sequence[Path], attempts: PackedAttempts | None = None) -> tuple[Report, list[Path]]:
    """Return the runs of all directories as one report, and the directory of each entry.

    The attempts of all records are added to ``attempts``.

    No attempt is left out. Attempts under different conditions are different attempts: their suites are shown with the
    conditions. If several runs have the same attempt, their models are shown with the run.
    """
    directories = list({directory.resolve(): directory for directory in directories}.values())
    reports = {directory: read_report(directory, _visitor(directory, attempts)) for directory in directories}
    if len(reports) == 1:
        (report,) = reports.values()
        return report, [directories[0]] * len(report.entries)
    suffixes = conditions.varying_conditions([report.facts for report in reports.values()])
    every = [
        (entry, home, suffixes_of_run.get(entry.suite))
        for (home, report), suffixes_of_run in zip(reports.items(), suffixes, strict=True)
        for entry in report.entries
    ]
    homes = [home for _, home, _ in every]
    distinct = with_distinct_suites(entry for entry, _, _ in every)
    entries = [
        entry.model_copy(update={"suite": f"{entry.suite} ({suffix})"}) if suffix else entry
        for entry, (_, _, suffix) in zip(distinct, every, strict=True)
    ]
    gates = tuple(gate for report in reports.values() for gate in report.gates)
    joined = []
    for directory, report in reports.items():
        own_facts = {name: fact for name, fact in report.facts.items() if name != "contents"}
        joined.append({**own_facts, "directory": str(directory), "attempts": len(report.entries)})
    facts = {JOINED: joined}
    damaged = sum(report.damaged for report in reports.values())
    distinct_runs = tuple(_with_distinct_runs(entries, homes))
    return Report(entries=distinct_runs, gates=gates, facts=facts, damaged=damaged), homes


def _with_distinct_runs(entries: Sequence[Entry], homes: Sequence[Path]) -> Iterator[Entry]:
    """Yield the entries; a model that made the same attempt of a suite in several runs is named with the run."""
    times = Counter(entry.attempt for entry in entries)
    repeated = {(entry.series, entry.model) for entry in entries if times[entry.attempt] > 1}
    labels = run_names(homes)
    for entry, home in zip(entries, homes, strict=True):
        is_repeated = (entry.series, entry.model) in repeated
        yield entry.model_copy(update={"model": f"{entry.model} [{labels[home]}]"}) if is_repeated else entry


def attempts_for(options: argparse.Namespace) -> PackedAttempts | None:
    """Return where the attempts are collected for the format that the command line asks for, if it needs them."""
    return PackedAttempts() if options.format == "html" else None


def rendered_report(
    report: Report,
    homes: Sequence[Path],
    options: argparse.Namespace,
    attempts: PackedAttempts | None,
    *,
    is_for_file: bool,
) -> Iterable[str]:
    """Return the report's text in the format that the command line asks for, in pieces."""
    if options.format == "terminal":
        columns = None if is_for_file else terminal_columns()
        lines = terminal.lines(report, verbosity=options.verbose, columns=columns)
        return "\n".join([*lines, "", *terminal.sentence_lines(report, columns)]) + "\n"
    if attempts is None:
        return _RENDERERS[options.format](report)
    from pytest_mcpbench.metrics.catalogue import descriptions
    from pytest_mcpbench.reporting.page.report_page import report_page

    print(f"mcpbench: writing the page of {quantity(len(report.entries), 'attempt')}", file=sys.stderr)
    keys = [_key(home, entry.record) for entry, home in zip(report.entries, homes, strict=True)]
    return report_page(report, lambda entries: attempts.blocks(entries, keys), descriptions=descriptions())


def _visitor(directory: Path, attempts: PackedAttempts | None) -> Callable[[RecordRef, RunRecord], None] | None:
    return None if attempts is None else lambda ref, record: attempts.add(_key(directory, ref), record)


def _key(home: Path, ref: RecordRef | None) -> Hashable:
    return (home, ref.file, ref.offset) if ref else None
