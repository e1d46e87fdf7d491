"""Fault-tolerant reader of the records in a JSON array, JSON lines, or a sequence of JSON objects."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from pytest_mcpbench.core.errors import SourceLocation
from pytest_mcpbench.text.json_reading import require_few_levels

_GAP = re.compile(r"[\s,]*")
_FIRST_KEY = re.compile(r'\{\s*"((?:[^"\\]|\\.)*)"\s*:')
_UNDECODABLE = re.compile("[\udc80-\udcff]")
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_decode = json.JSONDecoder().raw_decode


@dataclass(frozen=True)
class JsonRecord:
    """One record, or the problem that prevents reading it."""

    place: SourceLocation
    value: Any = None
    problem: str | None = None
    text: str = ""
    """Text that could not be parsed, up to the next record."""
    warnings: tuple[str, ...] = ()


def decode_text(content: bytes) -> str:
    """Decode a file in UTF-8, UTF-16 or UTF-32 and drop the byte order mark.

    Invalid bytes become lone surrogates (:pep:`383`), so that only the records that contain them fail.
    """
    encoding = json.detect_encoding(content)
    return content.decode(encoding, errors="surrogateescape" if encoding.startswith("utf-8") else "replace")


def is_undecodable(text: str) -> bool:
    """Return whether a text from :func:`decode_text` contains invalid bytes."""
    return _UNDECODABLE.search(text) is not None


def undecodable_line(text: str) -> int:
    """Return the first line, from 1, that contains invalid bytes."""
    match = _UNDECODABLE.search(text)
    return text.count("\n", 0, match.start() if match else 0) + 1


def read_json_records(content: bytes, file: str) -> Iterator[JsonRecord]:
    """Yield the records of a JSON array, of JSON lines, of consecutive objects, or a single object.

    A record that cannot be parsed is yielded with its problem, and reading continues after it. A missing comma between
    two elements of an array is tolerated, with a warning at the second element.
    """
    return _Reader(decode_text(content), file).records()


def _has_lone_surrogate(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


@dataclass
class _Reader:
    """Incremental parser with the position of the next record."""

    text: str
    file: str
    position: int = 0
    line: int = 1
    index: int = 0
    in_array: bool = False
    first_key: str | None = None
    last_is_broken: bool = False
    has_foreign_bytes: bool = field(init=False)

    def __post_init__(self) -> None:
        self.has_foreign_bytes = is_undecodable(self.text)

    def records(self) -> Iterator[JsonRecord]:
        if not self.text.strip():
            return
        self._skip_gap()
        if self.text.startswith("[", self.position):
            self.in_array = True
            self._move_to(self.position + 1)
        while True:
            gap = self._skip_gap()
            if self.position >= len(self.text) or (self.in_array and self.text.startswith("]", self.position)):
                break
            record = self._read_record()
            self.last_is_broken = record.problem is not None
            if self.in_array and self.index > 0 and "," not in gap and not record.problem:
                warning = f"a comma is missing between records {self.index - 1} and {self.index}; both were read"
                record = replace(record, warnings=(warning,))
            yield record
            self.index += 1
        if not self.in_array:
            return
        if self.position >= len(self.text):
            if not self.last_is_broken:
                yield JsonRecord(self._place(), problem="the array is not closed: the file seems to be cut off")
            return
        self._move_to(self.position + 1)
        if self.text[self.position :].strip():
            yield JsonRecord(self._place(), problem="there is text after the end of the array")

    def _skip_gap(self) -> str:
        gap = _GAP.match(self.text, self.position)
        skipped = gap.group() if gap else ""
        self._move_to(self.position + len(skipped))
        return skipped

    def _move_to(self, position: int) -> None:
        self.line += self.text.count("\n", self.position, position)
        self.position = position

    def _place(self) -> SourceLocation:
        """Return the line of a record that starts a line, else its index."""
        has_own_line = self._indent(self.position) is not None and (self.index == 0 or self.line > 1)
        return SourceLocation(self.file, line=self.line if has_own_line else None, index=self.index)

    def _indent(self, position: int) -> str | None:
        """Return the indentation before the position, or ``None`` if other text precedes it on the line.

        Only the blanks are examined, because a file may be one line of many megabytes.
        """
        start = position
        while start and self.text[start - 1] in " \t":
            start -= 1
        return self.text[start:position] if start == 0 or self.text[start - 1] == "\n" else None

    def _read_record(self) -> JsonRecord:
        place, start = self._place(), self.position
        try:
            value, end = _decode(self.text, start)
            require_few_levels(value)
        except (ValueError, RecursionError) as error:
            if isinstance(error, json.JSONDecodeError):
                # The text, or a line inside a string, ends where JSON expects more.
                ends_here = self.text[error.pos : error.pos + 1] in ("", "\n", "\r")
                is_cut_off = ends_here or error.msg.startswith("Unterminated string")
                reason = "the record seems to be cut off" if is_cut_off else error.msg
                problem = f"not valid JSON: {reason} (line {error.lineno}, column {error.colno})"
            elif isinstance(error, RecursionError):
                problem = "not readable: nested too deeply"
            else:
                problem = f"not readable: {error}"
            # The next record begins with a brace at the same indentation or before the usual first key.
            indent = self._indent(start)
            candidates = [] if indent is None else self._find(rf"\n{re.escape(indent)}(?=\{{)", start)
            if not candidates and self.first_key is not None:
                candidates = self._find(rf'(?=\{{\s*"{re.escape(self.first_key)}"\s*:)', start + 1)
            if not candidates:
                # The rest of the file, except for the array's closing bracket if the file ends with it.
                last = len(self.text.rstrip()) - 1
                ends_array = self.in_array and last > start and self.text[last] == "]"
                candidates = [last if ends_array else len(self.text)]
            self._move_to(candidates[0])
            return JsonRecord(place, problem=problem, text=self.text[start : self.position])
        self._move_to(end)
        if self.first_key is None and (match := _FIRST_KEY.match(self.text, start)):
            self.first_key = match.group(1)
        if self.has_foreign_bytes and is_undecodable(self.text[start:end]):
            return JsonRecord(place, problem="the record contains bytes that are not UTF-8")
        if _SURROGATE_ESCAPE.search(self.text, start, end) and _has_lone_surrogate(value):
            return JsonRecord(place, problem="the record contains a lone surrogate, which is not a valid character")
        return JsonRecord(place, value)

    def _find(self, pattern: str, position: int) -> list[int]:
        match = re.compile(pattern).search(self.text, position)
        return [match.end()] if match else []
