"""Parser of suite manifests: a ``suite.toml``, or the head of a stand-alone task file."""

import errno
import os
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pytest_mcpbench.core.errors import SourceLocation, TaskError, unreadable_reason
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.suite import NOT_IN_FILES, SuiteManifest, TaskFileRef
from pytest_mcpbench.loaders import yaml_parsing
from pytest_mcpbench.loaders.catalogue import default_loader
from pytest_mcpbench.loaders.field_errors import (
    FieldError,
    field_path,
    require_metrics,
    to_field_error,
    type_name,
    unknown_key_error,
)
from pytest_mcpbench.loaders.json_records import is_undecodable, undecodable_line
from pytest_mcpbench.loaders.mcp_json import (
    McpServers,
    expand_variables,
    passed_variables,
    read_mcp_json,
    server_from_line,
    transport_of_url,
    unset_variables_problem,
)
from pytest_mcpbench.text.suggestions import hint

# Text of a TOML file with the line of each field, which tomllib does not report.


@dataclass(frozen=True)
class TomlSource:
    """Text of one TOML file that finds the line of a field."""

    file: Path
    text: str

    def place_of(self, field: str | None) -> SourceLocation:
        """Return the place of a field such as ``servers.mail.url`` or ``files[1].path``."""
        parts = re.findall(r"\[(\d+)\]|([^.\[\]]+)", field or "")
        names = [name for _, name in parts if name]
        number = next((int(index) for index, _ in parts if index), 0)
        line: int | None = None
        for depth in range(len(names) - 1, -1, -1):
            # The line of the key in its table, or else that of the innermost table that exists.
            table, key = names[:depth], names[depth]
            start = self._table_line(table, number) if table else 0
            line = None if start is None else self._key_line(key, start)
            if line is None:
                line = self._table_line(names[: depth + 1], number)
            if line is not None:
                break
        return SourceLocation(str(self.file), line=line)

    def _table_line(self, names: list[str], number: int) -> int | None:
        """Return the line, from 1, of ``[a.b]``, or of the ``[[a]]`` with the given index."""
        path = r"\s*\.\s*".join(rf"[\"']?{re.escape(name)}[\"']?" for name in names)
        lines = [match.start() for match in re.finditer(rf"^\s*\[\[?\s*{path}\s*\]", self.text, re.MULTILINE)]
        if not lines:
            return None
        start = re.compile(r"\S").search(self.text, lines[min(number, len(lines) - 1)])
        return self.text.count("\n", 0, start.start() if start else 0) + 1

    def _key_line(self, key: str, after: int) -> int | None:
        """Return the line of ``key = …`` between a table's header and the next header."""
        for number, line in enumerate(self.text.splitlines()[after:], start=after + 1):
            if line.lstrip().startswith("["):
                return None
            if re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*[.=]", line):
                return number
        return None


# Reading of files that others name, which may be devices and pipes without an end, or no paths at all.


def read_regular_file(path: Path) -> bytes:
    """Return the content of a file.

    Raises:
        OSError: the path cannot be one, or the file cannot be read or is a device, a pipe or a socket.
    """
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            raise OSError(errno.EINVAL, "it is a device, a pipe or a socket")
        return path.read_bytes()
    except ValueError as error:  # such as an embedded null byte
        raise OSError(errno.EINVAL, str(error)) from None


MCP_JSON_FILES = ("mcp.json", ".mcp.json", ".vscode/mcp.json", ".cursor/mcp.json")
UNNAMED = "server"
"""Name of the server that a task file defines with ``server:``."""
_EDITOR_DIRECTORIES = (".vscode", ".cursor")
_SUITE_FIELDS = (frozenset(SuiteManifest.model_fields) - NOT_IN_FILES) | {"mcp_json"}
_MANIFEST_FIELDS = _SUITE_FIELDS | {"data"}
_HEAD_FIELDS = (_SUITE_FIELDS - {"files"}) | {"server", "tasks"}
_SERVER_FIELDS = (frozenset(ServerRef.model_fields) - {"name", "problem", "definition_directory", "variables"}) | {
    "simulated"
}
_SIMULATED = "pytest_mcpbench.simulated.catalogue:"
"""Module whose attributes are the simulated servers, by name."""
_GLOB = re.compile(r"[*?\[]")


