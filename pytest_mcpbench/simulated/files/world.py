"""Files of an attempt: reading, writing, moving and searching inside its directory.

All state is on disk, in the directory that the attempt's other servers and its snapshots use too. Two values that would
differ between attempts are fixed: file times are those of the frozen clock, and every directory has the size 4096.
"""

import os
import re
import stat
from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.core.tool import Content
from pytest_mcpbench.simulated.engine.failure import ToolFailure
from pytest_mcpbench.simulated.files.diff import unified_diff
from pytest_mcpbench.simulated.files.edits import apply_edits, to_unix_newlines
from pytest_mcpbench.simulated.files.glob import matches
from pytest_mcpbench.simulated.files.paths import DirectoryView, failure

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
class Entry:
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


class Files:
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

    def entries(self, path: str) -> list[Entry]:
        """Return the entries of a directory, sorted by the bytes of their names."""
        target = self.view.resolve(path)
        with self._node_errors("scandir", target), os.scandir(target) as entries:
            by_name = sorted(entries, key=lambda entry: os.fsencode(entry.name))
        return [Entry(one.name, one.is_dir(follow_symlinks=False), self._size(Path(one.path))) for one in by_name]

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
        return Facts(
            size=self._size(target),
            time=self._world.now.astimezone(UTC),
            is_directory=stat.S_ISDIR(status.st_mode),
            is_file=stat.S_ISREG(status.st_mode),
            permissions=_permissions(status.st_mode),
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
    return any(matches(relative, each) for each in (pattern, f"**/{pattern}", f"**/{pattern}/**"))


def _permissions(mode: int) -> str:
    """Format a mode; group and others get the owner's permissions without write access.

    Their real permissions depend on the process that unpacked the files.
    """
    owner = (mode >> 6) & 7
    return f"{owner}{owner & 5}{owner & 5}"


def _encode(text: str) -> bytes:
    return _SURROGATE.sub("\ufffd", text).encode()
