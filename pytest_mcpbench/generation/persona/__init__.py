"""Generator of the suite ``persona``: our own tasks in the format of MCP-Persona (arXiv 2606.02470, 3.3 and B.2).

The requests are YAML files in the suite's ``source/``. Each is handwritten and lists the calls that fulfil it. Ids in
a call come from the seeds of the simulated apps and the people whom the apps share, never from a server's answer. Only
the unnecessary statements of the context are drawn at random.
"""

import json
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.generation.directories import output_directory, write_files
from pytest_mcpbench.generation.persona import cast_requests, people
from pytest_mcpbench.generation.persona.request import Request
from pytest_mcpbench.generation.source.files import source_directory
from pytest_mcpbench.simulated.catalogue import SERVERS
from pytest_mcpbench.text.suggestions import hint


def requests() -> dict[str, list[Request]]:
    """Return all requests, by the name of their file in ``tasks/``. Raises ``TaskError``."""
    every = {
        "single": cast_requests.requests("single"),
        "cross": cast_requests.requests("cross"),
        "people": people.requests(),
    }
    for group in every.values():
        require_known_tools(group)
    first: dict[int, Request] = {}
    for request in (each for group in every.values() for each in group):
        other = first.setdefault(request.number, request)
        if other is not request:
            raise TaskError(
                f"the task at {other.place} has the number {request.number} too.",
                request.place,
                "number",
                remedy="Take a number that no task has had.",
            )
    return every


def task_files() -> dict[str, str]:
    """Return the content of every task file, by its path in the suite's directory."""
    return {f"tasks/{name}.json": file_content(group) for name, group in requests().items()}


def write(directory: Path | None = None) -> None:
    """Write the task files of the suite, to :func:`output_directory` by default."""
    write_files(directory or output_directory("persona"), task_files())


# Tools of the simulated servers, to find calls that no server has.


def require_known_tools(requests: Iterable[Request]) -> None:
    """Raise ``TaskError`` for the first call of an unknown server or tool."""
    for request in requests:
        for call in request.calls:
            if call.server not in SERVERS:
                remedy = hint(call.server, SERVERS)
                raise TaskError(f"there is no server {call.server!r}.", request.place, remedy=remedy)
            if call.tool not in _tools(call.server):
                remedy = hint(call.tool, _tools(call.server))
                raise TaskError(f"{call.server} has no tool {call.tool!r}.", request.place, remedy=remedy)


@cache
def _tools(server: str) -> frozenset[str]:
    module = import_module(SERVERS[server].partition(":")[0])
    return frozenset(module.SIMULATION.table)


# Records of MCP-Persona's file format, built from requests (released files; paper, 3.3 and B.2).

_STATEMENTS = 5
"""Number of unnecessary statements in a record."""


def file_content(requests: Iterable[Request]) -> str:
    """Return the text of one task file: a JSON array with one record per line."""
    lines = [json.dumps(record(each), ensure_ascii=False) for each in requests]
    return "[\n" + ",\n".join(lines) + "\n]\n"


def record(request: Request) -> dict[str, Any]:
    """Return one record."""
    lines = []
    for number, call in enumerate(request.calls, 1):
        # The sequence names the result that an argument takes by the number of its call.
        text = json.dumps(call.arguments, ensure_ascii=False).replace("<prev_result", f"<{number - 1}_result")
        arguments = [f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in json.loads(text).items()]
        lines.append(f"{number}. {call.server}:{call.tool}: {', '.join(arguments) or '[No parameters required]'}")
    return {
        "id": request.number,
        "query_type": request.kind,
        "instruction": request.prompt,
        "context": {
            "necessary_context": {"My name": request.person, **request.necessary_context},
            "unnecessary_context": Random(f"persona/{request.number}").sample(small_talk(), _STATEMENTS),
        },
        "chains": [f"{call.server}:{call.tool}" for call in request.calls],
        "sampled_contexts": dict(request.seeds),
        "gt": [dict(each) for each in request.checkpoints],
        **({"claims": list(request.claims)} if request.claims else {}),
        "gt_annotation": {
            "tool_calling_sequence": "\n".join(lines),
            "summary": [call.summary for call in request.calls],
        },
    }


def small_talk() -> list[str]:
    """Return statements about the user that no task needs."""
    text = (source_directory("persona") / "small_talk.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line]
