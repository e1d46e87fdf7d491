"""Flat list of the values in the arguments of a tool, from its input schema."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pytest_mcpbench.text.words import terms, words

Path = tuple[str | int, ...]
_MAX_DEPTH = 5
"""Levels of nesting that are followed, because schemas may contain themselves."""
_ROLES = frozenset(("to", "from"))
"""Stop words that are meaningful as names of parameters."""

_LISTS = ("required", "enum", "anyOf", "oneOf", "allOf")
_FORMS: Mapping[str, type] = {"properties": dict, **dict.fromkeys(_LISTS, list)}


@dataclass(frozen=True, eq=False)
class SchemaLeaf:
    """One scalar, or one list of scalars, anywhere in the arguments."""

    path: Path
    """Names of properties; 0 for the single item of a list of objects."""
    schema: Mapping[str, Any]
    """Schema of the scalar, or of the list's items."""
    is_required: bool
    """Whether the value and all objects around it are required."""
    is_required_in_parent: bool = False
    """Whether the object that contains the value requires it, even if that object is optional."""
    is_list: bool = False
    name_terms: frozenset[str] = field(default_factory=frozenset)
    """Stems of the value's own name, including ``to`` and ``from``."""
    parent_terms: frozenset[str] = field(default_factory=frozenset)
    """Stems of the names of the objects that contain the value."""
    description_terms: tuple[str, ...] = ()
    """Stems of the first sentence of its description."""

    @property
    def type(self) -> str:
        """JSON type of the scalar; the first one that is not null if there are several."""
        kinds = self.schema.get("type")
        if isinstance(kinds, list):
            return next((kind for kind in kinds if isinstance(kind, str) and kind != "null"), "string")
        return kinds if isinstance(kinds, str) else "string"


def schema_leaves(schema: Mapping[str, Any]) -> tuple[SchemaLeaf, ...]:
    """Return all values of a schema, in the schema's order."""
    return tuple(_object_leaves(_well_formed(schema), schema, (), is_required=True))


def resolve_schema(schema: Any, root: Mapping[str, Any], depth: int = _MAX_DEPTH) -> Mapping[str, Any]:
    """Return a schema without references: ``$ref`` followed, ``allOf`` merged.

    Of ``anyOf`` and ``oneOf`` the first option that is not null is used.
    """
    if not isinstance(schema, dict) or not depth:
        return {}
    outer = {key: value for key, value in schema.items() if key in ("default", "description", "examples")}
    for _ in range(_MAX_DEPTH):
        schema = _well_formed(schema)
        if isinstance(schema.get("$ref"), str):
            node: Any = root
            for name in schema["$ref"].removeprefix("#/").split("/"):
                node = node.get(name, {}) if isinstance(node, dict) else {}
            schema = _well_formed(node if isinstance(node, dict) else {})
        for key in ("anyOf", "oneOf"):
            options = [each for each in schema.get(key, ()) if isinstance(each, dict) and each.get("type") != "null"]
            if options:
                schema = _well_formed(options[0])
        if schema.get("allOf"):
            parts = [resolve_schema(part, root, depth - 1) for part in schema["allOf"]]
            schema = {key: value for part in parts for key, value in part.items()}
    return {**_well_formed(schema), **outer}


def _well_formed(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema without the keywords whose values have a wrong type, which servers send too."""
    return {key: value for key, value in schema.items() if isinstance(value, _FORMS.get(key, object))}


def _object_leaves(
    schema: Mapping[str, Any], root: Mapping[str, Any], path: Path, *, is_required: bool
) -> Iterator[SchemaLeaf]:
    required = schema.get("required", ())
    for name, value in schema.get("properties", {}).items():
        for leaf in _value_leaves(resolve_schema(value, root), root, (*path, name)):
            is_required_here = name in required
            is_direct = leaf.path[:-1] == path
            yield replace(
                leaf,
                is_required=is_required and is_required_here and leaf.is_required,
                is_required_in_parent=is_required_here if is_direct else leaf.is_required_in_parent,
            )


def _value_leaves(schema: Mapping[str, Any], root: Mapping[str, Any], path: Path) -> Iterator[SchemaLeaf]:
    if len(path) > _MAX_DEPTH:
        return
    if schema.get("properties"):
        yield from _object_leaves(schema, root, path, is_required=True)
    elif schema.get("type") == "array":
        items = resolve_schema(schema.get("items"), root)
        if items.get("properties"):
            yield from _object_leaves(items, root, (*path, 0), is_required=True)
        else:
            yield _leaf(items, path, schema, is_list=True)
    elif schema.get("type") != "object":
        yield _leaf(schema, path, schema)


def _leaf(schema: Mapping[str, Any], path: Path, container: Mapping[str, Any], *, is_list: bool = False) -> SchemaLeaf:
    description = str(container.get("description") or schema.get("description") or "")
    names = [part for part in path if isinstance(part, str)]
    default_entry = {"default": container["default"]} if "default" in container else {}
    return SchemaLeaf(
        path=path,
        schema={**schema, "description": description, **default_entry},
        is_required=True,
        is_list=is_list,
        name_terms=frozenset(terms(names[-1])) | (frozenset(words(names[-1])) & _ROLES),
        parent_terms=frozenset(term for name in names[:-1] for term in terms(name)),
        description_terms=tuple(terms(description.split(". ")[0])),
    )
