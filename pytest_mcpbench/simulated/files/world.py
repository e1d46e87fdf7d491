"""Files of an attempt: reading, writing, moving and searching inside its directory.

All state is on disk, in the directory that the attempt's other servers and its snapshots use too. Two values that
would differ between attempts are fixed: file times are those of the frozen clock, and every directory has the size
4096.
"""

import os
import re
import stat
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.core.tool import Content
from pytest_mcpbench.simulated.engine.failure import ToolFailure
from pytest_mcpbench.simulated.files.glob import matches
from pytest_mcpbench.simulated.files.paths import DirectoryView, failure

# Text replacement of ``edit_file``: by exact match if possible, otherwise by lines regardless of indentation.


def apply_edits(text: str, edits: Iterable[tuple[str, str]]) -> str:
    """Replace the first occurrence of each old text with the new text."""
    for old, new in edits:
        text = _apply_edit(text, to_unix_newlines(old), to_unix_newlines(new), old)
    return text


def to_unix_newlines(text: str) -> str:
    """Convert line endings from CRLF to LF."""
    return text.replace("\r\n", "\n")


def _apply_edit(text: str, old: str, new: str, original_old: str) -> str:
    if old in text:
        return text.replace(old, new, 1)
    lines, old_lines = text.split("\n"), old.split("\n")
    stripped_old = [line.strip() for line in old_lines]
    for start in range(len(lines) - len(old_lines) + 1):
        if [line.strip() for line in lines[start : start + len(old_lines)]] == stripped_old:
            # Indent the new lines like the text that they replace.
            indent = _indentation(lines[start])
            first, *others = new.split("\n")
            replacement = [indent + first.lstrip()]
            for index, line in enumerate(others, start=1):
                before = _indentation(old_lines[index]) if index < len(old_lines) else ""
                after = _indentation(line)
                more = " " * max(0, len(after) - len(before))
                replacement.append(indent + more + line.lstrip() if before and after else line)
            return "\n".join([*lines[:start], *replacement, *lines[start + len(old_lines) :]])
    raise ToolFailure(f"Could not find exact match for edit:\n{original_old}")


def _indentation(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


# Unified diffs identical to those of jsdiff 8 (``createTwoFilesPatch``), which ``edit_file`` returns.
#
# Python's ``difflib`` finds other, often longer diffs. This module follows jsdiff's variant of Myers' algorithm (1986),
# including its choice between equally short edit scripts.

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
    old = _lines(before)
    new = _lines(after)
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
    return "\n".join([*head, *_hunks(pieces)]) + "\n"


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


DIRECTORY_SIZE = 4096
_MIME_TYPES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".bmp": "image/bmp",
    ".svg": "image/svg+xml",
    ".mp3": "audio/mpeg",
    ".wav": "audio/wav",
    ".ogg": "audio/ogg",
    ".flac": "audio/flac",
}
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class DirectoryEntry:
    """An entry of a directory; a symbolic link counts as a file with the size of its target."""

    name: str
    is_directory: bool
    size: int


@dataclass(frozen=True)
class Facts:
    """Metadata of a file or directory."""

    size: int
    time: datetime
    is_directory: bool
    is_file: bool
    permissions: str
    """Permissions as three octal digits."""


