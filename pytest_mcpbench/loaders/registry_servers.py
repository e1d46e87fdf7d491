"""Reader of ``server.json`` files of MCP registries and marketplaces: packages become command lines, remotes URLs."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_mcpbench.core.errors import UsageError

_TRANSPORTS = {"streamable-http": "http", "http": "http", "sse": "sse"}
_RUNNERS: Mapping[str, tuple[str, tuple[str, ...], str]] = {
    "npm": ("npx", ("-y",), "@"),
    "pypi": ("uvx", (), "=="),
    "nuget": ("dnx", (), "@"),
    "oci": ("docker", ("run", "-i", "--rm"), ":"),
}
"""Kind of package -> command, its first arguments, and the sign before the version."""


@dataclass(frozen=True)
class RegistryServer:
    """A server of a file, as an entry of ``mcp.json`` defines it."""

    name: str
    entry: Mapping[str, Any]
    category: str | None = None


def read_registry_servers(text: str, file: str) -> list[RegistryServer]:
    """Return the servers of a ``server.json``, or of the list that a registry returns.

    Raises:
        UsageError: the file is not one, or a server of it cannot be started with what it says.
    """
    try:
        content = json.loads(text)
    except ValueError as error:
        raise UsageError(f"{file}: not valid JSON: {error}") from None
    servers = list(server_descriptions(content))
    if not servers:
        # A ``tool_schema.json`` of MCPToolBench++: tools alone prove nothing.
        parts = content if isinstance(content, list) else [content]
        tools = [tool for part in parts if isinstance(part, dict) for tool in part.get("tools") or ()]
        if tools:
            raise UsageError(
                f"{file}: the file has {len(tools)} tools, but no server that answers calls of them. Every task is "
                "played on a server before it is kept: name the one of these tools with --server, --mcp-config, or its "
                "server.json."
            )
        raise UsageError(f"{file}: a server.json has `packages` or `remotes`; a client's mcp.json is for --mcp-config.")
    return [_server(each, file) for each in servers]


def server_descriptions(content: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the descriptions of servers: the file itself, or those below ``servers`` and ``server``."""
    if isinstance(content, list):
        for part in content:
            yield from server_descriptions(part)
    elif isinstance(content, dict) and ("packages" in content or "remotes" in content):
        yield content
    elif isinstance(content, dict) and isinstance(content.get("servers"), list):
        yield from server_descriptions(content["servers"])
    elif isinstance(content, dict) and isinstance(content.get("server"), dict):
        # A registry puts its own facts, such as a category, beside the server.
        inner = content["server"]
        yield from server_descriptions({**inner, "category": inner.get("category", content.get("category"))})


def _server(content: Mapping[str, Any], file: str) -> RegistryServer:
    name = str(content.get("name") or content.get("id") or "")
    place = f"{file}: {name or 'server'}"
    entries = [
        *(_of_package(each, place) for each in _parts(content, "packages") if each.get("registryType") in _RUNNERS),
        *(_of_remote(each, place) for each in _parts(content, "remotes") if each.get("type") in _TRANSPORTS),
    ]
    if not entries:
        kinds = ", ".join(sorted({str(each.get("registryType")) for each in _parts(content, "packages")})) or "none"
        raise UsageError(f"{place}: none of its packages ({kinds}) can be started; there are npm, pypi, nuget and oci.")
    category = content.get("category")
    short = re.sub(r"[^\w.-]+", "-", name.rpartition("/")[2]).strip("-.") or "server"
    return RegistryServer(short, entries[0], str(category).lower() if category else None)


def _parts(content: Mapping[str, Any], name: str) -> Sequence[Mapping[str, Any]]:
    found = content.get(name)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _of_package(package: Mapping[str, Any], place: str) -> dict[str, Any]:
    kind = str(package["registryType"])
    command, first, sign = _RUNNERS[kind]
    identifier, version = str(package.get("identifier", "")), package.get("version")
    named = f"{identifier}{sign}{version}" if version and sign not in identifier[1:] else identifier
    declared = _parts(package, "environmentVariables")
    variables = [
        each
        for each in declared
        if each.get("name")
        and (each.get("isRequired") or each.get("value") is not None or each.get("default") is not None)
    ]
    environment: dict[str, str] = {}
    for variable in variables:
        name, value = str(variable["name"]), variable.get("value", variable.get("default"))
        # The value of the file, or the variable of the same name where the test runs.
        is_passed = value is None or variable.get("isSecret")
        environment.setdefault(name, f"${{{name}}}" if is_passed else str(value))
    passed = [part for name in environment for part in ("-e", name)] if kind == "oci" else []
    own = [each for each in _arguments(package, "runtimeArguments", place) if each not in first]
    return {
        "command": str(package.get("runtimeHint") or command),
        "args": [*first, *own, *passed, named, *_arguments(package, "packageArguments", place)],
        **({"env": environment} if environment else {}),
    }


def _of_remote(remote: Mapping[str, Any], place: str) -> dict[str, Any]:
    url = str(remote.get("url", ""))
    if re.search(r"\{\w+\}", url):
        raise UsageError(f"{place}: the address {url} has variables; name the server with --server 'NAME=URL'.")
    headers: dict[str, str] = {}
    for header in _parts(remote, "headers"):
        if header.get("name"):
            # A value that the user must give is an environment variable.
            variable = "${" + re.sub(r"\W+", "_", str(header["name"])).upper() + "}"
            value = header.get("value")
            headers[str(header["name"])] = re.sub(r"\{\w+\}", variable, value) if isinstance(value, str) else variable
    return {"type": _TRANSPORTS[remote["type"]], "url": url, **({"headers": headers} if headers else {})}


def _arguments(package: Mapping[str, Any], kind: str, place: str) -> list[str]:
    """Return the arguments that have a value or are required."""
    found: list[str] = []
    for argument in _parts(package, kind):
        value = argument.get("value", argument.get("default"))
        is_named = argument.get("type") == "named"
        if value is None and argument.get("isRequired"):
            label = argument.get("name") or argument.get("valueHint") or "an argument"
            raise UsageError(f"{place}: {label} has no value; name the server with --server 'NAME=COMMAND'.")
        if is_named and (value is not None or argument.get("isRequired")):
            found.append(str(argument.get("name", "")))
        if value is not None:
            found.append(str(value))
    return [argument for argument in found if argument]
