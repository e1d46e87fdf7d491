"""The sampler: single tools and chains of tools, in bins by their number of calls (MCPToolBench++ 2.3)."""

import random
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from itertools import combinations, islice

from pytest_mcpbench.definitions.canonical import ToolDefinition
from pytest_mcpbench.definitions.lint.words import content_words, words_of
from pytest_mcpbench.generation.pipeline.candidates import Drop, Dropped
from pytest_mcpbench.generation.pipeline.paths import scalars
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.stages import Selection
from pytest_mcpbench.generation.pipelines.tools.candidates import (
    Arguments,
    ChainCandidate,
    PlannedCall,
    ToolCandidate,
)
from pytest_mcpbench.generation.pipelines.tools.orders import singular
from pytest_mcpbench.generation.pipelines.tools.phrases import order_words, words_of_head
from pytest_mcpbench.generation.pipelines.tools.words import words
from pytest_mcpbench.generation.reading_tools import only_reads
from pytest_mcpbench.metrics.comparison.arguments import is_number
from pytest_mcpbench.text.paths import SANDBOX

_RESULT = re.compile(r"<(\w+?)_result")
_FILE = re.compile(r"\.\w{1,5}$")
_RANGE = re.compile(r"\b[A-Z]{1,2}\d+:[A-Z]{1,2}\d+\b")
"""Cells of a sheet."""
_STATES = frozenset({"due", "deadline", "priority", "status"})
"""Words of parameters that say how a thing is; that two things are to be done by one day does not connect them."""
Pairs = Collection[Set[str]]
"""Pairs of categories."""
Needs = Mapping[tuple[str, str], Collection[str]]
"""Server and tool -> tools that make what it needs."""

LONGEST_CHAIN = 10
_LONGEST_BY_RULES = 2
"""Calls of a chain without a model: rules cannot tell which third thing a person wants at the same time."""
_SHARE_OF_PAIRS = 3
"""Tasks of which one may be a chain without a model: of most two calls nobody has one purpose."""
_MOST_PLAIN = 2
"""Single calls in which nothing is chosen but the tool."""
_TRIES = 4
"""Draws for each candidate; a draw that repeats an earlier one is nothing new."""
_CROSS_SHARE = 0.3
"""Share of the chains that are drawn from two categories."""


