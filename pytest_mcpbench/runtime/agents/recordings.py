"""Trajectories of earlier runs, found by task and trial."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.trajectory import Trajectory


@dataclass(frozen=True)
class Recordings:
    """What one model did in an earlier run."""

    source: str
    model: str
    trajectories: Mapping[tuple[str, int], Trajectory]
    """By task id and trial."""

    @classmethod
    def read(cls, path: Path, model: str | None = None) -> "Recordings":
        """Those in a directory of records or in one file; of an attempt made twice, the last.

        ``model`` may be left out where there are records of one only. Raises UsageError where there are none.
        """
        records = [record for record in _records(path) if record.run is not None and model in (None, record.model)]
        models = sorted({record.model for record in records})
        if len(models) != 1:
            raise UsageError(_which_model(path, model, models))
        return cls(str(path), models[0], _by_attempt(records))

    def trajectory(self, task_id: str, trial: int | None = None) -> Trajectory:
        """What was done in that attempt; without ``trial``, in the first recorded one of the task."""
        trials = sorted(number for recorded, number in self.trajectories if recorded == task_id)
        wanted = trials[0] if trial is None and trials else trial
        found = None if wanted is None else self.trajectories.get((task_id, wanted))
        if found is None:
            raise UsageError(self._nothing_of(task_id, trial, trials))
        return found

    def _nothing_of(self, task_id: str, trial: int | None, trials: list[int]) -> str:
        if trials:
            return f"{self.source}: task {task_id!r} was not recorded in trial {trial}; trials: {trials}"
        return f"{self.source}: task {task_id!r} was not recorded; {len(self.trajectories)} other attempts were"


def _records(path: Path) -> Iterator[RunRecord]:
    files = sorted(path.glob("records*.jsonl")) if path.is_dir() else [path]
    for file in files:
        yield from _of_file(file)


def _of_file(path: Path) -> Iterator[RunRecord]:
    """Those of one file; a last line that is cut off counts as not made."""
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                yield _record(line, f"{path}:{number}")
    except OSError as error:
        raise UsageError(f"{path}: no records can be read: {error.strerror}") from None
    except _TornError:
        return


class _TornError(Exception):
    """The process was killed while it wrote the line."""


def _record(line: bytes, place: str) -> RunRecord:
    try:
        return RunRecord.model_validate_json(line)
    except ValidationError as error:
        if not line.endswith(b"\n"):
            raise _TornError from None
        raise UsageError(f"{place}: not a record: {error.errors()[0]['msg']}") from None


def _which_model(path: Path, model: str | None, models: list[str]) -> str:
    if models:
        return f"{path}: there are records of several models, name one as {path}#MODEL: {', '.join(models)}"
    return f"{path}: there are no records" + (f" of model {model!r}" if model else "")


def _by_attempt(records: Iterable[RunRecord]) -> dict[tuple[str, int], Trajectory]:
    return {(record.task_id, record.trial): record.run.trajectory for record in records if record.run is not None}
