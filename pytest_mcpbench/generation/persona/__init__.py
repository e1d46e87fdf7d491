"""Generator of the suite ``persona``: our own tasks in the format of MCP-Persona (arXiv 2606.02470, 3.3 and B.2).

The requests of the first person are Python, those of the other people YAML files beside the suite. Each request is
handwritten and lists the actions that fulfil it. Ids, times and numbers in an action come from the
seeds of the simulated apps and the people whom the apps share, never from a server's answer. Only the unnecessary
statements of the context are drawn at random.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from pytest_mcpbench.generation.directories import output_directory, write_files
from pytest_mcpbench.generation.persona import people, records
from pytest_mcpbench.generation.persona.request import Request
from pytest_mcpbench.generation.persona.requests import (
    chat,
    content,
    lark,
    lark_combined,
    mail,
    multi_app,
    rednote,
    rednote_combined,
    social,
)

REQUESTS: Mapping[str, tuple[Callable[[], list[Request]], ...]] = MappingProxyType(
    {
        "single": (lark.requests, rednote.requests, content.requests, mail.requests, chat.requests, social.requests),
        "cross": (lark_combined.requests, rednote_combined.requests, multi_app.requests),
        "people": (people.requests,),
    }
)
"""Functions that return the requests of each file in ``tasks/``, by file name and in order."""


def requests() -> dict[str, list[Request]]:
    """Return all requests, by the name of their file."""
    return {name: [each for build in builders for each in build()] for name, builders in REQUESTS.items()}


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