def read_manifest(
    text: str,
    file: Path,
    environment: Mapping[str, str],
    data: Path | None = None,
    metrics: Collection[str] | None = None,
) -> SuiteManifest:
    """Parse a ``suite.toml``. Raises :class:`TaskError` with file, line and field.

    Args:
        text: Content of the file.
        file: Path of the file; relative paths and patterns in it are resolved against its directory.
        environment: Values for ``${VAR}`` in server definitions.
        data: Directory of a benchmark's public files. If set, the table ``[data]`` overrides the suite's own fields,
            and relative paths are resolved against this directory.
        metrics: Names of all known metrics; if set, any other name is an error.
    """
    values, source = _parse_toml(text, file), TomlSource(file, text)
    try:
        _reject_unknown_keys(values, _MANIFEST_FIELDS)
        # The directory's name, or the file's stem if it is not called suite.toml: a directory may have several.
        fields = {"name": file.resolve().parent.name if file.name == "suite.toml" else file.stem, **values}
        public = _mapping(fields.pop("data", None), "data")
        for key in public:
            if key not in _SUITE_FIELDS - {"name"}:
                raise unknown_key_error(key, _SUITE_FIELDS - {"name"}, f"data.{key}")
        if data is not None:
            suite = _manifest(_with_public_data(fields, public, data), data / file.name, environment)
        else:
            suite = _manifest({**fields, "files": _files(values, file.parent)}, file, environment)
        require_metrics(_metric_references(suite), metrics)
        return suite
    except FieldError as error:
        raise error.at(source.place_of(error.field)) from None


def _parse_toml(text: str, file: Path) -> dict[str, Any]:
    if is_undecodable(text):
        raise TaskError(
            "the line contains bytes that are not UTF-8.", SourceLocation(str(file), line=undecodable_line(text))
        )
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        match = re.search(r"at line (\d+)", str(error))
        raise TaskError(
            f"not valid TOML: {error}.", SourceLocation(str(file), line=int(match.group(1)) if match else None)
        ) from None
    except RecursionError:
        raise TaskError("it has more levels of tables and lists than can be read.", SourceLocation(str(file))) from None
    except ValueError:  # the message of Python is about a setting
        raise TaskError("an integer has more digits than can be read.", SourceLocation(str(file))) from None


def _with_public_data(fields: dict[str, Any], public: dict[str, Any], data: Path) -> dict[str, Any]:
    if not public:
        raise FieldError(
            "data", f"the suite has no [data] table that describes the public files in {data}.", _HOW_TO_READ_DATA
        )
    replaced = {"effects", "pass_rates", "published", "open_texts", "sample"} | (
        {"mcp_json"} if "servers" in public else set()
    )
    own_fields = {key: value for key, value in fields.items() if key not in replaced}
    # Servers of this file take the place of those that replay the recording.
    real = {"mcp_json": "mcp.json"} if public.get("recorded") and (data / "mcp.json").is_file() else {}
    # A single pattern may match nothing, as long as others do.
    files = public.get("files")
    if not isinstance(files, list) or not files:
        raise FieldError("data.files", "must list the public files.", _HOW_TO_READ_DATA)
    entries = [_entry(file, f"data.files[{index}]") for index, file in enumerate(files)]
    files_by_path: dict[str, dict[str, Any]] = {}
    for index, entry in enumerate(entries):
        field = f"data.files[{index}]"
        try:
            existing_files = [file for file in _expand_pattern(entry, field, data) if (data / file["path"]).is_file()]
        except _NoMatchError:
            existing_files = []
        for file in existing_files:
            files_by_path.setdefault(file["path"], file)
    if not files_by_path:
        patterns = ", ".join(repr(entry["path"]) for entry in entries)
        raise FieldError("data.files", f"no file in {data} matches {patterns}.")
    return {**own_fields, **real, **public, "files": list(files_by_path.values())}


