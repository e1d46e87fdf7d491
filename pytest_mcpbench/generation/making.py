"""Runs of pipelines: all stages in order, and then the files of the result."""

import itertools
import os
import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import cast

from pytest_mcpbench.generation.pipeline.candidates import Drop, Dropped, TaskCandidate
from pytest_mcpbench.generation.pipeline.output_files import write_output
from pytest_mcpbench.generation.pipeline.paths import scalars
from pytest_mcpbench.generation.pipeline.running import Listener, PipelineResult, run_stages
from pytest_mcpbench.generation.pipeline.setup import End, Output, Pipeline, Setup
from pytest_mcpbench.generation.pipeline.stages import Asking, EachStage, Selection, Stage, WholeStage, summary
from pytest_mcpbench.generation.pipeline.suite_text import TASKS_FILE, source_md, tasks_jsonl
from pytest_mcpbench.generation.proof.playing import LEXICAL, Proof
from pytest_mcpbench.reporting.forms.number_formats import quantity
from pytest_mcpbench.servers.secret_filter import SecretFilter
from pytest_mcpbench.statistics.groups import group_by, round_robin

# The choice of as many tasks as were asked for, in equal shares.

SHARE = "calls"
"""Tag whose values get equal shares, as far as there are enough candidates."""


_LATER = 2
"""Turns by which a task that ``lexical`` passes waits."""


def choose(candidates: Sequence[TaskCandidate], number: int) -> Selection:
    """Keep a number of candidates, one of each group in turn, in the order of the candidates.

    In each group the tools take turns. Tasks that ``lexical`` passes tell agents apart least: they come after the
    others of their tools, and two turns later.
    """
    turns: dict[str, int] = {}
    for own in group_by(sorted(candidates, key=_is_passed_by_lexical), _tools).values():
        turns.update({each.id: turn + _LATER * _is_passed_by_lexical(each) for turn, each in enumerate(own)})
    by_turns = sorted(candidates, key=lambda each: turns[each.id])
    groups = group_by(by_turns, lambda each: _tag(each, SHARE))
    in_turn = list(round_robin(groups.values()))
    chosen = {each.id for each in in_turn[:number]}
    kept = [each for each in candidates if each.id in chosen]
    rest = [Dropped.of(each, Drop("enough tasks without it")) for each in candidates if each.id not in chosen]
    return Selection(kept, rest)


def _tools(candidate: TaskCandidate) -> str:
    """Return the tools of the reference calls."""
    return str([value for path, value in scalars(candidate.task.get("calls")) if path[-1] == "tool"])


def _is_passed_by_lexical(candidate: TaskCandidate) -> bool:
    return bool(_tag(candidate, LEXICAL))


def _tag(candidate: TaskCandidate, name: str) -> str:
    tags = candidate.task.get("tags")
    return str(tags.get(name, "")) if isinstance(tags, dict) else ""


# Removal of candidates whose request has nearly the same words as an earlier one.

MOST_SIMILAR = 0.8
"""Largest Jaccard index of the pairs of neighbouring words of two requests."""


def keep_distinct(candidates: Sequence[TaskCandidate]) -> Selection:
    """Keep the first of the candidates whose requests have nearly the same words."""
    kept: list[tuple[TaskCandidate, frozenset[str]]] = []
    dropped: list[Dropped] = []
    for candidate in candidates:
        requests = [str(candidate.task.get("ask", ""))]
        turns = candidate.task.get("turns")
        for turn in turns if isinstance(turns, list) else ():
            requests.append(str(turn.get("user", turn.get("ask", "")) if isinstance(turn, dict) else turn))
        words = ["", *re.findall(r"\w+", " ".join(requests).casefold()), ""]
        pairs = frozenset(f"{first} {second}" for first, second in itertools.pairwise(words))
        twin = next((other for other, theirs in kept if len(pairs & theirs) / len(pairs | theirs) > MOST_SIMILAR), None)
        if twin is None:
            kept.append((candidate, pairs))
        else:
            dropped.append(Dropped.of(candidate, Drop("the request resembles that of another task", twin.id)))
    return Selection([candidate for candidate, _ in kept], dropped)


# Stages of the proof, which follow those of every pipeline.

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
    yield WholeStage("shortlist", TaskCandidate, partial(choose, number=shortlisted))
    yield EachStage("reference", TaskCandidate, proof.play_reference, concurrency=setup.concurrency)
    yield EachStage("trivial", TaskCandidate, proof.play_trivial_agents, concurrency=setup.concurrency)
    yield WholeStage("choice", TaskCandidate, partial(choose, number=setup.settings.tasks))
    if setup.solver is not None:
        solver = setup.solver
        solve = partial(proof.solve, solver=solver)
        requests = _SOLVER_ROUNDS * setup.settings.trials
        asks = Asking(_SOLVER_PROMPT_TOKENS, _SOLVER_REPLY_TOKENS, requests, setup.settings.tasks)
        yield EachStage(
            "solver", TaskCandidate, solve, asks if solver.asks_model else None, concurrency=setup.concurrency
        )


def end_of(pipeline: Pipeline) -> End:
    """Return what follows the stages of a pipeline: the proof of its tasks, and a suite, unless it has its own end."""
    return pipeline.end or End("suite.toml", proof_stages, _write_suite)


async def run_pipeline(
    pipeline: Pipeline, setup: Setup, work: Path, listener: Listener, secrets: SecretFilter
) -> PipelineResult:
    """Run all stages in a work directory; a run that was interrupted there is continued."""
    stages = [*pipeline.stages(setup), *end_of(pipeline).stages(setup)]
    return await run_stages(stages, work, listener, secrets)


def _write_suite(pipeline: Pipeline, setup: Setup, result: PipelineResult, output: Output) -> str:
    """Write the files of the suite: those passed, the tasks, and the account of their origin."""
    tasks = cast("Sequence[TaskCandidate]", result.candidates)
    directory = output.directory
    source = source_md(directory.name, pipeline.source, setup.settings, summary(result.counts))
    edited = write_output(output, {**output.texts, TASKS_FILE: tasks_jsonl(tasks), "SOURCE.md": source})
    shown = os.path.relpath(directory)
    made = quantity(len(tasks), "task")
    easy = sum(map(_is_passed_by_lexical, tasks))
    if easy:
        edited.append(f"`lexical`, which only matches words, passes {easy} of {made} (tag {LEXICAL}=passes)")
    return "\n".join([*edited, f"{made}: {shown}. Next: pytest --suite={shown} --model=oracle"])
