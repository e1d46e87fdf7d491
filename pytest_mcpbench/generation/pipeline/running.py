"""Running the stages of a pipeline in a work directory, from where an earlier run has stopped."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from inspect import isawaitable
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from pytest_mcpbench.concurrency import concurrent_map
from pytest_mcpbench.core.errors import McpBenchError, UsageError
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.files.atomic_file import replace_file
from pytest_mcpbench.files.line_file import LineFile, first_fault
from pytest_mcpbench.generation.pipeline.candidates import Candidate, Drop, Dropped
from pytest_mcpbench.generation.pipeline.questions import UnreadableReplyError
from pytest_mcpbench.generation.pipeline.stages import EachStage, Outcome, Stage, StageCount, WholeStage
from pytest_mcpbench.servers.secret_filter import SecretFilter
from pytest_mcpbench.text.suggestions import hint

# Files of one stage in the work directory: kept candidates, dropped candidates, and how far the stage has come.

Line = TypeVar("Line", bound=BaseModel)


class _State(FrozenModel):
    """Content of the state file."""

    input: str
    """sha256 of the candidates that the stage has read."""
    output: str | None = None
    """sha256 of its candidates; ``None`` until the stage is complete."""


class StageFiles:
    """The files ``<number>-<name>.jsonl``, ``….dropped.jsonl`` and ``….state.json``.

    Every line is handed to the operating system at once, so that a killed run loses at most the candidates that it was
    working on.
    """

    def __init__(self, directory: Path, number: int, name: str, secrets: SecretFilter) -> None:
        stem = f"{number:02}-{name}"
        self.kept_file = directory / f"{stem}.jsonl"
        self._dropped_file = directory / f"{stem}.dropped.jsonl"
        self._state_file = directory / f"{stem}.state.json"
        self._kept = LineFile(self.kept_file)
        self._dropped = LineFile(self._dropped_file)
        self._secrets = secrets

    @property
    def digest(self) -> str:
        """The sha256 of the kept candidates as they are in the file now."""
        return hashlib.sha256(self.kept_file.read_bytes() if self.kept_file.exists() else b"").hexdigest()

    @property
    def is_complete(self) -> bool:
        state = self._state()
        return state is not None and state.output is not None

    @property
    def is_edited(self) -> bool:
        """Return whether somebody has changed the candidates since the stage was completed."""
        state = self._state()
        return state is not None and state.output is not None and state.output != self.digest

    def reads_other(self, digest: str) -> bool:
        """Return whether the stage has begun with other candidates than those with this sha256."""
        state = self._state()
        return state is not None and state.input != digest

    def begin(self, digest: str) -> None:
        """Store what the stage reads; lines that were cut off when a run was killed are removed."""
        self.kept_file.parent.mkdir(parents=True, exist_ok=True)
        for file in (self.kept_file, self._dropped_file):
            content = file.read_bytes() if file.exists() else b""
            whole = content[: content.rfind(b"\n") + 1]
            if whole != content:
                replace_file(file, whole)
        self._store(_State(input=digest))

    def set_aside(self) -> None:
        """Rename the files, because their input has changed; lines that somebody has edited are not lost."""
        for file in (self.kept_file, self._dropped_file):
            if file.exists():
                file.replace(file.with_suffix(".jsonl.before"))
        self._state_file.unlink(missing_ok=True)

    def clear(self) -> None:
        """Remove all lines."""
        for file in (self.kept_file, self._dropped_file):
            file.unlink(missing_ok=True)

    def keep(self, candidates: Iterable[Candidate]) -> None:
        """Append candidates, all with one write."""
        _append(self._kept, candidates, self._secrets)

    def drop(self, dropped: Iterable[Dropped]) -> None:
        """Append dropped candidates, all with one write."""
        _append(self._dropped, dropped, self._secrets)

    def complete(self, digest: str) -> None:
        """Store that the stage is complete."""
        self.kept_file.touch()
        self._store(_State(input=digest, output=self.digest))

    def close(self) -> None:
        """Close the files."""
        self._kept.close()
        self._dropped.close()

    def candidates(self, kind: type[Line]) -> list[Line]:
        """Return the kept candidates; raise UsageError for a line that is not one."""
        return _read(self.kept_file, kind)

    def dropped(self) -> list[Dropped]:
        """Return the dropped candidates; raise UsageError for a line that is not one."""
        return _read(self._dropped_file, Dropped)

    def _state(self) -> _State | None:
        try:
            return _State.model_validate_json(self._state_file.read_bytes())
        except FileNotFoundError:
            return None
        except ValidationError as error:
            raise UsageError(f"{self._state_file}: {first_fault(error)}; delete it to repeat the stage.") from None

    def _store(self, state: _State) -> None:
        replace_file(self._state_file, state.model_dump_json().encode())


def check_ids(file: Path, candidates: Sequence[Candidate]) -> None:
    """Raise UsageError if two candidates of a file have the same id."""
    seen: set[str] = set()
    for number, candidate in enumerate(candidates, 1):
        if candidate.id in seen:
            raise UsageError(f"{file}:{number}: the id {candidate.id!r} is used twice; give each candidate its own.")
        seen.add(candidate.id)


def _append(file: LineFile, lines: Iterable[BaseModel], secrets: SecretFilter) -> None:
    text = "\n".join(secrets.remove_from_model(line).model_dump_json() for line in lines)
    if text:
        file.append(text.encode())


def _read(file: Path, kind: type[Line]) -> list[Line]:
    if not file.exists():
        return []
    found = []
    for number, line in enumerate(file.read_bytes().splitlines(), 1):
        if line.strip():
            try:
                found.append(kind.model_validate_json(line))
            except ValidationError as error:
                raise UsageError(f"{file}:{number}: {_fault(error, kind)} Correct the line or delete it.") from None
    return found


def _fault(error: ValidationError, kind: type[BaseModel]) -> str:
    """Return the first problem of a line, with the nearest name of a field that the kind does not have."""
    unknown = next((each["loc"] for each in error.errors() if each["type"] == "extra_forbidden"), ())
    if len(unknown) == 1:
        return f"there is no field {unknown[0]!r}. {hint(str(unknown[0]), kind.model_fields)}"
    return f"{first_fault(error).replace(' at line 1 column ', ' at column ')}."


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
        # Set the files of an earlier run aside if it read other candidates, and tell of those that were edited.
        if own.reads_other(digest):
            listener.tell(f"{stage.name}: the candidates before it have changed, so it is repeated")
            own.set_aside()
        elif own.is_edited:
            listener.tell(f"{stage.name}: {own.kept_file.name} was edited and is taken as it is")
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


def _explaining(stage: Stage, edited: Sequence[str]) -> Stage:
    """Return the stage with an error that names the edited files in place of any that an edit may lead to."""

    async def step(candidates: Any) -> Any:
        try:
            result = stage.step(candidates)
            return await result if isawaitable(result) else result
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
            listener.on_progress(stage.name, 0, len(candidates) or None)
            result = stage.step(candidates)
            if isawaitable(result):
                result = await result
            # A run that was killed between the writes below and the end of the stage has left lines of this stage.
            files.clear()
            files.keep(result.kept)
            files.drop(result.dropped)
            finished = len(candidates) or len(result.kept)
            listener.on_progress(stage.name, finished, finished)
            is_final = result.is_final
        else:
            await _run_each(stage, files, candidates, listener)
    if is_final:
        files.complete(digest)


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
            if isinstance(outcome, Drop):
                files.drop([Dropped.of(candidate, outcome)])
            else:
                files.keep([each.model_copy(update={"origin": candidate.id}) for each in outcome])
            done += 1
            listener.on_progress(stage.name, done, len(candidates))