class FileWorld:
    """The directory of one attempt, addressed by the paths that agents write.

    :class:`ToolFailure` carries the server's error message.
    """

    def __init__(self, world: World, shown_as: str | None = None, allowed: Sequence[str] = ()) -> None:
        self.view = DirectoryView.create(world.path, shown_as, tuple(allowed))
        self._world = world

    def text(self, path: str) -> str:
        """Return the text of a file; invalid UTF-8 is replaced."""
        return self._bytes(path).decode("utf-8", "replace")

    def head(self, path: str, count: float) -> str:
        """Return the first lines of a file."""
        lines = self.text(path).split("\n")
        if lines[-1] == "":
            lines.pop()
        return "\n".join(lines[: max(0, -int(-count // 1))])

    def tail(self, path: str, count: float) -> str:
        """Return the last lines of a file; the text after the final newline counts as a line even if it is empty."""
        target = self.view.resolve(path)
        with self._node_errors("stat", target):
            target.stat()
        return "\n".join(to_unix_newlines(self.text(path)).split("\n")[-int(count) :]) if count > 0 else ""

    def media(self, path: str) -> Content:
        """Return a file as image or audio content according to its suffix, or else as a resource."""
        target = self.view.resolve(path)
        mime_type = _MIME_TYPES.get(target.suffix.lower(), "application/octet-stream")
        data = b64encode(self._bytes(path)).decode()
        kind = mime_type.partition("/")[0]
        if kind == "image":
            return Content(type="image", data=data, mime_type=mime_type)
        if kind == "audio":
            return Content(type="audio", data=data, mime_type=mime_type)
        uri = Path(self.view.display_path(target)).as_uri()
        return Content(type="resource", data=data, mime_type=mime_type, uri=uri)

    def write(self, path: str, text: str) -> None:
        """Create a file or overwrite it."""
        target = self.view.resolve(path)
        if target.is_dir():
            temporary = f"{self.view.display_path(target)}.{self._world.ids.hex(32)}.tmp"
            raise failure(IsADirectoryError(21, ""), "rename", temporary, self.view.display_path(target))
        with self._node_errors("open", target):
            target.write_bytes(_encode(text))

    def edit(self, path: str, edits: Sequence[tuple[str, str]], *, is_dry_run: bool = False) -> str:
        """Replace texts in a file and return the diff; with ``is_dry_run``, only return the diff."""
        before = to_unix_newlines(self.text(path))
        after = apply_edits(before, edits)
        target = self.view.resolve(path)
        if not is_dry_run:
            target.write_bytes(_encode(after))
        return unified_diff(self.view.display_path(target), before, after)

    def make_directory(self, path: str) -> None:
        """Create a directory and its missing parents."""
        target = self.view.resolve(path)
        with self._node_errors("mkdir", target):
            target.mkdir(parents=True, exist_ok=True)

    def entries(self, path: str) -> list[DirectoryEntry]:
        """Return the entries of a directory, sorted by the bytes of their names."""
        target = self.view.resolve(path)
        with self._node_errors("scandir", target), os.scandir(target) as entries:
            by_name = sorted(entries, key=lambda entry: os.fsencode(entry.name))
        return [
            DirectoryEntry(one.name, one.is_dir(follow_symlinks=False), self._size(Path(one.path))) for one in by_name
        ]

    def tree(self, path: str, excluded_patterns: Sequence[str] = ()) -> list[dict[str, Any]]:
        """Return the contents of a directory recursively."""
        return self._subtree(path, "", excluded_patterns)

    def move(self, source: str, destination: str) -> None:
        """Move or rename a file or directory; fail if the destination exists."""
        old, new = self.view.resolve(source), self.view.resolve(destination)
        if os.path.lexists(new):
            raise ToolFailure(f"Destination already exists: {self.view.display_path(new)}")
        with self._node_errors("rename", old, new):
            old.rename(new)

    def search(self, path: str, pattern: str, excluded_patterns: Sequence[str] = ()) -> list[str]:
        """Return the paths below a directory that match a pattern; symbolic links are matched but not followed."""
        root = self.view.resolve(path)
        with self._node_errors("scandir", root):
            return list(self._search(root, "", pattern, excluded_patterns))

    def facts(self, path: str) -> Facts:
        """Return the metadata of a file or directory."""
        target = self.view.resolve(path)
        with self._node_errors("stat", target):
            status = target.stat()
        # Group and others get the owner's permissions without write access: their real ones depend on the process
        # that unpacked the files.
        owner = (status.st_mode >> 6) & 7
        return Facts(
            size=self._size(target),
            time=self._world.now.astimezone(UTC),
            is_directory=stat.S_ISDIR(status.st_mode),
            is_file=stat.S_ISREG(status.st_mode),
            permissions=f"{owner}{owner & 5}{owner & 5}",
        )

    def _bytes(self, path: str) -> bytes:
        target = self.view.resolve(path)
        if target.is_dir():
            raise failure(IsADirectoryError(21, ""), "read")
        with self._node_errors("open", target):
            if not stat.S_ISREG(target.stat().st_mode):
                raise OSError(22, "neither a file nor a directory")
            return target.read_bytes()

    def _size(self, target: Path) -> int:
        """Return a file's size; 0 if the file no longer exists or the path leads outside the directory."""
        real = Path(os.path.realpath(target))
        if not self.view.contains(real) or not real.exists():
            return 0
        return DIRECTORY_SIZE if real.is_dir() else real.stat().st_size

    def _subtree(self, path: str, inner: str, excluded_patterns: Sequence[str]) -> list[dict[str, Any]]:
        branch: list[dict[str, Any]] = []
        for entry in self.entries(path):
            relative = f"{inner}{entry.name}"
            if any(_is_excluded(relative, pattern) for pattern in excluded_patterns):
                continue
            node: dict[str, Any] = {"name": entry.name, "type": "directory" if entry.is_directory else "file"}
            if entry.is_directory:
                node["children"] = self._subtree(f"{path.rstrip('/')}/{entry.name}", f"{relative}/", excluded_patterns)
            branch.append(node)
        return branch

    def _search(self, directory: Path, inner: str, pattern: str, excluded_patterns: Sequence[str]) -> Iterator[str]:
        for target in sorted(directory.iterdir(), key=os.fsencode):
            relative = f"{inner}{target.name}"
            if not self.view.contains(Path(os.path.realpath(target))) or not target.exists():
                continue
            if any(matches(relative, each) for each in excluded_patterns):
                continue
            if matches(relative, pattern):
                yield self.view.display_path(target)
            if target.is_dir() and not target.is_symlink():
                yield from self._search(target, f"{relative}/", pattern, excluded_patterns)

    @contextmanager
    def _node_errors(self, operation: str, *targets: Path) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise failure(error, operation, *(self.view.display_path(target) for target in targets)) from error


def _is_excluded(relative: str, pattern: str) -> bool:
    if "*" in pattern:
        return matches(relative, pattern)
    # Without a star, a pattern excludes the name at any depth, and everything below it.
    return any(matches(relative, each) for each in (pattern, f"**/{pattern}", f"**/{pattern}/**"))


def _encode(text: str) -> bytes:
    return _SURROGATE.sub("\ufffd", text).encode()
