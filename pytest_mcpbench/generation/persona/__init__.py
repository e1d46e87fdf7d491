"""Makes the suite ``persona``: our own tasks in the format of MCP-Persona (arXiv 2606.02470, 3.3 and B.2).

A wish is a request that a person wrote, with the deeds that answer it. Whatever a deed needs (ids, times, numbers) is
taken from the seeds of the simulated apps and from their common cast, never from what a server answers. Nothing is
drawn but the statements that no task needs.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from pytest_mcpbench.generation.directories import output_directory, write_files
from pytest_mcpbench.generation.persona import records
from pytest_mcpbench.generation.persona.deed import Wish
from pytest_mcpbench.generation.persona.wishes import (
    chat,
    content,
    hodgepodge,
    lark,
    lark_and,
    mail,
    rednote,
    rednote_and,
    social,
)

WISHES: Mapping[str, tuple[Callable[[], list[Wish]], ...]] = MappingProxyType(
    {
        "single": (lark.wishes, rednote.wishes, content.wishes, mail.wishes, chat.wishes, social.wishes),
        "cross": (lark_and.wishes, rednote_and.wishes, hodgepodge.wishes),
    }
)
"""Name of a file in ``tasks/`` -> what makes its wishes, in order."""


def wishes() -> dict[str, list[Wish]]:
    """All wishes, by the name of their file."""
    return {name: [wish for make in made for wish in make()] for name, made in WISHES.items()}


def task_files() -> dict[str, str]:
    """Path in the suite's directory -> content of every task file; records are numbered on from file to file."""
    files = {}
    first = 1
    for name, made in wishes().items():
        files[f"tasks/{name}.json"] = records.content(made, first)
        first += len(made)
    return files


def write(directory: Path | None = None) -> None:
    """Write the task files of the suite, to :func:`output_directory` by default."""
    write_files(directory or output_directory("persona"), task_files())
