"""Values that a tool needs, with the part that each plays in a request."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue

from pytest_mcpbench.definitions.canonical import ToolDefinition
from pytest_mcpbench.definitions.lint.parameters import Parameter, top_parameters
from pytest_mcpbench.definitions.lint.words import words_of
from pytest_mcpbench.definitions.schema_alternatives import type_of
from pytest_mcpbench.generation.pipelines.persona.candidates import Lookup, Role
from pytest_mcpbench.generation.pipelines.persona.records import is_email, label_path, singular
from pytest_mcpbench.generation.pipelines.persona.words import acts

_ADDRESSES = frozenset({"to", "recipient", "email", "cc", "attendee", "participant"})
_IDS = frozenset({"id", "ids", "key", "uuid", "uid"})
_FEW = 6
_DEEPEST = 4


@dataclass(frozen=True)
class Leaf:
    """A text or number somewhere in the arguments of a tool."""

    path: str
    parameter: Parameter
    is_required: bool
    shape: JsonValue = None
    """What the argument looks like around the text, where the schema does not say it."""

    @property
    def words(self) -> list[str]:
        """Return the words of the parameter's name, without endings of the plural."""
        name = next(part for part in reversed(self.path.split(".")) if not part.isdigit())
        return [singular(word) for word in words_of(name)]


def leaves_of(tool: ToolDefinition) -> list[Leaf]:
    """Return the texts and numbers that a tool takes; those of an open object only where its shape is known."""
    return [leaf for each in top_parameters(tool) for leaf in _leaves(each, each.path, each.name in tool.required, 0)]


@dataclass(frozen=True)
class Roles:
    """Parts that the values of one tool play, with the lookups of all apps."""

    server: str
    tool: ToolDefinition
    lookups: Sequence[Lookup]

    def role_of(self, leaf: Leaf) -> tuple[Role | None, tuple[JsonValue, ...]]:
        """Return what a value is in a request, with the values of a choice; ``None`` if rules cannot tell."""
        own = acts()
        if leaf.parameter.values:
            return "choice", leaf.parameter.values
        if self.finders(leaf):
            return "thing", ()
        if leaf.parameter.name in own.choices_of_people:
            return "choice", tuple(own.choices_of_people[leaf.parameter.name])
        if (leaf.words[-1:] and leaf.words[-1] in own.texts) or leaf.shape is not None:
            return "text", ()
        if leaf.words[-1:] and leaf.words[-1] in own.titles:
            return "title", ()
        kinds = _kinds(leaf, self.lookups)
        return ("choice", kinds) if kinds else (None, ())

    def finders(self, leaf: Leaf) -> list[tuple[Lookup, str]]:
        """Return the lookups whose things a value may name, with the field that may be the value; the best first."""
        if leaf.shape is not None:
            return []
        about = f"{self.tool.name} {self.tool.description}".casefold()
        if set(leaf.words) & _ADDRESSES and "mail" in about:
            return [(each, field) for each in self.lookups if (field := _address(each))]
        here = [each for each in self.lookups if each.server == self.server]
        wanted = _subject(leaf)
        ranked = sorted((each for each in here if _matches(wanted, each)), key=lambda each: each.noun not in wanted)
        if ranked:
            ranked += [each for each in here if each.is_person and each not in ranked]
        return [(each, field) for each in ranked for field in _fields(leaf, each)]


def _subject(leaf: Leaf) -> set[str]:
    """Return the words of the kind of thing that a value names; none if it names no thing."""
    names = leaf.words
    described = [singular(word) for word in words_of(leaf.parameter.description)]
    if _IDS & set(names) or described[:1] == ["id"]:
        return {*names, *described[:8]} - _IDS - {"the", "of", "a", "an", "or", "to", "in"}
    if names[-1:] == ["name"] and len(names) > 1:
        return set(names[:-1])
    return set()


def _matches(wanted: set[str], lookup: Lookup) -> bool:
    return bool(wanted & {*lookup.noun.split(), *lookup.nouns[:4]})


def _fields(leaf: Leaf, lookup: Lookup) -> Iterator[str]:
    """Yield the fields of a lookup's things that may be the value."""
    if not lookup.records:
        return
    fields = lookup.records[0].fields
    if leaf.words[-1:] == ["name"] or "name" in words_of(leaf.path)[-2:]:
        yield label_path(fields)
        return
    ids = [path for path in fields if "." not in path and _IDS & set(words_of(path))]
    yield from sorted(ids, key=lambda path: path != "id")[:2]


def _address(lookup: Lookup) -> str:
    """Return the field of a person that is a mail address."""
    if not lookup.is_person or not lookup.records:
        return ""
    return next((path for path, value in lookup.records[0].fields.items() if is_email(value)), "")


def _kinds(leaf: Leaf, lookups: Sequence[Lookup]) -> tuple[JsonValue, ...]:
    """Return the few values that things of the world have in a field of that name."""
    counts: dict[str, int] = {}
    for lookup in lookups:
        for record in lookup.records:
            value = record.fields.get(leaf.parameter.name)
            if isinstance(value, str):
                counts[value] = counts.get(value, 0) + 1
    common = sorted(counts, key=lambda value: (-counts[value], value))
    return tuple(value for value in common if counts[value] > 1)[:_FEW]


def _leaves(parameter: Parameter, path: str, is_required: bool, depth: int) -> Iterator[Leaf]:
    shape = acts().shapes.get(parameter.name)
    if shape is not None:
        yield Leaf(path, parameter, is_required, shape)
        return
    option: Mapping[str, Any] = next((each for each in parameter.options or () if type_of(each) != "null"), {})
    if type_of(option) == "array" and isinstance(option.get("items"), Mapping) and depth < _DEEPEST:
        inner = Parameter(parameter.path, option["items"], parameter.root)
        described = parameter if not inner.description and type_of(option["items"]) == "string" else inner
        if described is parameter:
            yield Leaf(f"{path}.0", parameter, is_required)
        else:
            yield from _leaves(inner, f"{path}.0", is_required, depth + 1)
    elif isinstance(option.get("properties"), Mapping) and depth < _DEEPEST:
        needed = set(option.get("required") or option["properties"])
        for name, part in option["properties"].items():
            if name in needed:
                yield from _leaves(Parameter(name, part, parameter.root), f"{path}.{name}", is_required, depth + 1)
    elif option:
        yield Leaf(path, parameter, is_required)
