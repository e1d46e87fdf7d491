"""``mcpbench export``: write the data of runs, and suites, for other programs."""

import argparse
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from pytest_mcpbench.cli.arguments import RUN_HELP
from pytest_mcpbench.cli.output import write_text
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.reporting.data.columns import KINDS
from pytest_mcpbench.reporting.data.table import csv_lines
from pytest_mcpbench.runs.data import RunData, load, write_parquet
from pytest_mcpbench.runs.lookup import run_names
from pytest_mcpbench.runs.records import read_record, read_report
from pytest_mcpbench.text.paths import name_digest
from pytest_mcpbench.text.words import shortened_list

_LONGEST_NAME = 60


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "runs", nargs="+", metavar="RUN", help=f"{RUN_HELP}; inspect-task, harbor: name or path of a suite"
    )
    parser.add_argument("--format", choices=(*_FORMATS, *_SUITE_FORMATS), default="csv")
    parser.add_argument("--table", choices=KINDS, default="attempts", help="csv and parquet: the rows of the table")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="PATH",
        help="file to write, or directory for inspect, inspect-task, harbor, eval-result; csv: default standard output",
    )
    parser.add_argument(
        "--endpoint", metavar="URL", help="otel: collector, by default that of OTEL_EXPORTER_OTLP_ENDPOINT or port 4318"
    )
    parser.add_argument("--content", action="store_true", help="otel: also send messages, arguments and results")


def run(options: argparse.Namespace) -> int:
    if options.format in _SUITE_FORMATS:
        _SUITE_FORMATS[options.format](options)
    else:
        _FORMATS[options.format](load(options.runs), options)
    return 0


def _export_csv(data: RunData, options: argparse.Namespace) -> None:
    write_text(csv_lines(data.table(KINDS[options.table])), options.out)


def _export_parquet(data: RunData, options: argparse.Namespace) -> None:
    path = _required_path(options)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_parquet(data.table(KINDS[options.table]), path)


def _export_inspect(data: RunData, options: argparse.Namespace) -> None:
    """Write one log for each suite and model of each run into a directory."""
    from pytest_mcpbench.reporting.aggregates.summary import by_suite_and_model, summaries
    from pytest_mcpbench.reporting.interchange.inspect_log import log_name, log_pieces

    out = _required_path(options)
    for directory in data.directories:
        report = read_report(directory)
        groups = by_suite_and_model(report.entries)
        for summary, (_, entries) in zip(summaries(report), groups, strict=True):
            path = out / log_name(summary, report.facts)
            write_text(log_pieces(summary, _records(directory, entries), report.facts), path)
            print(path)


def _export_inspect_tasks(options: argparse.Namespace) -> None:
    """Write a module and a dataset for each suite into a directory, from which ``inspect eval`` runs them."""
    from pytest_mcpbench.reporting.interchange.inspect_task import dataset_lines, identifier_of, module_text
    from pytest_mcpbench.suite_files.discovery import installed_name

    out = _required_path(options)
    out.mkdir(parents=True, exist_ok=True)
    for path, suite, tasks in _suites(options.runs):
        module = out / f"{identifier_of(suite.name)}.py"
        place = installed_name(path) or os.path.relpath(path, out.resolve())
        write_text(dataset_lines(tasks), module.with_suffix(".jsonl"))
        write_text([module_text(suite.name, suite=place, root=os.path.relpath(Path.cwd(), out.resolve()))], module)
        print(f"{module}: {len(tasks)} tasks")


