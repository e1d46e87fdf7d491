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
    asks = setup.questions is not None
    return [
        WholeStage("samples", SampleCandidate, partial(_read_samples, setup)),
        WholeStage("edges", EdgeCandidate, _find_edges),
        EachStage("graph", EdgeCandidate, partial(confirm, setup), CONFIRMING if asks else None, setup.concurrency),
        WholeStage("chains", ChainCandidate, partial(_draw_chains, setup)),
        *(_request_stages_with_model(setup) if asks else _request_stages_by_rules(setup)),
        EachStage("task", TaskCandidate, _make_task),
    ]


def _request_stages_by_rules(setup: Setup) -> list[Stage]:
    return [EachStage("request", TrajectoryCandidate, partial(compose_request, setup))]


def _request_stages_with_model(setup: Setup) -> list[Stage]:
    return [
        EachStage("request", RequestCandidate, partial(write_request, setup), WRITING, setup.concurrency),
        EachStage("trajectory", TrajectoryCandidate, partial(play, setup), PLAYING, setup.concurrency),
    ]


async def _read_samples(setup: Setup, _nothing: Sequence[SampleCandidate]) -> Selection:
    return read_samples(setup)


async def _find_edges(samples: Sequence[SampleCandidate]) -> Selection:
    return candidate_edges(samples)


async def _draw_chains(setup: Setup, edges: Sequence[EdgeCandidate]) -> Selection:
    return draw_chains(setup, edges)


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
