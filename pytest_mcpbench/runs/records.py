"""Storage of a run on disk: ``run.json`` with its facts and one line of JSON for each finished attempt."""

import heapq
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import itemgetter
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pytest_mcpbench.core.errors import SourceLocation, TaskError, UsageError, unreadable_reason
from pytest_mcpbench.core.format_versions import newer_version
from pytest_mcpbench.core.gate.result import GateResult
from pytest_mcpbench.core.record import AttemptKey, RunRecord
from pytest_mcpbench.core.report import Entry, RecordRef, Report, with_distinct_suites
from pytest_mcpbench.files import line_file
from pytest_mcpbench.files.atomic_file import create_file, replace_file
from pytest_mcpbench.files.line_file import DamagedRecordWarning, LineFile, warn
from pytest_mcpbench.garbage_collection import paused_collection
from pytest_mcpbench.runs.evidence_journal import PATTERN, PREFIX, JournalEntry, Unreported, encode, is_journal
from pytest_mcpbench.runs.lock import is_locked
from pytest_mcpbench.servers.secret_filter import SecretFilter
from pytest_mcpbench.text.json_reading import read_json

LOST_RECORDS = "lost_records"
"""Fact of a merged run: the number of records that could not be read and were left out."""
_GATES = "gates.json"
_RUNNING = {"cause": "running", "reason": ""}
_KILLED = {"cause": "killed", "reason": "it has not stored its end; --mcpbench-resume completes it"}
_SECONDS = len("2026-01-01T00:00:00")
"""Length of a moment in ISO 8601 without fractions of seconds and time zone."""
_LEAST_BYTES = 2**20
"""Space that a directory must have before the first attempt."""


class RecordWriter:
    """Writer that appends the records of one process to its own file."""

    def __init__(self, directory: Path, *, worker: str, secrets: SecretFilter | None = None) -> None:
        """Open nothing yet; known shapes of keys are removed from records even without ``secrets``."""
        self._secrets = secrets or SecretFilter()
        self._file = LineFile(directory / f"records-{worker}.jsonl")

    def append(self, record: RunRecord) -> RecordRef:
        """Write a record that can be encoded without its secrets, and return a reference to it."""
        _, line = encode(record, self._secrets)
        return self.append_line(line.encode())

    def append_entry(self, record: RunRecord) -> Entry:
        """Write a record, without secrets and lone surrogates, and return its entry in the report."""
        written, line = encode(record, self._secrets)
        return Entry.of(written, self.append_line(line.encode()))

    def append_line(self, line: bytes) -> RecordRef:
        """Write a record that is already serialized as a line of JSON, and return a reference to it."""
        return RecordRef(file=self._file.path.name, offset=self._file.append(line))

    def close(self) -> None:
        """Close the file, if anything was written."""
        self._file.close()


_OF_THE_END = ("exit_code", "failed_tests")
"""Facts of an earlier run in the directory, which do not hold for the one that continues it."""


def write_facts(directory: Path, facts: dict[str, Any]) -> None:
    """Write ``run.json`` unless another process of the run has already written it."""
    directory.mkdir(parents=True, exist_ok=True)
    create_file(directory / "run.json", _encode_facts(facts))


def write_start(directory: Path, facts: dict[str, Any]) -> None:
    """Write ``run.json`` of a run that goes on, unless another process of the run has already written it."""
    write_facts(directory, {**facts, "end": _RUNNING})


def mark_as_running(directory: Path, started_at: str) -> None:
    """Store in ``run.json`` of an earlier run that another one continues it in its directory."""
    facts = read_facts(directory)
    if str(facts.get("started_at", "")) < started_at[:_SECONDS]:
        kept = {name: fact for name, fact in facts.items() if name not in _OF_THE_END}
        _replace_facts(directory, {**kept, "end": _RUNNING, "resumed_at": started_at})


