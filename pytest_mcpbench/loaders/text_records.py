"""Reads the records of a JSON file, one by one, whatever way they were strung together."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from pytest_mcpbench.core.errors import SourceLocation

_GAP = re.compile(r"[\s,]*")
_FIRST_KEY = re.compile(r'\{\s*"((?:[^"\\]|\\.)*)"\s*:')
_UNDECODABLE = re.compile("[\udc80-\udcff]")
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_decode = json.JSONDecoder().raw_decode


@dataclass(frozen=True)
class TextRecord:
    """One record, or the problem that keeps it from being read."""

    place: SourceLocation
    value: Any = None
    problem: str | None = None
    text: str = ""
    """What could not be parsed, up to the next record."""
    warnings: tuple[str, ...] = ()


def decode_text(content: bytes) -> str:
    """The text of a file in UTF-8, UTF-16 or UTF-32, without its byte order mark.

    Bytes that do not belong there become lone surrogates (:pep:`383`), so that only the records that hold them fail.
    """
    encoding = json.detect_encoding(content)
    return content.decode(encoding, errors="surrogateescape" if encoding.startswith("utf-8") else "replace")


def is_undecodable(text: str) -> bool:
    """Whether :func:`decode_text` met bytes that are no text."""
    return _UNDECODABLE.search(text) is not None


def undecodable_line(text: str) -> int:
    """The first line, from 1, that holds such bytes."""
    found = _UNDECODABLE.search(text)
    return text.count("\n", 0, found.start() if found else 0) + 1


def read_records(content: bytes, file: str) -> Iterator[TextRecord]:
    """The records of a JSON array, of JSON lines, of objects written one after the other, or the one object there is.

    A record that cannot be parsed is given with its problem, and reading goes on behind it. A comma that is missing
    between two elements of an array is supplied, with a warning at the element that follows.
    """
    return _Reader(decode_text(content), file).records()


def _has_half_characters(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


@dataclass
class _Reader:
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

    def records(self) -> Iterator[TextRecord]:
        if not self.text.strip():
            return
        self._open_array()
        while True:
            gap = self._skip_gap()
            if self.position >= len(self.text) or self._closes_array():
                break
            record = self._next()
            self.last_is_broken = record.problem is not None
            yield self._with_gap_warning(record, gap)
            self.index += 1
        yield from self._what_follows()

    def _open_array(self) -> None:
        self._skip_gap()
        if self.text.startswith("[", self.position):
            self.in_array = True
            self._move_to(self.position + 1)

    def _closes_array(self) -> bool:
        return self.in_array and self.text.startswith("]", self.position)

    def _what_follows(self) -> Iterator[TextRecord]:
        """What is wrong with the end of an array."""
        if not self.in_array:
            return
        if self.position >= len(self.text):
            if not self.last_is_broken:
                yield TextRecord(self._place(), problem="the array is not closed: the file seems to be cut off")
            return
        self._move_to(self.position + 1)
        if self.text[self.position :].strip():
            yield TextRecord(self._place(), problem="there is something behind the end of the array")

    def _skip_gap(self) -> str:
        gap = _GAP.match(self.text, self.position)
        found = gap.group() if gap else ""
        self._move_to(self.position + len(found))
        return found

    def _move_to(self, position: int) -> None:
        self.line += self.text.count("\n", self.position, position)
        self.position = position

    def _place(self) -> SourceLocation:
        """The line where the record begins a line of its own; else its index."""
        has_own_line = self._indent(self.position) is not None and (self.index == 0 or self.line > 1)
        return SourceLocation(self.file, line=self.line if has_own_line else None, index=self.index)

    def _indent(self, position: int) -> str | None:
        """The blanks between the position and the beginning of its line; ``None`` where something else is there.

        It looks at those blanks only: a file may be one line of many megabytes.
        """
        start = position
        while start and self.text[start - 1] in " \t":
            start -= 1
        return self.text[start:position] if start == 0 or self.text[start - 1] == "\n" else None

    def _next(self) -> TextRecord:
        place, start = self._place(), self.position
        try:
            value, end = _decode(self.text, start)
        except (ValueError, RecursionError) as error:
            problem = self._sentence(error)
            self._move_to(self._next_start(start))
            return TextRecord(place, problem=problem, text=self.text[start : self.position])
        self._move_to(end)
        self._learn_first_key(start)
        if self.has_foreign_bytes and is_undecodable(self.text[start:end]):
            return TextRecord(place, problem="the record holds bytes that are not UTF-8")
        if _SURROGATE_ESCAPE.search(self.text, start, end) and _has_half_characters(value):
            return TextRecord(place, problem="the record holds half a character (a lone surrogate)")
        return TextRecord(place, value)

    def _sentence(self, error: Exception) -> str:
        if isinstance(error, json.JSONDecodeError):
            what = "the record seems to be cut off" if self._ends_at(error) else error.msg
            return f"not valid JSON: {what} (line {error.lineno}, column {error.colno})"
        if isinstance(error, RecursionError):
            return "not readable: nested too deeply"
        return f"not valid JSON: {error}"

    def _ends_at(self, error: json.JSONDecodeError) -> bool:
        """Whether the text, or the line in the middle of a string, ends where JSON expects more."""
        rest = self.text[error.pos : error.pos + 1]
        return rest in ("", "\n", "\r") or error.msg.startswith("Unterminated string")

    def _learn_first_key(self, start: int) -> None:
        if self.first_key is None and (found := _FIRST_KEY.match(self.text, start)):
            self.first_key = found.group(1)

    def _next_start(self, broken: int) -> int:
        """Where the next record begins behind a broken one: a brace in the same column or before the usual key."""
        indent = self._indent(broken)
        candidates = [] if indent is None else self._find(rf"\n{re.escape(indent)}(?=\{{)", broken)
        if not candidates and self.first_key is not None:
            candidates = self._find(rf'(?=\{{\s*"{re.escape(self.first_key)}"\s*:)', broken + 1)
        return min(candidates, default=self._end_of_last(broken))

    def _find(self, pattern: str, position: int) -> list[int]:
        found = re.compile(pattern).search(self.text, position)
        return [found.end()] if found else []

    def _end_of_last(self, broken: int) -> int:
        """The closing bracket of the array, if the file ends on it."""
        end = len(self.text.rstrip())
        return end - 1 if self.in_array and end - 1 > broken and self.text[end - 1] == "]" else len(self.text)

    def _with_gap_warning(self, record: TextRecord, gap: str) -> TextRecord:
        if not self.in_array or self.index == 0 or "," in gap or record.problem:
            return record
        warning = f"a comma is missing between records {self.index - 1} and {self.index}; it was supplied"
        return replace(record, warnings=(warning,))
