"""Stages of the pipeline ``chains``, with a model or with rules in its place."""

from collections.abc import Sequence
from functools import partial

from pytest_mcpbench.generation.pipeline.candidates import TaskCandidate
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.stages import EachStage, Outcome, Selection, Stage, WholeStage
from pytest_mcpbench.generation.pipelines.chains.candidates import (
    ChainCandidate,
    EdgeCandidate,
    RequestCandidate,
    SampleCandidate,
    TrajectoryCandidate,
)
from pytest_mcpbench.generation.pipelines.chains.graph import CONFIRMING, candidate_edges, confirm
from pytest_mcpbench.generation.pipelines.chains.paths import draw_chains
from pytest_mcpbench.generation.pipelines.chains.requests import WRITING, compose_request, write_request
from pytest_mcpbench.generation.pipelines.chains.samples import read_samples
from pytest_mcpbench.generation.pipelines.chains.trajectories import PLAYING, play


def stages(setup: Setup) -> Sequence[Stage]:
    """Return the stages up to the tasks."""

    async def read(_nothing: Sequence[SampleCandidate]) -> Selection:
        return read_samples(setup)

    async def connected(samples: Sequence[SampleCandidate]) -> Selection:
        return candidate_edges(samples)

    async def drawn(edges: Sequence[EdgeCandidate]) -> Selection:
        return draw_chains(setup, edges)

    asks = setup.questions is not None
    return [
        WholeStage("samples", SampleCandidate, read),
        WholeStage("edges", EdgeCandidate, connected),
        EachStage("graph", EdgeCandidate, partial(confirm, setup), CONFIRMING if asks else None, setup.concurrency),
        WholeStage("chains", ChainCandidate, drawn),
        *(
            _stages_with_model(setup)
            if asks
            else [EachStage("request", TrajectoryCandidate, partial(compose_request, setup))]
        ),
        EachStage("task", TaskCandidate, _task),
    ]


def _stages_with_model(setup: Setup) -> list[Stage]:
    return [
        EachStage("request", RequestCandidate, partial(write_request, setup), WRITING, setup.concurrency),
        EachStage("trajectory", TrajectoryCandidate, partial(play, setup), PLAYING, setup.concurrency),
    ]


async def _task(candidate: TrajectoryCandidate) -> Outcome:
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
