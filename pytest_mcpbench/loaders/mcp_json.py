"""Reads the ecosystem's own server lists: ``mcpServers`` of Claude, Cursor and others, ``servers`` of VS Code."""

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from pytest_mcpbench.core.errors import SourceLocation, TaskError
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.loaders.complaint import FieldError, complaint, dotted, kind_of

_LISTS = ("mcpServers", "servers", "context_servers")
_VARIABLE = re.compile(r"\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}|\$\{(input:[^}]+)\}")
_TRANSPORTS = {
    "stdio": "stdio",
    "local": "stdio",
    "http": "http",
    "streamable-http": "http",
    "streamable_http": "http",
    "streamablehttp": "http",
    "remote": "http",
    "sse": "sse",
}
_READ = frozenset(
    {
        "command",
        "args",
        "arguments",
        "env",
        "environment",
        "cwd",
        "working_directory",
        "url",
        "serverUrl",
        "type",
        "transport",
    }
    | {"headers", "disabled", "enabled", "timeout", "description", "name"}
)
_LONGEST_IN_SECONDS = 3600
"""A larger timeout is in milliseconds."""
_LINE_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])')


@dataclass(frozen=True)
class McpServers:
    """The servers of a file, with what in it was not understood."""

    servers: dict[str, ServerRef]
    warnings: tuple[str, ...] = ()


def read_mcp_json(text: str, file: str, environment: Mapping[str, str]) -> McpServers:
    """The servers of an ``mcp.json``. Comments and trailing commas, as VS Code writes them, are allowed.

    A server whose definition names a variable that ``environment`` lacks has that as its ``problem``: tasks on other
    servers are not affected. Raises :class:`TaskError` for a file that is no such list.
    """
    place = SourceLocation(file)
    listed = _listed(_parsed(text, file), place)
    servers: dict[str, ServerRef] = {}
    warnings: list[str] = []
    for name, definition in listed.items():
        if isinstance(definition, dict) and _is_switched_off(definition):
            continue
        servers[name] = _server(name, definition, environment, place)
        warnings += [f"{file}: server {name!r}: {key!r} is not used here" for key in definition if key not in _READ]
    return McpServers(servers, tuple(warnings))


def expanded(value: Any, environment: Mapping[str, str]) -> tuple[Any, tuple[str, ...]]:
    """The value with ``${VAR}`` and ``${VAR:-default}`` replaced in all of its texts, and the names not set.

    VS Code's ``${env:VAR}`` is the same; its ``${input:NAME}``, which asks a person, is never set.
    """
    unset: dict[str, None] = {}

    def replacement(match: re.Match[str]) -> str:
        name, default = match.group(1) or match.group(3), match.group(2)
        if environment.get(name) or (name in environment and default is None):
            return environment[name]
        if default is None:
            unset[name] = None
            return match.group()
        return str(default)

    def walk(part: Any) -> Any:
        if isinstance(part, str):
            return _VARIABLE.sub(replacement, part)
        if isinstance(part, dict):
            return {key: walk(entry) for key, entry in part.items()}
        return [walk(entry) for entry in part] if isinstance(part, list) else part

    return walk(value), tuple(unset)


def unset_problem(unset: tuple[str, ...]) -> str | None:
    """The sentence about variables that are missing; ``None`` where none is."""
    if not unset:
        return None
    noun, them = ("variable", "it") if len(unset) == 1 else ("variables", "them")
    return f"environment {noun} not set: {', '.join(unset)}; set {them} or write a default, ${{{unset[0]}:-…}}"


