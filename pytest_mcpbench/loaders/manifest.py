"""Reads what a suite says of itself: ``suite.toml``, or the head of a stand-alone task file."""

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pytest_mcpbench.core.errors import SourceLocation, TaskError
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.suggestions import hint
from pytest_mcpbench.core.suite import SuiteManifest, TaskFileRef
from pytest_mcpbench.loaders import yaml_nodes
from pytest_mcpbench.loaders.catalogue import default_loader
from pytest_mcpbench.loaders.complaint import (
    FieldError,
    complaint,
    dotted,
    kind_of,
    require_metrics,
    unknown_key,
)
from pytest_mcpbench.loaders.mcp_json import McpServers, expanded, read_mcp_json, server_from_line, unset_problem
from pytest_mcpbench.loaders.text_records import is_undecodable, undecodable_line

STANDALONE_PATTERNS = ("*.mcpbench.yaml", "*.mcpbench.yml", "*.mcpbench.jsonl")
"""Names of the task files that need no suite.toml."""

_NEIGHBOURS = ("mcp.json", ".mcp.json", ".vscode/mcp.json", ".cursor/mcp.json")
_OF_A_SUITE = (frozenset(SuiteManifest.model_fields) - {"directory", "warnings"}) | {"mcp_json"}
_KNOWN = _OF_A_SUITE | {"data"}
_IN_A_HEAD = (_OF_A_SUITE - {"files"}) | {"server", "tasks"}
_OF_A_SERVER = (frozenset(ServerRef.model_fields) - {"name", "problem"}) | {"simulated"}
_SIMULATED = "pytest_mcpbench.simulated.catalogue:"
"""Where the servers that ship are found by name."""
_GLOB = re.compile(r"[*?\[]")


def read_manifest(
    text: str,
    file: Path,
    environment: Mapping[str, str],
    data: Path | None = None,
    metrics: Collection[str] | None = None,
) -> SuiteManifest:
    """The suite of a ``suite.toml`` that lies at ``file``; what it names by pattern or path is looked up beside it.

    ``environment`` fills ``${VAR}`` in the definitions of servers. With ``data``, the directory of a benchmark's public
    files, it is the suite that its table ``[data]`` describes: what the table gives takes the place of the suite's own,
    and everything relative is relative to the directory. Where the names of all ``metrics`` are given, another one is
    an error. Raises :class:`TaskError` with file, line and field.
    """
    source = _Toml(file, text)
    if is_undecodable(text):
        raise TaskError(
            "the line holds bytes that are not UTF-8.", SourceLocation(str(file), line=undecodable_line(text))
        )
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise TaskError(f"not valid TOML: {error}.", SourceLocation(str(file), line=_line_in(str(error)))) from None
    try:
        _refuse_unknown(values, _KNOWN)
        fields = {"name": _default_name(file), **values}
        public = _public(fields.pop("data", None))
        if data is not None:
            suite = _manifest(_on_public_data(fields, public, data), data / file.name, environment)
        else:
            suite = _manifest({**fields, "files": _files(values, file.parent)}, file, environment)
        require_metrics(_named_metrics(suite), metrics)
        return suite
    except FieldError as wrong:
        raise wrong.at(source.place_of(wrong.field)) from None


def _default_name(file: Path) -> str:
    """The directory's; the file's own where it is called otherwise than usual, for several may lie side by side."""
    return file.resolve().parent.name if file.name == "suite.toml" else file.stem


def _public(table: Any) -> dict[str, Any]:
    """``[data]``: what is another than the suite's own where the benchmark's public files are run."""
    public = _mapping(table, "data")
    for key in public:
        if key not in _OF_A_SUITE - {"name"}:
            raise unknown_key(key, _OF_A_SUITE - {"name"}, f"data.{key}")
    return public


def _on_public_data(fields: dict[str, Any], public: dict[str, Any], data: Path) -> dict[str, Any]:
    if not public:
        raise FieldError("data", f"the suite does not say how it reads the public files in {data}.", _HOW_TO_READ_DATA)
    replaced = {"effects"} | ({"mcp_json"} if "servers" in public else set())
    own = {key: value for key, value in fields.items() if key not in replaced}
    return {**own, **public, "files": _public_files(public.get("files"), data)}


_HOW_TO_READ_DATA = 'Write [[data.files]] with path = "**/*.json" and loader = "…" for each kind of file.'


