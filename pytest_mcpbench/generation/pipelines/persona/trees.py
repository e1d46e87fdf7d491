"""Context trees: what each app of a person holds, and how each field's values are made (MCP-Persona 3.2)."""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any

from pydantic import JsonValue

from pytest_mcpbench.definitions.canonical import ToolDefinition
from pytest_mcpbench.definitions.lint.words import words_of
from pytest_mcpbench.generation.pipeline.candidates import Drop, Dropped
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.stages import Selection
from pytest_mcpbench.generation.pipelines.persona.candidates import Lookup, Record, TreeCandidate
from pytest_mcpbench.generation.pipelines.persona.casting import cast_for, draw_people, read_people
from pytest_mcpbench.generation.pipelines.persona.records import (
    flatten,
    is_email,
    is_opaque,
    label_of,
    label_path,
    records_in,
    singular,
)
from pytest_mcpbench.generation.pipelines.persona.words import acts
from pytest_mcpbench.generation.pipelines.persona.worlds import App, Worlds, open_app

OWNER = "owner"
"""The person whose world the servers start with."""
_FURTHER_PEOPLE = 2
_MOST_QUERIES = 40
_MOST_RECORDS = 40
_BROAD = ("", "a", "e", "o")
"""Queries that many servers answer with all or most things, for those of whose things no name is known."""
_FEW_VALUES = 6
"""Different values of a field that is drawn from a fixed set."""
_LONG_TEXT = 60
"""Characters of a text that nobody makes up by rule."""
_DEEPEST = 8
_LONGEST_ASKED = 60
"""Characters of a value that a person asks for."""


async def grow_trees(worlds: Worlds) -> Selection:
    """Return the tree of each app, of the person whose world the servers start with and of further people."""
    setup = worlds.setup
    trees = await _grow(worlds, list(setup.servers), OWNER, {})
    seeded = {name: own for name in setup.servers if worlds.takes_seeds(name) and (own := await worlds.own(name))}
    names = {record.label for tree in trees for each in tree.lookups if each.is_person for record in each.records}
    rng = setup.random("people")
    people = read_people(setup.inputs) or draw_people(_FURTHER_PEOPLE, rng)
    for person in people if seeded and names else ():
        cast = cast_for(person, names, seeded, rng)
        trees += await _grow(worlds, list(seeded), "-".join(words_of(person.name)), cast)
    empty = [tree for tree in trees if tree.names and not tree.lookups]
    nothing = Drop("no tool finds the things of the world")
    return Selection([tree for tree in trees if tree not in empty], [Dropped.of(tree, nothing) for tree in empty])


async def _grow(worlds: Worlds, servers: Sequence[str], person: str, cast: Mapping[str, str]) -> list[TreeCandidate]:
    """Return the trees of one person."""
    trees: list[TreeCandidate] = []
    names: list[str] = []
    for server in servers:
        async with open_app(worlds.setup, server, await worlds.seed(server, cast)) as app:
            things = [fields for fields in _objects(app.world, 0) if label_of(fields)]
            own = list(dict.fromkeys(label_of(fields) for fields in things))
            lookups = [each async for each in _lookups(worlds.setup, server, app, [*own, *names])]
            fields = things or [record.fields for lookup in lookups for record in lookup.records]
            tree = TreeCandidate(
                id=f"{OWNER}.{server}",
                person=OWNER,
                server=server,
                methods=methods_of(fields),
                lookups=tuple(lookups),
                names=tuple(label_of(fields) for fields in things),
            )
        tree = tree.model_copy(update={"id": f"{person}.{server}", "person": person, "cast": dict(cast)})
        names += [record.label for lookup in tree.lookups for record in lookup.records]
        trees.append(tree)
    return trees


def is_read(tool: ToolDefinition) -> bool:
    """Return whether a tool only reads, by its promise or its name."""
    promise = tool.annotations.get("readOnlyHint")
    if isinstance(promise, bool):
        return promise
    verb = verb_of(tool)
    return verb is not None and verb in acts().reads


def verb_of(tool: ToolDefinition) -> str | None:
    """Return the first word of a tool's name that is a verb of reading or changing."""
    return next((word for word in words_of(tool.name) if word in acts().reads | acts().changes), None)


def nouns_of(tool: ToolDefinition) -> list[str]:
    """Return the words behind the verb of a tool's name, without endings of the plural."""
    names = words_of(tool.name)
    verb = verb_of(tool)
    behind = names[names.index(verb) + 1 :] if verb in names else names[1:]
    before = names[: names.index(verb)] if verb in names else []
    return [singular(word) for word in (behind or before) if len(word) > 2]


