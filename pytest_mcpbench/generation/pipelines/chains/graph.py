"""The tool dependency graph (FinMCP-Bench 2.2): which tool may depend on which."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from pydantic import BaseModel, Field

from pytest_mcpbench.generation.pipeline.candidates import Drop
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.stages import Asking, Outcome, Selection
from pytest_mcpbench.generation.pipelines.chains.candidates import (
    EdgeCandidate,
    Example,
    Flow,
    SampleCall,
    SampleCandidate,
    Tool,
)
from pytest_mcpbench.generation.pipelines.chains.flows import flows_into

CONFIRMING = Asking(prompt_tokens=500, reply_tokens=60)
_MOST_EXAMPLES = 3
"""Examples of each tool."""
_INSTRUCTIONS = (
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
    tools = _tools(samples)
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
        f"{number} tool: {_tool_text(setup, tool)}" for number, tool in (("First", edge.first), ("Second", edge.second))
    ]
    flows = ", ".join(f"{flow.path or 'the result'} -> {flow.parameter}" for flow in edge.flows)
    question = "\n\n".join(
        [*parts, *([f"Values that went from the first to the second in recorded calls: {flows}"] if flows else [])]
    )
    judgement = await setup.questions.ask(_INSTRUCTIONS, question, _Judgement)
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
        for first in before:
            for second in after:
                found.setdefault((_key(first), _key(second)), set())
    for first, second in _in_order(sample.steps):
        if flows := set(flows_into(second, first, sample.request)):
            found.setdefault((_key(first), _key(second)), set()).update(flows)
    return {pair: flows for pair, flows in found.items() if pair[0] != pair[1]}


def _in_order(steps: Sequence[Sequence[SampleCall]]) -> Iterator[tuple[SampleCall, SampleCall]]:
    for at, step in enumerate(steps):
        for later in steps[at + 1 :]:
            yield from ((first, second) for first in step for second in later)


def _tools(samples: Sequence[SampleCandidate]) -> dict[Key, Tool]:
    """Return the tools with examples; requests that needed one call come first."""
    examples: dict[Key, list[Example]] = {}
    for sample in sorted(samples, key=lambda each: sum(map(len, each.steps)) > 1):
        for call in (call for step in sample.steps for call in step):
            examples.setdefault(_key(call), []).append(Example(request=sample.request, arguments=call.arguments))
    return {
        key: Tool(server=key[0], tool=key[1], examples=tuple(found[:_MOST_EXAMPLES])) for key, found in examples.items()
    }


def _key(call: SampleCall) -> Key:
    return call.server, call.tool


def _tool_text(setup: Setup, tool: Tool) -> str:
    return f"{tool.tool}\n{setup.tool(tool.server, tool.tool).description}"