def _public_files(files: Any, data: Path) -> list[dict[str, Any]]:
    """The files in the directory that the patterns stand for, each once; a pattern may stand for none."""
    if not isinstance(files, list) or not files:
        raise FieldError("data.files", "[data] names the public files.", _HOW_TO_READ_DATA)
    entries = [_entry(file, f"data.files[{index}]") for index, file in enumerate(files)]
    found: dict[str, dict[str, Any]] = {}
    for index, entry in enumerate(entries):
        for file in _present(entry, f"data.files[{index}]", data):
            found.setdefault(file["path"], file)
    if not found:
        patterns = ", ".join(repr(entry["path"]) for entry in entries)
        raise FieldError("data.files", f"no file in {data} matches {patterns}.")
    return list(found.values())


def _present(entry: dict[str, Any], field: str, data: Path) -> list[dict[str, Any]]:
    try:
        return [file for file in _of_each_match(entry, field, data) if (data / file["path"]).is_file()]
    except _NoMatchError:
        return []


def standalone_manifest(
    text: str, file: Path, environment: Mapping[str, str], metrics: Collection[str] | None = None
) -> SuiteManifest:
    """The suite of one task file that needs no ``suite.toml``: what its head says, or else what lies beside it.

    The head of a YAML file is everything but ``tasks:``. A file that names no servers takes all that the ``suite.toml``
    in its directory says or else the servers of an ``mcp.json`` there.
    """
    head, node = _head(text, file)
    values = {key: value for key, value in head.items() if key != "tasks"}
    try:
        _refuse_unknown(head, _IN_A_HEAD)
        if "server" in values:
            values["servers"] = {**_mapping(values.get("servers"), "servers"), "server": values.pop("server")}
        neighbour = file.parent / "suite.toml"
        if not values.keys() & {"servers", "mcp_json"} and neighbour.is_file():
            around = _of_neighbour(neighbour, environment, metrics)
            suite = _within(around, values, file, environment)
        else:
            suite = _manifest(_completed(values, file), file, environment)
        require_metrics(_named_metrics(suite), metrics)
        return suite
    except FieldError as wrong:
        line = yaml_nodes.line_at(node, wrong.field) if node is not None and wrong.field else None
        raise wrong.at(SourceLocation(str(file), line=line)) from None


def _of_neighbour(file: Path, environment: Mapping[str, str], metrics: Collection[str] | None) -> SuiteManifest:
    return read_manifest(file.read_text(encoding="utf-8-sig"), file, environment, metrics=metrics)


def _named_metrics(suite: SuiteManifest) -> Iterator[tuple[str, str]]:
    """The metrics that a suite names, each behind the field where it does."""
    yield from ((f"floors.{name}", name) for name in suite.floors)
    yield from ((f"metrics[{index}]", name) for index, name in enumerate(suite.metrics))
    yield from ((f"metric_settings.{name}", name) for name in suite.metric_settings)


def _within(suite: SuiteManifest, values: dict[str, Any], file: Path, environment: Mapping[str, str]) -> SuiteManifest:
    """The suite with this file as its only one, and with what the file's head says in place of its own."""
    own = _manifest(_completed(values, file, with_servers=False), file, environment)
    changed = {name: getattr(own, name) for name in ("name", "files", *(values.keys() - {"name", "files"}))}
    return suite.model_copy(update=changed)


def _completed(values: dict[str, Any], file: Path, *, with_servers: bool = True) -> dict[str, Any]:
    """The head with the file as the suite's only one, a name, and an ``mcp.json`` beside it if it has no servers."""
    name = file.name.split(".mcpbench.")[0] or file.stem
    fields = {"name": name, **values, "files": [{"path": file.name, "loader": "native"}]}
    if with_servers and not values.keys() & {"servers", "mcp_json"}:
        beside = next((neighbour for neighbour in _NEIGHBOURS if (file.parent / neighbour).is_file()), None)
        if beside is not None:
            fields["mcp_json"] = beside
    return fields


def _head(text: str, file: Path) -> tuple[dict[str, Any], Any]:
    """The mapping around ``tasks:`` and its node; nothing where the file is a plain list of tasks, or no YAML."""
    if file.suffix.lower() not in (".yaml", ".yml") or is_undecodable(text):
        return {}, None
    try:
        nodes = yaml_nodes.documents(text)
    except yaml_nodes.YamlError:
        return {}, None  # the loader makes an erroring item of it, so that tasks of other files run
    if len(nodes) != 1 or yaml_nodes.child(nodes[0], "tasks") is None:
        return {}, None
    try:
        return yaml_nodes.head(nodes[0]), nodes[0]
    except yaml_nodes.YamlError as wrong:
        raise TaskError(f"{wrong.problem}.", SourceLocation(str(file), line=wrong.line)) from None


