"""Notes of people on attempts, in ``notes.jsonl`` beside the records of a run."""

import json
import warnings
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError, model_validator

from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.record import AttemptKey, RunRecord
from pytest_mcpbench.files.line_file import DamagedRecordWarning, LineFile

FILE_NAME = "notes.jsonl"
LONGEST_NOTE = 10_000
"""Characters of one note."""


class Note(FrozenModel):
    """One note on an attempt; a line of the file."""

    version: Literal[1, 2] = 1
    """Version of the line; reading converts version 1, which has no such field and counts trials from 0."""
    suite: str
    task_id: str
    model: str
    trial: int
    file: str = ""
    test: str | None = None
    arm: str = ""
    author: str
    time: str
    """ISO 8601, UTC."""
    text: str = Field(min_length=1, max_length=LONGEST_NOTE)

    @model_validator(mode="after")
    def _convert_version_1(self) -> "Note":
        """Return the note with its trial counted from 1."""
        if self.version == 2:
            return self
        return self.model_copy(update={"version": 2, "trial": self.trial + 1})

    @property
    def attempt(self) -> AttemptKey:
        """Return the key of the attempt that the note is about."""
        return AttemptKey(self.suite, self.test, self.task_id, self.model, self.trial, self.file, self.arm)


class NotesFile:
    """The notes of one run, read again when the file has changed: others may write to it, too."""

    def __init__(self, directory: Path) -> None:
        self.path = directory / FILE_NAME
        self._state: tuple[int, int] | None = None
        self._notes: tuple[Note, ...] = ()

    def notes(self) -> tuple[Note, ...]:
        """Return all notes in the order of the file."""
        try:
            status = self.path.stat()
        except OSError:
            state = None
        else:
            state = status.st_size, status.st_mtime_ns
        if state != self._state:
            notes: list[Note] = []
            lines = self.path.read_bytes().splitlines() if self.path.is_file() else []
            for number, line in enumerate(lines, start=1):
                try:
                    notes.append(Note.model_validate_json(line))
                except ValidationError:
                    message = f"{self.path}:{number}: not a note, left out"
                    warnings.warn(message, DamagedRecordWarning, stacklevel=1)
            self._notes, self._state = tuple(notes), state
        return self._notes

    def add(self, record: RunRecord, *, author: str, text: str) -> Note:
        """Append a note on the attempt of a record as one line.

        Raises:
            StorageError: it cannot be written.
        """
        note = Note(
            version=2,
            suite=record.suite,
            task_id=record.task_id,
            model=record.model,
            trial=record.trial,
            file=record.file,
            test=record.test,
            arm=record.arm,
            author=author,
            time=datetime.now(UTC).isoformat(timespec="seconds"),
            text=text,
        )
        line = json.dumps(note.model_dump(mode="json"), ensure_ascii=False)
        with closing(LineFile(self.path)) as file:
            file.append(line.encode("utf-8", "replace"))
        return note
