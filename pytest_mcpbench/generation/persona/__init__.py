"""Generator of the suite ``persona``: our own tasks in the format of MCP-Persona (arXiv 2606.02470, 3.3 and B.2).

The requests are YAML files in the suite's ``source/``. Each is handwritten and lists the calls that fulfil it. Ids in
a call come from the seeds of the simulated apps and the people whom the apps share, never from a server's answer. Only
the unnecessary statements of the context are drawn at random.
"""

from collections.abc import Iterable
from pathlib import Path

from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.generation.directories import output_directory, write_files
from pytest_mcpbench.generation.persona import cast_requests, people, records
from pytest_mcpbench.generation.persona.request import Request
from pytest_mcpbench.generation.persona.tools import require_known_tools


def requests() -> dict[str, list[Request]]:
    """Return all requests, by the name of their file in ``tasks/``. Raises ``TaskError``."""
    every = {
        "single": cast_requests.requests("single"),
        "cross": cast_requests.requests("cross"),
        "people": people.requests(),
    }
    for group in every.values():
        require_known_tools(group)
    _require_own_numbers(request for group in every.values() for request in group)
    return every


def _require_own_numbers(every: Iterable[Request]) -> None:
    first: dict[int, Request] = {}
    for request in every:
        other = first.setdefault(request.number, request)
        if other is not request:
            raise TaskError(
                f"the task at {other.place} has the number {request.number} too.",
                request.place,
                "number",
                remedy="Take a number that no task has had.",
            )


def task_files() -> dict[str, str]:
    """Return the content of every task file, by its path in the suite's directory."""
    return {f"tasks/{name}.json": records.file_content(group) for name, group in requests().items()}


def write(directory: Path | None = None) -> None:
    """Write the task files of the suite, to :func:`output_directory` by default."""
    write_files(directory or output_directory("persona"), task_files())
