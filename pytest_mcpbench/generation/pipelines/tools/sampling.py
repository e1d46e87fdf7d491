"""The sampler: single tools and chains of tools, in bins by their number of calls (MCPToolBench++ 2.3)."""

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from pytest_mcpbench.definitions.canonical import ToolDefinition
from pytest_mcpbench.definitions.lint.words import content_words, words_of
from pytest_mcpbench.generation.pipeline.candidates import Drop, Dropped
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.stages import Selection
from pytest_mcpbench.generation.pipelines.tools.candidates import ChainCandidate, PlannedCall, ToolCandidate
from pytest_mcpbench.generation.pipelines.tools.words import words

LONGEST_CHAIN = 10
_OVERSAMPLING = 3
"""Candidates for each task; later stages drop some."""
_OVERSAMPLING_WITH_MODEL = 2
"""The same where each candidate costs questions."""
_TRIES = 4
"""Draws for each candidate; a draw that repeats an earlier one is nothing new."""
_CROSS_SHARE = 0.3
"""Share of the chains that are drawn from two categories."""


async def sample(setup: Setup, tools: Sequence[ToolCandidate]) -> Selection:
    """Draw chains of one to ten tools, the same number of each length as far as the tools allow."""
    rng = setup.random("sample")
    longest = longest_chain(len(tools))
    wanted = -(-candidates_wanted(setup) // max(1, longest))
    kept: list[ChainCandidate] = []
    dropped: list[Dropped] = []
    for length in range(1, longest + 1):
        chosen = 0
        for chain in _different_chains(setup, tools, length, _TRIES * wanted, rng):
            fault = _fault(setup, chain)
            if fault is not None:
                dropped.append(Dropped.of(chain, fault))
            elif chosen < wanted:
                kept.append(chain)
                chosen += 1
    return Selection(kept, dropped)


def longest_chain(tools: int) -> int:
    """Return the largest number of calls of a chain of a number of tools."""
    return min(LONGEST_CHAIN, tools)


def candidates_wanted(setup: Setup) -> int:
    """Return the number of chains to draw."""
    return setup.settings.tasks * (_OVERSAMPLING_WITH_MODEL if setup.questions else _OVERSAMPLING)


def _different_chains(
    setup: Setup, tools: Sequence[ToolCandidate], length: int, draws: int, rng: random.Random
) -> Iterator[ChainCandidate]:
    """Yield the chains of one length that differ in tools or arguments."""
    seen: set[str] = set()
    for _ in range(draws):
        drawn = _draw_tools(tools, length, rng)
        calls = tuple(_call(number, tool, rng) for number, tool in enumerate(drawn, 1))
        key = repr(sorted((call.server, call.tool, str(call.arguments)) for call in calls))
        if drawn and key not in seen:
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


def _draw_tools(tools: Sequence[ToolCandidate], length: int, rng: random.Random) -> list[ToolCandidate]:
    """Draw tools of one category or of two, without replacement; none if there are too few."""
    by_category: dict[str, list[ToolCandidate]] = {}
    for tool in tools:
        by_category.setdefault(tool.category, []).append(tool)
    within = [group for group in by_category.values() if len(group) >= length]
    across = [[*one, *other] for one, other in combinations(by_category.values(), 2) if len(one) + len(other) >= length]
    if length == 1:
        return [rng.choice(tools)]
    is_across = bool(across) and (not within or rng.random() < _CROSS_SHARE)
    pools = across if is_across else within
    return rng.sample(rng.choice(pools), length) if pools else []


def _call(number: int, tool: ToolCandidate, rng: random.Random) -> PlannedCall:
    arguments = rng.choice(tool.known_arguments)
    return PlannedCall(
        equal_tools=tool.equal_tools,
        id=str(number),
        server=tool.server,
        category=tool.category,
        tool=tool.tool,
        arguments=arguments,
    )


def _in_steps(setup: Setup, calls: tuple[PlannedCall, ...]) -> tuple[PlannedCall, ...]:
    """Return the calls one after the other if any may change something; calls that only read need no order."""
    if all(_definition(setup, call).annotations.get("readOnlyHint") is True for call in calls):
        return calls
    return tuple(call.model_copy(update={"step": at}) for at, call in enumerate(calls))


def _fault(setup: Setup, chain: ChainCandidate) -> Drop | None:
    """Return why no user would want all calls of a chain in one task (A.4, by rules); ``None`` if one could."""
    definitions = [_definition(setup, call) for call in chain.calls]
    verbs = {word for tool in definitions for word in words_of(tool.name)[:1]}
    opposites = next((pair for pair in words().opposites if pair <= verbs), None)
    if opposites is not None:
        return Drop("the tools of the chain undo one another", "/".join(sorted(opposites)))
    if any({call.tool for call in chain.calls} & set(call.equal_tools) for call in chain.calls):
        return Drop("two tools of the chain do the same")
    if len(chain.categories) > 1 and not _is_connected(chain, definitions):
        return Drop("nothing connects the tools of the chain", ", ".join(tool.name for tool in definitions))
    return None


def _is_connected(chain: ChainCandidate, definitions: Sequence[ToolDefinition]) -> bool:
    """Return whether tools of different categories have a subject in common: a parameter, or a word of their names."""
    subjects: Mapping[str, set[str]] = {category: set() for category in chain.categories}
    for call, tool in zip(chain.calls, definitions, strict=True):
        subjects[call.category] |= {
            *content_words(tool.name),
            *(word for name in tool.properties for word in content_words(name)),
        }
    first, *others = subjects.values()
    return all(first & other for other in others)


def _definition(setup: Setup, call: PlannedCall) -> ToolDefinition:
    tool = setup.servers[call.server].tool(call.tool)
    assert tool is not None, "chains are drawn from the tools of the servers"
    return tool
