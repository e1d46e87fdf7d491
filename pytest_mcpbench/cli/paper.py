"""``mcpbench paper``: print the tables and figures of a benchmark's paper from the records of runs."""

import argparse
import base64
import functools
import importlib.util
import json
import operator
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mcpbench.cli.arguments import RUN_HELP
from pytest_mcpbench.cli.output import terminal_columns, write_text
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.record import AttemptKey
from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.core.variant import model_of
from pytest_mcpbench.reporting.aggregates.conditions import categories_of_suite, conditions_of_suite
from pytest_mcpbench.reporting.forms.number_formats import quantity
from pytest_mcpbench.reporting.papers import catalogue, items
from pytest_mcpbench.reporting.papers.catalogue import SUITES
from pytest_mcpbench.reporting.papers.details import Details
from pytest_mcpbench.reporting.papers.experiment import ESTIMATE, Experiment, PaperAttempt, Tokenizer
from pytest_mcpbench.reporting.papers.items import BuiltItem, Paper, PaperItem
from pytest_mcpbench.reporting.papers.people_labels import (
    PeopleLabels,
    label_that_counts,
    names_of_attempt,
    read_people_labels,
)
from pytest_mcpbench.reporting.tables.grid import CellForm
from pytest_mcpbench.runs.lookup import find_runs, run_names
from pytest_mcpbench.runs.records import read_facts, read_records
from pytest_mcpbench.text.natural_order import natural_key

if TYPE_CHECKING:
    import tiktoken

# Attempts of one suite from the records of several runs, with the conditions of each run.


def read_experiment(
    runs: Sequence[str], suite: str, name: str | None = None, labels: PeopleLabels | None = None
) -> Experiment:
    """Return the attempts of a suite, which is called as its paper unless another name is given.

    Tests that users wrote themselves and arms of a comparison are left out. If several runs have the same attempt under
    the same conditions, its model is named with the run.
    """
    every = [(home, attempt) for home in find_runs(runs) for attempt in _attempts_of_run(home)]
    wanted = name or _suite_name([attempt for _, attempt in every], suite)
    own = [(home, attempt) for home, attempt in every if attempt.entry.suite == wanted]
    usual = [(home, attempt) for home, attempt in own if not attempt.entry.test and not attempt.entry.arm]
    if not usual:
        names = ", ".join(sorted({attempt.entry.suite for _, attempt in every}, key=natural_key)) or "none"
        raise UsageError(f"no run has an attempt of the suite {wanted!r}; there are: {names}.")
    left_out = len(own) - len(usual)
    notes = [f"{left_out} attempts of users' own tests and of arms of comparisons are left out"] if left_out else []
    if labels is not None:
        # Labels have the names of the records, before a model is named with its run.
        usual, unused = _with_labels(usual, labels)
        notes += [f"{quantity(unused, 'label')} of people: no verdict in these runs"] if unused else []
    categories = [categories_of_suite(read_facts(home), wanted) for home in dict.fromkeys(home for home, _ in usual)]
    return Experiment(
        tuple(_with_distinct_runs(usual)),
        tuple(notes),
        categories=functools.reduce(operator.or_, categories),
        tokenizer=_tokenizer(),
        has_labels=labels is not None,
    )


def _with_labels(
    attempts: Sequence[tuple[Path, PaperAttempt]], labels: PeopleLabels
) -> tuple[list[tuple[Path, PaperAttempt]], int]:
    """Return the attempts with the points that people gave, and the number of labels that are for none of them."""
    unused = {id(label) for group in labels.values() for label in group}
    made = []
    for home, attempt in attempts:
        names = names_of_attempt(attempt.entry, home)
        people: dict[str, float] = {}
        for verdict in attempt.details.verdicts:
            group = labels.get((attempt.entry.task_id, verdict.statement), ())
            own = [label for label in group if label.is_for(names)]
            unused -= {id(label) for label in own}
            if own:
                people[verdict.statement] = label_that_counts(own).points
        made.append((home, replace(attempt, people=people)))
    return made, len(unused)


