"""Parameters of a tool at every depth, with the types and values that their schemas allow."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_mcpbench.definitions.canonical import ToolDefinition
from pytest_mcpbench.definitions.schema_alternatives import NotComparableError, Schema, alternatives, type_of
from pytest_mcpbench.definitions.schema_structure import DEEPEST, at_pointer


@dataclass(frozen=True)
class Parameter:
    """A parameter, or a member of one, such as ``filter.since``."""

    path: str
    schema: Mapping[str, Any]
    root: Mapping[str, Any]

    @property
    def name(self) -> str:
        return self.path.rpartition(".")[2]

    @property
    def description(self) -> str:
        """Return the description of the parameter or of the definition that it refers to."""
        own = self.schema.get("description")
        target = at_pointer(self.schema.get("$ref"), self.root)
        described = target.get("description") if isinstance(target, Mapping) else None
        return str(own or described or "")

    @property
    def options(self) -> list[Schema] | None:
        """Return the alternatives of the schema; ``None`` if they cannot be told."""
        try:
            return alternatives(self.schema, self.root)
        except NotComparableError:
            return None

    @property
    def types(self) -> frozenset[str]:
        """Return the types that a value may have; empty if they cannot be told."""
        found = [type_of(option) for option in self.options or ()]
        return frozenset() if None in found else frozenset(map(str, found))

    @property
    def values(self) -> tuple[Any, ...] | None:
        """Return the values of the enum, without null; ``None`` if other values are allowed, too."""
        options = [option for option in self.options or () if type_of(option) != "null"]
        if not options or not all(isinstance(option.get("enum"), list) for option in options):
            return None
        return tuple(value for option in options for value in option["enum"] if value is not None)


def top_parameters(tool: ToolDefinition) -> list[Parameter]:
    """Return the parameters of a tool, without their members."""
    return [Parameter(name, schema, tool.input_schema) for name, schema in _members(tool.input_schema)]


def all_parameters(tool: ToolDefinition) -> Iterator[Parameter]:
    """Yield the parameters of a tool and their declared members."""
    yield from _below("", tool.input_schema, tool.input_schema, frozenset(), 0)


def _below(
    path: str, schema: Mapping[str, Any], root: Mapping[str, Any], followed: frozenset[str], depth: int
) -> Iterator[Parameter]:
    for name, part in _members(schema):
        parameter = Parameter(f"{path}.{name}" if path else name, part, root)
        yield parameter
        reference = part.get("$ref")
        if depth > DEEPEST or reference in followed:
            continue
        seen = followed | {reference} if isinstance(reference, str) else followed
        for option in parameter.options or ():
            items = option.get("items")
            inner = items if isinstance(items, Mapping) else option
            target = at_pointer(inner.get("$ref"), root)
            if isinstance(target, Mapping) and inner["$ref"] not in seen:
                yield from _below(parameter.path, target, root, seen | {inner["$ref"]}, depth + 1)
            elif "$ref" not in inner:
                yield from _below(parameter.path, inner, root, seen, depth + 1)


def _members(schema: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    found = schema.get("properties")
    properties = found if isinstance(found, Mapping) else {}
    return [(name, part) for name, part in properties.items() if isinstance(part, Mapping)]
