"""Values for parameters, from dictionaries, schemas, descriptions and results of the server, never from a model."""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_mcpbench.definitions.canonical import ToolDefinition
from pytest_mcpbench.definitions.lint.parameters import Parameter, top_parameters
from pytest_mcpbench.definitions.lint.schema_rules import value_problem
from pytest_mcpbench.definitions.lint.words import words_of
from pytest_mcpbench.definitions.proposals import scalars_in
from pytest_mcpbench.definitions.schema_structure import at_pointer
from pytest_mcpbench.generation.pipelines.tools.candidates import Arguments
from pytest_mcpbench.generation.pipelines.tools.phrases import order_words
from pytest_mcpbench.generation.pipelines.tools.words import words
from pytest_mcpbench.generation.reported_errors import mentions_error

_QUOTED = re.compile(r"[\"'`]([^\"'`\n]{1,80})[\"'`]")
_EXAMPLES = re.compile(
    r"(?:e\.g\.,?|for (?:example|instance),?|examples?:?|such as|like|one of|either|\b(?:supports|supported|options):?)"
    r"(.*)",
    re.I | re.DOTALL,
)
_CODE = re.compile(
    r"(?:^|,|\s(?:or|and))\s+([A-Z0-9][A-Z0-9._:+/-]{1,30}|[a-z][a-z_-]{0,20}\d[\w-]{0,20})(?<![.,:])(?=[\s,.);]|$)"
)
"""Codes without quotation marks after ``such as``."""
_FORMATS: Mapping[str, tuple[str, ...]] = {
    "HH:MM": ("09:30", "14:15", "18:45"),
    "YYYY-MM-DD": ("2026-03-02", "2026-03-06"),
    "date": ("2026-03-02", "2026-03-06"),
    "date-time": ("2026-03-02T09:30:00Z", "2026-03-02T11:00:00Z"),
    "email": ("ann@example.org", "bo@example.org"),
}
"""Values of formats that a schema or a description names."""
_SENTENCES = (
    "The meeting moves to Thursday",
    "Remember to water the plants",
    "Dinner is ready at seven",
    "The parcel has arrived",
    "We leave early tomorrow",
)
_FREE_TEXTS = frozenset({"message", "text", "content", "note", "comment", "body", "sentence", "string"})
_PATHS = frozenset({"path", "file", "filename", "filepath", "directory", "folder"})
_NUMBERS = (3, 7, 12, 18, 25, 42, 64, 150)
_COUNTS = (3, 5, 10, 20)
_MOST_OBJECTS = 6
"""Objects that are put together for one parameter."""
_DEEPEST = 3
_LONGEST = 120
"""Characters of a text that a request can state."""
_MOST_OF_A_NAME = 12
"""Values that are kept of one member of results."""


@dataclass
class KnownValues:
    """Values that servers have returned, by the name of the member, and the files of the sandbox."""

    files: tuple[str, ...] = ()
    _by_name: dict[str, list[Any]] = field(default_factory=dict)
    offered: dict[tuple[str, str], list[Any]] = field(default_factory=dict)
    """Values that the server has named when it refused a call, by tool and parameter."""
    _origins: dict[tuple[str, Any], frozenset[str]] = field(default_factory=dict)
    """Words in the name of the tool whose result had a value first, by name and value."""

    def learn(self, result: Any, tool: str) -> None:
        """Remember the scalars of a result but for errors; the ``id`` of ``list_notes`` is also a ``note_id``."""
        nouns = [word.removesuffix("s") for word in words_of(tool)[1:]]
        for name, value in scalars_in(result):
            if isinstance(value, str) and mentions_error(value):
                continue
            self._add(name, value)
            self._origins.setdefault((name, value), _singular_words(tool))
            if name in ("id", "name") and nouns:
                self._add(f"{nouns[-1]}_{name}", value)

    @property
    def without_names(self) -> "KnownValues":
        """Return the values for a tool that makes something new, which gets a name that nothing has."""
        new = {name: list(values) for name, values in words().new_names.items()}
        return KnownValues(self.files, {**self._by_name, **new})

    @property
    def by_name(self) -> Mapping[str, Sequence[Any]]:
        """Return all values, by the name of the member."""
        return self._by_name

    def of(self, name: str) -> Sequence[Any]:
        """Return the values of a member's name, whatever its spelling."""
        return self._by_name.get("_".join(words_of(name)), ())

    def of_kin(self, name: str, things: str) -> Sequence[Any]:
        """Return the values of a member's name that tools with one of some words in their names have returned.

        Those of tools with most of the words come first.
        """
        wanted = _singular_words(things)
        shared = {value: len(wanted & self._origins.get((name, value), frozenset())) for value in self.of(name)}
        return sorted((value for value in shared if shared[value]), key=lambda value: -shared[value])

    def offer(self, tool: str, parameter: str, values: Sequence[Any]) -> None:
        """Remember values that the server has named for a parameter, before those that it has named earlier."""
        earlier = self.offered.get((tool, parameter), [])
        self.offered[tool, parameter] = [*values, *(value for value in earlier if value not in values)]

    def _add(self, name: str, value: Any) -> None:
        values = self._by_name.setdefault("_".join(words_of(name)), [])
        if value not in values and len(values) < _MOST_OF_A_NAME:
            values.append(value)


