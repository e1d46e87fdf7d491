"""Differences between two versions of a JSON Schema, by the kinds of the compatibility rules.

Both versions are taken apart into alternatives of one type. What the comparison does not understand is
``not-comparable``, never equal.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import partial
from typing import Any

from pytest_mcpbench.definitions.canonical import canonical_json
from pytest_mcpbench.definitions.schema_alternatives import (
    NotComparableError,
    Schema,
    alternatives,
    type_of,
)
from pytest_mcpbench.definitions.schema_structure import DEEPEST, without_texts

_LOWER_BOUNDS = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains")
_UPPER_BOUNDS = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains")
_FORMATS = ("pattern", "format", "contentEncoding", "contentMediaType")
_COMPARED = frozenset(
    {"type", "enum", "default", "properties", "required", "additionalProperties", "items", "multipleOf", "uniqueItems"}
    | {*_LOWER_BOUNDS, *_UPPER_BOUNDS, *_FORMATS}
)
_WITHOUT_EFFECT = frozenset(
    {"$schema", "$id", "$anchor", "$defs", "definitions", "$vocabulary", "readOnly", "writeOnly"}
)
_EXPECTED_TYPES: Mapping[str, type] = {"type": str, "enum": list, "properties": Mapping, "required": list}
_NOT_COMPARED = frozenset(
    {"not", "if", "then", "else", "patternProperties", "dependentRequired", "dependentSchemas", "dependencies"}
    | {"propertyNames", "contains", "prefixItems", "additionalItems", "unevaluatedItems", "unevaluatedProperties"}
    | {"contentSchema", "$dynamicRef", "allOf", "anyOf", "oneOf"}
)
_ALIKE = 0.6
"""Similarity of names from which a removed and an added member of one schema count as renamed."""


@dataclass(frozen=True)
class SchemaDifference:
    """One difference; ``path`` is the name of the member, such as ``filter.since`` or ``items[]``."""

    kind: str
    path: str
    before: Any = None
    after: Any = None


def schema_differences(before: Schema, after: Schema) -> list[SchemaDifference]:
    """Return the differences between two versions of a schema, without their texts."""
    before, after = without_texts(before), without_texts(after)
    if canonical_json(before) == canonical_json(after):
        return []
    return list(dict.fromkeys(_Comparison(before, after).of_schemas(before, after, "", 0)))


class _Comparison:
    """Comparison of two schemas, whose references lead into their roots."""

    def __init__(self, before_root: Schema, after_root: Schema) -> None:
        self._before_root, self._after_root = before_root, after_root
        self._compared: set[tuple[str, str]] = set()

    def of_schemas(self, before: Any, after: Any, path: str, depth: int) -> Iterator[SchemaDifference]:
        if self._was_compared(before, after):
            return
        try:
            if depth > DEEPEST:
                raise NotComparableError
            old = alternatives(before, self._before_root)
            new = alternatives(after, self._after_root)
        except NotComparableError:
            if not self._are_equal(before, after):
                yield SchemaDifference("not-comparable", path)
            return
        pairs, lost, gained = _matched(old, new)
        if lost and gained and not pairs:
            yield SchemaDifference("type-changed", path, _type_names(old), _type_names(new))
            return
        if lost:
            yield SchemaDifference("type-narrowed", path, _type_names(old), _type_names(new))
        if gained:
            yield SchemaDifference("type-widened", path, _type_names(old), _type_names(new))
        for one, other in pairs:
            yield from self._of_one_type(one, other, path, depth)

    def _are_equal(self, before: Any, after: Any) -> bool:
        """Return whether two schemas are the same text, and so is everything that they can refer to."""
        roots = (
            {name: root.get(name) for name in ("$defs", "definitions", "properties")}
            for root in (self._before_root, self._after_root)
        )
        has_reference = "$ref" in canonical_json([before, after])
        is_same_root = not has_reference or canonical_json(next(roots)) == canonical_json(next(roots))
        return is_same_root and canonical_json(before) == canonical_json(after)

    def _was_compared(self, before: Any, after: Any) -> bool:
        """Return whether the same schemas were compared before and refer to others: recursive schemas end here.

        Schemas without references are compared again, because their changes belong to another place.
        """
        pair = (_without_definitions(before), _without_definitions(after))
        if not any('"$ref"' in text for text in pair):
            return False
        was_compared = pair in self._compared
        self._compared.add(pair)
        return was_compared

    def _of_one_type(self, old: Schema, new: Schema, path: str, depth: int) -> Iterator[SchemaDifference]:
        old_type, new_type = type_of(old), type_of(new)
        if old_type != new_type:
            kind = "type-widened" if _is_wider(new, old) else "type-narrowed" if _is_wider(old, new) else "type-changed"
            yield SchemaDifference(kind, path, old_type or "any type", new_type or "any type")
        yield from _value_differences(old, new, path)
        yield from _bound_differences(old, new, path)
        for keyword in _FORMATS:
            before, after = old.get(keyword), new.get(keyword)
            if before != after:
                kind = "format-added" if before is None else "format-removed" if after is None else "format-changed"
                yield SchemaDifference(kind, path, before, after)
        default, new_default = canonical_json(old.get("default")), canonical_json(new.get("default"))
        if default != new_default:
            kind = "default-changed" if old.get("default") is not None else "default-added"
            yield SchemaDifference(kind, path, default, new_default)
        yield from _other_differences(old, new, path)
        yield from self._member_differences(old, new, path, depth)
        open_before, open_after = old.get("additionalProperties", True), new.get("additionalProperties", True)
        if canonical_json(open_before) != canonical_json(open_after):
            if open_after is False:
                yield SchemaDifference("closed", path)
            elif open_before is False:
                yield SchemaDifference("opened", path)
            else:
                yield from self.of_schemas(open_before, open_after, f"{path}.*" if path else "*", depth + 1)
        if "items" in old or "items" in new:
            yield from self.of_schemas(old.get("items", True), new.get("items", True), f"{path}[]", depth + 1)

    def _member_differences(self, old: Schema, new: Schema, path: str, depth: int) -> Iterator[SchemaDifference]:
        olds, news = _properties(old), _properties(new)
        needed, now_needed = _required(old), _required(new)
        renamed = dict(_renamed(olds, news))
        for name in olds:
            place = f"{path}.{name}" if path else name
            if name in renamed:
                yield SchemaDifference("property-renamed", place, name, renamed[name])
            elif name not in news:
                yield SchemaDifference("property-removed", place)
            else:
                yield from self.of_schemas(olds[name], news[name], place, depth + 1)
        for name in news:
            place = f"{path}.{name}" if path else name
            if name not in olds and name not in renamed.values():
                yield SchemaDifference("property-added-required" if name in now_needed else "property-added", place)
            elif name in olds and (name in needed) != (name in now_needed):
                yield SchemaDifference("became-required" if name in now_needed else "became-optional", place)
        # A requirement of something that is not declared as a property holds all the same.
        for name in sorted((needed ^ now_needed) - olds.keys() - news.keys()):
            yield SchemaDifference("became-required" if name in now_needed else "became-optional", name)


def _without_definitions(schema: Any) -> str:
    if not isinstance(schema, Mapping):
        return canonical_json(schema)
    return canonical_json({keyword: value for keyword, value in schema.items() if keyword not in _WITHOUT_EFFECT})


def _matched(old: list[Schema], new: list[Schema]) -> tuple[list[tuple[Schema, Schema]], list[Schema], list[Schema]]:
    """Return pairs of alternatives that belong together, those that were lost, and those that were gained."""
    left, pairs, lost = list(new), [], []
    waiting = []
    for one in old:
        equal = next((other for other in left if canonical_json(other) == canonical_json(one)), None)
        if equal is None:
            waiting.append(one)
        else:
            left.remove(equal)
            pairs.append((one, equal))
    for one in waiting:
        # Of the same type the one that shares most members; else one of a type that includes the other's.
        nearest: Schema | None
        same = [other for other in left if type_of(other) == type_of(one)]
        if same:
            nearest = max(same, key=lambda other: len(_properties(one).keys() & _properties(other).keys()))
        else:
            nearest = next((other for other in left if _is_wider(one, other) or _is_wider(other, one)), None)
        if nearest is None:
            lost.append(one)
        else:
            left.remove(nearest)
            pairs.append((one, nearest))
    return (
        pairs,
        [one for one in lost if not any(_includes(other, one) for other in new)],
        [one for one in left if not any(_includes(other, one) for other in old)],
    )


def _includes(wide: Schema, narrow: Schema) -> bool:
    """Return whether every value of an alternative fits another one: only for what is obvious."""
    bare = wide.keys() <= {"type", "default"}
    return bare and (type_of(wide) == type_of(narrow) or _is_wider(wide, narrow))


def _is_wider(wide: Schema, narrow: Schema) -> bool:
    kinds = type_of(wide), type_of(narrow)
    return kinds == ("number", "integer") or (kinds[0] is None and kinds[1] is not None)


def _value_differences(old: Schema, new: Schema, path: str) -> Iterator[SchemaDifference]:
    before, after = old.get("enum"), new.get("enum")
    if not isinstance(before, list) and not isinstance(after, list):
        return
    if not isinstance(before, list) or not isinstance(after, list):
        yield SchemaDifference(
            "values-removed" if isinstance(after, list) else "values-added", path, _text(before), _text(after)
        )
        return
    olds, news = set(map(canonical_json, before)), set(map(canonical_json, after))
    if olds - news:
        yield SchemaDifference("values-removed", path, ", ".join(sorted(olds - news)), None)
    if news - olds:
        yield SchemaDifference("values-added", path, None, ", ".join(sorted(news - olds)))


def _bound_differences(old: Schema, new: Schema, path: str) -> Iterator[SchemaDifference]:
    kinds: Mapping[str, Callable[[Any, Any], str]] = {
        **dict.fromkeys(_LOWER_BOUNDS, partial(_bound_kind, sign=1)),
        **dict.fromkeys(_UPPER_BOUNDS, partial(_bound_kind, sign=-1)),
        "multipleOf": _step_kind,
        "uniqueItems": _uniqueness_kind,
    }
    for keyword, kind in kinds.items():
        before, after = old.get(keyword), new.get(keyword)
        if before != after and (kind_of_change := kind(before, after)):
            yield SchemaDifference(kind_of_change, path, _bound(keyword, before), _bound(keyword, after))


def _bound_kind(before: Any, after: Any, *, sign: int) -> str:
    if not all(value is None or _is_number(value) for value in (before, after)):
        return "range-changed"
    if before is None or after is None:
        return "range-narrowed" if before is None else "range-widened"
    return "range-narrowed" if (after - before) * sign > 0 else "range-widened"


def _step_kind(before: Any, after: Any) -> str:
    if before is None or after is None:
        return "range-narrowed" if before is None else "range-widened"
    if not (_is_number(before) and _is_number(after) and before > 0 and after > 0):
        return "range-changed"
    if after % before == 0:
        return "range-narrowed"
    return "range-widened" if before % after == 0 else "range-changed"


def _uniqueness_kind(before: Any, after: Any) -> str:
    if bool(before) == bool(after):
        return ""
    return "range-narrowed" if after else "range-widened"


def _other_differences(old: Schema, new: Schema, path: str) -> Iterator[SchemaDifference]:
    for keyword in sorted((old.keys() | new.keys()) - _WITHOUT_EFFECT):
        before, after = old.get(keyword), new.get(keyword)
        if canonical_json(before) == canonical_json(after):
            continue
        if keyword in _NOT_COMPARED or _is_malformed(keyword, before) or _is_malformed(keyword, after):
            yield SchemaDifference("not-comparable", path, keyword)
        elif keyword not in _COMPARED:
            yield SchemaDifference("extension-changed", path, keyword)


def _is_malformed(keyword: str, value: Any) -> bool:
    """Return whether a keyword has a value of another type than JSON Schema gives it."""
    return value is not None and not isinstance(value, _EXPECTED_TYPES.get(keyword, object))


def _renamed(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the members that were probably renamed: of the same schema, and the only ones or with similar names."""
    removed = [name for name in old if name not in new]
    added = [name for name in new if name not in old]
    for name in removed:
        same = [other for other in added if canonical_json(old[name]) == canonical_json(new[other])]
        nearest = max(same, key=lambda other: _similarity(name, other), default=None)
        is_only = len(removed) == len(added) == 1
        if nearest is not None and (is_only or _similarity(name, nearest) >= _ALIKE):
            added.remove(nearest)
            yield name, nearest


def _similarity(one: str, other: str) -> float:
    return SequenceMatcher(None, one.lower(), other.lower()).ratio()


def _properties(schema: Schema) -> Mapping[str, Any]:
    found = schema.get("properties")
    return found if isinstance(found, Mapping) else {}


def _required(schema: Schema) -> frozenset[str]:
    found = schema.get("required")
    return frozenset(name for name in found if isinstance(name, str)) if isinstance(found, list) else frozenset()


def _type_names(options: list[Schema]) -> str:
    return " or ".join(dict.fromkeys(type_of(option) or "any type" for option in options)) or "nothing"


def _bound(keyword: str, value: Any) -> str:
    return f"no {keyword}" if value is None else f"{keyword} {value}"


def _text(value: Any) -> str | None:
    return None if value is None else ", ".join(map(canonical_json, value))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
