"""Files of one stage in the work directory: kept candidates, dropped candidates, and how far the stage has come."""

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.suggestions import hint
from pytest_mcpbench.generation.pipeline.candidates import Candidate, Dropped
from pytest_mcpbench.runtime.atomic_file import replace_file
from pytest_mcpbench.runtime.line_file import LineFile, first_fault
from pytest_mcpbench.runtime.secret_filter import SecretFilter

Line = TypeVar("Line", bound=BaseModel)


class _State(FrozenModel):
    """Content of the state file."""

    input: str
    """sha256 of the candidates that the stage has read."""
    output: str | None = None
    """sha256 of its candidates; ``None`` until the stage is complete."""


class StageFiles:
    """The files ``<number>-<name>.jsonl``, ``….dropped.jsonl`` and ``….state.json``.

    Every line is handed to the operating system at once, so that a killed run loses at most the candidates that it was
    working on.
    """

    def __init__(self, directory: Path, number: int, name: str, secrets: SecretFilter) -> None:
        stem = f"{number:02}-{name}"
        self.kept_file = directory / f"{stem}.jsonl"
        self._dropped_file = directory / f"{stem}.dropped.jsonl"
        self._state_file = directory / f"{stem}.state.json"
        self._kept = LineFile(self.kept_file)
        self._dropped = LineFile(self._dropped_file)
        self._secrets = secrets

    @property
    def digest(self) -> str:
        """The sha256 of the kept candidates as they are in the file now."""
        return _sha256(self.kept_file)

    @property
    def is_complete(self) -> bool:
        state = self._state()
        return state is not None and state.output is not None

    @property
    def is_edited(self) -> bool:
        """Return whether somebody has changed the candidates since the stage was completed."""
        state = self._state()
        return state is not None and state.output is not None and state.output != self.digest

    def reads_other(self, digest: str) -> bool:
        """Return whether the stage has begun with other candidates than those with this sha256."""
        state = self._state()
        return state is not None and state.input != digest

    def begin(self, digest: str) -> None:
        """Store what the stage reads; lines that were cut off when a run was killed are removed."""
        self.kept_file.parent.mkdir(parents=True, exist_ok=True)
        for file in (self.kept_file, self._dropped_file):
            _remove_torn_line(file)
        self._store(_State(input=digest))

    def set_aside(self) -> None:
        """Rename the files, because their input has changed; lines that somebody has edited are not lost."""
        for file in (self.kept_file, self._dropped_file):
            if file.exists():
                file.replace(file.with_suffix(".jsonl.before"))
        self._state_file.unlink(missing_ok=True)

    def clear(self) -> None:
        """Remove all lines."""
        for file in (self.kept_file, self._dropped_file):
            file.unlink(missing_ok=True)

    def keep(self, candidates: Iterable[Candidate]) -> None:
        """Append candidates, all with one write."""
        _append(self._kept, candidates, self._secrets)

    def drop(self, dropped: Iterable[Dropped]) -> None:
        """Append dropped candidates, all with one write."""
        _append(self._dropped, dropped, self._secrets)

    def complete(self, digest: str) -> None:
        """Store that the stage is complete."""
        self.kept_file.touch()
        self._store(_State(input=digest, output=self.digest))

    def close(self) -> None:
        """Close the files."""
        self._kept.close()
        self._dropped.close()

    def candidates(self, kind: type[Line]) -> list[Line]:
        """Return the kept candidates; raise UsageError for a line that is not one."""
        return _read(self.kept_file, kind)

    def dropped(self) -> list[Dropped]:
        """Return the dropped candidates; raise UsageError for a line that is not one."""
        return _read(self._dropped_file, Dropped)

    def _state(self) -> _State | None:
        try:
            return _State.model_validate_json(self._state_file.read_bytes())
        except FileNotFoundError:
            return None
        except ValidationError as error:
            raise UsageError(f"{self._state_file}: {first_fault(error)}; delete it to repeat the stage.") from None

    def _store(self, state: _State) -> None:
        replace_file(self._state_file, state.model_dump_json().encode())


def check_ids(file: Path, candidates: Sequence[Candidate]) -> None:
    """Raise UsageError if two candidates of a file have the same id."""
    seen: set[str] = set()
    for number, candidate in enumerate(candidates, 1):
        if candidate.id in seen:
            raise UsageError(f"{file}:{number}: the id {candidate.id!r} is used twice; give each candidate its own.")
        seen.add(candidate.id)


def _append(file: LineFile, lines: Iterable[BaseModel], secrets: SecretFilter) -> None:
    text = "\n".join(secrets.remove_from_model(line).model_dump_json() for line in lines)
    if text:
        file.append(text.encode())


def _read(file: Path, kind: type[Line]) -> list[Line]:
    if not file.exists():
        return []
    found = []
    for number, line in enumerate(file.read_bytes().splitlines(), 1):
        if line.strip():
            try:
                found.append(kind.model_validate_json(line))
            except ValidationError as error:
                raise UsageError(f"{file}:{number}: {_fault(error, kind)} Correct the line or delete it.") from None
    return found


def _fault(error: ValidationError, kind: type[BaseModel]) -> str:
    """Return the first problem of a line, with the nearest name of a field that the kind does not have."""
    unknown = next((each["loc"] for each in error.errors() if each["type"] == "extra_forbidden"), ())
    if len(unknown) == 1:
        return f"there is no field {unknown[0]!r}. {hint(str(unknown[0]), kind.model_fields)}"
    return f"{first_fault(error).replace(' at line 1 column ', ' at column ')}."


def _remove_torn_line(file: Path) -> None:
    if not file.exists():
        return
    content = file.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    if whole != content:
        replace_file(file, whole)


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes() if file.exists() else b"").hexdigest()
