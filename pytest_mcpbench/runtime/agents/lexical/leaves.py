"""A tool's input schema as the flat list of values that a call gives."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pytest_mcpbench.core.text_search.tokens import terms, words

Path = tuple[str | int, ...]
_DEEPEST = 5
"""Schemas may contain themselves."""
_ROLES = frozenset(("to", "from"))
"""Stop words that mean something as a parameter's name."""


@dataclass(frozen=True, eq=False)
class Leaf:
    """One scalar, or one list of scalars, somewhere in the arguments."""

    path: Path
    """Names, and 0 for the one item of a list of objects."""
    schema: Mapping[str, Any]
    """Of the scalar, or of the items of the list."""
    is_required: bool
    """By everything around it too."""
    is_needed_inside: bool = False
    """Whether the object that it is in needs it, be that object required or not."""
    is_list: bool = False
    name: frozenset[str] = field(default_factory=frozenset)
    """Stems of its own name; ``to`` and ``from`` too."""
    around: frozenset[str] = field(default_factory=frozenset)
    """Stems of the names of the objects that it is in."""
    about: tuple[str, ...] = ()
    """Stems of its description's first sentence."""

    @property
    def type(self) -> str:
        """The JSON type of the scalar; a choice of types is its first that is not null."""
        kinds = self.schema.get("type")
        if isinstance(kinds, list):
            return next((kind for kind in kinds if kind != "null"), "string")
        return kinds if isinstance(kinds, str) else "string"


def leaves(schema: Mapping[str, Any]) -> tuple[Leaf, ...]:
    """All of them, in the schema's order."""
    return tuple(_of_object(schema, schema, (), is_required=True))


def resolved(schema: Any, root: Mapping[str, Any]) -> Mapping[str, Any]:
    """A schema without ``$ref``; of ``anyOf`` and ``oneOf`` the first that is not null, of ``allOf`` all together."""
    if not isinstance(schema, dict):
        return {}
    outer = {key: value for key, value in schema.items() if key in ("default", "description", "examples")}
    for _ in range(_DEEPEST):
        if isinstance(schema.get("$ref"), str):
            schema = _referenced(schema["$ref"], root)
        for key in ("anyOf", "oneOf"):
            options = [option for option in schema.get(key) or () if option.get("type") != "null"]
            if options:
                schema = options[0]
        if schema.get("allOf"):
            schema = {key: value for part in schema["allOf"] for key, value in resolved(part, root).items()}
    return {**schema, **outer}


def _referenced(reference: str, root: Mapping[str, Any]) -> dict[str, Any]:
    found: Any = root
    for name in reference.removeprefix("#/").split("/"):
        found = found.get(name, {}) if isinstance(found, dict) else {}
    return found if isinstance(found, dict) else {}


def _of_object(schema: Mapping[str, Any], root: Mapping[str, Any], path: Path, *, is_required: bool) -> Iterator[Leaf]:
    required = schema.get("required") or ()
    for name, value in (schema.get("properties") or {}).items():
        for leaf in _of_value(resolved(value, root), root, (*path, name)):
            is_needed = name in required
            is_direct = leaf.path[:-1] == path
            yield replace(
                leaf,
                is_required=is_required and is_needed and leaf.is_required,
                is_needed_inside=is_needed if is_direct else leaf.is_needed_inside,
            )


def _of_value(schema: Mapping[str, Any], root: Mapping[str, Any], path: Path) -> Iterator[Leaf]:
    if len(path) > _DEEPEST:
        return
    if schema.get("properties"):
        yield from _of_object(schema, root, path, is_required=True)
    elif schema.get("type") == "array":
        items = resolved(schema.get("items"), root)
        if items.get("properties"):
            yield from _of_object(items, root, (*path, 0), is_required=True)
        else:
            yield _leaf(items, path, schema, is_list=True)
    elif schema.get("type") != "object":
        yield _leaf(schema, path, schema)


def _leaf(schema: Mapping[str, Any], path: Path, described: Mapping[str, Any], *, is_list: bool = False) -> Leaf:
    description = str(described.get("description") or schema.get("description") or "")
    names = [part for part in path if isinstance(part, str)]
    return Leaf(
        path=path,
        schema={**schema, "description": description, **_defaults(described)},
        is_required=True,
        is_list=is_list,
        name=frozenset(terms(names[-1])) | (frozenset(words(names[-1])) & _ROLES),
        around=frozenset(term for name in names[:-1] for term in terms(name)),
        about=tuple(terms(description.split(". ")[0])),
    )


def _defaults(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"default": schema["default"]} if "default" in schema else {}
