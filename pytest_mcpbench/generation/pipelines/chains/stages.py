"""Stages of the pipeline ``chains``, with a model or with rules in its place."""

import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations, islice, pairwise, permutations, product
from typing import Any

from pydantic import BaseModel, Field, JsonValue

from pytest_mcpbench.core.task import Limits, Task, Turn
from pytest_mcpbench.definitions.lint.words import words_of
from pytest_mcpbench.generation.pipeline.candidates import Drop, TaskCandidate
from pytest_mcpbench.generation.pipeline.model_attempts import attempt_with_model
from pytest_mcpbench.generation.pipeline.paths import with_value
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.stages import Asking, EachStage, Outcome, Selection, Stage, WholeStage
from pytest_mcpbench.generation.pipelines.chains.candidates import (
    ChainCall,
    ChainRequest,
    EdgeCandidate,
    Example,
    Flow,
    SampleCall,
    SampleCandidate,
    Tool,
    ToolChain,
    TrajectoryCandidate,
)
from pytest_mcpbench.generation.pipelines.chains.flows import argument_values, flow_into, flows_into
from pytest_mcpbench.generation.pipelines.chains.samples import read_samples, sample_call
from pytest_mcpbench.generation.pipelines.tools.orders import UnspeakableError
from pytest_mcpbench.generation.pipelines.tools.phrases import OrderClause, clause
from pytest_mcpbench.generation.pipelines.tools.sentences import request_of
from pytest_mcpbench.generation.pipelines.tools.spoken import spoken_value

# The tool dependency graph (FinMCP-Bench 2.2): which tool may depend on which.

CONFIRMING = Asking(prompt_tokens=500, reply_tokens=60)
_MOST_EXAMPLES = 3
"""Examples of each tool."""
_DEPENDENCY_INSTRUCTIONS = (
    "You know how assistants combine tools. Decide whether it is reasonable that a call of the second tool depends on "
    "the result of the first tool: the result has what the second tool needs, or decides whether it is called."
)

Key = tuple[str, str]


class _Judgement(BaseModel):
    is_reasonable: bool
    reason: str = Field("", description="one sentence")


def candidate_edges(samples: Sequence[SampleCandidate]) -> Selection:
    """Return an edge for each two tools of which one was called in the step before, or used a result of, the other."""
    pairs: dict[tuple[Key, Key], _Pair] = {}
    for sample in samples:
        for (first, second), flows in _pairs(sample).items():
            pair = pairs.setdefault((first, second), _Pair())
            pair.scenarios[sample.scenario] += 1
            pair.flows.update(flows)
    examples: dict[Key, list[Example]] = {}
    # Requests that needed one call come first.
    for sample in sorted(samples, key=lambda each: sum(map(len, each.steps)) > 1):
        for call in (call for step in sample.steps for call in step):
            examples.setdefault(_key(call), []).append(Example(request=sample.request, arguments=call.arguments))
    tools = {
        key: Tool(server=key[0], tool=key[1], examples=tuple(found[:_MOST_EXAMPLES])) for key, found in examples.items()
    }
    return Selection(
        [
            EdgeCandidate(
                id=f"edge-{number:04}",
                first=tools[first],
                second=tools[second],
                scenarios=tuple(sorted(pair.scenarios)),
                samples=pair.scenarios.total(),
                flows=pair.main_flows(),
            )
            for number, ((first, second), pair) in enumerate(sorted(pairs.items()), 1)
        ]
    )


async def confirm(setup: Setup, edge: EdgeCandidate) -> Outcome:
    """Drop an edge that the model finds unreasonable; without a model, one along which no value flows."""
    if setup.questions is None:
        return [edge] if edge.flows else Drop("no value flows from one tool to the other")
    parts = [
        f"{number} tool: {tool.tool}\n{setup.tool(tool.server, tool.tool).description}"
        for number, tool in (("First", edge.first), ("Second", edge.second))
    ]
    flows = ", ".join(f"{flow.path or 'the result'} -> {flow.parameter}" for flow in edge.flows)
    question = "\n\n".join(
        [*parts, *([f"Values that went from the first to the second in recorded calls: {flows}"] if flows else [])]
    )
    judgement = await setup.questions.ask(_DEPENDENCY_INSTRUCTIONS, question, _Judgement)
    return [edge] if judgement.is_reasonable else Drop("the model finds no dependency", judgement.reason)


@dataclass
class _Pair:
    """Samples of two tools in one order."""

    scenarios: Counter[str] = field(default_factory=Counter)
    flows: Counter[Flow] = field(default_factory=Counter)

    def main_flows(self) -> tuple[Flow, ...]:
        """Return the most frequent flow into each argument."""
        best: dict[str, Flow] = {}
        for flow, _ in sorted(self.flows.items(), key=lambda item: (-item[1], item[0].path)):
            best.setdefault(flow.parameter, flow)
        return tuple(best[name] for name in sorted(best))


