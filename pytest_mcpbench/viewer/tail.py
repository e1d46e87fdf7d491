"""Reading of records that are appended while they are read."""

import contextlib
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Literal, NamedTuple

from pytest_mcpbench.core.report import Entry, RecordRef
from pytest_mcpbench.files.line_file import DamagedRecordWarning
from pytest_mcpbench.runs.evidence_journal import is_journal
from pytest_mcpbench.runs.records import files_of_run
from pytest_mcpbench.viewer.reading import Reader, ReadRecord, pieces

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

    record: ReadRecord
    entry: Entry
    ref: RecordRef
    rank: Rank


@dataclass
class _FileState:
    offset: int = 0
    latest_start: str = ""

    def rank_of(self, record: ReadRecord, started_at: str, ref: RecordRef) -> Rank:
        """Return the rank of the next record of the file."""
        if is_journal(ref):
            return Rank("evidence", started_at, ref.file)
        self.latest_start = max(self.latest_start, started_at)
        return Rank("record" if record.has_evidence else "bare error", self.latest_start, ref.file)


class RunTail:
    """Reader of the records of one run that continues where it stopped.

    A last line without a line break is left for the next time: its writer may not have finished it.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._files: dict[str, _FileState] = {}
        self.damaged = 0
        """Number of lines so far that cannot be read."""

    def pending_bytes(self) -> int:
        """Return how much was written since the last time."""
        pending = 0
        for path, state in self._states():
            # A journal may be removed at any moment.
            with contextlib.suppress(FileNotFoundError):
                pending += path.stat().st_size - state.offset
        return pending

    def new_records(self, read: Reader) -> Iterator[TailedRecord]:
        """Yield the records that were written since the last time; damaged lines are left out with a warning."""
        for path, state in self._states():
            yield from self._new_of_file(path, state, read)

    def _states(self) -> list[tuple[Path, _FileState]]:
        return [
            (path, self._files.setdefault(path.name, _FileState())) for path in sorted(files_of_run(self.directory))
        ]

    def _new_of_file(self, path: Path, state: _FileState, read: Reader) -> Iterator[TailedRecord]:
        # A journal is removed when all of its attempts have records.
        with contextlib.suppress(FileNotFoundError):
            for line in chain.from_iterable(read(pieces(path, state.offset))):
                state.offset = line.offset + line.size
                ref = RecordRef(file=path.name, offset=line.offset)
                if line.record is not None:
                    entry = Entry.model_validate_json(line.record.entry)
                    yield TailedRecord(line.record, entry, ref, state.rank_of(line.record, entry.started_at, ref))
                elif line.has_text:
                    self.damaged += 1
                    message = f"{self.directory / ref.file}: not a record at byte {ref.offset}, left out"
                    warnings.warn(message, DamagedRecordWarning, stacklevel=1)
