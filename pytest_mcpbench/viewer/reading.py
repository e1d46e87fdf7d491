"""Reading of records for the index: in this process, or in several if there are many."""

import hashlib
import multiprocessing
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from pytest_mcpbench.core.report import Entry, RecordRef
from pytest_mcpbench.reporting.page.attempt_blocks import key_of_given
from pytest_mcpbench.reporting.page.attempt_document import given_document, outcome_document
from pytest_mcpbench.runs.records import parse_record

_PIECE_BYTES = 4_000_000
_LARGE = 100_000_000
"""Bytes from which several processes read: each needs a second to start, in which this one reads about 30 MB."""
_MOST_PROCESSES = 8
_PIECES_AHEAD = 3
"""Pieces for each process that are read, or being read, before their turn; their results are in memory."""


@dataclass(frozen=True)
class ReadRecord:
    """Parts of a record that the index stores, small enough to be sent between processes."""

    entry: bytes
    """JSON of the entry."""
    has_evidence: bool
    outcome: str
    """All text of the attempt except what the agent was given before the first message."""
    given_key: bytes
    """Digest of what the agent was given; equal for equal texts."""
    given: str | None
    """What the agent was given; ``None`` if an earlier record of the piece has it."""


class RecordLine(NamedTuple):
    """A line of a file with records."""

    offset: int
    size: int
    has_text: bool
    record: ReadRecord | None
    """``None`` if the line is no record."""


class Piece(NamedTuple):
    """Complete lines of a file with records."""

    path: Path
    offset: int
    size: int


def pieces(path: Path, offset: int) -> Iterator[Piece]:
    """Yield the complete lines of a file from an offset on; its writer may not have finished the last one."""
    with path.open("rb") as file:
        while True:
            file.seek(offset + _PIECE_BYTES)
            if file.readline().endswith(b"\n"):
                size = file.tell() - offset
            else:
                file.seek(offset)
                size = file.read().rfind(b"\n") + 1
            if not size:
                return
            yield Piece(path, offset, size)
            offset += size


def read_piece(piece: Piece) -> list[RecordLine]:
    """Return the lines of a piece."""
    known: set[bytes] = set()
    lines = []
    offset = piece.offset
    with piece.path.open("rb") as file:
        file.seek(piece.offset)
        for line in BytesIO(file.read(piece.size)):
            lines.append(
                RecordLine(offset, len(line), bool(line.strip()), _read_line(line, piece.path.name, offset, known))
            )
            offset += len(line)
    return lines


Reader = Callable[[Iterable[Piece]], Iterator[list[RecordLine]]]
"""Function that reads pieces and yields their lines, in their order."""


@contextmanager
def reader(pending_bytes: int) -> Iterator[Reader]:
    """Yield what reads so many bytes: this process, or several if there is enough for them to do."""
    processes = min(_MOST_PROCESSES, os.cpu_count() or 1)
    if pending_bytes < _LARGE or processes == 1 or sys.platform == "win32":
        yield partial(map, read_piece)
        return
    # Not forked: this process has threads.
    pool = ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"))
    # Ctrl-C reaches every process of a terminal; those that are started here inherit that they do not take it.
    former = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield partial(_read_ahead, pool, processes * _PIECES_AHEAD)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, former)
        pool.shutdown(cancel_futures=True)


def _read_ahead(pool: ProcessPoolExecutor, most: int, every: Iterable[Piece]) -> Iterator[list[RecordLine]]:
    waiting: deque[tuple[Piece, Future[list[RecordLine]] | None]] = deque()
    for piece in every:
        waiting.append((piece, _submitted(pool, piece)))
        if len(waiting) >= most:
            yield _lines_of(*waiting.popleft())
    while waiting:
        yield _lines_of(*waiting.popleft())


def _submitted(pool: ProcessPoolExecutor, piece: Piece) -> Future[list[RecordLine]] | None:
    with suppress(BrokenProcessPool):
        return pool.submit(read_piece, piece)
    return None


def _lines_of(piece: Piece, future: Future[list[RecordLine]] | None) -> list[RecordLine]:
    """Return the lines of a piece; this process reads it if one of the others has been killed."""
    with suppress(BrokenProcessPool):
        if future is not None:
            return future.result()
    return read_piece(piece)


def _read_line(line: bytes, file: str, offset: int, known: set[bytes]) -> ReadRecord | None:
    ref = RecordRef(file=file, offset=offset)
    try:
        record = parse_record(line, ref)
    except ValidationError:
        return None
    key = hashlib.blake2b(repr(key_of_given(record)).encode(), digest_size=16).digest()
    given = None if key in known else _text(given_document(record))
    known.add(key)
    return ReadRecord(
        entry=Entry.of(record, ref).model_dump_json().encode(),
        has_evidence=record.evidence is not None,
        outcome=_text(outcome_document(record)),
        given_key=key,
        given=given,
    )


def _text(document: Any) -> str:
    """Return all texts in a JSON document except its keys, in lower case."""
    found: list[str] = []
    rest = [document]
    while rest:
        value = rest.pop()
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, dict):
            rest.extend(value.values())
        elif isinstance(value, list | tuple):
            rest.extend(value)
    return "\n".join(found).lower()