def _manifest(fields: dict[str, Any], file: Path, environment: Mapping[str, str]) -> SuiteManifest:
    listed = fields.pop("mcp_json", None)
    found = _listed_servers(listed, file.parent, environment) if listed is not None else McpServers({})
    servers = dict(found.servers)
    own = _mapping(fields.get("servers"), "servers")
    servers |= {name: _server(name, definition, environment) for name, definition in own.items()}
    fields |= {"servers": servers, "directory": str(file.parent.resolve()), "warnings": found.warnings}
    try:
        return SuiteManifest.model_validate(fields)
    except ValidationError as error:
        raise complaint(error, SuiteManifest, dotted) from None


def _refuse_unknown(values: dict[str, Any], known: frozenset[str]) -> None:
    for key in values:
        if key not in known:
            raise unknown_key(key, known)


def _mapping(value: Any, field: str) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise FieldError(field, f"must map names to definitions, not be {kind_of(value)}.")
    return value


def _files(values: dict[str, Any], directory: Path) -> list[dict[str, Any]]:
    files = values.get("files")
    if files is None and "data" in values:
        remedy = "Name the directory of the benchmark's public files with --mcpbench-data=DIR."
        raise FieldError("data", "the suite has no tasks of its own.", remedy)
    if isinstance(files, str):
        files = [files]
    if not isinstance(files, list) or not files:
        remedy = 'Write [[files]] with path = "tasks.yaml" for each of them.'
        raise FieldError("files", "a suite names its task files.", remedy)
    return [found for index, file in enumerate(files) for found in _file(file, f"files[{index}]", directory)]


def _file(file: Any, field: str, directory: Path) -> list[dict[str, Any]]:
    """One ``[[files]]`` with its pattern looked up; the loader by the file's ending where none is named."""
    return _of_each_match(_entry(file, field), field, directory)


def _entry(file: Any, field: str) -> dict[str, Any]:
    entry = {"path": file} if isinstance(file, str) else file
    if not isinstance(entry, dict) or not isinstance(entry.get("path"), str):
        raise FieldError(f"{field}.path", "is missing." if isinstance(entry, dict) else "must be a table with `path`.")
    for key in entry:
        if key not in TaskFileRef.model_fields:
            raise FieldError(f"{field}.{key}", "there is no such field.", hint(key, TaskFileRef.model_fields))
    return entry


def _of_each_match(entry: dict[str, Any], field: str, directory: Path) -> list[dict[str, Any]]:
    paths = _matches(entry["path"], f"{field}.path", directory)
    return [{**entry, "path": path, "loader": entry.get("loader") or _loader_for(path, field)} for path in paths]


def _matches(path: str, field: str, directory: Path) -> list[str]:
    """What a pattern stands for, sorted: each worker of a run must see the same order."""
    if not _GLOB.search(path) or (directory / path).is_file():
        return [path]
    if Path(path).is_absolute():
        raise FieldError(field, "a pattern must be relative to the suite.")
    found = sorted(match.relative_to(directory).as_posix() for match in directory.glob(path) if match.is_file())
    if not found:
        raise _NoMatchError(field, f"no file matches {path!r} in {directory}.")
    return found


class _NoMatchError(FieldError):
    """A pattern stands for no file."""


def _loader_for(path: str, field: str) -> str:
    loader = default_loader(path)
    if loader is None:
        problem = f"is missing: the ending of {path!r} does not tell which it is."
        raise FieldError(f"{field}.loader", problem, "There are: native, toolbench, atlas, finmcp, radar, persona.")
    return loader


def _listed_servers(listed: Any, directory: Path, environment: Mapping[str, str]) -> McpServers:
    if not isinstance(listed, str):
        raise FieldError("mcp_json", f"must be the path of a file, not {kind_of(listed)}.")
    path = directory / listed
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise FieldError("mcp_json", f"{path} cannot be read: {_reason(error)}.") from None
    return read_mcp_json(text, str(path), {"workspaceFolder": str(directory.resolve()), **environment})


