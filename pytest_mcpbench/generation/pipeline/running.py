"""Running the stages of a pipeline in a work directory, from where an earlier run has stopped."""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.errors import McpBenchError, UsageError
from pytest_mcpbench.generation.pipeline.candidates import Candidate, Drop, Dropped
from pytest_mcpbench.generation.pipeline.questions import UnreadableReplyError
from pytest_mcpbench.generation.pipeline.stage_files import StageFiles, check_ids
from pytest_mcpbench.generation.pipeline.stages import EachStage, Outcome, Stage, StageCount, WholeStage
from pytest_mcpbench.runtime.concurrent_map import concurrent_map
from pytest_mcpbench.runtime.secret_filter import SecretFilter

NO_INPUT = "none"
"""Digest that the first stage reads."""


@dataclass(frozen=True)
class Listener:
    """Callbacks of a run."""

    before_asking: Callable[[Sequence[Stage], int], None] = lambda _stages, _candidates: None
    """Called once, before the first question to a model, with the stages that remain and the number of candidates;
    an exception ends the run."""
    on_progress: Callable[[str, int, int | None], None] = lambda _stage, _finished, _total: None
    """Called with the name of a stage and the numbers of its candidates that are finished and of all; the first stage,
    which makes the candidates, does not know their number before its end."""
    tell: Callable[[str], None] = lambda _sentence: None
    """Called with a sentence for the user: about files that were edited, or stages that are repeated."""


@dataclass(frozen=True)
class PipelineResult:
    """Candidates of the last stage, and the numbers of all stages."""

    candidates: Sequence[Candidate]
    counts: tuple[StageCount, ...]


async def run_stages(
    stages: Sequence[Stage], directory: Path, listener: Listener | None = None, secrets: SecretFilter | None = None
) -> PipelineResult:
    """Run the stages that are not complete, in order, and return the candidates of the last one.

    Errors of servers and models end the run; the files then contain everything up to the error.
    """
    listener = listener or Listener()
    files = [StageFiles(directory, at, stage.name, secrets or SecretFilter()) for at, stage in enumerate(stages, 1)]
    candidates: Sequence[Candidate] = ()
    digest, has_asked, counts = NO_INPUT, False, []
    edited: list[str] = []
    for at, (stage, own) in enumerate(zip(stages, files, strict=True)):
        _check_earlier_run(stage, own, digest, listener)
        edited += [own.kept_file.name] if own.is_edited else []
        if not own.is_complete:
            if stage.asks and not has_asked:
                listener.before_asking(stages[at:], len(candidates))
                has_asked = True
            await _run_stage(_explaining(stage, edited) if edited else stage, own, candidates, digest, listener)
        received, candidates, digest = len(candidates), own.candidates(stage.writes), own.digest
        check_ids(own.kept_file, candidates)
        reasons = Counter(each.reason for each in own.dropped())
        counts.append(StageCount(stage.name, received, len(candidates), dict(reasons.most_common())))
    return PipelineResult(candidates, tuple(counts))


def _check_earlier_run(stage: Stage, files: StageFiles, digest: str, listener: Listener) -> None:
    """Set the files of an earlier run aside if it read other candidates, and tell of those that were edited."""
    if files.reads_other(digest):
        listener.tell(f"{stage.name}: the candidates before it have changed, so it is repeated")
        files.set_aside()
    elif files.is_edited:
        listener.tell(f"{stage.name}: {files.kept_file.name} was edited and is taken as it is")


def _explaining(stage: Stage, edited: Sequence[str]) -> Stage:
    """Return the stage with an error that names the edited files in place of any that an edit may lead to."""

    async def step(candidates: Any) -> Any:
        try:
            return await stage.step(candidates)
        except McpBenchError:
            raise
        except Exception as error:
            what = f"the candidate {candidates.id!r}" if isinstance(candidates, Candidate) else "the candidates"
            problem = f"the stage {stage.name} cannot work with {what}: {type(error).__name__}: {error}"
            raise UsageError(
                f"{', '.join(edited)} was edited, and {problem}. Correct the edited line or delete it."
            ) from error

    return replace(stage, step=step)  # type: ignore[arg-type] # the step of either kind of stage


async def _run_stage(
    stage: Stage, files: StageFiles, candidates: Sequence[Candidate], digest: str, listener: Listener
) -> None:
    files.begin(digest)
    with closing(files):
        is_final = True
        if isinstance(stage, WholeStage):
            is_final = await _run_whole(stage, files, candidates, listener)
        else:
            await _run_each(stage, files, candidates, listener)
    if is_final:
        files.complete(digest)


async def _run_whole(stage: WholeStage, files: StageFiles, candidates: Sequence[Candidate], listener: Listener) -> bool:
    """Run a stage on all candidates; return whether it is complete."""
    listener.on_progress(stage.name, 0, len(candidates) or None)
    result = await stage.step(candidates)
    # A run that was killed between the writes below and the end of the stage has left lines of this stage.
    files.clear()
    files.keep(result.kept)
    files.drop(result.dropped)
    finished = len(candidates) or len(result.kept)
    listener.on_progress(stage.name, finished, finished)
    return result.is_final


async def _run_each(stage: EachStage, files: StageFiles, candidates: Sequence[Candidate], listener: Listener) -> None:
    finished = {each.origin for each in files.candidates(stage.writes)} | {each.id for each in files.dropped()}
    left = [each for each in candidates if each.id not in finished]
    done = len(candidates) - len(left)
    listener.on_progress(stage.name, done, len(candidates))

    async def step(candidate: Candidate) -> Outcome | McpBenchError:
        try:
            return await stage.step(candidate)
        except UnreadableReplyError as error:
            return Drop("the reply of the model could not be read", error.problem)
        except McpBenchError as error:
            return error

    # Outcomes are stored in the order of the candidates, so that the same seed leads to the same bytes.
    for start in range(0, len(left), stage.concurrency):
        part = left[start : start + stage.concurrency]
        outcomes = await concurrent_map(part, step, concurrency=stage.concurrency)
        for candidate, outcome in zip(part, outcomes, strict=True):
            if isinstance(outcome, McpBenchError):
                raise outcome
            _store(files, candidate, outcome)
            done += 1
            listener.on_progress(stage.name, done, len(candidates))


def _store(files: StageFiles, candidate: Candidate, outcome: Outcome) -> None:
    if isinstance(outcome, Drop):
        files.drop([Dropped.of(candidate, outcome)])
    else:
        files.keep([each.model_copy(update={"origin": candidate.id}) for each in outcome])
