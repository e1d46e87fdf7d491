"""Trajectories of an earlier run, by task and trial."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.trajectory import Trajectory
from pytest_mcpbench.runtime.records import read_file, read_records


@dataclass(frozen=True)
class RecordedTrajectories:
    """Trajectories of one model in an earlier run."""

    source: str
    model: str
    trajectories: Mapping[tuple[str, int], Trajectory]
    """Trajectories by task id and trial."""

    @classmethod
    def read(cls, path: Path, model: str | None = None) -> "RecordedTrajectories":
        """Read the records in a directory or file; the last record of an attempt counts.

        ``model`` may be omitted if all records are of one model.

        Raises:
            UsageError: there are no records of the model, or of several models if none is chosen.
        """
        records = [record for record in _records(path) if record.evidence is not None and model in (None, record.model)]
        models = sorted({record.model for record in records})
        if len(models) != 1:
            raise UsageError(_model_problem(path, model, models))
        return cls(str(path), models[0], _by_attempt(records))

    def trajectory(self, task_id: str, trial: int) -> Trajectory:
        """Return the trajectory of that attempt.

        Raises:
            UsageError: the attempt was not recorded.
        """
        trajectory = self.trajectories.get((task_id, trial))
        if trajectory is None:
            raise UsageError(self._missing_message(task_id, trial))
        return trajectory

    def _missing_message(self, task_id: str, trial: int) -> str:
        trials = sorted(number for recorded_id, number in self.trajectories if recorded_id == task_id)
        if trials:
            return f"{self.source}: task {task_id!r} was not recorded in trial {trial}; trials: {trials}"
        return f"{self.source}: task {task_id!r} was not recorded; {len(self.trajectories)} other attempts were"


def _records(path: Path) -> Iterator[RunRecord]:
    read_function = read_records if path.is_dir() else read_file
    try:
        yield from (record for _, record in read_function(path))
    except OSError as error:
        raise UsageError(f"{path}: the records cannot be read: {error.strerror}") from None


def _model_problem(path: Path, model: str | None, models: list[str]) -> str:
    if models:
        return f"{path}: there are records of several models, choose one with {path}#MODEL: {', '.join(models)}"
    return f"{path}: there are no records" + (f" of model {model!r}" if model else "")


def _by_attempt(records: Iterable[RunRecord]) -> dict[tuple[str, int], Trajectory]:
    return {
        (record.task_id, record.trial): record.evidence.trajectory for record in records if record.evidence is not None
    }
