"""Stages of the proof, which follow those of every pipeline."""

from collections.abc import Iterator, Sequence
from functools import partial

from pytest_mcpbench.generation.pipeline.candidates import TaskCandidate
from pytest_mcpbench.generation.pipeline.setup import Setup, Solver
from pytest_mcpbench.generation.pipeline.stages import Asking, EachStage, Selection, Stage, WholeStage
from pytest_mcpbench.generation.proof.choosing import choose
from pytest_mcpbench.generation.proof.distinct import keep_distinct
from pytest_mcpbench.generation.proof.playing import Proof

_SHORTLIST = 1.5
"""Candidates that are played, for each task; playing costs time, and some may fail."""
_SOLVER_ROUNDS = 3
"""Requests of one attempt of the solver, for the estimate."""
_SOLVER_PROMPT_TOKENS = 3000
_SOLVER_REPLY_TOKENS = 150


def proof_stages(setup: Setup) -> Iterator[Stage]:
    """Yield the stages that prove tasks and choose as many as were asked for."""
    proof = Proof(setup, setup.player)
    yield EachStage("wording", TaskCandidate, proof.check_wording)
    yield WholeStage("distinct", TaskCandidate, keep_distinct)
    shortlisted = round(_SHORTLIST * setup.settings.tasks)
    yield WholeStage("shortlist", TaskCandidate, partial(_choose, shortlisted))
    yield EachStage("reference", TaskCandidate, proof.play_reference, concurrency=setup.concurrency)
    yield EachStage("trivial", TaskCandidate, proof.play_trivial_agents, concurrency=setup.concurrency)
    yield WholeStage("choice", TaskCandidate, partial(_choose, setup.settings.tasks))
    if setup.solver is not None:
        yield _solver_stage(setup, proof, setup.solver)


async def _choose(number: int, candidates: Sequence[TaskCandidate]) -> Selection:
    return choose(candidates, number)


def _solver_stage(setup: Setup, proof: Proof, solver: Solver) -> Stage:
    solve = partial(proof.solve, solver=solver)
    requests = _SOLVER_ROUNDS * setup.settings.trials
    asks = Asking(_SOLVER_PROMPT_TOKENS, _SOLVER_REPLY_TOKENS, requests, setup.settings.tasks)
    return EachStage("solver", TaskCandidate, solve, asks if solver.asks_model else None, concurrency=setup.concurrency)
