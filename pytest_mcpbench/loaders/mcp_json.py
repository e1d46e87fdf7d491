"""Reader of ``mcp.json`` files: ``mcpServers`` of Claude, Cursor and others, ``servers`` of VS Code, and MCP-Pools."""

import json
import math
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import ValidationError

from pytest_mcpbench.core.errors import SourceLocation, TaskError
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.loaders.field_errors import FieldError, field_path, to_field_error, type_name
from pytest_mcpbench.text.json_reading import scalar_text

# Commands of servers in one line, which no shell reads.

_SHELL_OPERATORS = frozenset({"&&", "||", "|", ";", "&", ">", ">>", "<", "2>&1"})
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
_READ_ESCAPE = re.compile(r"\\[A-Za-z0-9._-]")
_QUOTED = re.compile(r"(?P<escape>\\.)|'[^']*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
_SHELL_VARIABLE = re.compile(r"\$\w+|\$\(|`")


def split_command(name: str, line: str) -> list[str]:
    """Return the words of a command line. Raises FieldError for a line that only a shell understands."""
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise _problem(name, f"cannot be split into words: {error}") from None
    if not words:
        raise _problem(name, "is empty")
    # An escaped quotation mark begins no quoted text.
    unquoted = _QUOTED.sub(lambda match: match["escape"] or " quoted ", line)
    _reject_shell_syntax(name, unquoted)
    found = _READ_ESCAPE.search(unquoted)
    if found is not None:
        problem = f"contains {found[0]!r}: a backslash outside of quotes is dropped"
        word = next((word for word in line.split() if found[0] in word), found[0])
        raise _problem(name, problem, f"Write / instead, or single quotes around the word: '{word}'.")
    return words


def _reject_shell_syntax(name: str, unquoted: str) -> None:
    words = unquoted.split() or [unquoted]
    operator = next((word for word in words if word in _SHELL_OPERATORS), None)
    if words[0] == "cd" or operator is not None:
        found = "cd" if words[0] == "cd" else operator
        remedy = "Set `working_directory` and `environment` of the server, or write: bash -c '…'."
        raise _problem(name, f"contains {found!r}, and no shell runs it", remedy)
    if _ASSIGNMENT.fullmatch(words[0]):
        variable, _, value = words[0].partition("=")
        remedy = f'Write it as `environment: {{{variable}: "{value}"}}` of the server.'
        raise _problem(name, f"begins with the variable {variable!r}, and no shell runs it", remedy)
    variable_found = _SHELL_VARIABLE.search(unquoted)
    if variable_found is not None:
        remedy = "Write ${NAME} for an environment variable; no shell replaces anything else."
        raise _problem(name, f"contains {variable_found[0]!r}, and no shell runs it", remedy)
    if any(word.startswith("~") for word in words):
        raise _problem(name, "contains '~', and no shell replaces it", "Write ${HOME} instead.")


def _problem(name: str, problem: str, remedy: str | None = None) -> FieldError:
    return FieldError(None, f"server {name!r}: the command {problem}.", remedy)


_LISTS = ("mcpServers", "servers", "context_servers")
_VARIABLE_START = re.compile(r"\$\{(?:(input:)(?!-)|(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(:-)?)")
_TRANSPORTS = {
    "stdio": "stdio",
    "local": "stdio",
    "http": "http",
    "streamable-http": "http",
    "streamable_http": "http",
    "streamablehttp": "http",
    "remote": "http",
    "sse": "sse",
    "atlas": "atlas",
}
_KNOWN_KEYS = frozenset(
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
    | {"auth", "headers", "disabled", "enabled", "timeout", "description", "name"}
    | {"limits", "network", "roots", "timeouts"}  # of this plugin
)
_NOT_STARTABLE = {"disabled": True}
"""Entry of a server that an MCP-Pool describes without saying how it is started."""
_SLOW_LISTS = {"atlas": {"list_seconds": 180.0}}
"""Limits by transport: the container of MCP-Atlas asks all of its servers for each list, for up to three minutes."""
_LONGEST_IN_SECONDS = 3600
"""A larger timeout is in milliseconds."""
# Both patterns match also a text or comment that does not end, so that they never try again within it.
_LINE_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*+"?)|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*+"?)|,(?=\s*[}\]])', re.DOTALL)


