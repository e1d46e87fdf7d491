"""Values for parameters, from dictionaries, schemas, descriptions and results of the server, never from a model."""

import random
import re
from ast import literal_eval
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import Any

from pytest_mcpbench.core.placeholders import decode_json, unwrap_result
from pytest_mcpbench.definitions.canonical import ToolDefinition
from pytest_mcpbench.definitions.lint.parameters import Parameter, top_parameters
from pytest_mcpbench.definitions.lint.schema_rules import value_problem
from pytest_mcpbench.definitions.lint.words import words_of
from pytest_mcpbench.definitions.proposals import scalars_in
from pytest_mcpbench.definitions.schema_structure import at_pointer
from pytest_mcpbench.generation.pipeline.paths import scalars
from pytest_mcpbench.generation.pipelines.tools.candidates import Arguments
from pytest_mcpbench.generation.pipelines.tools.orders import singular
from pytest_mcpbench.generation.pipelines.tools.phrases import has_words, order_words
from pytest_mcpbench.generation.pipelines.tools.words import UnitPair, words
from pytest_mcpbench.generation.reported_errors import mentions_error
from pytest_mcpbench.metrics.comparison.arguments import is_number
from pytest_mcpbench.text.paths import SANDBOX

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
_ENGLISH = re.compile(r"[\u0000-\u024f\u2000-\u22ff]*")
"""Text without letters that no English request has."""
_LISTED = re.compile(r"(?:[*•-]|\s)*[\w./-]{2,60}\s*")
"""Line of a list of names, one of which may be marked."""
_CHOSEN = re.compile(r"\(['\"`](\w+)['\"`]\)")
"""Choice that a description names behind what it is for: `local branches ('local')`."""
_QUOTED_CHOICE = re.compile(r"""(?:(["'`])[\w-]+\1(?:\s?[,/|]\s?(?:or\s)?|\sor\s))+(["'`])[\w-]+\2""")
"""Choice between quoted words: `"high", "med" or "low"`."""
_SQL = re.compile(r"\bSQL(?:ite)?\b|\bSELECT\b")
_FORMATS: Mapping[str, tuple[str, ...]] = {
    "HH:MM": ("09:30", "14:15", "18:45"),
    "YYYY-MM-DD": ("2026-03-02", "2026-03-06"),
    "date": ("2026-03-02", "2026-03-06"),
    "date-time": ("2026-03-02T09:30:00Z", "2026-03-02T11:00:00Z"),
    "email": ("ann@example.org", "bo@example.org"),
}
"""Values of formats that a schema or a description names."""
_FREE_TEXTS = frozenset(
    {"message", "text", "content", "note", "comment", "body", "sentence", "string", "observation", "insight", "fact"}
)
_PATHS = frozenset({"path", "file", "filename", "filepath", "directory", "folder", "repo", "repository"})
_DIRECTORIES = frozenset({"directory", "dir", "folder", "repo", "repository", "root", "tree", "workspace", "project"})
_REPOSITORY = frozenset({"repo", "repository"})
_NEW_DIRECTORIES = ("archive", "drafts", "photos")
_FULL_PATH = re.compile(r"(?i)\b(?:absolute|full path)\b")
_NUMBERS = (3, 7, 12, 18, 25, 42, 64, 150)
_COUNTS = (2, 3, 5, 10, 20)
_MOST_OBJECTS = 8
"""Objects that are put together for one parameter."""
_QUERIES = ("SELECT * FROM {}", "SELECT COUNT(*) FROM {}")
_FROM = re.compile(r"SELECT \* FROM (\w+)")
_SQL_NAMES = frozenset({"query", "sql", "statement"})
_SEARCHED = frozenset({"query", "keyword", "keywords", "pattern", "term", "text"})
_PATTERNS = frozenset({"pattern", "glob"})
_FILTERS = frozenset({"tag", "label", "priority", "status"})
"""Last words of parameters by which things are found that have a value, instead of a term."""
_ENDS = frozenset({"from", "to", "source", "destination"})
"""Names of members that name two things between which something is."""
_DISTRIBUTIONS = frozenset({"boxplot", "violin"})
"""Charts of many values of each category, which nobody says in one sentence."""
_FEW_EXAMPLES = 3
_FEW_UNITS = 2
"""Units all of which people convert; of more, most are units of science."""
_LEAST, _MOST = 0.1, 1000
"""Amounts of a unit of every day."""
_DEEPEST = 3
_LONGEST = 120
"""Characters of a text that a request can state."""
_MOST_RECORDS = 40
"""Objects that are kept of one result."""
_MOST_OF_A_NAME = 12
"""Values that are kept of one member of results."""