_HOW_TO_READ_DATA = 'Write [[data.files]] with path = "**/*.json" and loader = "…" for each kind of file.'


def standalone_manifest(
    text: str,
    file: Path,
    environment: Mapping[str, str],
    metrics: Collection[str] | None = None,
    root: Path | None = None,
) -> SuiteManifest:
    """Return the manifest of a stand-alone task file, from its head or from files in the same directory.

    The head of a YAML file is everything except ``tasks:``. A file that defines no servers inherits everything from the
    ``suite.toml`` in its directory or, if there is none, the servers of the nearest ``mcp.json``, which is searched in
    its directory and the parents of that up to ``root``.
    """
    head, node = _head(text, file)
    values = {key: value for key, value in head.items() if key != "tasks"}
    try:
        _reject_unknown_keys(head, _HEAD_FIELDS)
        if "server" in values:
            values["servers"] = {**_mapping(values.get("servers"), "servers"), UNNAMED: values.pop("server")}
        neighbour = file.parent / "suite.toml"
        if not values.keys() & {"servers", "mcp_json"} and neighbour.is_file():
            suite_beside = read_manifest(
                neighbour.read_text(encoding="utf-8-sig"), neighbour, environment, metrics=metrics
            )
            # That suite, reduced to this one file, with the fields of the head in place of its own.
            own = _manifest(_complete_head(values, file), file, environment)
            changed = {name: getattr(own, name) for name in ("name", "files", *(values.keys() - {"name", "files"}))}
            suite = suite_beside.model_copy(update=changed)
        else:
            suite = _manifest(_with_mcp_json(_complete_head(values, file), file, root), file, environment)
        require_metrics(_metric_references(suite), metrics)
        return suite
    except FieldError as error:
        line = yaml_parsing.line_at(node, error.field) if node is not None and error.field else None
        raise error.at(SourceLocation(str(file), line=line)) from None


def _metric_references(suite: SuiteManifest) -> Iterator[tuple[str, str]]:
    """Yield each field of a suite that refers to a metric, with the metric's name."""
    yield from ((f"floors.{name}", name) for name in suite.floors)
    yield from ((f"guards.{name}", name) for name in suite.guards)
    yield from ((f"metrics[{index}]", name) for index, name in enumerate(suite.metrics))
    yield from ((f"metric_settings.{name}", name) for name in suite.metric_settings)


def _complete_head(values: dict[str, Any], file: Path) -> dict[str, Any]:
    """Return the head with a name and this file as the only one."""
    name = file.name.split(".mcpbench.")[0] or file.stem
    return {"name": name, **values, "files": [{"path": file.name, "loader": "native"}]}


def _with_mcp_json(fields: dict[str, Any], file: Path, root: Path | None) -> dict[str, Any]:
    """Return the fields with the nearest ``mcp.json`` if they define no servers."""
    if fields.keys() & {"servers", "mcp_json"}:
        return fields
    directories = enclosing_directories(file.parent, root)
    found = next((path for directory in directories for path in mcp_json_files(directory)), None)
    if found is None:
        return {**fields, "searched": [os.path.relpath(directory) for directory in directories]}
    return {**fields, "mcp_json": os.path.relpath(found, file.parent)}


def mcp_json_files(directory: Path) -> list[Path]:
    """Return the files with server definitions of other clients that are in a project's directory."""
    return [directory / name for name in MCP_JSON_FILES if (directory / name).is_file()]


def enclosing_directories(directory: Path, root: Path | None) -> list[Path]:
    """Return the directory and its parents up to ``root``; only the directory if it is not below ``root``."""
    start = directory.resolve()
    if root is None or not start.is_relative_to(root.resolve()):
        return [directory]
    above = [parent for parent in start.parents if parent.is_relative_to(root.resolve())]
    return [directory, *above]