@dataclass(frozen=True)
class McpServers:
    """Servers of one file, with a warning for each key that is not supported."""

    servers: dict[str, ServerRef]
    warnings: tuple[str, ...] = ()


def read_mcp_json(text: str, file: str, environment: Mapping[str, str]) -> McpServers:
    """Parse an ``mcp.json``. Comments and trailing commas, which VS Code allows, are accepted.

    If a definition refers to a variable that is missing from ``environment``, the server carries that as its
    ``problem``, so that tasks on other servers still run. Raises :class:`TaskError` if the file is not a list of
    servers.
    """
    place = SourceLocation(file)
    try:
        servers: dict[str, ServerRef] = {}
        warnings: list[str] = []
        for name, definition in _server_entries(_parse_json(text, file), place).items():
            if isinstance(definition, dict) and _is_disabled(definition):
                if definition is _NOT_STARTABLE:
                    warnings.append(f"{place}: server {name!r} has no `run_config` and was left out")
                continue
            servers[name] = _server(name, definition, environment, place)
            warnings += [
                f"{place}: server {name!r}: {key!r} is not supported and was ignored"
                for key in definition
                if key not in _KNOWN_KEYS
            ]
        return McpServers(servers, tuple(warnings))
    except RecursionError:
        raise TaskError("it has more levels of objects and lists than can be read.", place) from None


def server_entries(text: str, file: str) -> dict[str, Any]:
    """Return the definitions of an ``mcp.json`` as they are written, without those that are disabled."""
    entries = _server_entries(_parse_json(text, file), SourceLocation(file))
    return {name: each for name, each in entries.items() if not (isinstance(each, dict) and _is_disabled(each))}


def expand_variables(value: Any, environment: Mapping[str, str]) -> tuple[Any, tuple[str, ...]]:
    """Replace ``${VAR}`` and ``${VAR:-default}`` in all strings of a value; also return the names that are not set.

    VS Code's ``${env:VAR}`` means the same as ``${VAR}``. Its ``${input:NAME}``, which prompts the user, always counts
    as not set.
    """
    unset: dict[str, None] = {}

    def value_of(name: str, default: str | None) -> str | None:
        if environment.get(name) or (name in environment and default is None):
            return environment[name]
        if default is None:
            unset[name] = None
        return default

    def walk(part: Any) -> Any:
        if isinstance(part, str):
            return _expand_text(part, value_of)
        if isinstance(part, dict):
            return {key: walk(entry) for key, entry in part.items()}
        return [walk(entry) for entry in part] if isinstance(part, list) else part

    return walk(value), tuple(unset)