def _pairs(sample: SampleCandidate) -> dict[tuple[Key, Key], set[Flow]]:
    """Return the tools of neighbouring steps and those between which a value flows, with the flows."""
    found: dict[tuple[Key, Key], set[Flow]] = {}
    for before, after in pairwise(sample.steps):
        for first, second in product(before, after):
            found.setdefault((_key(first), _key(second)), set())
    for before, after in combinations(sample.steps, 2):
        for first, second in product(before, after):
            if flows := set(flows_into(second, first, sample.request)):
                found.setdefault((_key(first), _key(second)), set()).update(flows)
    return {pair: flows for pair, flows in found.items() if pair[0] != pair[1]}


def _key(call: SampleCall) -> Key:
    return call.server, call.tool


# Chains: paths of the graph between two tools of one scenario (FinMCP-Bench 2.2).

LONGEST_CHAIN = 6
"""Tools of a chain at most."""
_MOST_PATHS = 200
"""Paths between two tools from which one is drawn."""
_OVERSAMPLING = 3
"""Chains for each task; later stages drop some."""

Graph = Mapping[Key, Mapping[Key, EdgeCandidate]]


def draw_chains(setup: Setup, edges: Sequence[EdgeCandidate]) -> Selection:
    """Return different chains, one of each scenario in turn."""
    graph: dict[Key, dict[Key, EdgeCandidate]] = {}
    for edge in edges:
        graph.setdefault(edge.first.key, {})[edge.second.key] = edge
    rng = setup.random("chains")
    scenarios = sorted({scenario for edge in edges for scenario in edge.scenarios})
    drawn = {scenario: _chains_of(scenario, edges, graph, rng) for scenario in scenarios}
    chains: dict[tuple[Key, ...], ToolChain] = {}
    wanted = _OVERSAMPLING * setup.settings.tasks
    while drawn and len(chains) < wanted:
        for scenario in list(drawn):
            path = next(drawn[scenario], None)
            if path is None:
                del drawn[scenario]
            elif path not in chains and len(chains) < wanted:
                name = f"chain-{len(chains) + 1:04}"
                steps = [graph[first][second] for first, second in pairwise(path)]
                tools = (steps[0].first, *(edge.second for edge in steps))
                chains[path] = ToolChain(
                    id=name, scenario=scenario, tools=tools, flows=tuple(edge.flows for edge in steps)
                )
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


# The trajectory of a request: a model makes it on the servers, and it must follow the chain (FinMCP-Bench 2.2).

PLAYING = Asking(prompt_tokens=3000, reply_tokens=150, questions=5)
_LIMITS = Limits(rounds=15, tool_calls=20)


async def play(setup: Setup, candidate: ChainRequest) -> Outcome:
    """Return the candidate with the calls that the model made; drop one whose calls do not follow the chain."""
    assert setup.questions is not None, "without a model rules plan the calls"
    task = Task(
        id=candidate.id,
        turns=(Turn(user=candidate.request),),
        servers=tuple(sorted({tool.server for tool in candidate.tools})),
        limits=_LIMITS,
    )
    evidence = await attempt_with_model(setup, setup.questions, task)
    if isinstance(evidence, Drop):
        return evidence
    trajectory = evidence.trajectory
    if trajectory.stop != "answered":
        return Drop("the model does not finish the request", trajectory.stop)
    steps = tuple(
        tuple(map(sample_call, (call for call in step.calls if not call.is_error))) for step in trajectory.steps
    )
    steps = tuple(step for step in steps if step)
    if not follows(steps, candidate.tools):
        return Drop("the calls do not follow the chain", " -> ".join(call.tool for step in steps for call in step))
    calls = with_references(steps, candidate.request)
    return [TrajectoryCandidate(**candidate.model_dump(), calls=calls)]


def follows(steps: Sequence[Sequence[SampleCall]], tools: Iterable[Tool]) -> bool:
    """Return whether the tools were called in this order, each in a later step; other calls may stand between."""
    left = iter(steps)
    return all(any(tool.key in map(_key, step) for step in left) for tool in tools)


def with_references(steps: Sequence[Sequence[SampleCall]], request: str) -> tuple[tuple[ChainCall, ...], ...]:
    """Return the calls with ids; values that come from earlier results refer to them."""
    earlier: list[SampleCall] = []
    made: list[tuple[ChainCall, ...]] = []
    for step in steps:
        group: list[ChainCall] = []
        for call in step:
            number = len(earlier) + len(group) + 1
            arguments = _arguments_with_references(call.arguments, earlier, request)
            group.append(
                ChainCall(id=str(number), server=call.server, tool=call.tool, arguments=arguments, result=call.result)
            )
        earlier += step
        made.append(tuple(group))
    return tuple(made)


def _arguments_with_references(
    arguments: Mapping[str, JsonValue], earlier: Sequence[SampleCall], request: str
) -> dict[str, JsonValue]:
    referring: Any = dict(arguments)
    for path, value in argument_values(arguments):
        source = flow_into(value, earlier, request)
        if source is not None:
            referring = with_value(referring, ".".join(map(str, path)), f"<{source[0] + 1}_result{source[1]}>")
    return dict(referring)