def _reason(error: OSError | UnicodeDecodeError) -> str:
    return error.strerror or str(error) if isinstance(error, OSError) else "it is not UTF-8"


def _server(name: str, definition: Any, environment: Mapping[str, str]) -> ServerRef:
    field = f"servers.{name}"
    values, unset = expanded(definition, environment)
    try:
        fields = server_from_line(name, values) if isinstance(values, str) else _server_fields(name, values, field)
        return ServerRef.model_validate({**fields, "problem": unset_problem(unset)})
    except FieldError as wrong:
        raise FieldError(wrong.field or field, wrong.problem, wrong.remedy) from None
    except ValidationError as error:
        raise complaint(error, ServerRef, lambda location: dotted((field, *location))) from None


def _server_fields(name: str, values: Any, field: str) -> dict[str, Any]:
    if not isinstance(values, dict):
        raise FieldError(field, f"must be a table or one text, not {kind_of(values)}.")
    for key in values:
        if key not in _OF_A_SERVER:
            raise FieldError(
                f"{field}.{key}", "there is no such field.", hint(_SPELLINGS.get(key) or key, _OF_A_SERVER)
            )
    fields = {"name": name, **values}
    if "simulated" in fields:
        fields["factory"] = _shipped_factory(fields.pop("simulated"), f"{field}.simulated")
    if isinstance(fields.get("command"), str) and "arguments" not in fields:
        fields |= _split_command(name, fields["command"])
    fields.setdefault("transport", _transport(fields))
    return fields


def _shipped_factory(simulated: Any, field: str) -> str:
    if not isinstance(simulated, str) or not simulated:
        raise FieldError(field, f"must be the name of a simulated server, not {kind_of(simulated)}.")
    return _SIMULATED + simulated


_SPELLINGS = {"args": "arguments", "env": "environment", "cwd": "working_directory", "type": "transport"}


def _split_command(name: str, command: str) -> dict[str, Any]:
    """A command written as one line; one that is only a path, even with spaces, stays whole."""
    if Path(command).is_file():
        return {"command": command}
    split = server_from_line(name, command)
    return (
        {key: split[key] for key in ("command", "arguments")} if split["transport"] == "stdio" else {"command": command}
    )


def _transport(fields: dict[str, Any]) -> str:
    if "factory" in fields:
        return "in_process"
    if "url" in fields:
        return "sse" if str(fields["url"]).rstrip("/").endswith("/sse") else "http"
    return "stdio"


def _line_in(message: str) -> int | None:
    found = re.search(r"at line (\d+)", message)
    return int(found.group(1)) if found else None


@dataclass(frozen=True)
class _Toml:
    """The text of a suite.toml, to find the lines of its fields, which tomllib does not tell."""

    file: Path
    text: str

    def place_of(self, field: str | None) -> SourceLocation:
        return SourceLocation(str(self.file), line=self._line(field) if field else None)

    def _line(self, field: str) -> int | None:
        """The line of the field's table and in it of its last key, as far as they can be found."""
        parts = re.findall(r"\[(\d+)\]|([^.\[\]]+)", field)
        names = [name for _, name in parts if name]
        number = next((int(index) for index, _ in parts if index), 0)
        for depth in range(len(names) - 1, -1, -1):
            table, key = names[:depth], names[depth]
            start = self._table_line(table, number) if table else 0
            if start is not None and (line := self._key_line(key, start)):
                return line
            if (header := self._table_line(names[: depth + 1], number)) is not None:
                return header
        return None

    def _table_line(self, names: list[str], number: int) -> int | None:
        """The line, from 1, of ``[a.b]``, or of the ``[[a]]`` with that number."""
        path = r"\s*\.\s*".join(rf"[\"']?{re.escape(name)}[\"']?" for name in names)
        lines = [match.start() for match in re.finditer(rf"^\s*\[\[?\s*{path}\s*\]", self.text, re.MULTILINE)]
        if not lines:
            return None
        start = re.compile(r"\S").search(self.text, lines[min(number, len(lines) - 1)])
        return self.text.count("\n", 0, start.start() if start else 0) + 1

    def _key_line(self, key: str, after: int) -> int | None:
        """The line of ``key = …`` between a table's head and the next one."""
        for number, line in enumerate(self.text.splitlines()[after:], start=after + 1):
            if line.lstrip().startswith("["):
                return None
            if re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*[.=]", line):
                return number
        return None
