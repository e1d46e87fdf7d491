"""Trajectories of earlier runs, found by task and trial."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.trajectory import Trajectory
from pytest_mcpbench.runtime.records import read_file, read_records


@dataclass(frozen=True)
class RecordedTrajectories:
    """What one model did in an earlier run."""

    source: str
    model: str
    trajectories: Mapping[tuple[str, int], Trajectory]
    """By task id and trial."""

    @classmethod
    def read(cls, path: Path, model: str | None = None) -> "RecordedTrajectories":
        """Those in a directory of records or in one file; of an attempt made twice, the last.

        ``model`` may be left out where there are records of one only. Raises UsageError where there are none.
        """
        records = [record for record in _records(path) if record.evidence is not None and model in (None, record.model)]
        models = sorted({record.model for record in records})
        if len(models) != 1:
            raise UsageError(_model_problem(path, model, models))
        return cls(str(path), models[0], _by_attempt(records))

    def trajectory(self, task_id: str, trial: int) -> Trajectory:
        """What was done in that attempt."""
        trajectory_or_none = self.trajectories.get((task_id, trial))
        if trajectory_or_none is None:
            raise UsageError(self._missing_message(task_id, trial))
        return trajectory_or_none

    def _missing_message(self, task_id: str, trial: int) -> str:
        trials = sorted(number for recorded, number in self.trajectories if recorded == task_id)
        if trials:
            return f"{self.source}: task {task_id!r} was not recorded in trial {trial}; trials: {trials}"
        return f"{self.source}: task {task_id!r} was not recorded; {len(self.trajectories)} other attempts were"


def _records(path: Path) -> Iterator[RunRecord]:
    read = read_records if path.is_dir() else read_file
    try:
        yield from (record for _, record in read(path))
    except OSError as error:
        raise UsageError(f"{path}: no records can be read: {error.strerror}") from None


def _model_problem(path: Path, model: str | None, models: list[str]) -> str:
    if models:
        return f"{path}: there are records of several models, name one as {path}#MODEL: {', '.join(models)}"
    return f"{path}: there are no records" + (f" of model {model!r}" if model else "")


def _by_attempt(records: Iterable[RunRecord]) -> dict[tuple[str, int], Trajectory]:
    return {
        (record.task_id, record.trial): record.evidence.trajectory for record in records if record.evidence is not None
    }
