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
    """A line of a records file is cut off: the process was killed while it wrote. The attempt counts as not made."""


class RecordWriter:
    """Appends the records of one process; each line is flushed, so that a crash loses none that is finished."""

    def __init__(self, directory: Path, *, worker: str) -> None:
        self._path = directory / f"records-{worker}.jsonl"
        self._file: BinaryIO | None = None

    def append(self, record: RunRecord) -> RecordRef:
        """Write the record and say where it lies."""
        if self._file is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._path.open("ab")
        ref = RecordRef(file=self._path.name, offset=self._file.tell())
        self._file.write(record.model_dump_json(exclude_defaults=True).encode() + b"\n")
        self._file.flush()
        return ref

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


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
    """What ``run.json`` holds; empty where there is none."""
    path = directory / "run.json"
    facts: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return facts


def read_records(directory: Path) -> Iterator[tuple[RecordRef, RunRecord]]:
    """Every whole record of a run, file by file; a torn last line is dropped with a warning."""
    for path in sorted(directory.glob("records-*.jsonl")):
        offset = 0
        for number, line in enumerate(path.open("rb"), start=1):
            record = _parsed(line, Place(str(path), line=number))
            if record is not None:
                yield RecordRef(file=path.name, offset=offset), record
            offset += len(line)


def read_record(directory: Path, ref: RecordRef) -> RunRecord:
    """The record that an entry points to."""
    with (directory / Path(ref.file).name).open("rb") as file:
        file.seek(ref.offset)
        return RunRecord.model_validate_json(file.readline())


def read_report(directory: Path) -> Report:
    """The report of a finished run; where an attempt was made twice, of its last record."""
    if not directory.is_dir():
        raise TaskError("no such directory of records.", Place(str(directory)))
    latest = {_key(record): Entry.of(record, ref) for ref, record in read_records(directory)}
    return Report(entries=tuple(latest.values()), facts=read_facts(directory), directory=str(directory))


def _key(record: RunRecord) -> tuple[str, str, str, int]:
    return record.suite, record.task_id, record.model, record.trial


def _parsed(line: bytes, place: Place) -> RunRecord | None:
    try:
        return RunRecord.model_validate_json(line)
    except ValidationError as error:
        if line.endswith(b"\n"):
            raise TaskError(f"not a record: {error.errors()[0]['msg']}.", place) from None
        warnings.warn(f"{place}: the record is cut off and is left out", TornRecordWarning, stacklevel=3)
        return None