# The request of a chain, by a model from requests for its single tools, or by rules (FinMCP-Bench 2.2).

WRITING = Asking(prompt_tokens=1500, reply_tokens=120)
_INSTRUCTIONS = (
    "You write requests of people who talk to an assistant. Write one request that needs the given tools in the given "
    "order, where each tool uses what the tool before it returned. Use the examples for subject, style and values. "
    "State every value that the assistant cannot find out by itself. Name no tool, and do not say how to proceed."
)
_ORDINALS = ("first", "second", "third", "fourth", "fifth")


class _Request(BaseModel):
    request: str = Field(description="the request, in the language of the examples")


async def write_request(setup: Setup, chain: ToolChain) -> Outcome:
    """Return the chain with the request that a model wrote."""
    assert setup.questions is not None, "without a model rules write requests"
    tool_texts: list[str] = []
    for at, tool in enumerate(chain.tools, 1):
        head = f"{at}. {tool.tool}: {setup.tool(tool.server, tool.tool).description}"
        examples = [f"  {_json(each.request)} -> {_json(each.arguments)}" for each in tool.examples]
        tool_texts.append("\n".join([head, "Examples, with the arguments of the call:", *examples]))
    prompt = "\n\n".join(tool_texts)
    reply = await setup.questions.ask(_INSTRUCTIONS, prompt, _Request)
    return [ChainRequest(**chain.model_dump(), request=reply.request)]


async def compose_request(setup: Setup, chain: ToolChain) -> Outcome:
    """Return the chain with a request and reference that rules put together.

    Arguments are those of the first example of each tool, except those into which results flow.
    """
    clauses: list[OrderClause] = []
    calls: list[ChainCall] = []
    try:
        for at, tool in enumerate(chain.tools):
            flows = chain.flows[at - 1] if at else ()
            example = tool.examples[0].arguments if tool.examples else {}
            flowing = {flow.parameter.split(".")[0] for flow in flows}
            own = {name: value for name, value in example.items() if name not in flowing}
            referents = {flow.parameter: _referent(flow) for flow in flows}
            said = {name: spoken_value(value) for name, value in own.items()} | referents
            clauses.append(clause(setup.tool(tool.server, tool.tool), said, {**own, **referents}, referents))
            arguments: Any = own
            for flow in flows:
                arguments = with_value(arguments, flow.parameter, f"<{at}_result{flow.path}>")
            calls.append(ChainCall(id=str(at + 1), server=tool.server, tool=tool.tool, arguments=arguments))
    except UnspeakableError as error:
        return Drop("rules have no words for a call", str(error))
    request = request_of(clauses, range(len(clauses)), setup.random(f"request of {chain.id}"))
    return [TrajectoryCandidate(**chain.model_dump(), request=request, calls=tuple((call,) for call in calls))]


def _referent(flow: Flow) -> str:
    """Return the words for a value of the result before."""
    positions = [int(part) for part in re.findall(r"\.(\d+)(?=\.|$)", flow.path)]
    name = words_of(flow.parameter)
    if not positions:
        return "that"
    if len(positions) > 1 or positions[0] >= len(_ORDINALS):
        raise UnspeakableError("a value lies too deep in a result")
    owner = " ".join(name[:-1]) if name[-1] == "id" else ""
    return f"the {_ORDINALS[positions[0]]} {owner or 'one'}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def stages(setup: Setup) -> Sequence[Stage]:
    """Return the stages up to the tasks."""
    asks = setup.questions is not None
    if asks:
        request_stages = [
            EachStage("request", ChainRequest, partial(write_request, setup), WRITING, setup.concurrency),
            EachStage("trajectory", TrajectoryCandidate, partial(play, setup), PLAYING, setup.concurrency),
        ]
    else:
        request_stages = [EachStage("request", TrajectoryCandidate, partial(compose_request, setup))]
    return [
        WholeStage("samples", SampleCandidate, lambda _nothing: read_samples(setup)),
        WholeStage("edges", EdgeCandidate, candidate_edges),
        EachStage("graph", EdgeCandidate, partial(confirm, setup), CONFIRMING if asks else None, setup.concurrency),
        WholeStage("chains", ToolChain, partial(draw_chains, setup)),
        *request_stages,
        EachStage("task", TaskCandidate, _make_task),
    ]


async def _make_task(candidate: TrajectoryCandidate) -> Outcome:
    """Return the task in the native format."""
    calls = [
        [call.model_dump(include={"id", "server", "tool", "arguments"}) for call in step] for step in candidate.calls
    ]
    tags = {
        "scenario": candidate.scenario,
        "calls": str(sum(map(len, candidate.calls))),
        "steps": str(len(candidate.calls)),
    }
    servers = sorted({call.server for step in candidate.calls for call in step})
    task = {"id": candidate.id, "ask": candidate.request, "servers": servers, "calls": calls, "tags": tags}
    return [TaskCandidate(id=candidate.id, task=task)]
