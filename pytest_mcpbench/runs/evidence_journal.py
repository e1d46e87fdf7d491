"""Journal of evidence: each attempt is on disk when it ends, before pytest comes to its item.

The record of an item repeats the evidence with the scores. The journal is read for the attempts without such a record,
whose run was killed, and removed at the end of a run that has reported all of them.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import BaseModel, Field, model_validator
from pydantic_core import PydanticSerializationError

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.planning import AttemptDescription
from pytest_mcpbench.core.record import AttemptKey, RunRecord
from pytest_mcpbench.core.report import RecordRef
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.files.line_file import DamagedRecordWarning, LineFile, leave_out, read_line
from pytest_mcpbench.runs.attempt_records import scored_record
from pytest_mcpbench.servers.secret_filter import SecretFilter
from pytest_mcpbench.text.normal_forms import without_surrogates

# Encoding of records and evidence as lines of JSON, without secrets and lone surrogates.

Model = TypeVar("Model", bound=BaseModel)


def encode(value: Model, secrets: SecretFilter) -> tuple[Model, str]:
    """Return the value as it is written, and its line."""
    try:
        line = value.model_dump_json()
    except PydanticSerializationError:
        # Not in the mode "json", which replaces each lone surrogate of a key by three characters.
        return encode(type(value).model_validate(without_surrogates(value.model_dump())), secrets)
    if not secrets.may_occur(line):
        return value, line
    written = type(value).model_validate(secrets.remove_from(json.loads(line)))
    return written, written.model_dump_json()


PREFIX = "evidence-"
PATTERN = f"{PREFIX}*.jsonl"
_HEADS = {version: f'{{"version":{version},"attempt":'.encode() for version in (1, 2)}
"""Beginning of each line, by the version of its entry."""


class JournalEntry(FrozenModel):
    """One attempt without an error: its evidence, and everything that its record needs."""

    version: Literal[1, 2] = 2
    attempt: AttemptDescription
    task: Task
    seconds: float
    evidence: AttemptEvidence = Field(alias="run")

    @model_validator(mode="after")
    def _convert_version_1(self) -> "JournalEntry":
        """Return the entry with its trial counted from 1."""
        if self.version == 2:
            return self
        converted = {"attempt": self.attempt.with_next_trial(), "evidence": self.evidence.with_next_trial()}
        return self.model_copy(update={"version": 2, **converted})

    def to_record(self) -> RunRecord:
        """Return the record of the attempt with the scores of the built-in metrics."""
        return scored_record(self.attempt, self.task, self.evidence, seconds=self.seconds)


class EvidenceJournal:
    """Journal of one process."""

    def __init__(self, directory: Path, process: str, secrets: SecretFilter | None = None) -> None:
        self._secrets = secrets or SecretFilter()
        self._file = LineFile(directory / journal_name(process))

    @property
    def directory(self) -> Path:
        """The directory of the run."""
        return self._file.path.parent

    def append(self, entry: JournalEntry) -> None:
        """Write the evidence of an attempt, without secrets and lone surrogates.

        Raises:
            StorageError: it cannot be written.
        """
        _, line = encode(entry, self._secrets)
        self._file.append(line.encode())

    def close(self) -> None:
        """Close the file, if anything was written."""
        self._file.close()


class Unreported:
    """Attempts in the journals of a run that no record of the run replaces."""

    def __init__(self, directory: Path, *, containing: bytes = b"") -> None:
        self._latest: dict[AttemptKey, tuple[str, str, int]] = {}
        """Start, file and offset of the last entry of each attempt."""
        for ref, attempt in read_descriptions(directory, containing=containing):
            key = attempt.attempt
            if key not in self._latest or self._latest[key][0] <= attempt.started_at:
                self._latest[key] = (attempt.started_at, ref.file, ref.offset)

    def discard(self, record: RunRecord) -> None:
        """Leave out the attempt that a record replaces.

        An error without evidence replaces nothing: a worker crashed after the attempt had ended.
        """
        known = self._latest.get(record.attempt)
        if known is not None and record.evidence is not None and record.started_at >= known[0]:
            del self._latest[record.attempt]

    def refs(self) -> Iterator[RecordRef]:
        """Yield references to the entries that are left, in the order in which their attempts started."""
        for _, file, offset in sorted(self._latest.values()):
            yield RecordRef(file=file, offset=offset)


def journal_name(process: str) -> str:
    """Return the name of the journal of a process."""
    return f"{PREFIX}{process}.jsonl"


def read_descriptions(directory: Path, *, containing: bytes = b"") -> Iterator[tuple[RecordRef, AttemptDescription]]:
    """Yield the descriptions of the attempts in all journals of a run; lines without ``containing`` are skipped."""
    for path in sorted(directory.glob(PATTERN)):
        for offset, description in _descriptions(path, containing, warns=True):
            yield RecordRef(file=path.name, offset=offset), description


def find_entry(directory: Path, attempt: AttemptDescription) -> JournalEntry | None:
    """Return the last entry of exactly this attempt in all journals of a run; ``None`` if it is not stored."""
    found = None
    for path in sorted(directory.glob(PATTERN)):
        for offset, stored in _descriptions(path, attempt.started_at.encode(), warns=False):
            if (stored.attempt, stored.started_at) == (attempt.attempt, attempt.started_at):
                found = path, offset
    return JournalEntry.model_validate_json(read_line(*found)) if found is not None else None


def is_journal(ref: RecordRef) -> bool:
    """Return whether a reference points to an entry of a journal and not to a record."""
    return Path(ref.file).name.startswith(PREFIX)


def remove_reported(directory: Path, reported: Mapping[AttemptKey, str]) -> None:
    """Remove the journals of which every attempt is reported.

    Args:
        directory: Directory of the run.
        reported: Start of each attempt whose record has evidence.
    """
    for path in directory.glob(PATTERN):
        attempts = (attempt for _, attempt in _descriptions(path, b"", warns=False))
        if all(reported.get(attempt.attempt, "") >= attempt.started_at for attempt in attempts):
            path.unlink()


def _descriptions(path: Path, containing: bytes, *, warns: bool) -> Iterator[tuple[int, AttemptDescription]]:
    """Yield the offset and the description of each complete line, without parsing the evidence."""
    offset = 0
    with path.open("rb") as file:
        for line in file:
            description = _description(line) if containing in line else None
            if description is not None:
                yield offset, description
            elif warns and containing in line and line.endswith(b"}\n"):
                # A line without its end is of an attempt that had not ended when its writer was killed.
                problem = f"{path}: byte {offset}: not the evidence of an attempt, left out"
                leave_out(DamagedRecordWarning, problem)
            offset += len(line)


def _description(line: bytes) -> AttemptDescription | None:
    version = next((version for version, head in _HEADS.items() if line.startswith(head)), None)
    if version is None or not line.endswith(b"}\n"):
        return None
    try:
        fields, _ = json.JSONDecoder().raw_decode(line.decode(), len(_HEADS[version]))
        attempt = AttemptDescription.model_validate(fields)
    except ValueError:
        return None
    return attempt.with_next_trial() if version == 1 else attempt