def passed_variables(value: Any, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that the strings of a value take from the environment, with their values."""
    if isinstance(value, str):
        names: list[str] = []
        _expand_text(value, lambda name, _default: names.append(name))
        return {name: environment[name] for name in names if environment.get(name)}
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return {name: each for part in parts for name, each in passed_variables(part, environment).items()}


def _expand_text(text: str, value_of: Callable[[str, str | None], str | None]) -> str:
    """Replace the variables of a text whose values are known."""
    # A variable ends at the next brace, and so is searched between two of them: one pattern for all of it takes
    # quadratic time for a text of beginnings without ends.
    *parts, rest = text.split("}")
    return "".join(_expand_part(part, value_of) for part in parts) + rest


def _expand_part(part: str, value_of: Callable[[str, str | None], str | None]) -> str:
    """Return a part with its closing brace, or with the value of the variable that the brace closes."""
    for start in _VARIABLE_START.finditer(part):
        asks, name, has_default = start.groups()
        rest = part[start.end() :]
        # A prompt needs a name after it, and a name without default ends at the brace.
        if bool(rest) != bool(asks or has_default) and not (has_default and not rest):
            continue
        value = value_of(asks + rest if asks else name, rest if has_default else None)
        return part + "}" if value is None else part[: start.start()] + value
    return part + "}"


def unset_variables_problem(unset: tuple[str, ...]) -> str | None:
    """Return a message about missing environment variables, or ``None`` if all are set."""
    if not unset:
        return None
    inputs = [name.removeprefix("input:") for name in unset if name.startswith("input:")]
    if inputs:
        variable = re.sub(r"\W", "_", inputs[0]).upper()
        remedy = f"write ${{{variable}}} instead and set that environment variable"
        return f"${{input:{inputs[0]}}} asks a user of VS Code, and there is none here; {remedy}"
    noun, them = ("variable", "it") if len(unset) == 1 else ("variables", "them")
    return f"environment {noun} not set: {', '.join(unset)}; set {them} or write a default, ${{{unset[0]}:-…}}"


def transport_of_url(url: str) -> Literal["http", "sse"]:
    """Return the transport of a server at a URL for which none is stated."""
    return "sse" if url.rstrip("/").endswith("/sse") else "http"


def server_from_line(name: str, line: str) -> dict[str, Any]:
    """Return a server's fields from one line: a URL, ``package.module:attribute``, or a command with arguments."""
    line = line.strip()
    if re.match(r"https?://", line):
        return {"name": name, "transport": transport_of_url(line), "url": line}
    if re.fullmatch(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*", line):
        return {"name": name, "transport": "in_process", "factory": line}
    words = split_command(name, line)
    return {"name": name, "transport": "stdio", "command": words[0], "arguments": words[1:]}


def _parse_json(text: str, file: str) -> Any:
    """Parse JSON that may contain comments and trailing commas."""
    plain_text = _LINE_COMMENT.sub(lambda match: match.group(1) or re.sub(r"[^\n]", " ", match.group()), text)
    plain_text = _TRAILING_COMMA.sub(lambda match: match.group(1) or " ", plain_text)
    try:
        return json.loads(plain_text)
    except json.JSONDecodeError as error:
        remedy = "Write \\\\ for a backslash, or / in paths." if "escape" in error.msg else None
        place = SourceLocation(file, line=error.lineno)
        raise TaskError(f"not valid JSON: {error.msg} (column {error.colno}).", place, remedy=remedy) from None
    except ValueError:  # json's own message is about a setting of Python
        raise TaskError("an integer has more digits than can be read.", SourceLocation(file)) from None


def _server_entries(content: Any, place: SourceLocation) -> dict[str, Any]:
    if not isinstance(content, dict):
        raise TaskError(f"must be an object with `mcpServers`, not {type_name(content)}.", place)
    if "mcp_pool" in content:
        return _pool_entries(content["mcp_pool"], place)
    container = content["mcp"] if isinstance(content.get("mcp"), dict) else content
    for name in _LISTS:
        if name in container:
            if not isinstance(container[name], dict):
                raise TaskError(f"must map names to servers, not be {type_name(container[name])}.", place, field=name)
            return dict(container[name])
    remedy = 'Write {"mcpServers": {"name": {"command": "…", "args": []}}}.'
    raise TaskError("the file has neither `mcpServers` nor VS Code's `servers`.", place, remedy=remedy)


def _pool_entries(pool: Any, place: SourceLocation) -> dict[str, dict[str, Any]]:
    """Return the servers of an MCP-Pool (MCP-RADAR, appendix C) as entries; its command is one line."""
    entries: dict[str, dict[str, Any]] = {}
    for index, server in enumerate(pool if isinstance(pool, list) else [pool]):
        field = f"mcp_pool[{index}]"
        if not isinstance(server, dict):
            raise TaskError(
                f"must be an object with `name` and `run_config`, not {type_name(server)}.", place, field=field
            )
        written = str(server.get("name", ""))
        name = re.sub(r"[^A-Za-z0-9_.-]+", "-", written).strip("-") or f"server-{index + 1}"
        if name in entries:
            problem = f"{written!r} is the name of an earlier server too: both are called {name!r} here."
            raise TaskError(problem, place, field=f"{field}.name", remedy="Give each server a name of its own.")
        configs = server.get("run_config")
        if configs is None or configs == []:
            entries[name] = _NOT_STARTABLE
            continue
        if not isinstance(configs, list) or not isinstance(configs[0], dict):
            problem = 'must be a list such as [{"command": "npx -y server"}].'
            raise TaskError(problem, place, field=f"{field}.run_config")
        entry = dict(configs[0])
        if isinstance(entry.get("command"), str):
            try:
                entry["command"] = split_command(name, entry["command"])
            except FieldError as wrong:
                raise TaskError(wrong.problem, place, field=f"{field}.run_config", remedy=wrong.remedy) from None
        entries[name] = entry
    return entries


def _is_disabled(definition: dict[str, Any]) -> bool:
    return definition.get("disabled") is True or definition.get("enabled") is False


def _server(name: str, definition: Any, environment: Mapping[str, str], place: SourceLocation) -> ServerRef:
    field = f"mcpServers.{name}"
    if not isinstance(definition, dict):
        raise TaskError(f"must be an object with `command` or `url`, not {type_name(definition)}.", place, field=field)
    values, unset = expand_variables(definition, environment)
    variables = passed_variables(definition, environment)
    try:
        fields = {**_fields(name, values), "variables": variables, "problem": unset_variables_problem(unset)}
        return ServerRef.model_validate(fields)
    except FieldError as wrong:
        raise TaskError(wrong.problem, place, field=field, remedy=wrong.remedy) from None
    except ValidationError as error:
        raise to_field_error(error, ServerRef, lambda location: field_path((field, *location))).at(place) from None


def _fields(name: str, values: dict[str, Any]) -> dict[str, Any]:
    """Translate the keys of an ``mcp.json`` definition into the fields of a :class:`ServerRef`."""
    url = values.get("url") or values.get("serverUrl")
    declared = values.get("type", values.get("transport"))
    if declared is not None:
        if str(declared).lower() not in _TRANSPORTS:
            remedy = "Use one of: stdio, http, streamable-http, sse, atlas."
            raise FieldError(None, f"the type {declared!r} is unknown.", remedy)
        transport = _TRANSPORTS[str(declared).lower()]
    elif url:
        transport = transport_of_url(str(url))
    else:
        transport = "stdio"
    own_timeouts = values.get("timeouts") or {}
    if not isinstance(own_timeouts, dict):
        example = '{"start_seconds": 300}'
        raise FieldError(None, f"`timeouts` must be an object such as {example}, not {type_name(own_timeouts)}.")
    timeouts: dict[str, Any] = {**_SLOW_LISTS.get(transport, {})}
    timeout = values.get("timeout")
    if timeout is not None:
        if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not 0 < timeout < math.inf:
            raise FieldError(None, f"the timeout {timeout!r} is not a positive number.")
        # Clients disagree on the unit of the time that a tool call may take: Claude Code and Gemini CLI take
        # milliseconds, Cline and Roo Code seconds up to 3600.
        timeouts["call_seconds"] = timeout / 1000 if timeout > _LONGEST_IN_SECONDS else timeout
    timeouts |= own_timeouts
    common = {"name": name, "transport": transport, "timeouts": timeouts, "roots": values.get("roots")}
    if transport == "stdio":
        return {**common, **_process_fields(values)}
    auth = {"auth": values["auth"]} if values.get("auth") is not None else {}
    return {**common, "url": url, "headers": values.get("headers") or {}, **auth}


def _process_fields(values: dict[str, Any]) -> dict[str, Any]:
    command = values.get("command")
    arguments = values.get("args", values.get("arguments")) or []
    if isinstance(command, list) and command:
        command, arguments = command[0], [*command[1:], *arguments]
    if isinstance(arguments, list):
        arguments = [str(argument) if isinstance(argument, int | float) else argument for argument in arguments]
    environment = values.get("env", values.get("environment")) or {}
    if isinstance(environment, dict):
        environment = {key: scalar_text(entry) for key, entry in environment.items()}
    directory = values.get("cwd", values.get("working_directory"))
    own = {key: values[key] for key in ("limits", "network") if values.get(key) is not None}
    return {
        "command": command,
        "arguments": arguments,
        "environment": environment,
        "working_directory": directory,
        **own,
    }