def _singular_words(name: str) -> frozenset[str]:
    return frozenset(word.removesuffix("s") for word in words_of(name))


def argument_sets(
    tool: ToolDefinition,
    known: KnownValues,
    dictionaries: Mapping[str, Mapping[str, str]],
    rng: random.Random,
    most: int,
) -> list[Arguments]:
    """Return different arguments for a tool, at most a number; none if a required value is not known."""
    parameters, required = top_parameters(tool), tool.required
    pools = _pools(tool, known, dictionaries)
    if any(not pools.get(name) for name in required):
        return []
    optional = [each.name for each in parameters if each.name not in required and _is_choice(each) and pools[each.name]]
    found: list[Arguments] = []
    for attempt in range(4 * most):
        names = [each.name for each in parameters if each.name in required]
        if optional and attempt % 2:
            names.append(rng.choice(optional))
        arguments = _draw(names, pools, rng)
        if arguments not in found and len(found) < most:
            found.append(arguments)
    return found


def unknown_parameters(
    tool: ToolDefinition, known: KnownValues, dictionaries: Mapping[str, Mapping[str, str]]
) -> list[str]:
    """Return the required parameters for which no value is known."""
    pools = _pools(tool, known, dictionaries)
    return sorted({name for name in tool.required if not pools.get(name)})


def is_path(parameter: str) -> bool:
    """Return whether a parameter takes a file or a directory, by its name."""
    return bool(_PATHS & {word.removesuffix("s") for word in words_of(parameter)})


def _pools(
    tool: ToolDefinition, known: KnownValues, dictionaries: Mapping[str, Mapping[str, str]]
) -> dict[str, list[Any]]:
    """Return the values that fit each parameter of a tool, by its name."""
    if order_words(tool)[0] in words().making_verbs:
        known = known.without_names
    return {each.name: _pool(each, tool, known, dictionaries) for each in top_parameters(tool)}


def _is_choice(parameter: Parameter) -> bool:
    """Return whether a person might give an optional parameter: a choice among few values, or a limit."""
    name = words_of(parameter.name)
    if "page" in name or "offset" in name:
        return False
    is_flag = parameter.types == {"boolean"} and name[0] in words().flags
    is_order = bool({"sort", "order"} & set(name))
    is_kind = bool(parameter.values) and (is_order or any(name[-1] in names for names, _ in words().connectors))
    is_count = bool(words().counts & set(name)) and parameter.types <= {"number", "integer"}
    return is_flag or is_kind or is_count


def _draw(names: Sequence[str], pools: Mapping[str, Sequence[Any]], rng: random.Random) -> Arguments:
    """Draw a value for each name; values of one pool differ, as those of two places or two numbers."""
    drawn: Arguments = {}
    for name in names:
        left = [value for value in pools[name] if value not in drawn.values()] or list(pools[name])
        drawn[name] = rng.choice(left)
    return drawn


def _pool(
    parameter: Parameter, tool: ToolDefinition, known: KnownValues, dictionaries: Mapping[str, Mapping[str, str]]
) -> list[Any]:
    """Return the values that fit a parameter, without its default, which needs not be said."""
    default = parameter.schema.get("default")
    found: list[Any] = []
    description = parameter.description or described_in(tool, parameter.name)
    for value in _candidates(parameter, description, known, dictionaries):
        for shaped in (value, [value]):
            if shaped != default and shaped not in found and _fits(shaped, parameter):
                found.append(shaped)
                break
    return found


def _fits(value: Any, parameter: Parameter) -> bool:
    if isinstance(value, str) and (not value.strip() or len(value) > _LONGEST or "\n" in value):
        return False
    return value is not None and value_problem(value, parameter.schema, parameter.root) is None


