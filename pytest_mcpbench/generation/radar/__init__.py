"""Generator of the suite ``radar``: our own tasks in the format of MCP-RADAR (arXiv 2505.16700, 3.2 and A.1).

Each domain is a package that returns its tasks; :data:`DOMAINS` lists them.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pytest_mcpbench.generation.directories import is_checkout, output_directory, write_files
from pytest_mcpbench.generation.radar import calendar, home_tasks, mail, math, rows, web

SEED = 2026
PAGES = Path(__file__).parents[2] / "simulated" / "websearch" / "pages"
"""Directory of the pages that the simulated search server finds."""

Rows = list[dict[str, Any]]


def email_rows(seed: int) -> Rows:
    """Return the rows of 119 mailbox operations, 34 of which need several calls."""
    return [rows.fuzzy_row(request) for request in mail.requests(seed)]


def calendar_rows(seed: int) -> Rows:
    """Return the rows of 28 calendar operations, 8 of which need several calls."""
    return [rows.fuzzy_row(request) for request in calendar.requests(seed)]


def math_rows(seed: int) -> Rows:
    """Return the rows of 120 problems with one answer each."""
    return [rows.precise_row(problem, math.derivation(problem)) for _, problem in math.problems(seed)]


def websearch_rows(_seed: int) -> Rows:
    """Return the rows of 94 questions about the simulated web. They are handwritten and ignore the seed."""
    return [rows.precise_row(question, web.derivation(question)) for question in web.questions()]


def file_rows(_seed: int) -> Rows:
    """Return the rows of 91 file operations, 26 of which need several calls. They ignore the seed."""
    return [rows.fuzzy_row(request) for request in home_tasks.file_requests()]


def terminal_rows(_seed: int) -> Rows:
    """Return the rows of 63 terminal operations, 18 of which need several calls. They ignore the seed."""
    return [rows.fuzzy_row(request) for request in home_tasks.terminal_requests()]


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
"""Functions that return the rows of each file in ``tasks/`` for a seed, by file name."""


def task_files(seed: int = SEED) -> dict[str, str]:
    """Return the content of every task file, by its path in the suite's directory."""
    return {f"tasks/{name}.jsonl": rows.jsonl(build(seed), name, seed) for name, build in DOMAINS.items()}


def write(directory: Path | None = None, seed: int = SEED) -> None:
    """Write the task files of the suite, to :func:`output_directory` by default.

    Without a directory and in a checkout, the pages of the simulated search server are written too.
    """
    write_files(directory or output_directory("radar"), task_files(seed))
    if directory is None and is_checkout():
        write_files(PAGES, web.page_files())
