"""Makes the suite ``radar``: our own tasks by MCP-RADAR's method, in its format (arXiv 2505.16700, 3.2 and A.1).

A domain is one package that offers its tasks as rows; :data:`DOMAINS` lists them.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pytest_mcpbench.generation.directories import is_checkout, output_directory, write_files
from pytest_mcpbench.generation.radar import calendar, files, mail, math, rows, terminal, web

SEED = 2026
PAGES = Path(__file__).parents[2] / "simulated" / "websearch" / "pages"
"""Directory of the pages that the simulated search server finds."""

Rows = list[dict[str, Any]]


def email_rows(seed: int) -> Rows:
    """119 operations on a mailbox, 34 of them of several calls."""
    return [rows.fuzzy_row(request) for request in mail.requests(seed)]


def calendar_rows(seed: int) -> Rows:
    """28 operations on calendars, 8 of them of several calls."""
    return [rows.fuzzy_row(request) for request in calendar.requests(seed)]


def math_rows(seed: int) -> Rows:
    """120 problems with one answer each."""
    return [rows.precise_row(problem) for _, problem in math.problems(seed)]


def websearch_rows(_seed: int) -> Rows:
    """94 questions about the pages of the small web; written by hand, so the same for every seed."""
    return [rows.precise_row(question) for question in web.questions()]


def file_rows(_seed: int) -> Rows:
    """91 operations on files, 26 of them of several calls; written by hand, so the same for every seed."""
    return [rows.fuzzy_row(request) for request in files.requests()]


def terminal_rows(_seed: int) -> Rows:
    """63 operations in a terminal, 18 of them of several calls; written by hand too."""
    return [rows.fuzzy_row(request) for request in terminal.requests()]


DOMAINS: Mapping[str, Callable[[int], Rows]] = MappingProxyType(
    {
        "email": email_rows,
        "calendar": calendar_rows,
        "math": math_rows,
        "websearch": websearch_rows,
        "filemanagement": file_rows,
        "terminal": terminal_rows,
    }
)
"""Name of a file in ``tasks/`` -> what makes its rows from a seed."""


def task_files(seed: int = SEED) -> dict[str, str]:
    """Path in the suite's directory -> content of every task file."""
    return {f"tasks/{name}.jsonl": rows.jsonl(made(seed), name, seed) for name, made in DOMAINS.items()}


def write(directory: Path | None = None, seed: int = SEED) -> None:
    """Write the task files of the suite, to :func:`output_directory` by default.

    By default the pages of the simulated search server are written too, if this is a checkout.
    """
    write_files(directory or output_directory("radar"), task_files(seed))
    if directory is None and is_checkout():
        write_files(PAGES, web.page_files())