_CL100K_BASE = "litellm_core_utils/tokenizers/9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
"""Vocabulary of ``cl100k_base`` in the package litellm; the name is the digest of its address."""
_PIECES = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$"
    r"|\s*[\r\n]|\s+(?!\S)|\s"
)


def _tokenizer() -> Tokenizer:
    """Return OpenAI's ``cl100k_base`` from the file that litellm brings, or an estimate if it brings none."""
    # Importing litellm takes seconds, and tiktoken alone would download the file.
    spec = importlib.util.find_spec("litellm")
    path = Path(spec.origin or "").parent / _CL100K_BASE if spec else None
    return (
        Tokenizer("cl100k_base", lambda text: len(_encoding(path).encode(text)))
        if path and path.is_file()
        else ESTIMATE
    )


@functools.cache
def _encoding(path: Path) -> "tiktoken.Encoding":
    import tiktoken

    lines = (line.split() for line in path.read_bytes().splitlines())
    ranks = {base64.b64decode(token): int(rank) for token, rank in lines}
    return tiktoken.Encoding("cl100k_base", pat_str=_PIECES, mergeable_ranks=ranks, special_tokens={})


def _attempts_of_run(directory: Path) -> Iterator[PaperAttempt]:
    """Yield the last record of each attempt of a run; swept values are conditions, and no part of the model's name."""
    facts = read_facts(directory)
    latest = {record.attempt: (Entry.of(record, ref), Details.of(record)) for ref, record in read_records(directory)}
    conditions: dict[tuple[str, ...], dict[str, Any]] = {}
    for entry, details in latest.values():
        place = (entry.suite, *entry.swept.values())
        if place not in conditions:
            conditions[place] = conditions_of_suite(facts, entry.suite, entry.swept)
        named = entry.model_copy(update={"model": model_of(entry.model, entry.swept)})
        yield PaperAttempt(named, conditions[place], details)


def _suite_name(attempts: Sequence[PaperAttempt], suite: str) -> str:
    """Return the name of the suite of a paper: its own, or that of the only suite unless it is another paper's."""
    names = {attempt.entry.suite for attempt in attempts}
    if suite in names or len(names) != 1 or names <= set(SUITES):
        return suite
    return names.pop()


def _with_distinct_runs(attempts: Sequence[tuple[Path, PaperAttempt]]) -> Iterator[PaperAttempt]:
    """Yield the attempts; a model that made the same attempt in several runs is named with the run."""
    times = Counter(_identity(attempt) for _, attempt in attempts)
    repeated = {(attempt.entry.model, _settings(attempt)) for _, attempt in attempts if times[_identity(attempt)] > 1}
    labels = run_names([home for home, _ in attempts])
    for home, attempt in attempts:
        entry = attempt.entry
        if (entry.model, _settings(attempt)) in repeated:
            named = entry.model_copy(update={"model": f"{entry.model} [{labels[home]}]"})
            yield replace(attempt, entry=named)
        else:
            yield attempt


def _identity(attempt: PaperAttempt) -> tuple[AttemptKey, str]:
    return attempt.entry.attempt, _settings(attempt)


def _settings(attempt: PaperAttempt) -> str:
    return json.dumps(attempt.conditions, sort_keys=True)


_EVERYTHING = "all"
_SVG = "svg"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paper", choices=catalogue.SUITES, metavar="PAPER", help=", ".join(catalogue.SUITES))
    parser.add_argument("runs", nargs="*", metavar="RUN", help=f"{RUN_HELP}; tables of conditions need several")
    parser.add_argument("--table", action="append", default=[], metavar="N", help="a table, or all; repeatable")
    parser.add_argument("--figure", action="append", default=[], metavar="N", help="a figure, or all; repeatable")
    parser.add_argument("--list", action="store_true", help="list what the paper has, and what records do not have")
    parser.add_argument(
        "--labels",
        type=Path,
        metavar="FILE.csv",
        help="export --table verdicts with a column `people`, for Table 7 of MCP-Persona",
    )
    parser.add_argument("--suite", metavar="NAME", help="name of the suite in the runs, if it is not that of the paper")
    parser.add_argument("--format", choices=(*items.SUFFIXES, _SVG), default="terminal")
    parser.add_argument("--counts", action="store_true", help="show the number of attempts behind each number")
    parser.add_argument("--intervals", action="store_true", help="show the 95 %% interval of each number")
    parser.add_argument(
        "--out", type=Path, metavar="FILE|DIR", help="write to this file, or a file each into this directory"
    )


