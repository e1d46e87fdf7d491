"""Ids of servers among the parameters of a test, which name its snapshots.

An id depends on the definition of its server alone, so that a further task file or ``mcp.json`` changes no other id.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path, PurePath
from urllib.parse import urlsplit

from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.loaders.manifest import UNNAMED

_LAUNCHERS = ("python", "node", "npx", "uvx", "uv", "pipx", "bunx", "bun", "deno", "docker", "java", "ruby")
_SUBCOMMANDS = ("run", "exec", "tool", "dlx")
_NOT_IN_AN_ID = re.compile(r"[^\w.-]+")


def server_ids(definitions: Iterable[tuple[Path, ServerRef]]) -> dict[str, ServerRef]:
    """Return the servers by id, each definition once.

    A server's id is its name; the only server of a file, which has none, is called by its program. A later server with
    the id of another one gets the name of its file, too.
    """
    servers: dict[str, ServerRef] = {}
    for file, ref in definitions:
        if ref not in servers.values():
            taken = servers.keys()
            servers[next(label for label in _labels(file, ref) if label not in taken)] = ref
    return servers


def ids_in_locks(file: Path, ref: ServerRef) -> tuple[str, ...]:
    """Return the ids that the lock of a server of a file may name, the most specific first."""
    label, with_file = islice(_labels(file, ref), 2)
    return with_file, label


def _labels(file: Path, ref: ServerRef) -> Iterator[str]:
    label = ref.name if ref.name != UNNAMED else _NOT_IN_AN_ID.sub("-", _program(ref)).strip("-.") or UNNAMED
    yield label
    yield f"{label}@{file.name.split('.mcpbench.')[0]}"
    yield from (f"{label}@{file.name}-{number}" for number in range(2, 1000))


def _program(ref: ServerRef) -> str:
    """Return what identifies a server to a reader; never an argument that could be a secret."""
    if ref.transport == "in_process":
        return ref.factory if isinstance(ref.factory, str) else ref.name
    if ref.url is not None:
        return urlsplit(ref.url).hostname or ""
    program = PurePath(str(ref.command)).name
    if program.rstrip("0123456789.") not in _LAUNCHERS:
        return program
    words = (word for word in ref.arguments if not word.startswith("-") and word not in _SUBCOMMANDS)
    return PurePath(next(words, program)).name