def described_in(tool: ToolDefinition, name: str) -> str:
    """Return what the description of a tool says about a parameter, as the docstring of a function does."""
    line = rf"^\s*{re.escape(name)}\s*(?:\([^)\n]*\))?\s*:\s*(.*(?:\n\s+(?!\s|\w+\s*(?:\(|:)).*)*)"
    found = re.search(line, tool.description, re.MULTILINE)
    return found[1] if found else ""


def _candidates(
    parameter: Parameter, description: str, known: KnownValues, dictionaries: Mapping[str, Mapping[str, str]]
) -> Iterator[Any]:
    """Yield values from the best source that has any."""
    sources = (
        *value_sources(parameter, description, known, dictionaries),
        tuple(_objects(parameter, known, dictionaries)),
    )
    yield from next((source for source in sources if source), ())


def value_sources(
    parameter: Parameter, description: str, known: KnownValues, dictionaries: Mapping[str, Mapping[str, str]]
) -> tuple[Sequence[Any], ...]:
    """Return values for a parameter by where they come from, the best source first; not all fit the schema."""
    name, schema = "_".join(words_of(parameter.name)), parameter.schema
    codes = [code for key, entry in dictionaries.items() if key in name for code in entry]
    examples = schema.get("examples")
    return (
        codes,
        parameter.values or (),
        (*(examples if isinstance(examples, list) else ()), *_described_examples(description)),
        known.files if is_path(parameter.name) else (),
        () if _is_amount(parameter) else known.of(parameter.name),
        _of_formats(parameter, description),
        words().values.get(name.rpartition("_")[2], ()),
        _free_values(parameter),
    )


def _is_amount(parameter: Parameter) -> bool:
    """Return whether a parameter is a number that a person chooses; one in a result is as odd as 43.28."""
    name = words_of(parameter.name)
    is_number = bool(parameter.types) and parameter.types <= {"number", "integer"}
    return is_number and name[-1:] not in (["id"], ["key"]) and (name[-1:] != ["number"] or len(name) == 1)


def _objects(
    parameter: Parameter, known: KnownValues, dictionaries: Mapping[str, Mapping[str, str]]
) -> Iterator[dict[str, Any]]:
    """Yield objects with the members that the schema requires; none if a value of one is not known."""
    if parameter.path.count(".") >= _DEEPEST:
        return
    for option in parameter.options or ():
        items = option.get("items")
        schema = items if isinstance(items, Mapping) else option
        schema = at_pointer(schema.get("$ref"), parameter.root) or schema
        required = schema.get("required") or ()
        members = {name: part for name, part in (schema.get("properties") or {}).items() if name in required}
        pools = {
            name: _member_pool(Parameter(f"{parameter.path}.{name}", part, parameter.root), known, dictionaries)
            for name, part in members.items()
        }
        if pools and all(pools.values()):
            for at in range(min(_MOST_OBJECTS, max(map(len, pools.values())))):
                yield {name: pool[(at + shift) % len(pool)] for shift, (name, pool) in enumerate(pools.items())}


def _member_pool(parameter: Parameter, known: KnownValues, dictionaries: Mapping[str, Mapping[str, str]]) -> list[Any]:
    found = _candidates(parameter, parameter.description, known, dictionaries)
    return [value for value in found if _fits(value, parameter)]


def _described_examples(description: str) -> list[str]:
    """Return the quoted texts, or the codes, after `e.g.`, `one of` and the like."""
    marked = _EXAMPLES.search(description)
    if marked is None:
        return []
    found, end = [], 0
    for quoted in _QUOTED.finditer(marked[1]):
        if re.search(r"[.)](?:\s|$)", marked[1][end : quoted.start()]):
            break
        found.append(quoted[1])
        end = quoted.end()
    return found or (_CODE.findall(marked[1]) if _CODE.match(marked[1]) else [])


def _of_formats(parameter: Parameter, description: str) -> tuple[str, ...]:
    for name, values in _FORMATS.items():
        if parameter.schema.get("format") == name or (name.isupper() and name in description):
            return values
    return ()


def _free_values(parameter: Parameter) -> tuple[Any, ...]:
    """Return values for parameters that take any sentence, number or truth value."""
    name = words_of(parameter.name)
    if parameter.types == {"boolean"}:
        return (True, False)
    if parameter.types <= {"number", "integer"} and parameter.types and name[-1:] != ["id"]:
        if words().counts & set(name):
            return _COUNTS
        low, high = parameter.schema.get("minimum", -1e9), parameter.schema.get("maximum", 1e9)
        return tuple(number for number in _NUMBERS if low <= number <= high) or (low,)
    return _SENTENCES if _FREE_TEXTS & set(name) and name[-1:] != ["id"] else ()