def run(options: argparse.Namespace) -> int:
    paper = catalogue.paper_of(options.paper)
    if options.list:
        write_text(items.listing(paper), options.out)
        return 0
    if not options.runs:
        raise UsageError(f"name a run, as in mcpbench paper {options.paper} RUN; --list needs none.")
    # The items that the command line names; without a name, all that records have.
    asked = {"table": options.table, "figure": options.figure}
    for kind, numbers in asked.items():
        for number in numbers:
            if number != _EVERYTHING and not any(item.kind == kind and item.number == number for item in paper.items):
                remedy = f"mcpbench paper {paper.suite} --list shows what it has."
                raise UsageError(f"{paper.name} has no {kind} {number}; {remedy}")
    if not any(asked.values()):
        wanted = [item for item in paper.items if item.build is not None]
    else:
        wanted = [
            item
            for item in paper.items
            if item.number in asked[item.kind] or (_EVERYTHING in asked[item.kind] and item.build is not None)
        ]
    labels = _labels(paper, wanted, options.labels)
    experiment = read_experiment(options.runs, paper.suite, options.suite, labels)
    built = [BuiltItem(paper, item, tuple(item.build(experiment))) for item in wanted if item.build is not None]
    for problem in _problems(paper, wanted, options.format):
        print(f"mcpbench: {problem}", file=sys.stderr)
    _write(built, options)
    return 0


def _labels(paper: Paper, wanted: Sequence[PaperItem], file: Path | None) -> PeopleLabels | None:
    """Read the labels of ``--labels``, which a table that is wanted must use."""
    if file is None:
        return None
    if not any(item.uses_labels for item in wanted):
        using = ", ".join(item.name for item in paper.items if item.uses_labels)
        remedy = f"ask for {using} too" if using else "leave the option out"
        raise UsageError(f"--labels: no table of {paper.name} that is written uses labels of people; {remedy}.")
    return read_people_labels(file)


def _problems(paper: Paper, wanted: Sequence[PaperItem], form: str) -> Iterator[str]:
    """Yield a sentence for each item that was asked for by name and cannot be written."""
    for item in wanted:
        if item.build is None:
            yield f"{item.name} of {paper.name} is not in records: {item.computed}."
        elif form == _SVG and item.draw is None and item.kind == "figure":
            yield f"{item.name} of {paper.name} has no chart; another --format has its numbers."


def _write(built: Sequence[BuiltItem], options: argparse.Namespace) -> None:
    """Write a file for each item into a directory, or all of them into one file or to standard output."""
    out: Path | None = options.out
    is_directory = out is not None and (out.is_dir() or not out.suffix)
    if options.format == _SVG:
        pictures = list(items.picture_files(built))
        if out is not None and is_directory:
            for name, text in pictures:
                write_text(text, out / name)
        elif len(pictures) == 1:
            write_text(pictures[0][1], out)
        else:
            raise UsageError(f"there are {len(pictures)} charts; name one with --figure, or a directory with --out.")
        return
    form = CellForm(options.counts, options.intervals)
    if out is None or not is_directory:
        columns = terminal_columns() if out is None else None
        write_text(items.text(built, form, options.format, columns), out)
        return
    for item in built:
        name = f"{item.paper.suite}-{item.item.slug}{items.SUFFIXES[options.format]}"
        write_text(items.text([item], form, options.format), out / name)
