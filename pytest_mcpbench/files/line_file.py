"""Files of JSON lines that survive the death of their writer at any moment."""

import os
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from pytest_mcpbench.core.errors import SourceLocation, StorageError

Model = TypeVar("Model", bound=BaseModel)

_losses: ContextVar[list[str] | None] = ContextVar("mcpbench_losses", default=None)


class TornRecordWarning(UserWarning):
    """Warning that the last line of a records file is incomplete because its writer was killed; it is skipped."""


class DamagedRecordWarning(UserWarning):
    """Warning that a complete line of a records file, or ``run.json``, cannot be parsed; other lines are read."""


class LineFile:
    """File to which one process appends lines, from any of its threads; it is opened by the first line."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None
        self._lock = threading.Lock()

    def append(self, line: bytes) -> int:
        """Hand a line to the operating system and return its offset; a crash of this process cannot lose it then.

        Raises:
            StorageError: the line cannot be written; what the file contains stays valid.
        """
        content = line.rstrip(b"\n") + b"\n"
        with self._lock:
            try:
                if self._descriptor is None:
                    self._descriptor = _open_for_append(self.path)
                _write(self._descriptor, content)
                # From the end, which is known only now: another process may have appended to the file in the meantime.
                return os.lseek(self._descriptor, 0, os.SEEK_CUR) - len(content)
            except OSError as error:
                raise StorageError(error.strerror or str(error), str(self.path)) from error

    def close(self) -> None:
        """Close the file, if anything was written."""
        with self._lock:
            if self._descriptor is not None:
                os.close(self._descriptor)
                self._descriptor = None


def read_lines(path: Path, model: type[Model], *, containing: bytes = b"") -> Iterator[tuple[int, Model]]:
    """Yield the offset and the value of each line of a file; a warning refers to each line that is skipped.

    Lines without the bytes ``containing`` are not parsed.
    """
    with path.open("rb") as file:
        offset = 0
        for number, line in enumerate(file, start=1):
            place = SourceLocation(str(path), line=number)
            value = _parse_line(line, place, model) if containing in line else None
            if value is not None:
                yield offset, value
            offset += len(line)


def read_line(path: Path, offset: int) -> bytes:
    """Return the line at an offset, with its line break."""
    with path.open("rb") as file:
        file.seek(offset)
        return file.readline()


def warn(category: type[UserWarning], message: str) -> None:
    """Warn about a file; the warning refers to the caller of the function that reads the file."""
    warnings.warn(message, category, stacklevel=4)


@contextmanager
def counted_losses() -> Iterator[list[str]]:
    """Yield a list that receives the message of each record that is left out within this context."""
    losses: list[str] = []
    token = _losses.set(losses)
    try:
        yield losses
    finally:
        _losses.reset(token)


def leave_out(category: type[UserWarning], message: str) -> None:
    """Warn about a record that is left out, and count it; the warning refers to the caller of the reading function."""
    losses = _losses.get()
    if losses is not None:
        losses.append(message)
    warnings.warn(message, category, stacklevel=4)


def first_fault(error: ValidationError) -> str:
    """Return the first problem of a line."""
    fault = error.errors(include_input=False, include_url=False)[0]
    field = ".".join(map(str, fault["loc"]))
    return f"{field}: {fault['msg']}" if field else fault["msg"]


def _open_for_append(path: Path) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    # O_BINARY exists on Windows only, which otherwise writes two bytes for each line break.
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
    # A killed writer may have left an incomplete line; without a line break it would swallow the next one.
    if os.fstat(descriptor).st_size:
        os.lseek(descriptor, -1, os.SEEK_END)
        if os.read(descriptor, 1) != b"\n":
            _write(descriptor, b"\n")
    return descriptor


def _write(descriptor: int, content: bytes) -> None:
    """Write everything, or remove the part that was written."""
    written = 0
    try:
        while written < len(content):
            written += os.write(descriptor, content[written:])
    except OSError:
        if written:
            os.ftruncate(descriptor, os.lseek(descriptor, 0, os.SEEK_CUR) - written)
        raise


def _parse_line(line: bytes, place: SourceLocation, model: type[Model]) -> Model | None:
    if not line.strip():
        return None
    try:
        return model.model_validate_json(line)
    except ValidationError as error:
        if line.endswith(b"\n"):
            leave_out(DamagedRecordWarning, f"{place}: not a record, left out: {first_fault(error)}")
        else:
            leave_out(TornRecordWarning, f"{place}: the record is cut off and is left out")
        return None