def sample(setup: Setup, tools: Sequence[ToolCandidate], pairs: Pairs | None = None) -> Selection:
    """Draw chains of one to ten tools, the same number of each length as far as the tools allow.

    Args:
        setup: The run.
        tools: Tools with arguments that work.
        pairs: Pairs of categories that one request may have; ``None``: rules decide about each chain.
    """
    rng = setup.random("sample")
    if setup.questions is not None:
        # A model writes the references between calls itself.
        tools = [tool.model_copy(update={"sources": ()}) for tool in tools if tool.known_arguments]
    needs = {(tool.server, tool.tool): {each.tool for each in tool.sources if not each.path} for tool in tools}
    kept: list[ChainCandidate] = []
    dropped: list[Dropped] = []
    # Short chains take the places that too few long ones leave.
    longest = longest_chain(len(tools)) if setup.questions is not None else min(_LONGEST_BY_RULES, len(tools))
    for length in range(longest, 0, -1):
        wanted = -(-(setup.candidates_wanted - len(kept)) // length)
        if setup.questions is None and length > 1:
            wanted = min(wanted, -(-setup.settings.tasks // _SHARE_OF_PAIRS))
        drawn = islice(_different_chains(setup, tools, length, pairs, rng), _TRIES * wanted)
        checked = [_in_better_order(setup, chain, needs) for chain in drawn]
        fitting = [chain for chain, fault in checked if fault is None]
        if setup.questions is None and length == 1:
            fitting = _without_repetitions(fitting) if len(tools) > 1 else fitting
        kept += fitting[:wanted]
        dropped += [Dropped.of(chain, fault) for chain, fault in checked if fault is not None]
    return Selection(sorted(kept, key=lambda chain: chain.id), dropped)


def _without_repetitions(chains: Sequence[ChainCandidate]) -> list[ChainCandidate]:
    """Return single calls, at most two of them without arguments, and of one tool that is only given a free text."""
    sentences = {text for _, texts in words().texts for text in texts}
    counts: Counter[str] = Counter()
    kept = []
    for chain in chains:
        (call,) = chain.calls
        values = [value for _, value in scalars(call.arguments)]
        is_dictated = all(isinstance(value, str) and value in sentences for value in values)
        key = "" if not call.arguments else f"{call.server}/{call.tool}" if is_dictated else None
        if key is None or counts[key] < _MOST_PLAIN:
            kept.append(chain)
        counts.update([key] if key is not None else [])
    return kept


def longest_chain(tools: int) -> int:
    """Return the largest number of calls of a chain of a number of tools."""
    return min(LONGEST_CHAIN, tools)


def _different_chains(
    setup: Setup, tools: Sequence[ToolCandidate], length: int, pairs: Pairs | None, rng: random.Random
) -> Iterator[ChainCandidate]:
    """Yield chains of one length that differ in tools or arguments, until nothing new is drawn for long."""
    seen: set[str] = set()
    for _ in range(_TRIES * setup.candidates_wanted):
        drawn = _draw_tools(setup, tools, length, pairs, rng)
        calls = _calls(drawn, rng)
        key = repr(sorted((call.server, call.tool, str(call.arguments)) for call in calls))
        if calls and key not in seen:
            seen.add(key)
            categories = tuple(dict.fromkeys(tool.category for tool in drawn))
            languages = setup.settings.languages
            language = languages[len(seen) % len(languages)]
            yield ChainCandidate(
                id=f"{length:02}-{len(seen):03}",
                categories=categories,
                calls=_in_steps(setup, calls),
                language=language,
            )


def _draw_tools(
    setup: Setup, tools: Sequence[ToolCandidate], length: int, pairs: Pairs | None, rng: random.Random
) -> list[ToolCandidate]:
    """Draw tools of one category or of two, without replacement; none if there are too few."""
    by_category: dict[str, list[ToolCandidate]] = {}
    for tool in tools:
        by_category.setdefault(tool.category, []).append(tool)
    within = [group for group in by_category.values() if len(group) >= length]
    across = [
        [*by_category[one], *by_category[other]]
        for one, other in combinations(by_category, 2)
        if (pairs is None or {one, other} in pairs) and len(by_category[one]) + len(by_category[other]) >= length
    ]
    if length == 1:
        alone = [tool for tool in tools if tool.known_arguments]
        return [rng.choice(alone)] if alone else []
    is_across = bool(across) and (not within or rng.random() < _CROSS_SHARE)
    pools = across if is_across else within
    return _draw_related_tools(setup, rng.choice(pools), length, rng) if pools else []


def _draw_related_tools(
    setup: Setup, pool: Sequence[ToolCandidate], length: int, rng: random.Random
) -> list[ToolCandidate]:
    """Draw tools each of which has something in common with an earlier one; none if there are too few."""
    drawn = [rng.choice(pool)]
    while len(drawn) < length:
        needy = next((tool for tool in drawn if _lacks_maker(tool, drawn)), None)
        if needy is not None:
            names = {source.tool for source in needy.sources}
            same_server = [tool for tool in pool if tool.server == needy.server]
            makers = [tool for tool in same_server if tool.tool in names and tool.known_arguments]
            if makers:
                drawn.append(rng.choice(makers))
                continue
        equal = {(tool.server, name) for tool in drawn for name in tool.equal_tools}
        left = [tool for tool in pool if tool not in drawn and (tool.server, tool.tool) not in equal]
        known = {word for tool in drawn for word in _subjects(setup.tool(tool.server, tool.tool))}
        near = [tool for tool in left if known & _subjects(setup.tool(tool.server, tool.tool))]
        # A model judges chains of tools that have no word in common.
        choices = near or (left if setup.questions is not None else [])
        if not choices:
            return []
        drawn.append(rng.choice(choices))
    return [] if any(_lacks_maker(tool, drawn) for tool in drawn) else drawn


def _lacks_maker(tool: ToolCandidate, drawn: Sequence[ToolCandidate]) -> bool:
    names = {each.tool for each in drawn if each.server == tool.server and each != tool}
    return not tool.known_arguments and not any(source.tool in names for source in tool.sources)


def _calls(drawn: Sequence[ToolCandidate], rng: random.Random) -> tuple[PlannedCall, ...]:
    """Return calls of the tools; a value that an earlier call returns refers to its result.

    There are none if a tool needs an earlier call that other arguments have been drawn for.
    """
    names = {(tool.server, tool.tool) for tool in drawn}
    in_order = sorted(drawn, key=lambda tool: any((tool.server, source.tool) in names for source in tool.sources))
    calls: list[PlannedCall] = []
    linked: set[str] = set()
    for number, tool in enumerate(in_order, 1):
        earlier = {call.tool: at for at, call in enumerate(calls) if call.server == tool.server}
        sources = [source for source in tool.sources if source.tool in earlier]
        free = [source for source in sources if calls[earlier[source.tool]].id not in linked]
        # Several calls may need what the same one makes.
        same = [source for source in sources if calls[earlier[source.tool]].arguments == source.tool_arguments]
        sources = free or ([] if tool.known_arguments else same)
        if not sources and not tool.known_arguments:
            return ()
        if not sources:
            calls.append(_call(number, tool, _arguments(tool, calls, rng)))
            continue
        source = rng.choice(sources)
        at = earlier[source.tool]
        calls[at] = calls[at].model_copy(update={"arguments": source.tool_arguments})
        linked.add(calls[at].id)
        result = f"<{calls[at].id}_result{source.path}>"
        arguments = {**source.arguments, source.parameter: result} if source.path else source.arguments
        call = _call(number, tool, arguments)
        referents = {source.parameter: source.words} if source.parameter else {}
        calls.append(call.model_copy(update={"referents": referents, "step": 1}))
    return tuple(calls)


def _arguments(tool: ToolCandidate, calls: Sequence[PlannedCall], rng: random.Random) -> Arguments:
    """Draw arguments, of those that have most values in common with the other calls."""
    said = {value for call in calls for value in call.arguments.values() if isinstance(value, str)}
    shared = [sum(value in said for value in each.values() if isinstance(value, str)) for each in tool.known_arguments]
    most = max(shared)
    return rng.choice([each for each, number in zip(tool.known_arguments, shared, strict=True) if number == most])


def _call(number: int, tool: ToolCandidate, arguments: Arguments) -> PlannedCall:
    return PlannedCall(
        equal_tools=tool.equal_tools,
        id=str(number),
        server=tool.server,
        category=tool.category,
        tool=tool.tool,
        arguments=arguments,
    )


def _in_steps(setup: Setup, calls: tuple[PlannedCall, ...]) -> tuple[PlannedCall, ...]:
    """Return the calls one after the other if any may change something; calls that only read keep their steps."""
    if all(only_reads(setup.tool(call.server, call.tool)) for call in calls):
        return calls
    return tuple(call.model_copy(update={"step": at}) for at, call in enumerate(calls))


def _deleted_change(setup: Setup, calls: Sequence[PlannedCall]) -> str:
    """Return two calls of which the second deletes what the first has changed; empty if there are none.

    Nobody has a thing made and changes or deletes it in the same breath either.
    """
    for before, call in combinations(calls, 2):
        named, deleted = ({value for _, value in scalars(each.arguments)} for each in (before, call))
        verb = set(words_of(call.tool)[:1])
        is_deleted = words().deleting_verbs & verb and deleted and deleted <= named
        is_gone = words().displacing_verbs & set(words_of(before.tool)[:1]) and _named_things(before) & _named_things(
            call
        )
        if is_gone:
            return f"{before.tool}, {call.tool}"
        is_new = (
            bool(call.referents)
            and not only_reads(setup.tool(before.server, before.tool))
            and f"<{before.id}_result" in str(call.arguments)
        )
        is_deleted = is_deleted or (is_new and (words().deleting_verbs | words().changing_verbs) & verb)
        if is_deleted and not only_reads(setup.tool(before.server, before.tool)):
            return f"{before.tool}, {call.tool}"
    return ""


def _in_better_order(setup: Setup, chain: ChainCandidate, needs: Needs) -> tuple[ChainCandidate, Drop | None]:
    """Return a chain, turned around if a user would want that rather, and why no user would want it."""
    fault = _fault(setup, chain, needs)
    if fault is None or len(chain.calls) != 2 or _RESULT.search(str([call.arguments for call in chain.calls])):
        return chain, fault
    before, call = chain.calls
    if before.server == call.server and before.tool in needs.get((call.server, call.tool), ()):
        return chain, fault
    turned = tuple(call.model_copy(update={"id": str(at)}) for at, call in enumerate(reversed(chain.calls), 1))
    other = chain.model_copy(update={"calls": _in_steps(setup, turned)})
    return (chain, fault) if _fault(setup, other, needs) is not None else (other, None)


def _fault(setup: Setup, chain: ChainCandidate, needs: Needs) -> Drop | None:
    """Return why no user would want all calls of a chain in one task (A.4, by rules); ``None`` if one could."""
    definitions = [setup.tool(call.server, call.tool) for call in chain.calls]
    verbs = {word for tool in definitions for word in words_of(tool.name)[:1]}
    opposites = next((pair for pair in words().opposites if pair <= verbs), None)
    if opposites is not None:
        return Drop("the tools of the chain undo one another", "/".join(sorted(opposites)))
    called = {(call.server, call.tool) for call in chain.calls}
    if any((call.server, name) in called for call in chain.calls for name in call.equal_tools):
        return Drop("two tools of the chain do the same")
    if setup.questions is None and (lost := _deleted_change(setup, chain.calls)):
        return Drop("the chain deletes what it has changed", lost)
    if setup.questions is None and (undone := _emptied(setup, chain.calls)):
        return Drop("the chain changes what it empties", undone)
    if setup.questions is None and len(chain.calls) > 1 and any(map(_dictates_a_table, chain.calls)):
        return Drop("nobody dictates a table among other things")
    rules = {
        "the chain changes the same cells twice": _changed_twice,
        "two calls of the chain read the same": _read_twice,
        "nobody asks for everything after one thing": _out_of_place,
        "the second call does not wait for the answer, or asks for what was dictated": _unseen_answer,
        "one call can make both": made_at_once,
    }
    for reason, rule in rules.items() if setup.questions is None else ():
        if found := rule(chain.calls, definitions):
            return Drop(reason, found)
    if setup.questions is None and len(chain.calls) > 1 and not _is_connected(chain, definitions, needs):
        return Drop("nothing connects the tools of the chain", ", ".join(tool.name for tool in definitions))
    return None


def _is_connected(chain: ChainCandidate, definitions: Sequence[ToolDefinition], needs: Needs) -> bool:
    """Return whether one person would want two calls: they are about a common thing, or one needs the other's result.

    If one is about all things of a kind, the other one may be about any of them.
    """
    before, call = chain.calls
    if before.server == call.server and before.tool in needs.get((call.server, call.tool), ()):
        return True
    common = _subjects(definitions[0]) & _subjects(definitions[1])
    for each, tool in zip(chain.calls, definitions, strict=True):
        # One about all names neither a thing nor a number other than that of results.
        numbers = [words_of(" ".join(map(str, path))) for path, value in scalars(each.arguments) if is_number(value)]
        is_about_all = not _named_things(each) and all(words().counts & set(name) for name in numbers)
        if is_about_all and common & _stems(words_of_head(tool)):
            return True
    return bool(_common_things(before, call))


def _stems(said: Collection[str]) -> frozenset[str]:
    """Return words without the e of a plural such as `branches`, whose s is gone already."""
    return frozenset(re.sub(r"(ch|sh|ss|x)e$", r"\1", word) for word in said)


def _common_things(one: PlannedCall, other: PlannedCall) -> frozenset[str]:
    """Return the things of two calls that are the same; files count if one of the calls names nothing else."""
    first, second = _things(one), _things(other)
    within = [
        {each for each in things if not _FILE.search(each) and not each.startswith("result ")}
        for things in (first, second)
    ]
    common = first & second
    return frozenset(each for each in common if not _FILE.search(each)) if all(within) else common


def _emptied(setup: Setup, calls: Sequence[PlannedCall]) -> str:
    """Return two calls that change something, one of which undoes everything; empty if there are none."""
    for pair in combinations(calls, 2):
        definitions = [setup.tool(call.server, call.tool) for call in pair]
        undoes_all = any(
            words().ending_verbs & {*words_of(call.tool), order_words(tool)[0]} and not _named_things(call)
            for call, tool in zip(pair, definitions, strict=True)
        )
        if undoes_all and not any(map(only_reads, definitions)):
            return ", ".join(call.tool for call in pair)
    return ""


def _changed_twice(calls: Sequence[PlannedCall], definitions: Sequence[ToolDefinition]) -> str:
    """Return the cells that two calls change; empty if there are none."""
    changed = [
        set(_RANGE.findall(str(call.arguments)))
        for call, tool in zip(calls, definitions, strict=True)
        if not only_reads(tool)
    ]
    return ", ".join(sorted(cells for one, other in combinations(changed, 2) for cells in one & other))


def _read_twice(calls: Sequence[PlannedCall], definitions: Sequence[ToolDefinition]) -> str:
    """Return two tools that read the same of one thing, such as two lists of its files; empty if there are none.

    Nobody searches for a thing and asks for it by its name either.
    """
    read = [(call, tool) for call, tool in zip(calls, definitions, strict=True) if call.arguments and only_reads(tool)]
    for (one, first), (other, second) in combinations(read, 2):
        is_searched = not {"search", "find"}.isdisjoint({*words_of(one.tool)[:1], *words_of(other.tool)[:1]})
        if is_searched and _named_things(one) == _named_things(other):
            return f"{one.tool}, {other.tool}"
        is_of_same = (
            one.arguments.items() <= other.arguments.items() or other.arguments.items() <= one.arguments.items()
        )
        if is_of_same and len(order_words(first)[1] & order_words(second)[1] - words().whole - words().vague) > 1:
            return f"{one.tool}, {other.tool}"
    return ""


def _unseen_answer(calls: Sequence[PlannedCall], definitions: Sequence[ToolDefinition]) -> str:
    """Return two calls one of which makes the other needless; empty if there are none.

    Who looks at a thing before it is changed waits for the answer, unless the change takes its value from it, and who
    has dictated a new thing does not ask to see it.
    """
    for (before, looked), (call, tool) in combinations(zip(calls, definitions, strict=True), 2):
        is_of_result = f"<{before.id}_result" in str(call.arguments)
        looks_first = only_reads(looked) and not only_reads(tool) and not is_of_result
        new = {value for path, value in scalars(before.arguments) if words_of(str(path[-1]))[:1] == ["new"]}
        shows_new = only_reads(tool) and not only_reads(looked) and (is_of_result or bool(new & _named_things(call)))
        if looks_first or shows_new:
            return f"{before.tool}, {call.tool}"
    return ""


def made_at_once(calls: Sequence[PlannedCall], definitions: Sequence[ToolDefinition]) -> str:
    """Return two calls that make things, of which the first takes a list of what the second makes; or nothing."""
    for (before, maker), (call, tool) in combinations(zip(calls, definitions, strict=True), 2):
        things = {singular(word) for word in words_of(call.tool) if word not in words().verbs}
        lists = {singular((words_of(name) or [""])[-1]) for name in maker.properties.keys() - before.arguments.keys()}
        makes_both = all(words().making_verbs & set(words_of(each.name)[:1]) for each in (maker, tool))
        if makes_both and before.server == call.server and things & lists:
            return f"{before.tool}, {call.tool}"
    return ""


def _dictates_a_table(call: PlannedCall) -> bool:
    """Return whether an argument is a list of several objects."""
    lists = (value for value in call.arguments.values() if isinstance(value, list))
    return any(len(each) > 1 and isinstance(each[0], dict) for each in lists)


def _out_of_place(calls: Sequence[PlannedCall], definitions: Sequence[ToolDefinition]) -> str:
    """Return a tool that says what is possible, or lists everything after others; empty if there is none.

    Nobody asks what is supported and for something else at once, or for everything after looking at one thing.
    """
    for at, tool in enumerate(definitions):
        name = words_of(tool.name)
        says_what_is_possible = len(calls) > 1 and name[:1] == ["list"] and words().possible & set(name)
        after_one = not calls[at].arguments and any(
            only_reads(each) and call.arguments for each, call in zip(definitions[:at], calls, strict=False)
        )
        if says_what_is_possible or (after_one and only_reads(tool)):
            return tool.name
    return ""


def _things(call: PlannedCall) -> frozenset[str]:
    """Return the things that a call names but for sentences, and the ids of results that it makes or uses."""
    used = _RESULT.findall(str(call.arguments))
    sentences = {text for _, texts in words().texts for text in texts}
    return frozenset({f"result {call.id}", *(f"result {each}" for each in used)}) | _named_things(call) - sentences


def _named_things(call: PlannedCall) -> frozenset[str]:
    """Return the texts of a call that name things: neither kinds, nor states, nor whole repositories."""
    no_things = words().whole | words().plain_kinds | _STATES
    return frozenset(
        value
        for path, value in scalars(call.arguments)
        if isinstance(value, str) and value != SANDBOX and not no_things & set(words_of(" ".join(map(str, path))))
    )


def _subjects(tool: ToolDefinition) -> frozenset[str]:
    """Return the words for what a tool is about: those of its name, its parameters and its order."""
    first, *others = words_of(tool.name) or [""]
    own = others if first in words().verbs else [first, *others]
    said = content_words(" ".join([*own, *tool.properties])) | order_words(tool)[1]
    return _stems(said - words().vague - words().whole)