@dataclass
class KnownValues:
    """Values that servers have returned, by the name of the member, and the files of the sandbox."""

    files: tuple[str, ...] = ()
    directories: tuple[str, ...] = ()
    """Directories among them; that of the attempt is none of them."""
    terms: tuple[str, ...] = ()
    """Words that one of the files has, by which a person searches."""
    wants_full_paths: bool = False
    """Whether the server has refused the name of a file, because it wants its path."""
    _by_name: dict[str, list[Any]] = field(default_factory=dict)
    offered: dict[tuple[str, str], list[Any]] = field(default_factory=dict)
    """Values that the server has named when it refused a call, by tool and parameter."""
    at_start: set[Any] = field(default_factory=set)
    """Values that servers have told before anything was changed."""
    tables: dict[str, list[Mapping[str, Any]]] = field(default_factory=dict)
    """Rows of the tables of a database, by name."""
    records: list[Mapping[str, Any]] = field(default_factory=list)
    """Objects in results, some members of which belong together."""
    _origins: dict[tuple[str, Any], frozenset[str]] = field(default_factory=dict)
    """Words in the name of the tool whose result had a value first, by name and value."""

    def learn(self, result: Any, tool: str) -> None:
        """Remember the scalars of a result but for errors; the ``id`` of ``list_notes`` is also a ``note_id``."""
        nouns = [singular(word) for word in words_of(tool)[1:]]
        for name, value in scalars_in(structured(result)):
            if isinstance(value, str) and mentions_error(value):
                continue
            self._add(name, value)
            self._origins.setdefault((name, value), _singular_words(tool))
            if name in ("id", "name") and nouns:
                self._add(f"{nouns[-1]}_{name}", value)
        lines = result.splitlines() if isinstance(result, str) else []
        if nouns and 1 < len(lines) <= _MOST_OF_A_NAME and all(map(_LISTED.fullmatch, lines)):
            # A mark stands before the one that is in use already.
            for line in [line for line in lines if not line.startswith("*")] or lines:
                self._add(f"{nouns[-1]}_name", line.lstrip("*•- "))
        for things, value in _elements(structured(result)):
            members = value if isinstance(value, dict) else {"name": value}
            for name in ("id", "name", "title"):
                told = members.get(name)
                if isinstance(told, str | int) and not mentions_error(str(told)):
                    self._add(f"{singular(things)}_{name}", told)
                    self._origins.setdefault((name, told), _singular_words(f"{tool}_{things}"))
                if name == "name" and isinstance(told, str):
                    self._add(singular(things), told)

    def learn_records(self, result: Any) -> None:
        """Remember the objects of a result, whose members belong together."""
        new = [each for each in _objects_in(structured(result)) if each not in self.records]
        self.records += new[:_MOST_RECORDS]

    def learn_at_start(self, result: Any) -> None:
        """Remember the objects and values of a result from before anything was changed."""
        self.learn_records(result)
        self.at_start.update(value for _, value in scalars(structured(result)))

    def learn_table(self, arguments: Arguments, result: Any) -> None:
        """Remember the rows that a statement in SQL has returned of a whole table."""
        rows = structured(result)
        table = next((found[1] for each in arguments.values() if (found := _FROM.fullmatch(str(each)))), None)
        if table and isinstance(rows, list) and rows and all(isinstance(row, dict) and row for row in rows):
            self.tables[table] = rows

    @property
    def without_names(self) -> "KnownValues":
        """Return the values for a tool that makes something new, which gets a name that nothing has."""
        new = {name: list(values) for name, values in words().new_names.items()}
        return replace(self, _by_name={**self._by_name, **new})

    @property
    def by_name(self) -> Mapping[str, Sequence[Any]]:
        """Return all values, by the name of the member."""
        return self._by_name

    def of(self, name: str) -> Sequence[Any]:
        """Return the values of a member's name, whatever its spelling, or of its singular."""
        spelled = "_".join(words_of(name))
        return self._by_name.get(spelled, []) or self._by_name.get(singular(spelled), [])

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
    return frozenset(singular(word) for word in words_of(name))


