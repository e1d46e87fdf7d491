"""``mcpbench paper``: print the tables and figures of a benchmark's paper from the records of runs."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from pytest_mcpbench.cli.argument_types import RUN_HELP
from pytest_mcpbench.cli.output import write_text
from pytest_mcpbench.cli.paper_runs import read_experiment
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.reporting.grid import CellForm
from pytest_mcpbench.reporting.papers import catalogue, forms
from pytest_mcpbench.reporting.papers.forms import BuiltItem
from pytest_mcpbench.reporting.papers.item import Item, Paper

_EVERYTHING = "all"
_SVG = "svg"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paper", choices=catalogue.SUITES, metavar="PAPER", help=", ".join(catalogue.SUITES))
    parser.add_argument("runs", nargs="*", metavar="RUN", help=f"{RUN_HELP}; tables of conditions need several")
    parser.add_argument("--table", action="append", default=[], metavar="N", help="a table, or all; repeatable")
    parser.add_argument("--figure", action="append", default=[], metavar="N", help="a figure, or all; repeatable")
    parser.add_argument("--list", action="store_true", help="list what the paper has, and what records do not have")
    parser.add_argument("--suite", metavar="NAME", help="name of the suite in the runs, if it is not that of the paper")
    parser.add_argument("--format", choices=(*forms.SUFFIXES, _SVG), default="terminal")
    parser.add_argument("--counts", action="store_true", help="show the number of attempts behind each number")
    parser.add_argument("--intervals", action="store_true", help="show the 95 %% interval of each number")
    parser.add_argument(
        "--out", type=Path, metavar="FILE|DIR", help="write to this file, or a file each into this directory"
    )


def run(options: argparse.Namespace) -> int:
    paper = catalogue.paper_of(options.paper)
    if options.list:
        write_text(forms.listing(paper), options.out)
        return 0
    if not options.runs:
        raise UsageError(f"name a run, as in mcpbench paper {options.paper} RUN; --list needs none.")
    wanted = _wanted_items(paper, options)
    experiment = read_experiment(options.runs, paper.suite, options.suite)
    built = [BuiltItem(paper, item, tuple(item.build(experiment))) for item in wanted if item.build is not None]
    for problem in _problems(paper, wanted, options.format):
        print(f"mcpbench: {problem}", file=sys.stderr)
    _write(built, options)
    return 0


def _wanted_items(paper: Paper, options: argparse.Namespace) -> list[Item]:
    """Return the items that the command line names; without a name, all that records have."""
    asked = {"table": options.table, "figure": options.figure}
    for kind, numbers in asked.items():
        for number in numbers:
            if number != _EVERYTHING and not any(item.kind == kind and item.number == number for item in paper.items):
                remedy = f"mcpbench paper {paper.suite} --list shows what it has."
                raise UsageError(f"{paper.name} has no {kind} {number}; {remedy}")
    if not any(asked.values()):
        return [item for item in paper.items if item.build is not None]
    return [item for item in paper.items if _is_asked(item, asked[item.kind])]


def _is_asked(item: Item, numbers: Sequence[str]) -> bool:
    return item.number in numbers or (_EVERYTHING in numbers and item.build is not None)


def _problems(paper: Paper, wanted: Sequence[Item], form: str) -> Iterator[str]:
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
        _write_pictures(list(forms.picture_files(built)), out, is_directory=is_directory)
        return
    form = CellForm(options.counts, options.intervals)
    if out is None or not is_directory:
        write_text(forms.text(built, form, options.format), out)
        return
    for item in built:
        name = f"{item.paper.suite}-{item.item.slug}{forms.SUFFIXES[options.format]}"
        write_text(forms.text([item], form, options.format), out / name)


def _write_pictures(pictures: Sequence[tuple[str, str]], out: Path | None, *, is_directory: bool) -> None:
    if out is not None and is_directory:
        for name, text in pictures:
            write_text(text, out / name)
    elif len(pictures) == 1:
        write_text(pictures[0][1], out)
    else:
        raise UsageError(f"there are {len(pictures)} charts; name one with --figure, or a directory with --out.")
