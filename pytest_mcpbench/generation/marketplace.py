"""Index of servers from the files of MCP registries and marketplaces (MCPToolBench++, section 2.2 and appendix A.1).

These are the ``server.json`` of registries and the lists that they return, MCP-Pools of MCP-RADAR (appendix C), and
the ``server_meta.json`` and ``tool_schema.json`` that MCPToolBench++ collects; a ``tool_schema.json`` is of the server
whose file lies beside it.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.errors import unreadable_reason
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.loaders.registry_servers import server_descriptions

_META, _TOOLS, _CONFIG = "server_meta.json", "tool_schema.json", "mcp_config.json"


@dataclass(frozen=True)
class ListedServer:
    """Entry of one server."""

    name: str
    """Name or id that is unique in the marketplace, such as ``io.github.ann/weather``."""
    title: str
    category: str | None
    """In lower case; ``None`` if the marketplace gives none."""
    description: str
    tools: Mapping[str, str] | None
    """Descriptions by tool; ``None`` if the files do not say which tools there are."""
    file: Path

    @property
    def document(self) -> ToolSpec:
        """Return the texts of the entry as one definition, for rankings of tools."""
        tools = "\n".join(f"{name}: {text}" for name, text in (self.tools or {}).items())
        text = "\n".join(filter(None, (self.title, self.category, self.description, tools)))
        return ToolSpec(name=self.name, server="", tool=self.name, description=text, input_schema={})


@dataclass(frozen=True)
class Marketplace:
    """Servers in the order of the files, each name once, and what could not be read."""

    servers: tuple[ListedServer, ...]
    repeated: int
    """Number of entries whose name an earlier one has."""
    problems: tuple[str, ...]
    """Reasons why a file has no servers, each with its place."""

    @property
    def categories(self) -> dict[str | None, tuple[ListedServer, ...]]:
        """Return the servers by category, the largest first, and those without one last."""
        names = {server.category for server in self.servers}
        groups = {name: tuple(each for each in self.servers if each.category == name) for name in names}
        return dict(sorted(groups.items(), key=lambda item: (item[0] is None, -len(item[1]), item[0] or "")))


def read_marketplace(paths: Iterable[Path]) -> Marketplace:
    """Return the servers of files, and of all JSON files below directories."""
    servers: dict[str, ListedServer] = {}
    problems: list[str] = []
    count = 0
    for file in (file for path in paths for file in (sorted(path.rglob("*.json")) if path.is_dir() else [path])):
        try:
            found: list[ListedServer] = []
            content = json.loads(file.read_text(encoding="utf-8-sig"))
            listed = [_server(each, file) for each in (*server_descriptions(content), *_meta(content), *_pool(content))]
            beside = file.parent / _TOOLS
            if len(listed) == 1 and listed[0].tools is None and beside.is_file():
                tools = _tools(json.loads(beside.read_text(encoding="utf-8-sig")))
                listed = [replace(listed[0], tools=tools)]
            found.extend(server for server in listed if server.name)
        except (OSError, ValueError, RecursionError) as error:
            what = "not valid JSON: " if isinstance(error, json.JSONDecodeError) else ""
            reason = (
                "its parts are nested too deeply" if isinstance(error, RecursionError) else unreadable_reason(error)
            )
            problems.append(f"{file}: {what}{reason}")
            continue
        if not found and file.name not in (_TOOLS, _CONFIG):
            problems.append(f"{file}: it lists no server: neither a server.json nor a {_META}")
        count += len(found)
        for server in found:
            servers.setdefault(server.name, server)
    return Marketplace(tuple(servers.values()), count - len(servers), tuple(problems))


def _meta(content: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the entries of a ``server_meta.json``, one or a list of them."""
    for entry in content if isinstance(content, list) else [content]:
        if isinstance(entry, dict) and "category" in entry and not {"packages", "remotes", "server"} & entry.keys():
            yield entry


def _pool(content: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the entries of an MCP-Pool."""
    pool = content.get("mcp_pool") if isinstance(content, dict) else None
    yield from (entry for entry in pool if isinstance(entry, dict)) if isinstance(pool, list) else ()


def _server(entry: Mapping[str, Any], file: Path) -> ListedServer:
    name = _text(entry, "name", "id", "content_name")
    category = _text(entry, "category").lower()
    return ListedServer(
        name=name,
        title=_text(entry, "title", "content_name") or name.rpartition("/")[2],
        category=category or None,
        description=_text(entry, "description"),
        tools=_tools(entry),
        file=file,
    )


def _text(entry: Mapping[str, Any], *names: str) -> str:
    """Return the first of the fields that is a text with something in it; an empty text if none is."""
    return next((value.strip() for name in names if isinstance(value := entry.get(name), str) and value.strip()), "")


def _tools(content: Any) -> dict[str, str] | None:
    tools = content.get("tools") if isinstance(content, dict) else None
    if not isinstance(tools, list):
        return None
    return {
        name: _text(tool, "description", "tool_description")
        for tool in tools
        if isinstance(tool, dict) and (name := _text(tool, "name", "tool_name"))
    }
