"""Stages of the pipeline ``traverse``, with a model or with rules in its place."""

import json
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from pydantic import BaseModel, JsonValue

from pytest_mcpbench.definitions.canonical import ToolDefinition
from pytest_mcpbench.definitions.lint.parameters import top_parameters
from pytest_mcpbench.definitions.lint.schema_rules import value_problem
from pytest_mcpbench.generation.pipeline.questions import Questions, UnreadableReplyError
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.stages import Asking, EachStage, Outcome, Selection, Stage, WholeStage
from pytest_mcpbench.generation.pipelines.tools.candidates import Arguments, ToolCandidate
from pytest_mcpbench.generation.pipelines.tools.collecting import try_arguments
from pytest_mcpbench.generation.pipelines.traverse import invalid_calls, recording, simulating
from pytest_mcpbench.generation.pipelines.traverse.candidates import (
    CallCandidate,
    FileCandidate,
    SeedCandidate,
    TraceCandidate,
)
from pytest_mcpbench.generation.pipelines.traverse.files import only_traces, with_simulations
from pytest_mcpbench.generation.pipelines.traverse.seeds import collect_seeds, server_of, with_given, with_untried_calls

# Further valid calls of a tool, from those that the server has answered (Self-FC, MCP-Persona 3.1).

MOST = 8
"""Valid calls of one tool."""
ASKING = Asking(prompt_tokens=900, reply_tokens=400)
_INSTRUCTIONS = """You extend a pool of valid calls of one tool of an MCP server. You see the tool's definition and \
calls that the server answered. Write further calls with other combinations of parameters and other values. Use only \
values that the given calls or the definition show, or that the server accepts whatever its data are. Every call fits \
the schema."""


class _FurtherCalls(BaseModel):
    """Reply of the model."""

    arguments: list[dict[str, JsonValue]]


async def expand_calls(setup: Setup, questions: Questions | None, seed: SeedCandidate) -> Outcome:
    """Return the seed calls of a tool and further valid ones: of the model, and variants with optional parameters."""
    tool = setup.tool(seed.server, seed.tool)
    if questions is None:
        written = []
    else:
        prompt = f"{json.dumps(tool.canonical, ensure_ascii=False)}\n\nCalls:\n" + "\n".join(
            map(_text, seed.known_arguments)
        )
        try:
            written = (await questions.ask(_INSTRUCTIONS, prompt, _FurtherCalls)).arguments
        except UnreadableReplyError:
            written = []
    schema = tool.input_schema
    fitting = [each for each in written if value_problem(dict(each), schema, schema) is None]
    calls = [*seed.known_arguments, *fitting, *_variants(tool, seed)]
    found = list({_text(each): each for each in calls}.values())[:MOST]
    return [
        CallCandidate(
            id=f"{seed.tool}.{number}",
            server=seed.server,
            tool=seed.tool,
            arguments=arguments,
            given=seed.given,
            is_seed=number == 1,
        )
        for number, arguments in enumerate(found, 1)
    ]


def _variants(tool: ToolDefinition, seed: SeedCandidate) -> Iterator[Arguments]:
    """Yield the first call without each optional parameter, and with each one of which a value is known."""
    if not seed.known_arguments:
        return
    base = seed.known_arguments[0]
    for parameter in top_parameters(tool):
        if parameter.name in base and parameter.name not in tool.required:
            yield {name: value for name, value in base.items() if name != parameter.name}
        elif parameter.name not in base:
            # Values of other calls, of the enum, or both truth values.
            seen = [each[parameter.name] for each in seed.known_arguments if parameter.name in each]
            listed = list(parameter.values or ())
            values: list[Any] = seen[:1] or listed[:2] or ([True, False] if parameter.types == {"boolean"} else [])
            yield from ({**base, parameter.name: value} for value in values)


def _text(arguments: Arguments) -> str:
    return json.dumps(arguments, sort_keys=True, ensure_ascii=False)


def stages(setup: Setup) -> Sequence[Stage]:
    """Return the stages up to the recorded calls. Raises UsageError for a second server and files without text."""
    server_of(setup)
    recording.files_of(setup)

    questions, many = setup.questions, setup.concurrency
    has_model = questions is not None
    asks_for_calls = [ASKING, invalid_calls.ASKING, recording.ASKING] if has_model else [None] * 3
    expanding, breaking, deciding = asks_for_calls
    return [
        WholeStage("collect", ToolCandidate, lambda _nothing: collect_seeds(setup)),
        WholeStage("seeds", ToolCandidate, partial(_try_seeds, setup)),
        WholeStage("given", SeedCandidate, partial(with_given, setup)),
        EachStage("self-fc", CallCandidate, partial(expand_calls, setup, questions), expanding, many),
        EachStage("invalid", CallCandidate, partial(invalid_calls.add_invalid_calls, setup, questions), breaking, many),
        EachStage("execute", TraceCandidate, partial(recording.execute, setup), concurrency=many),
        EachStage("discriminate", TraceCandidate, partial(recording.discriminate, questions), deciding, many),
        WholeStage("choice", TraceCandidate, partial(recording.choose, setup)),
    ]


async def _try_seeds(setup: Setup, tools: Sequence[ToolCandidate]) -> Selection:
    return with_untried_calls(setup, await try_arguments(setup, tools))


def last_stages(setup: Setup) -> Sequence[Stage]:
    """Return the stage that makes the files: of the traces and, with a model, of simulations."""
    if setup.questions is None:
        return [WholeStage("files", FileCandidate, only_traces)]
    writing = partial(with_simulations, setup, setup.questions)
    return [WholeStage("simulation", FileCandidate, writing, simulating.ASKING)]
