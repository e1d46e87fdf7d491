"""``mcpbench rescore``: score a finished run again with the present metrics and references."""

import argparse
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from pytest_mcpbench.cli.arguments import RUN_HELP, run_directory
from pytest_mcpbench.cli.models import call_with_judge, model_aliases
from pytest_mcpbench.cli.output import known_secrets, write_text
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.model_identity import same_family_facts
from pytest_mcpbench.core.record import AttemptKey, RunRecord
from pytest_mcpbench.core.report import Entry, Report, with_distinct_suites
from pytest_mcpbench.core.run_settings import read_settings
from pytest_mcpbench.reporting.data import json
from pytest_mcpbench.reporting.texts import score_changes, terminal
from pytest_mcpbench.runs import records, rescoring
from pytest_mcpbench.suite_files.discovery import find_suite
from pytest_mcpbench.suite_files.loading import KnownNames, read_suite
from pytest_mcpbench.text.words import shortened_list


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", type=run_directory, metavar="DIR", help=RUN_HELP)
    parser.add_argument("--suite", required=True, metavar="NAME|PATH", help="the suite in its present version")
    parser.add_argument("--out", type=Path, metavar="DIR", help="directory of the new records (default: DIR-rescored)")
    parser.add_argument("--format", choices=("terminal", "json"), default="terminal", help="format of what changed")
    parser.add_argument(
        "--judge", metavar="NAME", help="judge of questions without a stored decision: keyfacts, a model, or a panel"
    )


def run(options: argparse.Namespace) -> int:
    out: Path = options.out or options.directory.with_name(f"{options.directory.resolve().name}-rescored")
    if records.has_records(out):
        raise UsageError(f"{out} already contains records; choose another directory with --out.")
    records.require_records(options.directory)
    facts = records.read_facts(options.directory)
    data = read_settings(facts).get("data")
    names = KnownNames(servers=None, data=Path(data) if data and Path(data).is_dir() else None)
    suite = read_suite(find_suite(options.suite, Path.cwd()), names)
    rescored = rescoring.RescoredRun(rescoring.Rescoring.of(suite, facts, names))
    before: Iterable[RunRecord] = (record for _, record in records.read_records(options.directory))
    if options.judge:
        before = call_with_judge(rescoring.with_verdicts, before, rescored.rescoring, name=options.judge)
        agents = read_settings(facts).get("models", ())
        facts = {**facts, **same_family_facts([options.judge], agents, model_aliases())}
    records.write_facts(out, dict(facts))
    # Records are written one by one, however many there are; the last one of an attempt counts.
    entries: dict[AttemptKey, Entry] = {}
    with closing(records.RecordWriter(out, worker="main", secrets=known_secrets())) as writer:
        for record in map(rescored.rescore, before):
            entry = writer.append_entry(record)
            entries[entry.attempt] = entry
    after = Report(entries=with_distinct_suites(entries.values()), facts=facts, directory=str(out))
    write = _write_json if options.format == "json" else _write_lines
    write(after, rescored)
    return 0


def _write_lines(after: Report, rescored: rescoring.RescoredRun) -> None:
    lines = [*terminal.lines(after), "", *score_changes.lines([*rescored.comparisons.values()])]
    if rescored.errors:
        lines.append(f"errors stay errors: {len(rescored.errors)} attempts")
    if rescored.gone:
        lines.append(f"left as they were, for they are not in the suite: {shortened_list(rescored.gone)}")
    if rescored.altered:
        lines.append(f"scored against another version of the task than was run: {shortened_list(rescored.altered)}")
    lines.append(f"records: {after.directory}")
    write_text("".join(f"{line}\n" for line in lines), None)


def _write_json(after: Report, rescored: rescoring.RescoredRun) -> None:
    left = {"errors": len(rescored.errors), "gone": [*rescored.gone], "altered": [*rescored.altered]}
    content = {**json.score_changes([*rescored.comparisons.values()]), **left, "directory": after.directory}
    write_text(json.as_text(content), None)
