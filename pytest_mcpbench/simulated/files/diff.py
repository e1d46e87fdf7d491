"""Unified diffs identical to those of jsdiff 8 (``createTwoFilesPatch``), which ``edit_file`` returns.

Python's ``difflib`` finds other, often longer diffs. This module follows jsdiff's variant of Myers' algorithm (1986),
including its choice between equally short edit scripts.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

_CONTEXT = 4
_SEPARATOR = "=" * 67


class _Piece(NamedTuple):
    """Consecutive lines that are unchanged (``" "``), added (``"+"``) or removed (``"-"``)."""

    sign: str
    lines: list[str]


@dataclass(frozen=True)
class _Run:
    """The last run of equal operations on a path through the edit graph, linked to the previous one."""

    sign: str
    count: int
    before: "_Run | None"


@dataclass
class _Path:
    old: int
    """Index of the last old line that the path has consumed."""
    last: _Run | None


def unified_diff(name: str, before: str, after: str) -> str:
    """Return the diff between two texts with four lines of context."""
    head = [f"Index: {name}", _SEPARATOR, f"--- {name}\toriginal", f"+++ {name}\tmodified"]
    return "\n".join([*head, *_hunks(_pieces(_lines(before), _lines(after)))]) + "\n"


def _lines(text: str) -> list[str]:
    return [part for part in text.replace("\n", "\n\0").split("\0") if part]


def _hunks(pieces: Sequence[_Piece]) -> Iterator[str]:
    old = new = 1
    lines: list[str] = []
    start = (0, 0)
    for index, (sign, content) in enumerate(pieces):
        if sign != " ":
            if not lines:
                lines = [" " + line for line in pieces[index - 1].lines[-_CONTEXT:]] if index else []
                start = (old - len(lines), new - len(lines))
            lines += [sign + line for line in content]
        elif lines:
            joins_next_hunk = len(content) <= 2 * _CONTEXT and index < len(pieces) - 1
            context = content if joins_next_hunk else content[:_CONTEXT]
            lines += [" " + line for line in context]
            if not joins_next_hunk:
                yield from _hunk(start, lines)
                lines = []
        old += len(content) if sign != "+" else 0
        new += len(content) if sign != "-" else 0
    if lines:
        yield from _hunk(start, lines)


def _hunk(start: tuple[int, int], lines: Sequence[str]) -> Iterator[str]:
    counts = [sum(line[0] != sign for line in lines) for sign in "+-"]
    ranges = [f"{first - (not count)},{count}" for first, count in zip(start, counts, strict=True)]
    yield f"@@ -{ranges[0]} +{ranges[1]} @@"
    for line in lines:
        yield line.removesuffix("\n")
        if not line.endswith("\n"):
            yield "\\ No newline at end of file"


def _pieces(old: list[str], new: list[str]) -> list[_Piece]:
    last = _shortest_edit_script(old, new)
    runs: list[_Run] = []
    while last:
        runs.append(last)
        last = last.before
    pieces, old_index, new_index = [], 0, 0
    for run in reversed(runs):
        source, index = (old, old_index) if run.sign == "-" else (new, new_index)
        pieces.append(_Piece(run.sign, source[index : index + run.count]))
        old_index += run.count if run.sign != "+" else 0
        new_index += run.count if run.sign != "-" else 0
    return pieces


def _shortest_edit_script(old: list[str], new: list[str]) -> _Run | None:
    """Return the last run of the shortest edit script between two lists of lines."""
    first = _Path(-1, None)
    _skip_equal_lines(first, old, new, 0)
    if first.old + 1 >= len(old) and first.old + 1 >= len(new):
        return first.last
    best: dict[int, _Path | None] = {0: first}
    low, high = -(len(old) + len(new)), len(old) + len(new)
    for length in range(1, len(old) + len(new) + 1):
        for diagonal in range(max(low, -length), min(high, length) + 1, 2):
            path = _extend(best, diagonal, old, new)
            best[diagonal] = path
            if path is None:
                continue
            new_index = _skip_equal_lines(path, old, new, diagonal)
            if path.old + 1 >= len(old) and new_index + 1 >= len(new):
                return path.last
            if path.old + 1 >= len(old):
                high = min(high, diagonal - 1)
            if new_index + 1 >= len(new):
                low = max(low, diagonal + 1)
    return None


def _extend(best: dict[int, _Path | None], diagonal: int, old: list[str], new: list[str]) -> _Path | None:
    """Extend the best path on a neighbouring diagonal by one step; ``None`` if no line is left to add or remove."""
    removing, adding = best.get(diagonal - 1), best.get(diagonal + 1)
    best[diagonal - 1] = None
    can_add = adding is not None and 0 <= adding.old - diagonal < len(new)
    can_remove = removing is not None and removing.old + 1 < len(old)
    if adding is not None and can_add and (not can_remove or (removing is not None and removing.old < adding.old)):
        return _Path(adding.old, _append_run(adding.last, "+", 1))
    if removing is not None and can_remove:
        return _Path(removing.old + 1, _append_run(removing.last, "-", 1))
    return None


def _skip_equal_lines(path: _Path, old: list[str], new: list[str], diagonal: int) -> int:
    """Advance a path over equal lines and return the index of the last new line that it has consumed."""
    old_index, count = path.old, 0
    new_index = old_index - diagonal
    while new_index + 1 < len(new) and old_index + 1 < len(old) and old[old_index + 1] == new[new_index + 1]:
        old_index, new_index, count = old_index + 1, new_index + 1, count + 1
    if count:
        path.last = _Run(" ", count, path.last)
    path.old = old_index
    return new_index


def _append_run(last: _Run | None, sign: str, count: int) -> _Run:
    if last is not None and last.sign == sign:
        return _Run(sign, last.count + count, last.before)
    return _Run(sign, count, last)
