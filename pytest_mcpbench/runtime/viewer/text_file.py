"""Texts of attempts in one file on disk, and the search for words in it.

The file is mapped into memory while it is searched, so that the operating system and not the process keeps what it
needs of it. Texts that many attempts share, such as definitions of tools, are stored once.
"""

import mmap
import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy

_WORD = re.compile(r'"([^"]+)"?|(\S+)')
_END = b"\n\x00\n"
"""End of a text; no word that is searched contains it, because control characters are not stored."""


class TextFile:
    """File of texts in lower case; one thread appends, and others search."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("ab")
        self._starts = array("Q")

    def append(self, texts: Iterable[str]) -> int:
        """Store texts that belong together and return their number; :meth:`flush` makes them visible to searches."""
        start = self._file.tell()
        self._file.write("\n".join(texts).lower().replace("\x00", " ").encode("utf-8", "replace") + _END)
        self._starts.append(start)
        return len(self._starts) - 1

    def flush(self) -> None:
        """Write what was appended to disk."""
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def containing(self, word: str) -> bytearray:
        """Return a 1 for the number of each text that contains a word in lower case."""
        starts = self._starts[:]
        marks = bytearray(len(starts))
        wanted = word.encode("utf-8", "replace")
        with self._path.open("rb") as file:
            size = file.seek(0, 2)
            if not size or not wanted:
                return marks
            with mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ) as content:
                for number in _hits(content, wanted, starts):
                    marks[number] = 1
        return marks


class AttemptTexts:
    """Numbers of the two texts of each attempt: of its outcome, and of what the agent was given."""

    def __init__(self, outcome: Iterable[int] = (), given: Iterable[int] = ()) -> None:
        self._outcome = array("q", outcome)
        self._given = array("q", given)

    def set(self, number: int, *, outcome: int, given: int) -> None:
        """Store the texts of an attempt; attempts are numbered from 1."""
        while len(self._given) <= number:
            self._outcome.append(-1)
            self._given.append(-1)
        self._outcome[number], self._given[number] = outcome, given

    def copy(self) -> "AttemptTexts":
        """Return the state of now; another thread may store attempts meanwhile."""
        size = len(self._given)
        return AttemptTexts(self._outcome[:size], self._given[:size])

    def numbers_with(self, marks: Sequence[bytearray], *, includes_given: bool) -> list[int]:
        """Return the numbers of the attempts of which a text has a mark of each word."""
        outcome, given = (numpy.array(each, dtype=numpy.int64) for each in (self._outcome, self._given))
        found = outcome >= 0
        for mark in marks:
            # A text without a place has the last mark, which is 0.
            has_word = numpy.frombuffer(mark + b"\0", dtype=numpy.uint8)
            found &= (has_word[outcome] | (has_word[given] if includes_given else 0)) > 0
        return [int(number) for number in numpy.nonzero(found)[0]]


def search_words(text: str) -> list[str]:
    """Return the words of a search in lower case; words between quotation marks stay together."""
    return [phrase or word for phrase, word in _WORD.findall(text.lower())]


def strings_in(document: Any) -> Iterator[str]:
    """Yield all texts in a JSON document except its keys."""
    if isinstance(document, str):
        yield document
    elif isinstance(document, dict):
        for value in document.values():
            yield from strings_in(value)
    elif isinstance(document, list | tuple):
        for value in document:
            yield from strings_in(value)


def _hits(content: mmap.mmap, wanted: bytes, starts: "array[int]") -> Iterator[int]:
    """Yield the number of each text with a hit; the rest of a text is skipped after its first one."""
    at = content.find(wanted)
    while at >= 0:
        number = bisect_right(starts, at) - 1
        yield number
        if number + 1 == len(starts):
            return
        at = content.find(wanted, starts[number + 1])
