"""Servers with their tools in the format of MCP-RADAR's appendix C (MCP-Pool)."""

import re
import shlex
from collections.abc import Iterable
from typing import Any

from pytest_mcpbench.core.secret_sources import public_url, secrets_of_server
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.definitions.canonical import ServerDefinition, ToolDefinition

_VARIABLE = re.compile(r"\$\{\w+\}")
_LEAST = 4


def mcp_pool(servers: Iterable[tuple[ServerRef, ServerDefinition]]) -> dict[str, Any]:
    """Return a pool of servers without their secrets.

    Environment variables and headers have ``${NAME}`` as values, as has all that a definition takes from a variable.
    A server that runs in pytest's process has an empty ``run_config``: no other program can start it.
    """
    pool: list[dict[str, Any]] = []
    for ref, definition in servers:
        server = {
            "name": definition.name,
            "description": definition.instructions,
            "tools": [_tool(tool) for tool in definition.tools],
            "run_config": _run_config(ref),
        }
        pool.append(server)
    return {"mcp_pool": pool}


def _run_config(ref: ServerRef) -> list[dict[str, Any]]:
    if ref.url:
        headers = {
            name: _value(ref, value, variable=re.sub(r"[^A-Za-z0-9]", "_", name).upper())
            for name, value in ref.headers.items()
        }
        return [{"type": ref.transport, "url": _url(ref, ref.url), **({"headers": headers} if headers else {})}]
    if ref.command:
        # The quotation marks of a command line would hide a secret that has some itself.
        words = [secrets_of_server(ref).remove(_with_variables(ref, word)) for word in (ref.command, *ref.arguments)]
        environment = {name: _value(ref, value, variable=name) for name, value in ref.environment.items()}
        return [{"command": shlex.join(words), "env": environment}]
    return []


def _url(ref: ServerRef, url: str) -> str:
    """Return the URL with the part of its query that variables give; the rest of the query may hold keys."""
    whole = _with_variables(ref, url)
    if _VARIABLE.fullmatch(whole):
        return whole
    address, _, query = re.sub(r"(?<=://)[^/?#]*@", "", url).partition("#")[0].partition("?")
    scheme, mark, place = address.partition("://")
    pairs = [
        (name, _with_variables(ref, value)) for name, _, value in (each.partition("=") for each in query.split("&"))
    ]
    given = "&".join(f"{name}={value}" for name, value in pairs if _VARIABLE.fullmatch(value))
    return public_url(scheme + mark + _with_variables(ref, place)) + (f"?{given}" if given else "")


def _value(ref: ServerRef, value: str, *, variable: str) -> str:
    """Return a value with the variables that it takes, or else the name of one to set: it may be a secret itself."""
    given = _with_variables(ref, value)
    return f"${{{variable}}}" if given == value else secrets_of_server(ref).remove(given)


def _with_variables(ref: ServerRef, text: str) -> str:
    """Return a text with ``${NAME}`` where its definition has taken a value from the environment.

    In a text with a secret these are only values that are secrets themselves: another would hide a part of the secret,
    and leave the rest.
    """
    secrets = secrets_of_server(ref)
    has_secret = secrets.remove(text) != text
    names = {
        value: name
        for name, value in ref.variables.items()
        if value == text or not has_secret or secrets.remove(value) != value
    }
    # A value of few characters, such as 1, also occurs where no variable is.
    special = [re.escape(value) for value in sorted(names, key=len, reverse=True) if len(value) >= _LEAST]
    if text in names:
        return f"${{{names[text]}}}"
    return re.sub("|".join(special), lambda match: f"${{{names[match[0]]}}}", text) if special else text


def _tool(tool: ToolDefinition) -> dict[str, Any]:
    schemas = {name: schema if isinstance(schema, dict) else {} for name, schema in tool.properties.items()}
    inputs = [
        {
            "name": name,
            "type": schema.get("type"),
            "required": name in tool.required,
            "description": schema.get("description", ""),
        }
        for name, schema in schemas.items()
    ]
    return {"tool_name": tool.name, "tool_description": tool.description, "inputs": inputs}
