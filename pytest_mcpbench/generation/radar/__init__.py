"""Generator of the suite ``radar``: our own tasks in the format of MCP-RADAR (arXiv 2505.16700, 3.2 and A.1).

Each domain has a function that returns the rows of its tasks; :data:`DOMAINS` lists them.
"""

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any
from uuid import UUID

from pytest_mcpbench.core.sandbox import DEFAULT_NOW, Ids, World
from pytest_mcpbench.generation.directories import is_checkout, output_directory, suite_directory, write_files
from pytest_mcpbench.generation.radar import calendar, mail, math, web
from pytest_mcpbench.generation.radar.math.problem import Problem
from pytest_mcpbench.generation.radar.request import RadarRequest, check_reference_calls, read_requests
from pytest_mcpbench.generation.radar.web import WebQuestion
from pytest_mcpbench.simulated.files.server import simulation as files
from pytest_mcpbench.simulated.terminal.server import simulation as terminal
from pytest_mcpbench.simulated.terminal.world import TerminalMachine

SEED = 2026
PAGES = Path(__file__).parents[2] / "simulated" / "websearch" / "pages"
"""Directory of the pages that the simulated search server finds."""

Rows = list[dict[str, Any]]


def email_rows(seed: int) -> Rows:
    """Return the rows of 119 mailbox operations, 34 of which need several calls."""
    return [fuzzy_row(request) for request in mail.requests(seed)]


def calendar_rows(seed: int) -> Rows:
    """Return the rows of 28 calendar operations, 8 of which need several calls."""
    return [fuzzy_row(request) for request in calendar.requests(seed)]


def math_rows(seed: int) -> Rows:
    """Return the rows of 120 problems with one answer each."""
    return [precise_row(problem, math.derivation(problem)) for _, problem in math.problems(seed)]


def websearch_rows(_seed: int) -> Rows:
    """Return the rows of 94 questions about the simulated web. They are handwritten and ignore the seed."""
    return [precise_row(question, web.derivation(question)) for question in web.questions()]


def file_rows(_seed: int) -> Rows:
    """Return the rows of 91 file operations, 26 of which need several calls. They ignore the seed."""
    return [fuzzy_row(request) for request in file_requests()]


def terminal_rows(_seed: int) -> Rows:
    """Return the rows of 63 terminal operations, 18 of which need several calls. They ignore the seed."""
    return [fuzzy_row(request) for request in terminal_requests()]


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
    return {f"tasks/{name}.jsonl": jsonl(build(seed), name, seed) for name, build in DOMAINS.items()}


def write(directory: Path | None = None, seed: int = SEED) -> None:
    """Write the task files of the suite, to :func:`output_directory` by default.

    Without a directory and in a checkout, the pages of the simulated search server are written too.
    """
    write_files(directory or output_directory("radar"), task_files(seed))
    if directory is None and is_checkout():
        write_files(PAGES, web.page_files())


# Rows of MCP-RADAR's file format (paper, A.1), one JSON object per line.


def jsonl(rows: Iterable[dict[str, Any]], name: str, seed: int) -> str:
    """Return the text of a task file. Row ids are derived from the file name, the seed and the row's position."""
    draw = Random(f"{seed}/{name}/ids")
    return "".join(
        json.dumps({"unique_id": str(UUID(int=draw.getrandbits(128), version=4)), **row}, ensure_ascii=False) + "\n"
        for row in rows
    )


def precise_row(problem: Problem | WebQuestion, derivation: dict[str, Any]) -> dict[str, Any]:
    """Return the row of a task with one correct answer.

    ``Derivation`` is our own key: the calls with which ``oracle`` finds the answer.
    """
    return {"Prompt": problem.prompt, "Answer": problem.answer, "Derivation": derivation}


def fuzzy_row(request: RadarRequest) -> dict[str, Any]:
    """Return the row of a task with one or several calls; several are lists of names and arguments.

    ``Says`` is our own key: the facts that free text must state. So is ``Answer`` beside calls: the value that the user
    asks for.
    """
    stated: dict[str, Any] = {"Answer": request.answer} if request.answer is not None else {}
    if request.required_facts:
        stated["Says"] = [list(fact) for fact in request.required_facts]
    tools, arguments = [call.tool for call in request.calls], [call.arguments for call in request.calls]
    if len(tools) == 1:
        return {"Prompt": request.prompt, "Toolname": tools[0], "Toolargs": arguments[0], **stated}
    return {"Prompt": request.prompt, "Toolname": tools, "Toolargs": arguments, **stated}


# Domains file management and terminal: operations in a home directory, of which every world gets a fresh copy.

HOME = "/home/nora"
"""Path under which agents see the directory."""
FILES = suite_directory("radar") / "files" / "home"
"""Files that the directory is filled with."""


@contextmanager
def home_worlds(name: str) -> Iterator[Callable[[], World]]:
    """Yield a function that creates worlds, each with its own copy of the files. The copies are deleted at the end."""
    with TemporaryDirectory(prefix="home-") as directory:
        copies = 0

        def world() -> World:
            nonlocal copies
            copies += 1
            copy = Path(directory) / str(copies)
            shutil.copytree(FILES, copy)
            return World(name, copy, DEFAULT_NOW, Ids("generation"))

        yield world


def file_requests() -> list[RadarRequest]:
    """Return the requests about files, after checking that a fresh home directory accepts their reference calls."""
    requests = read_requests("files.yaml")
    with home_worlds("files") as world:
        check_reference_calls(requests, files(HOME), world)
    return requests


def terminal_requests() -> list[RadarRequest]:
    """Return the requests to the terminal, after checking that a fresh machine accepts their reference calls."""
    with home_worlds("terminal") as world:

        def pid_of(command: str) -> int:
            return TerminalMachine(world(), HOME).start(command, 0, "/bin/sh").pid

        requests = read_requests("terminal.yaml", {"pid_of": pid_of})
        check_reference_calls(requests, terminal(HOME), world)
    return requests
