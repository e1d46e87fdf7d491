"""YAML parser that produces plain JSON values and knows the line of each of them.

Scalars are interpreted as in JSON: numbers, ``true``, ``false`` and ``null`` (also ``~`` and an empty value). All other
scalars are text: ``2026-03-02``, ``12:30``, ``007``, ``1_000``, ``yes`` and ``off`` stay strings.
"""

import re
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import yaml

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

DEEPEST = 150
"""Levels of mappings and lists; values of more levels cannot be written as JSON everywhere."""
MOST_VALUES = 1_000_000
"""Values of one record."""
_LEVELS_IN_C = 3000
_TAG = "tag:yaml.org,2002:"
_INDEX = re.compile(r"\[(\d+)\]|([^.\[\]]+)")


class _JsonScalars(_Loader):  # type: ignore[misc]  # which of the two loaders there is depends on how PyYAML was built
    """PyYAML's safe loader with the scalars of JSON."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012  # PyYAML's own way to configure a loader


_RESOLVERS = (
    ("null", r"null|~|", ["n", "~", ""]),
    ("bool", r"true|false", ["t", "f"]),
    ("int", r"-?(?:0|[1-9][0-9]*)", list("-0123456789")),
    ("float", r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)", list("-0123456789")),
    ("merge", r"<<", ["<"]),
)
for _name, _pattern, _first in _RESOLVERS:
    _JsonScalars.add_implicit_resolver(_TAG + _name, re.compile(rf"^(?:{_pattern})$"), _first)


@dataclass(eq=False)
class YamlError(Exception):
    """Error for a text that is not valid YAML or contains a value that JSON does not have."""

    problem: str
    line: int
    remedy: str | None = None

    def __str__(self) -> str:
        return self.problem


def documents(text: str) -> list[yaml.Node]:
    """Parse the documents of a YAML text; empty documents are left out."""
    try:
        _require_few_levels(text)
        nodes = [node for node in yaml.compose_all(text, _JsonScalars) if node is not None]
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        message = ", ".join(part for part in (error.context, error.problem) if part)
        line = mark.line if mark else 0
        written = next(iter(text.splitlines()[line : line + 1]), "")
        remedy = next((remedy for part, remedy in _REMEDIES.items() if part in message), None)
        if "\t" in written[: len(written) - len(written.lstrip())]:
            remedy = "Indent with spaces; YAML allows no tabs there."
        raise YamlError(f"not valid YAML: {message}", line + 1, remedy) from None
    except yaml.YAMLError as error:
        position = getattr(error, "position", 0)
        raise YamlError(f"not valid YAML: {str(error).splitlines()[0]}", text.count("\n", 0, position) + 1) from None
    return [node for node in nodes if not isinstance(node, yaml.ScalarNode) or node.value.strip() or node.style]


def _require_few_levels(text: str) -> None:
    """Raise YamlError for a text of so many levels that building their nodes, which recurs in C, ends the process."""
    # Most files are too short for that, and so are not read twice.
    if sum(map(text.count, "[{-?\n")) < _LEVELS_IN_C:
        return
    level = 0
    for event in yaml.parse(text, _JsonScalars):
        level += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if level > DEEPEST:
            raise _too_deep(event.start_mark.line + 1 if event.start_mark else 1)


def _too_deep(line: int) -> YamlError:
    return YamlError(f"more than {DEEPEST} levels of mappings and lists", line)


_REMEDIES = {
    "mapping values are not allowed": "Put quotes around a text that contains a colon and a space.",
    "unknown escape character": "In double quotes write \\\\ for a backslash, or use single quotes.",
    "cannot start any token": "Put quotes around a text that begins with a special character.",
}
"""Part of a message of the YAML parser -> remedy."""


def line_of(node: yaml.Node) -> int:
    """Return the line, from 1, where the node begins."""
    return int(node.start_mark.line) + 1


def line_at(node: yaml.Node, path: str) -> int:
    """Return the line of the value at a path such as ``calls[1].tool``, or of its nearest existing parent."""
    line = line_of(node)
    for index, key in _INDEX.findall(path):
        if not index:
            children = _entries(node)
        else:
            if not isinstance(node, yaml.SequenceNode):
                children = {}
            else:
                children = {str(index): (line_of(value), value) for index, value in enumerate(node.value)}
        if (index or key) not in children:
            return line
        line, node = children[index or key]
    return line


def child(node: yaml.Node, key: str) -> yaml.Node | None:
    """Return the node of a mapping's key, or ``None`` if the node is not a mapping with that key."""
    entry = _entries(node).get(key)
    return entry[1] if entry else None