def _elements(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the elements of the lists in a result, each with the name of its list."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield from ((name, each) for each in (part[:_MOST_OF_A_NAME] if isinstance(part, list) else ()))
            yield from _elements(part)
    elif isinstance(value, list):
        for part in value[:_MOST_OF_A_NAME]:
            yield from _elements(part)


def _objects_in(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the objects in a result that have no further ones inside."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    inner = [each for part in parts for each in _objects_in(part)]
    if isinstance(value, dict) and not inner:
        yield value
    yield from inner


def structured(result: Any) -> Any:
    """Return a text that is JSON or a literal of Python as its value, and anything else as it is."""
    result = unwrap_result(result)
    result = decode_json(result) if isinstance(result, str) else result
    try:
        return literal_eval(result) if isinstance(result, str) and result[:1] in ("[", "{") else result
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return result


def argument_sets(  # noqa: PLR0913 (rules of values)
    tool: ToolDefinition,
    known: KnownValues,
    dictionaries: Mapping[str, Mapping[str, str]],
    rng: random.Random,
    most: int,
    also: Collection[str] = (),
    rank: int = 0,
) -> list[Arguments]:
    """Return different arguments for a tool, at most a number; none if a required value is not known.

    Args:
        tool: The tool.
        known: Values that servers have returned.
        dictionaries: Codes of the author.
        rng: Draws the values.
        most: Most arguments to return.
        also: Optional parameters that get a value, too.
        rank: Number of sources of values to leave out, of parameters that have more.
    """
    parameters = top_parameters(tool)
    pools = _pools(tool, known, dictionaries, rank)
    if any(not pools.get(name) for name in tool.required):
        return []
    wanted = {*tool.required, *(name for name in also if pools.get(name))}
    needs = [each for each in parameters if (_is_term(each, tool) or _is_news(each, tool)) and pools[each.name]]
    # A new day or priority suits any thing; a new text may be of another one.
    suiting = [each for each in needs if _is_news(each, tool) and _is_extra(each)] or needs
    needed = [each.name for each in suiting] if wanted.isdisjoint(each.name for each in needs) else []
    chosen = [each for each in parameters if _is_choice(each) or (makes_new(tool) and _is_extra(each))]
    optional = [each.name for each in chosen if each.name not in {*wanted, *needed} and pools[each.name]]
    found: list[Arguments] = []
    for attempt in range(4 * most):
        turn = needed[attempt % len(needed)] if needed else None
        names = [each.name for each in parameters if each.name in wanted or each.name == turn]
        if optional and attempt % 2:
            names.append(rng.choice(optional))
        arguments = _with_title(_draw(names, pools, rng), tool)
        arguments = _with_fitting_destination(arguments) if _moves_files(tool) else arguments
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
    return bool(_PATHS & {singular(word) for word in words_of(parameter)})


def _pools(
    tool: ToolDefinition, known: KnownValues, dictionaries: Mapping[str, Mapping[str, str]], rank: int = 0
) -> dict[str, list[Any]]:
    """Return the values that fit each parameter of a tool, by its name."""
    return {each.name: _pool(each, tool, known, dictionaries, rank) for each in top_parameters(tool)}


def _is_term(parameter: Parameter, tool: ToolDefinition) -> bool:
    """Return whether a parameter is what a tool looks for, without which nobody asks it to search."""
    is_search = words_of(tool.name)[:1] in (["search"], ["find"])
    name = words_of(parameter.name) or [""]
    return is_search and "string" in parameter.types and (not _SEARCHED.isdisjoint(name) or name[-1] in _FILTERS)


def _is_choice(parameter: Parameter) -> bool:
    """Return whether a person might give an optional parameter: a choice among few values, or a limit."""
    name = words_of(parameter.name) or [""]
    if not {"page", "offset", "mode"}.isdisjoint(name):
        return False
    is_flag = parameter.types == {"boolean"} and name[0] in words().flags
    is_order = bool({"sort", "order"} & set(name))
    is_kind = bool(parameter.values) and (is_order or any(name[-1] in names for names, _ in words().connectors))
    is_count = bool(words().counts & set(name)) and parameter.types <= {"number", "integer"}
    return is_flag or is_kind or is_count


def _is_extra(parameter: Parameter) -> bool:
    """Return whether a parameter is what a person may say of a new thing, such as the day by which it is to be done."""
    name = words_of(parameter.name) or [""]
    is_day = name[0] in ("due", "deadline") and len(name) == 1 + (name[-1] == "date")
    return (is_day or name == ["priority"]) and "string" in parameter.types


def _draw(names: Sequence[str], pools: Mapping[str, Sequence[Any]], rng: random.Random) -> Arguments:
    """Draw a value for each name; values of one pool differ, as those of two places or two numbers."""
    drawn: Arguments = {}
    for name in names:
        left = [value for value in pools[name] if value not in drawn.values()] or list(pools[name])
        drawn[name] = rng.choice(left)
    # The content of a new file fits its name.
    contents = words().file_contents
    paths = [str(value) for name, value in drawn.items() if is_path(name)]
    fitting = next((text for file, text in contents.items() if any(file in path for path in paths)), None)
    if fitting is not None:
        drawn = {name: fitting if value in contents.values() else value for name, value in drawn.items()}
    return _with_fitting_units(drawn, pools)


def _with_fitting_units(arguments: Arguments, pools: Mapping[str, Sequence[Any]]) -> Arguments:
    """Return arguments in which the second of two units is one that people convert the first one into."""
    units = [name for name in arguments if _is_unit(name)]
    if len(units) != 2:
        return arguments
    first, second = units
    partners = [unit for unit in pools[second] if _unit_pair(str(arguments[first]), str(unit))]
    if not partners:
        return arguments
    pair = _unit_pair(str(arguments[first]), str(partners[0]))
    is_turned = pair is not None and _unit(str(arguments[first])) != _unit(pair.units[0])
    amounts = {name: value for name, value in arguments.items() if is_number(value)}
    fitting = {
        name: [each for each in pools[name] if pair and _is_everyday(each, pair, is_turned=is_turned)]
        for name in amounts
    }
    changed = {
        name: value if value in fitting[name] else fitting[name][pools[name].index(value) % len(fitting[name])]
        for name, value in amounts.items()
        if fitting[name]
    }
    return {**arguments, second: partners[0], **changed}


def _is_everyday(amount: float, pair: UnitPair, *, is_turned: bool) -> bool:
    """Return whether people have an amount of a unit, and also of that into which it is converted."""
    first = amount / pair.factor if is_turned else amount
    return _LEAST <= first <= pair.most and _LEAST <= first * pair.factor <= _MOST


def _is_unit(name: str) -> bool:
    return singular((words_of(name) or [""])[-1]) == "unit"


def _unit(value: str) -> str:
    return "_".join(singular(word) for word in words_of(value))


def _unit_pair(one: str, other: str) -> UnitPair | None:
    """Return how people convert one unit into the other; ``None`` if they do not."""
    wanted = {_unit(one), _unit(other)}
    return next((pair for pair in words().unit_pairs if {_unit(each) for each in pair.units} == wanted), None)


def _with_title(arguments: Arguments, tool: ToolDefinition) -> Arguments:
    """Return arguments in which a table has its title, without which nobody knows what it shows."""
    titles = [title for title in map(_title_of, arguments.values()) if title]
    return {**arguments, "title": titles[0]} if titles and "title" in tool.properties else arguments


def further_titles(arguments: Arguments, tool: ToolDefinition) -> list[str]:
    """Return titles of a table that nothing says and a careful agent may add, such as those of axes."""
    others = [name for name in tool.properties if words_of(name)[-1:] == ["title"] and name not in arguments]
    return others if any(map(_title_of, arguments.values())) else []


def _is_news(parameter: Parameter, tool: ToolDefinition) -> bool:
    """Return whether a parameter is a text that a tool changes, without which nobody asks it to change anything."""
    is_change = bool(words().changing_verbs & {*words_of(tool.name), order_words(tool)[0]})
    is_text = not _FREE_TEXTS.isdisjoint(words_of(parameter.name))
    return is_change and (is_text or _is_extra(parameter)) and "string" in parameter.types


def _pool(
    parameter: Parameter,
    tool: ToolDefinition,
    known: KnownValues,
    dictionaries: Mapping[str, Mapping[str, str]],
    rank: int,
) -> list[Any]:
    """Return the values that fit a parameter, without its default, which needs not be said.

    A required parameter for which nobody has words keeps its default.
    """
    if words_of(parameter.name)[-1:] == ["range"] and "string" in parameter.types:
        # Which cells belong together only the data say.
        return [code for key, entry in dictionaries.items() if key in parameter.name for code in entry]
    default = parameter.schema.get("default")
    if default is not None and parameter.name in tool.required and not has_words(parameter.name):
        return [default]
    description = parameter.description or described_in(tool, parameter.name)
    offered = [each for each in known.offered.get((tool.name, parameter.name), ()) if _fits(each, parameter)]
    if offered:
        return offered
    if _is_unit(parameter.name) and len(parameter.values or ()) > _FEW_UNITS:
        named = [str(each) for each in parameter.values or ()]
        return [each for each in named if any(_unit_pair(each, other) for other in named)]
    pools: list[list[Any]] = []
    for values in _sources(parameter, description, tool, known, dictionaries):
        found: list[Any] = []
        for value in values:
            for shaped in (value, [value]):
                if shaped != default and shaped not in found and _fits(shaped, parameter):
                    found.append(shaped)
                    break
        found = _as_lists_of_several(_there_at_start(found, parameter, tool, known), tool)
        if found:
            pools.append(found)
    return pools[min(rank, len(pools) - 1)] if pools else []


def _there_at_start(values: list[Any], parameter: Parameter, tool: ToolDefinition, known: KnownValues) -> list[Any]:
    """Return the ids among values that are there in each attempt; all values if none are, or of something new."""
    if makes_new(tool) or words_of(parameter.name)[-1:] not in (["id"], ["key"]):
        return values
    return [each for each in values if isinstance(each, str | int | float) and each in known.at_start] or values


def _as_lists_of_several(values: list[Any], tool: ToolDefinition) -> list[Any]:
    """Return lists of two values for a tool that is for several things by its name, which nobody asks for one."""
    is_for_several = not {"multiple", "several", "many"}.isdisjoint(words_of(tool.name))
    if not is_for_several or not all(isinstance(each, list) and len(each) == 1 for each in values):
        return values
    return [[*one, *other] for one, other in pairwise(values)]


def _fits(value: Any, parameter: Parameter) -> bool:
    if isinstance(value, str) and (not value.strip() or len(value) > _LONGEST or "\n" in value):
        return False
    if isinstance(value, str) and not parameter.values and not _ENGLISH.fullmatch(value):
        return False
    return value is not None and value_problem(value, parameter.schema, parameter.root) is None


def described_in(tool: ToolDefinition, name: str) -> str:
    """Return what the description of a tool says about a parameter, as the docstring of a function does."""
    line = rf"^\s*{re.escape(name)}\s*(?:\([^)\n]*\))?\s*:\s*(.*(?:\n\s+(?!\s|\w+\s*(?:\(|:)).*)*)"
    found = re.search(line, tool.description, re.MULTILINE)
    return found[1] if found else ""


def _sources(
    parameter: Parameter,
    description: str,
    tool: ToolDefinition,
    known: KnownValues,
    dictionaries: Mapping[str, Mapping[str, str]],
) -> Iterator[Sequence[Any]]:
    """Yield the values from each source, the best one first."""
    verb, name = order_words(tool)[0], words_of(parameter.name)
    is_new = makes_new(tool)
    yield [code for key, entry in dictionaries.items() if key in "_".join(name) for code in entry]
    if not parameter.values and (is_path(parameter.name) or (_moves_files(tool) and name[-1] in _ENDS)):
        yield from _paths(parameter, tool, known, is_new=is_new)
    if (member := words().values.get("_".join(words_of(parameter.path)))) and "." in parameter.path:
        yield member
    if _FREE_TEXTS & {singular(name[-1])} and not parameter.values and verb not in words().ending_verbs:
        yield _texts(parameter, tool)
    if name[-1] in _SQL_NAMES and _SQL.search(f"{tool.description} {parameter.description}"):
        yield _statements(tool, known)
        return  # No word is a statement.
    if not _SEARCHED.isdisjoint(name):
        if not _PATTERNS.isdisjoint(name) and is_path(tool.name):
            endings = dict.fromkeys(file.rpartition(".")[2] for file in known.files if "." in file)
            yield [f"**/*.{ending}" for ending in endings]
        yield known.terms
        yield [*known.of("name"), *known.of("title")]
    if "new" in name:
        yield words().new_names.get("_".join(name), words().new_names.get(name[-1], ()))
    elif name[-1:] in (["id"], ["name"]) and not is_new:
        yield known.of_kin(name[-1], " ".join(set(name) - {"id", "name"}) or tool.name)
    yield from value_sources(parameter, description, known.without_names if is_new else known, dictionaries)
    if not is_new and name[-1] in _ENDS:
        yield known.of("name")
    yield list(_objects(parameter, tool, known, dictionaries))


def _moves_files(tool: ToolDefinition) -> bool:
    return {"move", "copy"} & set(words_of(tool.name)[:1]) != set() and is_path(tool.name)


def _with_fitting_destination(arguments: Arguments) -> Arguments:
    """Return arguments in which a file that is moved gets a name by which it is known as an old one."""
    stem, dot, ending = str(arguments.get("source", "")).rpartition(".")
    if not re.fullmatch(r"\w+", ending) or "destination" not in arguments or not stem:
        return arguments
    return {**arguments, "destination": f"{stem}-old{dot}{ending}"}


def _statements(tool: ToolDefinition, known: KnownValues) -> Sequence[str]:
    """Return statements in SQL of the kind that the description of a tool names."""
    if "create" in words_of(tool.name):
        new = words().new_tables.items()
        return [f"CREATE TABLE {name} (id INTEGER PRIMARY KEY, {columns})" for name, columns in new]
    if "SELECT" in tool.description or tool.promises_to_read_only:
        tables = known.of("table_name") or known.of("table")
        asked = [statement for table, rows in known.tables.items() for statement in _questions(table, rows)]
        return asked or [form.format(name) for name in tables for form in _QUERIES]
    return [statement for table, rows in known.tables.items() for statement in _changes_of(table, rows, tool)]


def _questions(table: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield statements that a person asks about the columns of a table: of one thing, of one kind, the largest."""
    texts, numbers = _columns(rows)
    for at, column in enumerate(texts[:2]):
        row = rows[(at + 1) % len(rows)]
        yield f"SELECT * FROM {table} WHERE {column} = '{row[column]}'"
    for column in numbers[:2]:
        yield f"SELECT * FROM {table} ORDER BY {column} DESC LIMIT 3"
        yield f"SELECT MAX({column}) FROM {table}"
    yield f"SELECT COUNT(*) FROM {table}"


def _changes_of(table: str, rows: Sequence[Mapping[str, Any]], tool: ToolDefinition) -> Iterator[str]:
    """Yield statements that change or delete a row of a table, as far as the description of a tool names them."""
    texts, numbers = _columns(rows)
    keys = [name for name in rows[0] if words_of(name)[-1:] == ["id"]]
    for at, column in enumerate(numbers[:2]):
        name = (keys or texts or numbers)[0]
        row = rows[(at + 1) % len(rows)]
        where = f"{name} = '{row[name]}'" if name in texts else f"{name} = {row[name]}"
        if "UPDATE" in tool.description:
            yield f"UPDATE {table} SET {column} = {row[column] + 1} WHERE {where}"
    if "DELETE" in tool.description and keys:
        yield f"DELETE FROM {table} WHERE {keys[0]} = {rows[-1][keys[0]]}"


def _columns(rows: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[str]]:
    """Return the columns of texts without quotation marks, and those of numbers that are no keys."""
    values = {name: [row.get(name) for row in rows] for name in rows[0]}
    texts = [name for name, found in values.items() if all(isinstance(each, str) and "'" not in each for each in found)]
    numbers = [name for name, found in values.items() if all(map(is_number, found)) and words_of(name)[-1:] != ["id"]]
    return texts, numbers


def makes_new(tool: ToolDefinition) -> bool:
    """Return whether a tool makes something new, which gets a name that nothing has."""
    verb = order_words(tool)[0]
    # To open the details of a thing is to show them.
    deeds = {verb, *(words_of(tool.name)[:1] if verb not in words().showing_verbs else ())}
    return not tool.promises_to_read_only and not words().making_verbs.isdisjoint(deeds)


def _paths(parameter: Parameter, tool: ToolDefinition, known: KnownValues, *, is_new: bool) -> Iterator[Sequence[str]]:
    """Yield the paths of files and directories that a parameter may mean; a tool that makes one gets a new one."""
    name = words_of(parameter.name)
    about = set(name) if set(name) - {"path"} else {*name, *words_of(tool.name)}
    spelled: Callable[[Iterable[str]], list[str]] = list
    if known.wants_full_paths or _FULL_PATH.search(parameter.description):
        spelled = _full_paths
    files = [file for file in known.files if file not in known.directories]
    endings = [file.rpartition(".")[2] for file in files if "." in file]
    if about & _REPOSITORY:
        yield [SANDBOX]
    if name == ["destination"]:
        yield spelled(known.directories)
    elif name == ["source"]:
        yield spelled(files)
    elif about & _DIRECTORIES:
        yield spelled(_NEW_DIRECTORIES if is_new else known.directories)
    elif is_new and _makes_file(tool):
        ending = max(endings, key=endings.count) if endings else "txt"
        yield spelled(f"{each}.{ending}" for each in words().file_contents)
    else:
        yield spelled([file for file in files if file.rpartition(".")[2] in name] or files)
    yield spelled(known.files)
    if known.files:
        yield [SANDBOX]


def _makes_file(tool: ToolDefinition) -> bool:
    """Return whether a tool takes nothing but the path of what it makes, and a text for it.

    What gets a new name is made in the file.
    """
    if any(words_of(name)[:1] == ["new"] for name in tool.required):
        return False
    last = {singular(words_of(name)[-1]) for name in tool.required}
    return sum(map(is_path, tool.required)) == 1 and last <= _FREE_TEXTS | _PATHS | {"name"}


def _full_paths(names: Iterable[str]) -> list[str]:
    return [f"{SANDBOX}/{name}" for name in names]


def value_sources(
    parameter: Parameter, description: str, known: KnownValues, dictionaries: Mapping[str, Mapping[str, str]]
) -> tuple[Sequence[Any], ...]:
    """Return values for a parameter by where they come from, the best source first; not all fit the schema."""
    said, schema = words_of(parameter.name), parameter.schema
    name = "_".join(said)
    codes = [code for key, entry in dictionaries.items() if key in name for code in entry]
    examples = schema.get("examples")
    # A person chooses a number; one in a result is as odd as 43.28.
    is_numeric = bool(parameter.types) and parameter.types <= {"number", "integer"}
    is_amount = is_numeric and said[-1:] not in (["id"], ["key"]) and (said[-1:] != ["number"] or len(said) == 1)
    # Values that everybody knows of a name, or of its last word.
    last = name.rpartition("_")[2]
    known_to_all = next((words().values[each] for each in (name, last, singular(last)) if each in words().values), ())
    of_formats = (
        values
        for form, values in _FORMATS.items()
        if schema.get("format") == form or (form.isupper() and form in description)
    )
    shown = [*(examples if isinstance(examples, list) else ()), *_described_examples(description)]
    return (
        codes,
        parameter.values or (),
        # A few examples, such as two of all time zones, would make all tasks alike.
        [*shown, *known_to_all] if len(shown) <= _FEW_EXAMPLES and set(shown) & set(known_to_all) else shown,
        known.files if is_path(parameter.name) else (),
        () if is_amount else known.of(parameter.name),
        next(of_formats, ()),
        known_to_all or _free_values(parameter),
    )


def _objects(
    parameter: Parameter, tool: ToolDefinition, known: KnownValues, dictionaries: Mapping[str, Mapping[str, str]]
) -> Iterator[Any]:
    """Yield objects with the members that the schema requires, or lists of them; none if a value is not known."""
    if parameter.path.count(".") >= _DEEPEST or _DISTRIBUTIONS & set(words_of(tool.name)):
        return
    for option in parameter.options or ():
        items = option.get("items")
        schema = items if isinstance(items, Mapping) else option
        schema = at_pointer(schema.get("$ref"), parameter.root) or schema
        is_list = isinstance(items, Mapping)
        every = [
            Parameter(f"{parameter.path}.{name}", part, parameter.root)
            for name, part in (schema.get("properties") or {}).items()
        ]
        # Nobody says a tree or a graph in one sentence.
        if not is_list and any(_lists_objects(each) for each in every):
            continue
        required = schema.get("required") or ()
        numbers = [each for each in every if is_list and each.types <= {"number", "integer"} and each.types]
        members = [each for each in every if each.name in required or each in numbers[:1]]
        if numbers:
            yield from _tables(members, tool)
            continue
        told = [each for each in map(partial(_record, members), known.records) if each]
        if makes_new(tool):
            ends = [each.name for each in members if words_of(each.name)[-1] in _ENDS]
            if len(ends) == 2 < len(members):
                yield from _new_relations(told, ends[0], known)
                continue
            told = []
        if told and len(members) > 1:
            yield from told[:_MOST_OBJECTS]
            continue
        pools = {each.name: _pool(each, tool, known, dictionaries, 0) for each in members}
        if not pools or not all(pools.values()):
            continue
        step = 1 + len(tool.name) % 3  # Two tools do not write the same text about a thing.
        objects = [
            {name: pool[(at + step * shift) % len(pool)] for shift, (name, pool) in enumerate(pools.items())}
            for at in range(min(_MOST_OBJECTS, max(map(len, pools.values()))))
        ]
        yield from (each for each in objects if not _joins_a_thing_to_itself(each))


def _record(members: Sequence[Parameter], record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members of an object with the values of a record in a result; empty if it does not have all."""
    spelled = {"_".join(words_of(name)): value for name, value in record.items()}
    found: dict[str, Any] = {}
    for member in members:
        name = words_of(member.name)
        value = spelled.get("_".join(name), spelled.get(name[-1]) if name[-1] in ("id", "name") else None)
        value = value[:1] if isinstance(value, list) else value
        if not value or not _fits(value, member):
            return {}
        found[member.name] = value
    return found


def _new_relations(told: Sequence[Mapping[str, Any]], end: str, known: KnownValues) -> Iterator[dict[str, Any]]:
    """Yield relations that things have already for other things of the same kind, as nobody invents words."""
    kinds: dict[str, list[str]] = {}
    for each in known.records:
        of_kind = [str(value) for name, value in each.items() if words_of(name)[-1:] in (["type"], ["kind"])]
        if of_kind and _is_text(each.get("name")):
            kinds[each["name"]] = of_kind
    for relation in filter(lambda relation: _is_text(relation[end]), told):
        for name, kind in kinds.items():
            new = {**relation, end: name}
            if kind == kinds.get(relation[end]) and new not in told and not _joins_a_thing_to_itself(new):
                yield new


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _joins_a_thing_to_itself(value: Mapping[str, Any]) -> bool:
    ends = [str(part) for name, part in value.items() if (words_of(name) or [""])[-1] in _ENDS]
    return len(set(ends)) < len(ends)


def _lists_objects(parameter: Parameter) -> bool:
    items = [option.get("items") for option in parameter.options or ()]
    return any(isinstance(each, Mapping) and (each.get("properties") or "$ref" in each) for each in items)


def _tables(columns: Sequence[Parameter], tool: ToolDefinition) -> Iterator[list[dict[str, Any]]]:
    """Yield tables with columns for texts and numbers, such as charts show."""
    named = [each for each in columns if "string" in each.types]
    ordered = [*named, *(each for each in columns if each not in named)]
    about = {*words_of(tool.name), *(word for each in columns for word in words_of(each.name))}
    wide = [each for each in words().tables if (each.texts, len(each.rows[0])) == (len(named), len(columns))]
    fitting = [each for each in wide if each.words & about] or [each for each in wide if not each.words]
    for table in fitting:
        yield [dict(zip([each.name for each in ordered], row, strict=True)) for row in table.rows]


def _title_of(rows: Any) -> str | None:
    """Return the title of a table; ``None`` if a value is none of the tables that people have drawn."""
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return None
    cells = [sorted(map(str, row.values())) for row in rows]
    tables = (each for each in words().tables if [sorted(map(str, row)) for row in each.rows] == cells)
    return next((each.title for each in tables), None)


def _described_examples(description: str) -> list[str]:
    """Return the quoted texts, or the codes, after `e.g.`, `one of` and the like."""
    marked = _EXAMPLES.search(description)
    if marked is None:
        chosen = _CHOSEN.findall(description)
        between = _QUOTED_CHOICE.search(description)
        return chosen if len(chosen) > 1 else _QUOTED.findall(between[0]) if between else []
    found, end = [], 0
    for quoted in _QUOTED.finditer(marked[1]):
        if re.search(r"[.)](?:\s|$)", marked[1][end : quoted.start()]):
            break
        found.append(quoted[1])
        end = quoted.end()
    return found or (_CODE.findall(marked[1]) if _CODE.match(marked[1]) else [])


def _free_values(parameter: Parameter) -> tuple[Any, ...]:
    """Return values for parameters that take any sentence, number or truth value."""
    name = words_of(parameter.name)
    if parameter.types == {"boolean"}:
        return (True, False)
    if parameter.types <= {"number", "integer"} and parameter.types and name[-1:] != ["id"]:
        if words().counts & set(name):
            return _COUNTS
        low, high = parameter.schema.get("minimum", -1e9), parameter.schema.get("maximum", 1e9)
        return tuple(number for number in _NUMBERS if low <= number <= high) or ((low,) if low > 1 else ())
    return ()


def _texts(parameter: Parameter, tool: ToolDefinition) -> Sequence[str]:
    """Return texts that people write where a tool puts them; none for a content that nothing says more about."""
    if makes_new(tool) and _makes_file(tool):
        return tuple(words().file_contents.values())
    said = {singular(word) for word in [*words_of(tool.name), *words_of(parameter.path)]}
    about = said | {singular(word) for word in order_words(tool)[1]}
    return next((texts for names, texts in words().texts if names & about), ())
