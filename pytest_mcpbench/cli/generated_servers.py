"""Servers for ``mcpbench generate``, with their definitions for the files of the new suite."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_mcpbench.cli.output import known_secrets
from pytest_mcpbench.cli.server_names import server_by_name
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.loaders.manifest import UNNAMED
from pytest_mcpbench.loaders.mcp_json import server_entries
from pytest_mcpbench.loaders.registry_servers import read_registry_servers
from pytest_mcpbench.runtime.suites.server_ids import server_ids
from pytest_mcpbench.simulated.catalogue import SERVERS

_NAMED = re.compile(r"([A-Za-z][\w.-]*)=(.+)", re.DOTALL)
_SECRET_FIELDS = ("env", "environment", "headers")


@dataclass(frozen=True)
class ServerDefinitions:
    """Definitions of servers as a suite's files state them."""

    in_suite_toml: dict[str, Any] = field(default_factory=dict)
    """Servers of command lines: a line or a table, by name."""
    in_mcp_json: dict[str, Any] = field(default_factory=dict)
    """Servers of client files, by name, with environment variables in place of secrets."""
    categories: dict[str, list[str]] = field(default_factory=dict)
    """Category -> servers, as registries say."""

    @property
    def mcp_json(self) -> str:
        """Return the text of the suite's ``mcp.json``."""
        return json.dumps({"mcpServers": self.in_mcp_json}, indent=2, ensure_ascii=False) + "\n"


def defined_servers(
    lines: Iterable[str], client_files: Iterable[Path], registry_files: Iterable[Path] = ()
) -> ServerDefinitions:
    """Return the servers of command lines (``[NAME=]LINE``), of client files and of registries' ``server.json`` files.

    Raises:
        UsageError: two servers have the same name, or a line or file is not a server.
    """
    found = ServerDefinitions()
    for line in lines:
        name, definition = _server_of_line(line)
        _add(found.in_suite_toml, name, definition, found)
    for file in client_files:
        for name, entry in server_entries(file.read_text(encoding="utf-8-sig"), str(file)).items():
            _add(found.in_mcp_json, name, _without_secrets(entry), found)
    for file in registry_files:
        for server in read_registry_servers(file.read_text(encoding="utf-8-sig"), str(file)):
            _add(found.in_mcp_json, server.name, _without_secrets(server.entry), found)
            if server.category is not None:
                found.categories.setdefault(server.category, []).append(server.name)
    return found


def _add(part: dict[str, Any], name: str, definition: Any, found: ServerDefinitions) -> None:
    if name in found.in_suite_toml or name in found.in_mcp_json:
        raise UsageError(f"two servers are called {name!r}; name one of them yourself: --server 'NAME={definition}'.")
    part[name] = definition


def _server_of_line(line: str) -> tuple[str, Any]:
    named = _NAMED.fullmatch(line)
    name, line = named.groups() if named else (None, line)
    if line in SERVERS:
        return name or line, {"simulated": line}
    if line.endswith(".py") and " " not in line:
        line = f"python {line}"
    ref = server_by_name(line)
    known_secrets().add_servers([ref])
    return name or _name_of(ref), line


def _name_of(ref: ServerRef) -> str:
    (label,) = server_ids([(Path("mcp.json"), ref.model_copy(update={"name": UNNAMED}))])
    return re.sub(r"[^A-Za-z0-9-]+", "-", re.sub(r"\.(py|m?js|ts)$", "", label)).strip("-") or UNNAMED


def _without_secrets(entry: Any) -> Any:
    """Return the entry of a client file; a value that is a secret becomes ``${NAME}``."""
    if not isinstance(entry, Mapping):
        return entry
    secrets = known_secrets()
    return {
        key: {
            name: _reference(name) if secrets.remove(str(each)) != str(each) else each for name, each in value.items()
        }
        if key in _SECRET_FIELDS and isinstance(value, Mapping)
        else value
        for key, value in entry.items()
    }


def _reference(name: str) -> str:
    return f"${{{name.upper().replace('-', '_')}}}"