def head(node: yaml.Node) -> dict[str, Any]:
    """Return a mapping with ``tasks:`` replaced by ``None``, so that a broken task does not affect the other keys."""
    values = (key.value for key, _ in node.value)
    return {name: None if name == "tasks" else plain(_entries(node)[name][1]) for name in values}


def plain(node: yaml.Node) -> Any:
    """Convert a node to a JSON value. Raises :class:`YamlError`."""
    return _Builder().build(node)


def _entries(node: yaml.Node) -> dict[str, tuple[int, yaml.Node]]:
    if not isinstance(node, yaml.MappingNode):
        return {}
    return {str(key.value): (line_of(key), value) for key, value in node.value}


@dataclass
class _Builder:
    """Converter that builds each node once, so that aliases are cheap and a recursive alias is detected."""

    built: dict[int, Any] = field(default_factory=dict)
    open: set[int] = field(default_factory=set)
    """Nodes that are being built, one a level."""
    sizes: dict[int, int] = field(default_factory=dict)
    """Number of values in each node, as if every alias were written out, as later copies do."""

    def build(self, node: yaml.Node) -> Any:
        if id(node) in self.built:
            return self.built[id(node)]
        if id(node) in self.open:
            raise YamlError("an alias contains itself", line_of(node))
        if len(self.open) > DEEPEST:
            raise _too_deep(line_of(node))
        self.open.add(id(node))
        value = self.built[id(node)] = self._value(node)
        self.open.discard(id(node))
        if isinstance(node, yaml.MappingNode):
            parts = [value for _, value in node.value]
        else:
            parts = list(node.value) if isinstance(node, yaml.SequenceNode) else []
        self.sizes[id(node)] = size = 1 + sum(self.sizes.get(id(part), 1) for part in parts)
        if size > MOST_VALUES:
            raise YamlError(f"its aliases stand for more than {MOST_VALUES:,} values", line_of(node))
        return value

    def _value(self, node: yaml.Node) -> Any:
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node)
        if isinstance(node, yaml.SequenceNode):
            return [self.build(element) for element in node.value]
        text = str(node.value)
        kind = node.tag.removeprefix(_TAG)
        try:
            match kind:
                case "str":
                    return text
                case "null":
                    return None
                case "bool":
                    return {"true": True, "false": False}[text]
                case "int":
                    return int(text)
                case "float":
                    return float(text)
        except (ValueError, KeyError):
            raise YamlError(f"{text!r} is not a valid {kind}", line_of(node)) from None
        raise YamlError(f"the tag {node.tag!r} is not supported", line_of(node))

    def _mapping(self, node: yaml.MappingNode) -> dict[str, Any]:
        entries: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        for key, value in node.value:
            if key.tag == _TAG + "merge":
                content = self.build(value)
                parts = content if isinstance(content, list) else [content]
                if not all(isinstance(part, dict) for part in parts):
                    raise YamlError("only a mapping can be merged with <<", line_of(value))
                merged = {**{name: entry for part in reversed(parts) for name, entry in part.items()}, **merged}
            else:
                if not isinstance(key, yaml.ScalarNode) or not isinstance(key.value, Hashable):
                    raise YamlError("a key must be text", line_of(key))
                name = str(key.value)
                if name in entries:
                    raise YamlError(f"the key {name!r} is duplicated", line_of(key))
                entries[name] = self.build(value)
        return {**merged, **entries}
