"""Earlier attempts of a project's runs, from which later ones are estimated."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.speed import Speed
from pytest_mcpbench.core.variant import model_of
from pytest_mcpbench.runs.records import read_facts, read_records

_MOST_RUNS = 10
_MOST_RECORDS = 1000
_SAME = "the same model"


@dataclass(frozen=True)
class History:
    """Attempts of one run that resemble those to come."""

    run: Path
    about: str
    """The model of the attempts, in words."""
    attempts: tuple[RunRecord, ...]

    @property
    def is_same_model(self) -> bool:
        return self.about == _SAME


@dataclass
class AttemptHistory:
    """Attempts of the latest runs that asked a model."""

    runs: Sequence[Path]
    """Directories of runs, the latest first."""
    _read: dict[tuple[Path, str], tuple[RunRecord, ...]] = field(default_factory=dict)

    def of(self, suite: str, series: str, model: str) -> History | None:
        """Return the latest attempts at a suite: of the series of a sweep, else of its model, else of any model."""
        choices: tuple[tuple[str, Callable[[RunRecord], bool]], ...] = (
            (_SAME, lambda record: record.model == series),
            (_SAME, lambda record: model_of(record.model, record.swept) == model),
            ("another model", _has_known_tokens),
        )
        for about, is_chosen in choices:
            for run in self.runs[:_MOST_RUNS]:
                chosen = tuple(filter(is_chosen, self._attempts(run, suite)))
                if chosen:
                    return History(run, about, chosen)
        return None

    def of_model(self, suite: str, series: str, model: str) -> History | None:
        """Return the latest attempts of the same model at a suite."""
        found = self.of(suite, series, model)
        return found if found is not None and found.is_same_model else None

    def speed(self, model: str) -> tuple[Path, Speed] | None:
        """Return the latest speed that was measured of a local model, and the directory of its run."""
        for run in self.runs[:_MOST_RUNS]:
            speeds = read_facts(run).get("speeds")
            measured = speeds.get(model) if isinstance(speeds, dict) else None
            if isinstance(measured, dict) and measured.keys() == Speed.__dataclass_fields__.keys():
                return run, Speed(**measured)
        return None

    def _attempts(self, run: Path, suite: str) -> tuple[RunRecord, ...]:
        if (run, suite) not in self._read:
            lines = read_records(run, containing=json.dumps(suite, ensure_ascii=False).encode())
            records = (record for _, record in islice(lines, _MOST_RECORDS))
            try:
                self._read[run, suite] = tuple(record for record in records if record.suite == suite and _asked(record))
            except UsageError:  # a newer version has written the run
                self._read[run, suite] = ()
        return self._read[run, suite]


def _asked(record: RunRecord) -> bool:
    """Return whether the attempt ended and asked a model, whose usage is unknown or not 0."""
    if record.evidence is None or record.outcome == "error":
        return False
    return any(step.usage.output_tokens != 0 for step in record.evidence.trajectory.steps)


def _has_known_tokens(record: RunRecord) -> bool:
    return record.evidence is not None and record.evidence.trajectory.usage.output_tokens is not None