def check_space(directory: Path) -> None:
    """Write as much as a few records take, and remove it. Raises OSError if that is impossible."""
    probe = directory / f".probe-{os.getpid()}"
    try:
        probe.write_bytes(bytes(_LEAST_BYTES))
    finally:
        probe.unlink(missing_ok=True)


def write_end(directory: Path, end: dict[str, Any] | None) -> None:
    """Replace the end in ``run.json``; ``None`` removes that of an earlier run into the directory."""
    replace_fact(directory, "end", end)


def replace_fact(directory: Path, name: str, value: Any) -> None:
    """Replace one of the facts in ``run.json``; ``None`` removes it."""
    facts = read_facts(directory)
    if facts.pop(name, None) == value:
        return
    _replace_facts(directory, facts if value is None else {**facts, name: value})


def _replace_facts(directory: Path, facts: dict[str, Any]) -> None:
    replace_file(directory / "run.json", _encode_facts(facts))


def _encode_facts(facts: dict[str, Any]) -> bytes:
    # A directory may have a name that is not UTF-8; what cannot be encoded becomes its JSON escape.
    return (json.dumps(facts, indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode(errors="backslashreplace")


def read_facts(directory: Path) -> dict[str, Any]:
    """Return the content of ``run.json``; empty if it does not exist or cannot be parsed."""
    path = directory / "run.json"
    try:
        facts = read_json(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return {}
    except ValueError as error:
        warn(DamagedRecordWarning, f"{path}: the facts of the run cannot be read: {error}")
        return {}
    return facts if isinstance(facts, dict) else {}


def read_facts_now(directory: Path) -> dict[str, Any]:
    """Return the facts of a run; the end of one that has not stored it is ``running`` or ``killed``."""
    facts = read_facts(directory)
    is_killed = facts.get("end") == _RUNNING and not is_locked(directory)
    return {**facts, "end": _KILLED} if is_killed else facts


def write_gates(directory: Path, gates: tuple[GateResult, ...]) -> None:
    """Write the verdicts of a run's gates to ``gates.json``."""
    content = [gate.model_dump(mode="json") for gate in gates]
    text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
    replace_file(directory / _GATES, text.encode(errors="backslashreplace"))


def read_gates(directory: Path) -> tuple[GateResult, ...]:
    """Return the verdicts of a run's gates; none if there is no file or it cannot be read."""
    path = directory / _GATES
    if not path.is_file():
        return ()
    try:
        return tuple(GateResult.model_validate(each) for each in read_json(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError) as error:
        warn(DamagedRecordWarning, f"{path}: the verdicts of the run cannot be read: {error}")
        return ()


def read_records(directory: Path, *, containing: bytes = b"") -> Iterator[tuple[RecordRef, RunRecord]]:
    """Yield the records of a run in the order in which they were made; a warning refers to each line that is skipped.

    Lines without the bytes ``containing`` are not parsed.

    Of several records of one attempt the last one counts. Records of one file have the order of its lines. Those of
    different files, which different processes or a resumed run wrote, are ordered by ``started_at``.
    Attempts that ended and were never reported, because the run was killed, follow: their evidence is scored here.

    Raises:
        UsageError: a newer version of this package has written the run.
    """
    require_known_version(directory)
    unreported = Unreported(directory, containing=containing)
    paths = sorted(directory.glob("records-*.jsonl"))
    files = [_with_latest_start(read_file(path, containing=containing)) for path in paths]
    for _, ref, record in heapq.merge(*files, key=itemgetter(0)):
        unreported.discard(record)
        yield ref, record
    for ref in unreported.refs():
        scored = _read_unreported(directory, ref)
        if scored is not None:
            yield ref, scored


def read_file(path: Path, *, containing: bytes = b"") -> Iterator[tuple[RecordRef, RunRecord]]:
    """Yield the records of one file with any name; a warning refers to each line that is skipped."""
    for offset, record in line_file.read_lines(path, RunRecord, containing=containing):
        yield RecordRef(file=path.name, offset=offset), record


def read_record(directory: Path, ref: RecordRef) -> RunRecord:
    """Return the record that a reference points to."""
    return parse_record(line_file.read_line(_path(directory, ref), ref.offset), ref)


def parse_record(line: bytes, ref: RecordRef) -> RunRecord:
    """Return the record in a line; the line of a journal is scored.

    Raises:
        ValidationError: it is neither.
    """
    if is_journal(ref):
        return JournalEntry.model_validate_json(line).to_record()
    return RunRecord.model_validate_json(line)


def read_report(directory: Path, visit: Callable[[RecordRef, RunRecord], None] | None = None) -> Report:
    """Return the report of a finished run; of an attempt with several records the last one counts.

    ``visit`` is called with each record, also with one that does not count.
    """
    require_records(directory)
    latest: dict[AttemptKey, Entry] = {}
    with paused_collection(), line_file.counted_losses() as losses:
        for ref, record in read_records(directory):
            latest[record.attempt] = Entry.of(record, ref)
            if visit is not None:
                visit(ref, record)
    facts = read_facts_now(directory)
    return Report(
        entries=with_distinct_suites(latest.values()),
        facts=facts,
        directory=str(directory),
        gates=read_gates(directory),
        damaged=lost_records(facts) + len(losses),
    )


def lost_records(facts: Mapping[str, Any]) -> int:
    """Return the number of records that a merge could not read for the run with these facts."""
    lost = facts.get(LOST_RECORDS)
    return lost if isinstance(lost, int) and lost > 0 else 0


def _path(directory: Path, ref: RecordRef) -> Path:
    # Only the name counts: a reference from a foreign file must not lead out of the directory.
    return directory / Path(ref.file).name


def _read_unreported(directory: Path, ref: RecordRef) -> RunRecord | None:
    """Return the scored record of an entry of a journal; ``None``, with a warning, if its line is damaged."""
    try:
        return read_record(directory, ref)
    except ValidationError as error:
        place = f"{_path(directory, ref)}: byte {ref.offset}"
        fault = line_file.first_fault(error)
        line_file.leave_out(DamagedRecordWarning, f"{place}: not the evidence of an attempt, left out: {fault}")
        return None


def _with_latest_start(records: Iterable[tuple[RecordRef, RunRecord]]) -> Iterator[tuple[str, RecordRef, RunRecord]]:
    """Yield the records of a file, each with the latest start of an attempt up to it.

    A file is not sorted by the starts, because attempts that overlap are recorded in the order of pytest's items. The
    latest start never decreases, as a merge of sorted files requires.
    """
    latest = ""
    for ref, record in records:
        latest = max(latest, record.started_at)
        yield latest, ref, record


def files_of_run(directory: Path) -> tuple[Path, ...]:
    """Return the files with records, and with evidence without records, in a directory."""
    return (*directory.glob("records-*.jsonl"), *directory.glob(PATTERN))


def require_known_version(directory: Path) -> None:
    """Raise UsageError if a file cannot be read, or if its first line is of a newer version: all would be left out."""
    for path in files_of_run(directory):
        try:
            with path.open("rb") as file:
                line = file.readline()
        except OSError as error:
            raise UsageError(f"{path}: {unreadable_reason(error)}") from None
        problem = newer_version(line, JournalEntry if path.name.startswith(PREFIX) else RunRecord)
        if problem is not None:
            raise UsageError(f"{path}:1: {problem}")


def has_records(directory: Path) -> bool:
    """Return whether a run has left records, or evidence without records, in a directory."""
    return bool(files_of_run(directory))


def require_records(directory: Path) -> None:
    """Raise a task error if a directory has no records."""
    place = SourceLocation(str(directory))
    if not directory.is_dir():
        raise TaskError("no such directory of records.", place, remedy="Use the directory that --mcpbench-out named.")
    if not has_records(directory):
        raise TaskError("there are no records in it.", place, remedy="Use the directory that --mcpbench-out named.")
