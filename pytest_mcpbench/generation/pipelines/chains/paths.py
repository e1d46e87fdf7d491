"""Chains: paths of the graph between two tools of one scenario (FinMCP-Bench 2.2)."""

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, pairwise, permutations

from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.stages import Selection
from pytest_mcpbench.generation.pipelines.chains.candidates import ChainCandidate, EdgeCandidate
from pytest_mcpbench.generation.pipelines.chains.graph import Key

LONGEST_CHAIN = 6
"""Tools of a chain at most."""
_MOST_PATHS = 200
"""Paths between two tools from which one is drawn."""
_OVERSAMPLING = 3
"""Chains for each task; later stages drop some."""

Graph = Mapping[Key, Mapping[Key, EdgeCandidate]]


def draw_chains(setup: Setup, edges: Sequence[EdgeCandidate]) -> Selection:
    """Return different chains, one of each scenario in turn."""
    graph = _graph(edges)
    rng = setup.random("chains")
    drawn = {scenario: _chains_of(scenario, edges, graph, rng) for scenario in _scenarios(edges)}
    chains: dict[tuple[Key, ...], ChainCandidate] = {}
    wanted = _OVERSAMPLING * setup.settings.tasks
    while drawn and len(chains) < wanted:
        for scenario in list(drawn):
            path = next(drawn[scenario], None)
            if path is None:
                del drawn[scenario]
            elif path not in chains and len(chains) < wanted:
                chains[path] = _chain(f"chain-{len(chains) + 1:04}", scenario, path, graph)
    return Selection(tuple(chains.values()))


def paths(graph: Graph, start: Key, end: Key) -> Iterator[tuple[Key, ...]]:
    """Yield the paths between two tools that visit each tool once, the shortest first among those of one branch."""
    stack: list[tuple[Key, ...]] = [(start,)]
    while stack:
        path = stack.pop()
        if path[-1] == end:
            yield path
        elif len(path) < LONGEST_CHAIN:
            stack += [(*path, tool) for tool in sorted(graph.get(path[-1], {}), reverse=True) if tool not in path]


def _chains_of(
    scenario: str, edges: Sequence[EdgeCandidate], graph: Graph, rng: random.Random
) -> Iterator[tuple[Key, ...]]:
    """Yield a drawn path for each pair of a scenario's tools that has one, the pairs in a drawn order."""
    tools = sorted({tool.key for edge in edges if scenario in edge.scenarios for tool in (edge.first, edge.second)})
    pairs = list(permutations(tools, 2))
    rng.shuffle(pairs)
    for start, end in pairs:
        found = list(islice(paths(graph, start, end), _MOST_PATHS))
        if found:
            yield rng.choice(found)


def _graph(edges: Sequence[EdgeCandidate]) -> Graph:
    graph: dict[Key, dict[Key, EdgeCandidate]] = {}
    for edge in edges:
        graph.setdefault(edge.first.key, {})[edge.second.key] = edge
    return graph


def _scenarios(edges: Sequence[EdgeCandidate]) -> list[str]:
    return sorted({scenario for edge in edges for scenario in edge.scenarios})


def _chain(name: str, scenario: str, path: tuple[Key, ...], graph: Graph) -> ChainCandidate:
    steps = [graph[first][second] for first, second in pairwise(path)]
    tools = (steps[0].first, *(edge.second for edge in steps))
    return ChainCandidate(id=name, scenario=scenario, tools=tools, flows=tuple(edge.flows for edge in steps))
