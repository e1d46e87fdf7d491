"""``mcpbench show``: print one attempt of a run whole."""

import argparse
import shutil
import sys
from pathlib import Path

from pytest_mcpbench.cli.arguments import RUN_HELP, positive
from pytest_mcpbench.cli.output import write_text
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.reporting.forms.display_text import one_line, terminal_safe
from pytest_mcpbench.reporting.texts.attempt_text import attempt_lines
from pytest_mcpbench.runs.lookup import attempts_of_task, find_run
from pytest_mcpbench.runs.records import read_facts
from pytest_mcpbench.text.suggestions import did_you_mean
from pytest_mcpbench.text.words import shortened_list

_MOST_TELLING = ("failed", "error", "unscored", "passed")
"""Outcomes in the order in which an attempt is chosen where several fit."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help=RUN_HELP)
    parser.add_argument("task", metavar="TASK", help="id of the task")
    parser.add_argument("--suite", metavar="NAME", help="suite of the task, if several suites have a task of the name")
    parser.add_argument("--model", metavar="NAME", help="model of the attempt; default: the first that failed")
    parser.add_argument("--trial", type=positive, metavar="N", help="trial of the attempt, counted from 1")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write to this file instead of to standard output")


def run(options: argparse.Namespace) -> int:
    directory = find_run(options.run)
    every = attempts_of_task(directory, options.task)
    if not every:
        contents = read_facts(directory).get("contents")
        suites = contents.values() if isinstance(contents, dict) else ()
        near = did_you_mean(options.task, [name for suite in suites for name in suite.get("tasks", ())])
        suggestion = f" {near}" if near else ""
        raise UsageError(f"{directory} has no attempt of a task {options.task!r}.{suggestion}")
    matching = [
        record
        for record in every
        if options.suite in (None, record.suite)
        and options.model in (None, record.model)
        and options.trial in (None, record.trial)
    ]
    if not matching:
        raise UsageError(
            f"{directory} has no such attempt of {options.task}; there are: {shortened_list(map(_name, every))}."
        )
    chosen = min(matching, key=lambda record: _MOST_TELLING.index(record.outcome))
    columns = shutil.get_terminal_size((120, 24)).columns
    write_text((f"{terminal_safe(line)}\n" for line in attempt_lines(chosen, columns=columns)), options.out)
    others = [f"{_name(record)} ({record.outcome})" for record in every if record is not chosen]
    if others:
        print(f"mcpbench: other attempts: {shortened_list(others)}; choose with --model, --trial", file=sys.stderr)
    return 0


def _name(record: RunRecord) -> str:
    return one_line(f"{record.suite} {record.model} {record.arm + ' ' if record.arm else ''}trial {record.trial}")
