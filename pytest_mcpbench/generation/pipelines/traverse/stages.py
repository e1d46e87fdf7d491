"""Stages of the pipeline ``traverse``, with a model or with rules in its place."""

from collections.abc import Sequence
from functools import partial

from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.stages import EachStage, Selection, Stage, WholeStage
from pytest_mcpbench.generation.pipelines.tools.candidates import ToolCandidate
from pytest_mcpbench.generation.pipelines.tools.collecting import try_arguments
from pytest_mcpbench.generation.pipelines.traverse import invalid_calls, recording, simulating, valid_calls
from pytest_mcpbench.generation.pipelines.traverse.candidates import (
    CallCandidate,
    FileCandidate,
    SeedCandidate,
    TraceCandidate,
)
from pytest_mcpbench.generation.pipelines.traverse.files import only_traces, with_simulations
from pytest_mcpbench.generation.pipelines.traverse.seeds import (
    collect_seeds,
    server_of,
    with_given,
    with_untried_calls,
)


def stages(setup: Setup) -> Sequence[Stage]:
    """Return the stages up to the recorded calls. Raises UsageError for a second server and files without text."""
    server_of(setup)
    recording.files_of(setup)

    questions, many = setup.questions, setup.concurrency
    has_model = questions is not None
    asks_for_calls = [valid_calls.ASKING, invalid_calls.ASKING, recording.ASKING] if has_model else [None] * 3
    expanding, breaking, deciding = asks_for_calls
    return [
        WholeStage("collect", ToolCandidate, partial(_collect_seeds, setup)),
        WholeStage("seeds", ToolCandidate, partial(_try_seeds, setup)),
        WholeStage("given", SeedCandidate, partial(_add_given_calls, setup)),
        EachStage("self-fc", CallCandidate, partial(valid_calls.expand_calls, setup, questions), expanding, many),
        EachStage("invalid", CallCandidate, partial(invalid_calls.add_invalid_calls, setup, questions), breaking, many),
        EachStage("execute", TraceCandidate, partial(recording.execute, setup), concurrency=many),
        EachStage("discriminate", TraceCandidate, partial(recording.discriminate, questions), deciding, many),
        WholeStage("choice", TraceCandidate, partial(_choose_traces, setup)),
    ]


async def _collect_seeds(setup: Setup, _nothing: Sequence[ToolCandidate]) -> Selection:
    return await collect_seeds(setup)


async def _try_seeds(setup: Setup, tools: Sequence[ToolCandidate]) -> Selection:
    return with_untried_calls(setup, await try_arguments(setup, tools))


async def _add_given_calls(setup: Setup, tools: Sequence[ToolCandidate]) -> Selection:
    return with_given(setup, tools)


async def _choose_traces(setup: Setup, traces: Sequence[TraceCandidate]) -> Selection:
    return recording.choose(setup, traces)


def last_stages(setup: Setup) -> Sequence[Stage]:
    """Return the stage that makes the files: of the traces and, with a model, of simulations."""
    if setup.questions is None:
        return [WholeStage("files", FileCandidate, only_traces)]
    writing = partial(with_simulations, setup, setup.questions)
    return [WholeStage("simulation", FileCandidate, writing, simulating.ASKING)]
