"""The request of a chain, by a model from requests for its single tools, or by rules (FinMCP-Bench 2.2)."""

import json
import re
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, Field, JsonValue

from pytest_mcpbench.definitions.lint.words import words_of
from pytest_mcpbench.generation.pipeline.candidates import Drop
from pytest_mcpbench.generation.pipeline.paths import with_value
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.stages import Asking, Outcome
from pytest_mcpbench.generation.pipelines.chains.candidates import (
    ChainCandidate,
    Flow,
    ReferenceCall,
    RequestCandidate,
    Tool,
    TrajectoryCandidate,
)
from pytest_mcpbench.generation.pipelines.tools.orders import UnspeakableError
from pytest_mcpbench.generation.pipelines.tools.phrases import Clause, clause
from pytest_mcpbench.generation.pipelines.tools.sentences import request_of
from pytest_mcpbench.generation.pipelines.tools.spoken import spoken_value

WRITING = Asking(prompt_tokens=1500, reply_tokens=120)
_INSTRUCTIONS = (
    "You write requests of people who talk to an assistant. Write one request that needs the given tools in the given "
    "order, where each tool uses what the tool before it returned. Use the examples for subject, style and values. "
    "State every value that the assistant cannot find out by itself. Name no tool, and do not say how to proceed."
)
_ORDINALS = ("first", "second", "third", "fourth", "fifth")


class _Request(BaseModel):
    request: str = Field(description="the request, in the language of the examples")


async def write_request(setup: Setup, chain: ChainCandidate) -> Outcome:
    """Return the chain with the request that a model wrote."""
    assert setup.questions is not None, "without a model rules write requests"
    reply = await setup.questions.ask(_INSTRUCTIONS, _prompt(setup, chain), _Request)
    return [RequestCandidate(**chain.model_dump(), request=reply.request)]


async def compose_request(setup: Setup, chain: ChainCandidate) -> Outcome:
    """Return the chain with a request and reference that rules put together.

    Arguments are those of the first example of each tool, except those into which results flow.
    """
    clauses: list[Clause] = []
    calls: list[ReferenceCall] = []
    try:
        for at, tool in enumerate(chain.tools):
            flows = chain.flows[at - 1] if at else ()
            own = _own_arguments(tool, flows)
            clauses.append(_clause(setup, tool, own, flows))
            calls.append(_planned_call(tool, own, flows, at + 1))
    except UnspeakableError as error:
        return Drop("rules have no words for a call", str(error))
    request = request_of(clauses, range(len(clauses)), setup.random(f"request of {chain.id}"))
    return [TrajectoryCandidate(**chain.model_dump(), request=request, calls=tuple((call,) for call in calls))]


def _prompt(setup: Setup, chain: ChainCandidate) -> str:
    return "\n\n".join(_tool_text(setup, at, tool) for at, tool in enumerate(chain.tools, 1))


def _tool_text(setup: Setup, number: int, tool: Tool) -> str:
    head = f"{number}. {tool.tool}: {setup.tool(tool.server, tool.tool).description}"
    examples = [f"  {_json(each.request)} -> {_json(each.arguments)}" for each in tool.examples]
    return "\n".join([head, "Examples, with the arguments of the call:", *examples])


def _own_arguments(tool: Tool, flows: Sequence[Flow]) -> dict[str, JsonValue]:
    """Return the arguments of the first example without those into which values flow."""
    arguments = tool.examples[0].arguments if tool.examples else {}
    flowing = {flow.parameter.split(".")[0] for flow in flows}
    return {name: value for name, value in arguments.items() if name not in flowing}


def _planned_call(tool: Tool, own: dict[str, JsonValue], flows: Sequence[Flow], number: int) -> ReferenceCall:
    arguments: Any = own
    for flow in flows:
        arguments = with_value(arguments, flow.parameter, f"<{number - 1}_result{flow.path}>")
    return ReferenceCall(id=str(number), server=tool.server, tool=tool.tool, arguments=arguments)


def _clause(setup: Setup, tool: Tool, own: dict[str, JsonValue], flows: Sequence[Flow]) -> Clause:
    referents = {flow.parameter: _referent(flow) for flow in flows}
    said = {name: spoken_value(value) for name, value in own.items()} | referents
    return clause(setup.tool(tool.server, tool.tool), said, {**own, **referents}, referents)


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