def _export_harbor_tasks(options: argparse.Namespace) -> None:
    """Write a directory for each task of each suite, from which ``harbor run`` runs it."""
    import anyio

    from pytest_mcpbench.attempt.harbor_export import task_files, write_task
    from pytest_mcpbench.suite_files.discovery import part_of

    out = _required_path(options)
    for name, (_, suite, tasks) in zip(options.runs, _suites(options.runs), strict=True):
        files, left_out = anyio.run(task_files, tasks, suite)
        part = part_of(name)
        directory = out / _file_name(suite.name if part is None else f"{suite.name}-{part}")
        # `harbor run` takes all tasks of a directory.
        others = {path.parent.name for path in directory.glob("*/task.toml")} - {file.task.id for file in files}
        if others:
            raise UsageError(
                f"{directory} has tasks that this export does not write ({shortened_list(sorted(others))}), "
                "which Harbor would run, too; remove the directory, or pass another one with --out."
            )
        for file in files:
            write_task(file, directory / file.task.id)
        reasons = "".join(f"; left out: {count} that {reason}" for reason, count in left_out.items())
        print(f"{directory}: {len(files)} of {len(tasks)} tasks{reasons}")


def _suites(names: Sequence[str]) -> Iterator[tuple[Path, SuiteManifest, list[Task]]]:
    """Yield the suites of these names or paths with their tasks: those of the sample or of another part."""
    from pytest_mcpbench.suite_files.discovery import find_suite, part_of
    from pytest_mcpbench.suite_files.loading import load_suite
    from pytest_mcpbench.suite_files.splits import with_part

    for name in names:
        path = find_suite(name, Path.cwd())
        loaded = with_part(load_suite(path, {}), part_of(name))
        drawn = {record.id for record in loaded.drawn}
        yield path, loaded.manifest, [task for task in loaded.tasks if task.id in drawn]


def _export_eval_results(data: RunData, options: argparse.Namespace) -> None:
    """Write the results of each suite and model of each run into a directory: a result does not name its model."""
    from pytest_mcpbench.metrics.answer import last_text, untagged_answer
    from pytest_mcpbench.reporting.aggregates.summary import by_suite_and_model
    from pytest_mcpbench.reporting.interchange.eval_result import eval_result_lines

    out = _required_path(options)
    names = run_names(data.directories)
    for directory in data.directories:
        for (suite, model), entries in by_suite_and_model(read_report(directory).entries):
            path = out / f"{_file_name(names[directory], suite, model)}.jsonl"
            lines = list(eval_result_lines(_records(directory, entries), untagged_answer, last_text))
            write_text(lines, path)
            left_out = len(entries) - len(lines)
            print(path, f"({left_out} without a verdict left out)" if left_out else "")


def _file_name(*names: str) -> str:
    """Return the names in one, with a digest if characters were replaced or cut: other names may become the same."""
    plain = [re.sub(r"[^A-Za-z0-9.-]+", "-", name).strip("-")[:_LONGEST_NAME] for name in names]
    digest = [] if plain == [*names] else [name_digest("\n".join(names))]
    # No name has an underscore any more, so that names that are divided elsewhere are different here, too.
    return "_".join([*plain, *digest])


def _export_otel(data: RunData, options: argparse.Namespace) -> None:
    from pytest_mcpbench.runs.telemetry import TraceExport

    for directory in data.directories:
        report: Report = read_report(directory)
        with closing(TraceExport(options.endpoint, run=directory.resolve().name)) as export:
            spans = export.export(_records(directory, report.entries), has_content=options.content)
        print(f"mcpbench: sent {len(report.entries)} attempts in {spans} spans", file=sys.stderr)


_FORMATS = {
    "csv": _export_csv,
    "parquet": _export_parquet,
    "inspect": _export_inspect,
    "otel": _export_otel,
    "eval-result": _export_eval_results,
}
_SUITE_FORMATS = {"inspect-task": _export_inspect_tasks, "harbor": _export_harbor_tasks}


def _records(directory: Path, entries: Sequence[Entry]) -> Iterator[RunRecord]:
    """Yield the records of entries one by one: all of them may not fit into memory."""
    for entry in entries:
        if entry.record is not None:
            yield read_record(directory, entry.record)


def _required_path(options: argparse.Namespace) -> Path:
    """Return the path to write to, which formats that are no text for a terminal need."""
    if options.out is None:
        raise UsageError(f"--format {options.format} needs --out PATH.")
    path: Path = options.out
    return path