def _head(text: str, file: Path) -> tuple[dict[str, Any], Any]:
    """Return the mapping around ``tasks:`` and its node; the mapping is empty for a plain list or invalid YAML."""
    if file.suffix.lower() not in (".yaml", ".yml") or is_undecodable(text):
        return {}, None
    try:
        nodes = yaml_parsing.documents(text)
    except yaml_parsing.YamlError:
        return {}, None  # The loader reports the error as one item, so that tasks of other files still run.
    if len(nodes) != 1 or yaml_parsing.child(nodes[0], "tasks") is None:
        return {}, None
    try:
        return yaml_parsing.head(nodes[0]), nodes[0]
    except yaml_parsing.YamlError as error:
        raise TaskError(f"{error.problem}.", SourceLocation(str(file), line=error.line)) from None


def _manifest(fields: dict[str, Any], file: Path, environment: Mapping[str, str]) -> SuiteManifest:
    mcp_json_path = fields.pop("mcp_json", None)
    if mcp_json_path is None:
        from_mcp_json = McpServers({})
    else:
        directory = file.parent
        if not isinstance(mcp_json_path, str):
            raise FieldError("mcp_json", f"must be the path of a file, not {type_name(mcp_json_path)}.")
        path = directory / mcp_json_path
        try:
            text = read_regular_file(path).decode("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise FieldError("mcp_json", f"{path} cannot be read: {unreadable_reason(error)}.") from None
        home = directory if path.resolve().is_relative_to(directory.resolve()) else workspace_of(path)
        found = read_mcp_json(text, str(path), {"workspaceFolder": str(home.resolve()), **environment})
        if home == directory:
            from_mcp_json = found
        else:
            start = {"definition_directory": os.path.relpath(home, directory)}
            from_mcp_json = replace(
                found, servers={name: ref.model_copy(update=start) for name, ref in found.servers.items()}
            )
    servers = dict(from_mcp_json.servers)
    definitions = _mapping(fields.get("servers"), "servers")
    servers |= {name: _server(name, definition, environment) for name, definition in definitions.items()}
    fields |= {"servers": servers, "directory": str(file.parent.resolve()), "warnings": from_mcp_json.warnings}
    try:
        return SuiteManifest.model_validate(fields)
    except ValidationError as error:
        raise to_field_error(error, SuiteManifest, field_path) from None


def _reject_unknown_keys(values: dict[str, Any], known: frozenset[str]) -> None:
    for key in values:
        if key not in known:
            raise unknown_key_error(key, known)


def _mapping(value: Any, field: str) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise FieldError(field, f"must map names to definitions, not be {type_name(value)}.")
    return value


def _files(values: dict[str, Any], directory: Path) -> list[dict[str, Any]]:
    files = values.get("files")
    if files is None and "data" in values:
        remedy = "Pass the directory of the benchmark's public files with --mcpbench-data=DIR."
        raise FieldError("data", "the suite contains no task files.", remedy)
    if isinstance(files, str):
        files = [files]
    if not isinstance(files, list) or not files:
        remedy = 'Write [[files]] with path = "tasks.yaml" for each of them.'
        raise FieldError("files", "must list the suite's task files.", remedy)
    entries: list[dict[str, Any]] = []
    for index, file in enumerate(files):
        field = f"files[{index}]"
        entries += _expand_pattern(_entry(file, field), field, directory)
    return entries


def _entry(file: Any, field: str) -> dict[str, Any]:
    entry = {"path": file} if isinstance(file, str) else file
    if not isinstance(entry, dict) or not isinstance(entry.get("path"), str):
        raise FieldError(f"{field}.path", "is missing." if isinstance(entry, dict) else "must be a table with `path`.")
    for key in entry:
        if key not in TaskFileRef.model_fields:
            raise FieldError(f"{field}.{key}", "there is no such field.", hint(key, TaskFileRef.model_fields))
    return entry


def _expand_pattern(entry: dict[str, Any], field: str, directory: Path) -> list[dict[str, Any]]:
    """Return an entry for each file that matches; the extension determines the loader if none is specified."""
    entries: list[dict[str, Any]] = []
    for path in _matching_files(entry["path"], f"{field}.path", directory):
        loader = entry.get("loader") or default_loader(path)
        if loader is None:
            problem = f"is missing: the extension of {path!r} does not imply a loader."
            raise FieldError(
                f"{field}.loader", problem, "Use one of: native, toolbench, atlas, finmcp, radar, persona."
            )
        entries.append({**entry, "path": path, "loader": loader})
    return entries


def _matching_files(path: str, field: str, directory: Path) -> list[str]:
    """Return the files that match a pattern, sorted because all xdist workers must see the same order."""
    try:
        if not _GLOB.search(path) or (directory / path).is_file():
            return [path]
        matches = [] if Path(path).is_absolute() else [match for match in directory.glob(path) if match.is_file()]
    except (OSError, ValueError) as error:  # a name that is too long, or `**` as a part of a name
        reason = error.strerror if isinstance(error, OSError) else error
        raise FieldError(field, f"{path!r} is not a pattern of files: {reason}.") from None
    if Path(path).is_absolute():
        raise FieldError(field, "a pattern must be relative to the suite.")
    if not matches:
        raise _NoMatchError(field, f"no file matches {path!r} in {directory}.")
    return sorted(match.relative_to(directory).as_posix() for match in matches)


class _NoMatchError(FieldError):
    """A pattern that matches no file."""


def workspace_of(mcp_json: Path) -> Path:
    """Return the directory of the project that an ``mcp.json`` configures, from which relative paths in it start."""
    return mcp_json.parent.parent if mcp_json.parent.name in _EDITOR_DIRECTORIES else mcp_json.parent


def _server(name: str, definition: Any, environment: Mapping[str, str]) -> ServerRef:
    field = f"servers.{name}"
    values, unset = expand_variables(definition, environment)
    try:
        fields = server_from_line(name, values) if isinstance(values, str) else _server_fields(name, values, field)
        variables = passed_variables(definition, environment)
        return ServerRef.model_validate({**fields, "variables": variables, "problem": unset_variables_problem(unset)})
    except FieldError as error:
        raise FieldError(error.field or field, error.problem, error.remedy) from None
    except ValidationError as error:
        raise to_field_error(error, ServerRef, lambda location: field_path((field, *location))) from None


def _server_fields(name: str, values: Any, field: str) -> dict[str, Any]:
    if not isinstance(values, dict):
        raise FieldError(field, f"must be a table or a string, not {type_name(values)}.")
    for key in values:
        if key not in _SERVER_FIELDS:
            raise FieldError(
                f"{field}.{key}", "there is no such field.", hint(_SPELLINGS.get(key) or key, _SERVER_FIELDS)
            )
    fields = {"name": name, **values}
    if "simulated" in fields:
        simulated = fields.pop("simulated")
        if not isinstance(simulated, str) or not simulated:
            raise FieldError(
                f"{field}.simulated", f"must be the name of a simulated server, not {type_name(simulated)}."
            )
        fields["factory"] = _SIMULATED + simulated
    command = fields.get("command")
    # The path of an existing file, even with spaces, stays whole.
    if isinstance(command, str) and "arguments" not in fields and not Path(command).is_file():
        split = server_from_line(name, command)
        if split["transport"] == "stdio":
            fields |= {key: split[key] for key in ("command", "arguments")}
    if "factory" in fields:
        transport = "in_process"
    elif "url" in fields:
        transport = transport_of_url(str(fields["url"]))
    else:
        transport = "stdio"
    fields.setdefault("transport", transport)
    return fields


_SPELLINGS = {"args": "arguments", "env": "environment", "cwd": "working_directory", "type": "transport"}
