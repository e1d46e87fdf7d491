"""Records on disk: ``run.json`` and one JSON line for each finished attempt."""

import json
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from pydantic import ValidationError

from pytest_mcpbench.core.errors import Place, TaskError
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.report import Entry, RecordRef, Report


class TornRecordWarning(UserWarning):
    """The last line of a records file is cut off: the process was killed while it wrote. The attempt is as not made."""


class DamagedRecordWarning(UserWarning):
    """A whole line of a records file, or ``run.json``, cannot be read; the others are not affected."""


class RecordWriter:
    """Appends the records of one process; each line is flushed, so that a crash loses none that is finished."""

    def __init__(self, directory: Path, *, worker: str) -> None:
        self._path = directory / f"records-{worker}.jsonl"
        self._file: BinaryIO | None = None

    def append(self, record: RunRecord) -> RecordRef:
        """Write the record and say where it lies."""
        return self.append_line(record.model_dump_json(exclude_defaults=True).encode())

    def append_line(self, line: bytes) -> RecordRef:
        """Write a record that is a line of JSON already."""
        if self._file is None:
            self._file = _opened(self._path)
        ref = RecordRef(file=self._path.name, offset=self._file.tell())
        self._file.write(line.rstrip(b"\n") + b"\n")
        self._file.flush()
        return ref

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def write_facts(directory: Path, facts: dict[str, Any]) -> None:
    """Write ``run.json`` unless another process of the run has already done it."""
    directory.mkdir(parents=True, exist_ok=True)
    scratch = directory / f".run-{os.getpid()}.json"
    scratch.write_text(json.dumps(facts, indent=2, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")
    try:
        os.link(scratch, directory / "run.json")
    except FileExistsError:
        pass
    finally:
        scratch.unlink()


def read_facts(directory: Path) -> dict[str, Any]:
    """What ``run.json`` holds; empty where there is none that can be read."""
    path = directory / "run.json"
    if not path.is_file():
        return {}
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        _warn(DamagedRecordWarning, f"{path}: the facts of the run cannot be read: {error}")
        return {}
    return facts if isinstance(facts, dict) else {}


def read_records(directory: Path) -> Iterator[tuple[RecordRef, RunRecord]]:
    """Every record of a run that can be read, file by file; a warning names each line that is left out."""
    for path in sorted(directory.glob("records-*.jsonl")):
        yield from read_file(path)


def read_file(path: Path) -> Iterator[tuple[RecordRef, RunRecord]]:
    """Every record of one file, of whatever name, that can be read; a warning names each line that is left out."""
    with path.open("rb") as file:
        yield from _records_of(file, path)


def read_record(directory: Path, ref: RecordRef) -> RunRecord:
    """The record that an entry points to."""
    return RunRecord.model_validate_json(read_line(directory, ref))


def read_line(directory: Path, ref: RecordRef) -> bytes:
    """The same as it stands in the file."""
    with (directory / Path(ref.file).name).open("rb") as file:
        file.seek(ref.offset)
        return file.readline()


def read_report(directory: Path) -> Report:
    """The report of a finished run; where an attempt was made twice, of its last record."""
    require_records(directory)
    latest = {record.attempt: Entry.of(record, ref) for ref, record in read_records(directory)}
    return Report(entries=tuple(latest.values()), facts=read_facts(directory), directory=str(directory))


def _opened(path: Path) -> BinaryIO:
    """The file to append to. After a line that was cut off a new one is begun, so that only the torn one is lost."""
    path.parent.mkdir(parents=True, exist_ok=True)
    file = path.open("a+b")
    if file.tell():
        file.seek(-1, os.SEEK_END)
        if file.read(1) != b"\n":
            file.write(b"\n")
    return file


def _records_of(file: BinaryIO, path: Path) -> Iterator[tuple[RecordRef, RunRecord]]:
    offset = 0
    for number, line in enumerate(file, start=1):
        record = _parsed(line, Place(str(path), line=number))
        if record is not None:
            yield RecordRef(file=path.name, offset=offset), record
        offset += len(line)


def _parsed(line: bytes, place: Place) -> RunRecord | None:
    if not line.strip():
        return None
    try:
        return RunRecord.model_validate_json(line)
    except ValidationError as error:
        if line.endswith(b"\n"):
            fault = error.errors(include_input=False, include_url=False)[0]
            where = ".".join(map(str, fault["loc"]))
            _warn(
                DamagedRecordWarning, f"{place}: not a record, left out: {where}{': ' if where else ''}{fault['msg']}"
            )
        else:
            _warn(TornRecordWarning, f"{place}: the record is cut off and is left out")
        return None


def require_records(directory: Path) -> None:
    """Raise an error that says what was expected where a directory has no records."""
    place = Place(str(directory))
    if not directory.is_dir():
        raise TaskError("no such directory of records.", place, remedy="Give what --mcpbench-out was.")
    if not any(directory.glob("records-*.jsonl")):
        raise TaskError("there are no records in it.", place, remedy="Give what --mcpbench-out was.")


def _warn(category: type[UserWarning], message: str) -> None:
    warnings.warn(message, category, stacklevel=4)
