"""Requests of the user whom the simulated apps share, parsed from the files in ``source/requests/``."""

from collections.abc import Mapping
from types import MappingProxyType

from pytest_mcpbench.generation.persona.cast_names import cast_names
from pytest_mcpbench.generation.persona.request import Request
from pytest_mcpbench.generation.persona.tasks import WrittenTask, request_of
from pytest_mcpbench.generation.source.files import read_entries, source_directory
from pytest_mcpbench.simulated.cast import CAST

FILES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "single": ("lark", "rednote", "content", "mail", "chat", "social"),
        "cross": ("lark_combined", "rednote_combined", "multi_app"),
    }
)
"""Name of a file in ``tasks/`` -> names of the files in ``source/requests/`` with its requests, in order."""

_ABOUT = "Siyuan Chen (陈思远), product manager at Northlight in Shanghai (UTC+8)"
"""Name and occupation of the user, and the time zone."""


def requests(name: str) -> list[Request]:
    """Return the requests of a file in ``tasks/``."""
    names = cast_names()
    written = (
        task
        for file in FILES[name]
        for task in read_entries(source_directory("persona") / "requests" / f"{file}.yaml", WrittenTask)
    )
    return [request_of(task, names, person=CAST.me.key, about=_ABOUT) for task in written]
