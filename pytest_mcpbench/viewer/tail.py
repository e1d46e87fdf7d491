"""Reading of records that are appended while they are read."""

import contextlib
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import ValidationError

from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.report import RecordRef
from pytest_mcpbench.files.line_file import DamagedRecordWarning
from pytest_mcpbench.runs.evidence_journal import is_journal
from pytest_mcpbench.runs.records import files_of_run, parse_record

RankKind = Literal["record", "bare error", "evidence"]


class Rank(NamedTuple):
    """Facts by which one of several records of an attempt counts, as in ``read_records``."""

    kind: RankKind
    """``bare error``: a record without evidence; ``evidence``: of a journal, as yet without a record."""
    start: str
    """Start of the attempt or, for a record, the latest start of its file up to it."""
    file: str

    def outranks(self, other: "Rank") -> bool:
        """Return whether a record counts that was found after the other one."""
        if (self.kind == "evidence") == (other.kind == "evidence"):
            return (self.start, self.file) >= (other.start, other.file)
        # A worker may have crashed after the attempt had ended: its error does not replace the evidence.
        if self.kind == "evidence":
            return other.kind == "bare error" or self.start > other.start
        return self.kind == "record" and self.start >= other.start


@dataclass(frozen=True)
class TailedRecord:
    """A record with its place."""

    record: RunRecord
    ref: RecordRef
    rank: Rank


@dataclass
class _FileState:
    offset: int = 0
    latest_start: str = ""

    def rank_of(self, record: RunRecord, ref: RecordRef) -> Rank:
        """Return the rank of the next record of the file."""
        if is_journal(ref):
            return Rank("evidence", record.started_at, ref.file)
        self.latest_start = max(self.latest_start, record.started_at)
        return Rank("record" if record.evidence else "bare error", self.latest_start, ref.file)


class RunTail:
    """Reader of the records of one run that continues where it stopped.

    A last line without a line break is left for the next time: its writer may not have finished it.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._files: dict[str, _FileState] = {}
        self.damaged = 0
        """Number of lines so far that cannot be read."""

    def new_records(self) -> Iterator[TailedRecord]:
        """Yield the records that were written since the last time; damaged lines are left out with a warning."""
        for path in sorted(files_of_run(self.directory)):
            yield from self._new_of_file(path, self._files.setdefault(path.name, _FileState()))

    def _new_of_file(self, path: Path, state: _FileState) -> Iterator[TailedRecord]:
        # A journal is removed when all of its attempts have records.
        with contextlib.suppress(FileNotFoundError), path.open("rb") as file:
            file.seek(state.offset)
            for line in file:
                if not line.endswith(b"\n"):
                    return
                ref = RecordRef(file=path.name, offset=state.offset)
                state.offset += len(line)
                record = self._parse(line, ref)
                if record is not None:
                    yield TailedRecord(record, ref, state.rank_of(record, ref))

    def _parse(self, line: bytes, ref: RecordRef) -> RunRecord | None:
        if not line.strip():
            return None
        try:
            return parse_record(line, ref)
        except ValidationError:
            self.damaged += 1
            message = f"{self.directory / ref.file}: not a record at byte {ref.offset}, left out"
            warnings.warn(message, DamagedRecordWarning, stacklevel=2)
            return None
