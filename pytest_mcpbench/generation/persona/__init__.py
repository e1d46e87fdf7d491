"""Generator of the suite ``persona``: our own tasks in the format of MCP-Persona (arXiv 2606.02470, 3.3 and B.2).

The requests are YAML files in the suite's ``source/``. Each is handwritten and lists the calls that fulfil it. Ids in
a call come from the seeds of the simulated apps and the people whom the apps share, never from a server's answer. Only
the unnecessary statements of the context are drawn at random.
"""

from pathlib import Path

from pytest_mcpbench.generation.directories import output_directory, write_files
from pytest_mcpbench.generation.persona import cast_requests, people, records
from pytest_mcpbench.generation.persona.request import Request
from pytest_mcpbench.generation.persona.tools import require_known_tools


def requests() -> dict[str, list[Request]]:
    """Return all requests, by the name of their file in ``tasks/``. Raises ``TaskError``."""
    every = {**{name: cast_requests.requests(name) for name in cast_requests.FILES}, "people": people.requests()}
    for group in every.values():
        require_known_tools(group)
    return every


def task_files() -> dict[str, str]:
    """Return the content of every task file, by its path in the suite's directory.

    Records are numbered consecutively across the files.
    """
    files = {}
    first = 1
    for name, group in requests().items():
        files[f"tasks/{name}.json"] = records.file_content(group, first)
        first += len(group)
    return files


def write(directory: Path | None = None) -> None:
    """Write the task files of the suite, to :func:`output_directory` by default."""
    write_files(directory or output_directory("persona"), task_files())