def server_from_line(name: str, line: str) -> dict[str, Any]:
    """Fields of a server from one text: a URL, ``package.module:attribute``, or a command with its arguments."""
    line = line.strip()
    if re.match(r"https?://", line):
        return {"name": name, "transport": "sse" if line.rstrip("/").endswith("/sse") else "http", "url": line}
    if re.fullmatch(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*", line):
        return {"name": name, "transport": "in_process", "factory": line}
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise FieldError(None, f"server {name!r}: the command cannot be split into words: {error}.") from None
    if not words:
        raise FieldError(None, f"server {name!r}: the command is empty.")
    return {"name": name, "transport": "stdio", "command": words[0], "arguments": words[1:]}


def _parsed(text: str, file: str) -> Any:
    """The JSON of a text that may have comments and trailing commas."""
    bare = _LINE_COMMENT.sub(lambda match: match.group(1) or re.sub(r"[^\n]", " ", match.group()), text)
    bare = _TRAILING_COMMA.sub(lambda match: match.group(1) or " ", bare)
    try:
        return json.loads(bare)
    except json.JSONDecodeError as error:
        raise TaskError(
            f"not valid JSON: {error.msg} (column {error.colno}).", SourceLocation(file, line=error.lineno)
        ) from None


def _listed(content: Any, place: SourceLocation) -> dict[str, Any]:
    if not isinstance(content, dict):
        raise TaskError(f"must be an object with `mcpServers`, not {kind_of(content)}.", place)
    holder = content["mcp"] if isinstance(content.get("mcp"), dict) else content
    for name in _LISTS:
        if name in holder:
            if not isinstance(holder[name], dict):
                raise TaskError(f"must map names to servers, not be {kind_of(holder[name])}.", place, field=name)
            return dict(holder[name])
    remedy = 'Write {"mcpServers": {"name": {"command": "…", "args": []}}}.'
    raise TaskError("there is no `mcpServers` (nor VS Code's `servers`) in it.", place, remedy=remedy)


def _is_switched_off(definition: dict[str, Any]) -> bool:
    return definition.get("disabled") is True or definition.get("enabled") is False


def _server(name: str, definition: Any, environment: Mapping[str, str], place: SourceLocation) -> ServerRef:
    field = f"mcpServers.{name}"
    if not isinstance(definition, dict):
        raise TaskError(f"must be an object with `command` or `url`, not {kind_of(definition)}.", place, field=field)
    values, unset = expanded(definition, environment)
    try:
        return ServerRef.model_validate({**_fields(name, values), "problem": unset_problem(unset)})
    except FieldError as wrong:
        raise TaskError(wrong.problem, place, field=field, remedy=wrong.remedy) from None
    except ValidationError as error:
        raise complaint(error, ServerRef, lambda location: dotted((field, *location))).at(place) from None


def _fields(name: str, values: dict[str, Any]) -> dict[str, Any]:
    """The fields of a :class:`ServerRef` from the ecosystem's spellings."""
    url = values.get("url") or values.get("serverUrl")
    transport = _transport(values, url)
    common = {"name": name, "transport": transport, **_timeouts(values)}
    if transport == "stdio":
        return {**common, **_process(values)}
    return {**common, "url": url, "headers": values.get("headers") or {}}


def _timeouts(values: dict[str, Any]) -> dict[str, Any]:
    """Return the time that a tool call may take.

    Clients disagree on the unit: Claude Code and Gemini CLI take milliseconds, Cline and Roo Code seconds up to 3600.
    """
    timeout = values.get("timeout")
    if timeout is None:
        return {}
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or timeout <= 0:
        raise FieldError(None, f"the timeout {timeout!r} is not a positive number.")
    return {"timeouts": {"call_seconds": timeout / 1000 if timeout > _LONGEST_IN_SECONDS else timeout}}


def _transport(values: dict[str, Any], url: Any) -> str:
    told = values.get("type", values.get("transport"))
    if told is not None:
        if str(told).lower() not in _TRANSPORTS:
            raise FieldError(None, f"the type {told!r} is not known.", "There are: stdio, http, streamable-http, sse.")
        return _TRANSPORTS[str(told).lower()]
    if url:
        return "sse" if str(url).rstrip("/").endswith("/sse") else "http"
    return "stdio"


def _process(values: dict[str, Any]) -> dict[str, Any]:
    command = values.get("command")
    arguments = values.get("args", values.get("arguments")) or []
    if isinstance(command, list) and command:
        command, arguments = command[0], [*command[1:], *arguments]
    if isinstance(arguments, list):
        arguments = [str(argument) if isinstance(argument, int | float) else argument for argument in arguments]
    environment = values.get("env", values.get("environment")) or {}
    if isinstance(environment, dict):
        environment = {key: _environment_text(entry) for key, entry in environment.items()}
    directory = values.get("cwd", values.get("working_directory"))
    return {"command": command, "arguments": arguments, "environment": environment, "working_directory": directory}


def _environment_text(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else value
