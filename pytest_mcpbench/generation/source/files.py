"""Typed values from source files; errors name the file, the line and the field."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, PrivateAttr, ValidationError

from pytest_mcpbench.core.errors import SourceLocation, TaskError
from pytest_mcpbench.generation.directories import suite_directory
from pytest_mcpbench.loaders import yaml_parsing
from pytest_mcpbench.loaders.field_errors import to_field_error


class SourceValue(BaseModel):
    """Part of a source file. Unknown fields are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class SourceEntry(SourceValue):
    """Entry of a source file that knows its place. Entries can be inside of entries, in lists."""

    _place: SourceLocation = PrivateAttr(default_factory=lambda: SourceLocation("<source>"))

    @property
    def place(self) -> SourceLocation:
        """Return the file and the line where the entry begins."""
        return self._place


Entry = TypeVar("Entry", bound=SourceEntry)


def source_directory(suite: str) -> Path:
    """Return the directory of a shipped suite's source files."""
    return suite_directory(suite) / "source"


def read_entries(file: Path, entry: type[Entry]) -> tuple[Entry, ...]:
    """Parse a file that is a list of entries. Raises ``TaskError``."""
    node = _document(file)
    if not isinstance(node, yaml.SequenceNode):
        raise TaskError("the file must be a list of entries.", file_place(file, yaml_parsing.line_of(node)))
    return tuple(_entry(each, file, entry) for each in node.value)


def read_named_entries(file: Path, entry: type[Entry]) -> Mapping[str, Entry]:
    """Parse a file that is a mapping of names to entries. Raises ``TaskError``."""
    node = _document(file)
    if not isinstance(node, yaml.MappingNode):
        raise TaskError("the file must be a mapping of names to entries.", file_place(file, yaml_parsing.line_of(node)))
    children: dict[str, yaml.Node] = {}
    for key, value in node.value:
        if key.value in children:
            place = file_place(file, yaml_parsing.line_of(key))
            raise TaskError(f"the name {key.value!r} is duplicated.", place)
        children[key.value] = value
    return {name: _entry(each, file, entry) for name, each in children.items()}


def read_entry(file: Path, entry: type[Entry]) -> Entry:
    """Parse a file that is one entry. Raises ``TaskError``."""
    return _entry(_document(file), file, entry)


def read_values(file: Path) -> dict[str, Any]:
    """Parse a file that is a mapping of names to values of any kind. Raises ``TaskError``."""
    values = _plain(_document(file), file)
    if not isinstance(values, dict):
        raise TaskError("the file must be a mapping of names to values.", file_place(file, 1))
    return values


def file_place(file: Path, line: int | None = None) -> SourceLocation:
    """Return the place of a source file as it is named in errors."""
    return SourceLocation(_name(file), line)


def source_text(file: Path) -> str:
    """Return the text of a source file. Raises ``TaskError``."""
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise TaskError(f"the file cannot be read: {error.strerror}.", file_place(file)) from error
    except UnicodeDecodeError as error:
        raise TaskError("the file is not UTF-8.", file_place(file)) from error


def _document(file: Path) -> yaml.Node:
    try:
        nodes = yaml_parsing.documents(source_text(file))
    except yaml_parsing.YamlError as error:
        raise TaskError(f"{error}.", file_place(file, error.line), remedy=error.remedy) from error
    if len(nodes) != 1:
        raise TaskError(f"the file must have one document, not {len(nodes)}.", file_place(file))
    return nodes[0]


def _entry(node: yaml.Node, file: Path, entry: type[Entry]) -> Entry:
    place = file_place(file, yaml_parsing.line_of(node))
    try:
        parsed = entry.model_validate(_plain(node, file))
    except ValidationError as error:
        fault = to_field_error(error, entry)
        line = yaml_parsing.line_at(node, fault.field) if fault.field else place.line
        raise fault.at(SourceLocation(place.file, line)) from error
    _locate(parsed, node, _name(file))
    return parsed


def _locate(value: Any, node: yaml.Node, file: str, path: str = "") -> None:
    """Tell an entry, and the entries inside of it, their places."""
    if isinstance(value, SourceEntry):
        value._place = SourceLocation(file, yaml_parsing.line_at(node, path))
        for name in type(value).model_fields:
            _locate(getattr(value, name), node, file, f"{path}.{name}".lstrip("."))
    elif isinstance(value, tuple):
        for index, each in enumerate(value):
            _locate(each, node, file, f"{path}[{index}]")


def _plain(node: yaml.Node, file: Path) -> Any:
    try:
        return yaml_parsing.plain(node)
    except yaml_parsing.YamlError as error:
        raise TaskError(f"{error}.", file_place(file, error.line)) from error


def _name(file: Path) -> str:
    """Return the path from ``suites/`` on; a file elsewhere keeps its whole path."""
    root = suite_directory(".").resolve().parent
    path = file.resolve()
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(file)