async def _lookups(setup: Setup, server: str, app: App, names: Sequence[str]) -> AsyncIterator[Lookup]:
    """Yield the read tools that find things, by kind: those without required parameters, and searches by a name."""
    for tool in setup.servers[server].tools:
        if not is_read(tool) or not setup.may_be_called(server, tool.name):
            continue
        required = list(tool.required)
        queries = [name for name in tool.properties if set(words_of(name)) & {"query", "search", "keyword", "q"}]
        if required and required != queries[:1]:
            continue
        query = queries[0] if queries else ""
        found = await find_things(app, tool, query, names)
        kinds = [(noun, is_person(noun, record)) for noun, record in found]
        named = nouns_of(tool)
        described = {singular(word) for word in words_of(tool.description.split(".")[0])}
        for noun, is_of_people in dict.fromkeys(kinds):
            records = [record for (_, record), own in zip(found, kinds, strict=True) if own == (noun, is_of_people)]
            word = noun or (named[-1] if named else "entry")
            yield Lookup(
                id=f"{tool.name}.{'person' if is_of_people else word}".replace(" ", "-"),
                server=server,
                tool=tool.name,
                query=query,
                noun=word,
                nouns=tuple(dict.fromkeys([word, *([] if noun else named), *sorted(described)])),
                is_person=is_of_people or word in acts().people,
                asked=tuple(_asked_fields(records)),
                records=tuple(records),
            )


async def find_things(app: App, tool: ToolDefinition, query: str, names: Sequence[str]) -> list[tuple[str, Record]]:
    """Return the things that a read tool lists or, by its parameter ``query``, finds, and the words for their kinds."""
    if not query:
        return records_in(await app.read(tool.name, {}))
    return await search_things(app, tool.name, query, names) or await search_things(app, tool.name, query, _BROAD)


async def search_things(app: App, tool: str, query: str, names: Sequence[str]) -> list[tuple[str, Record]]:
    """Return the things that a search by each of the names finds, with the words for their kinds."""
    found: dict[str, tuple[str, Record]] = {}
    different = list(dict.fromkeys(names))
    # Names from all parts of the list.
    for name in different[:: max(1, len(different) // (4 * _MOST_QUERIES))]:
        if len(found) >= _MOST_RECORDS:
            break
        for noun, record in records_in(await app.read(tool, {query: name})):
            if name.casefold() in record.label.casefold():
                found.setdefault(f"{noun} {record.model_dump_json()}", (noun, record))
    return list(found.values())


def is_person(noun: str, record: Record) -> bool:
    """Return whether a thing is a person, by the word for its kind or by what it says of itself."""
    own = [path for path in record.fields if "." not in path and words_of(path)[-1:] == ["type"]]
    kinds = {str(record.fields[path]).casefold() for path in own}
    return noun in acts().people or bool(kinds & acts().people)


def _objects(value: Any, depth: int) -> Iterator[dict[str, Any]]:
    """Yield the objects of a world with their own fields."""
    if depth > _DEEPEST:
        return
    if isinstance(value, Mapping):
        own = {name: part for name, part in value.items() if not isinstance(part, Mapping | list)}
        # These may name an object though they are objects themselves.
        titles = {name: part for name, part in value.items() if name in ("profile", "title", "properties")}
        if own:
            yield flatten(own | titles if any(isinstance(part, Mapping) for part in value.values()) else value)
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    for part in parts:
        yield from _objects(part, depth + 1)


def methods_of(things: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the method that makes the values of each field (Table 2), by what its values look like."""
    columns: dict[str, list[Any]] = {}
    for fields in things:
        for path, value in fields.items():
            columns.setdefault(path, []).append(value)
    methods: dict[str, str] = {}
    for path, values in columns.items():
        texts = [value for value in values if isinstance(value, str)]
        if len({str(value) for value in values}) <= min(_FEW_VALUES, (len(values) + 1) // 2):
            methods[path] = "enumerate"
        elif not texts or all(is_opaque(text) or is_email(text) for text in texts):
            methods[path] = "random"
        else:
            methods[path] = "authentic" if sum(map(len, texts)) > _LONG_TEXT * len(texts) else "free_form"
    return methods


def field_words(path: str) -> list[str]:
    """Return the words for a field, such as ``topic`` for ``topic.value``."""
    parts = [part for part in path.split(".") if part not in ("value", "content", "plain_text", "text")]
    return words_of((parts or path.split("."))[-1])


def _asked_fields(records: Sequence[Record]) -> Iterator[str]:
    """Yield the fields that a person may ask for: short texts that tell most things apart."""
    paths = dict.fromkeys(path for record in records for path in record.fields)
    for path in paths:
        values = [record.fields[path] for record in records if path in record.fields]
        texts = [value for value in values if _is_worth_asking(value)]
        is_list = any(part.isdigit() for part in path.split("."))
        is_name = any(path == label_path(record.fields) for record in records)
        is_hidden = bool(acts().not_asked & set(field_words(path)))
        if (
            len(texts) == len(values) >= 2
            and len(set(texts)) > len(texts) / 2
            and not (is_list or is_name or is_hidden)
        ):
            yield path


def _is_worth_asking(value: JsonValue) -> bool:
    if not isinstance(value, str) or not 3 <= len(value) <= _LONGEST_ASKED or "\n" in value or '"' in value:
        return False
    is_number = value.lstrip("+").replace(" ", "").replace("-", "").isdigit()
    return is_number or not is_opaque(value)
