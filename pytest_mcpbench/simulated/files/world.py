"""The files of an attempt: reading, writing, moving and finding them inside of its directory.

All state is on disk, in the directory that the attempt's other servers and its snapshots see too. Two things would
differ from one attempt to the next and are fixed: a file's times are those of the frozen clock, and a directory has the
size 4096.
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
from pytest_mcpbench.simulated.files.edits import edited, unix
from pytest_mcpbench.simulated.files.glob import matches
from pytest_mcpbench.simulated.files.paths import DirectoryView, failure

DIRECTORY_SIZE = 4096
_MEDIA = {
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
    """One name in a directory; a symbolic link is a file, with the size of what it leads to."""

    name: str
    is_directory: bool
    size: int


@dataclass(frozen=True)
class Facts:
    """What is known of a file or directory without reading it."""

    size: int
    time: datetime
    is_directory: bool
    is_file: bool
    permissions: str
    """Three octal digits."""


class Files:
    """The directory of one attempt, by paths as agents write them; :class:`ToolFailure` has the server's message."""

    def __init__(self, world: World, shown_as: str | None = None, allowed: Sequence[str] = ()) -> None:
        self.view = DirectoryView.of(world.path, shown_as, tuple(allowed))
        self._world = world

    def text(self, path: str) -> str:
        """The whole of a file; bytes that are no UTF-8 are replaced."""
        return self._bytes(path).decode("utf-8", "replace")

    def head(self, path: str, count: float) -> str:
        """The first lines of a file."""
        lines = self.text(path).split("\n")
        if lines[-1] == "":
            lines.pop()
        return "\n".join(lines[: max(0, -int(-count // 1))])

    def tail(self, path: str, count: float) -> str:
        """The last lines of a file; what stands behind its last newline is one of them, even if it is empty."""
        place = self.view.resolve(path)
        with self._explained("stat", place):
            place.stat()
        return "\n".join(unix(self.text(path)).split("\n")[-int(count) :]) if count > 0 else ""

    def media(self, path: str) -> Content:
        """A file as an image, as audio or, where it is neither by its name, as a resource."""
        place = self.view.resolve(path)
        mime_type = _MEDIA.get(place.suffix.lower(), "application/octet-stream")
        data = b64encode(self._bytes(path)).decode()
        kind = mime_type.partition("/")[0]
        if kind == "image":
            return Content(type="image", data=data, mime_type=mime_type)
        if kind == "audio":
            return Content(type="audio", data=data, mime_type=mime_type)
        uri = Path(self.view.display_path(place)).as_uri()
        return Content(type="resource", data=data, mime_type=mime_type, uri=uri)

    def write(self, path: str, text: str) -> None:
        """Make a file, or replace what it holds."""
        place = self.view.resolve(path)
        if place.is_dir():
            temporary = f"{self.view.display_path(place)}.{self._world.ids.hex(32)}.tmp"
            raise failure(IsADirectoryError(21, ""), "rename", temporary, self.view.display_path(place))
        with self._explained("open", place):
            place.write_bytes(_encoded(text))

    def edit(self, path: str, edits: Sequence[tuple[str, str]], *, is_dry_run: bool = False) -> str:
        """Replace texts in a file; the difference that this makes, or would make."""
        before = unix(self.text(path))
        after = edited(before, edits)
        place = self.view.resolve(path)
        if not is_dry_run:
            place.write_bytes(_encoded(after))
        return unified_diff(self.view.display_path(place), before, after)

    def make_directory(self, path: str) -> None:
        """Make a directory and those above it, where they are missing."""
        place = self.view.resolve(path)
        with self._explained("mkdir", place):
            place.mkdir(parents=True, exist_ok=True)

    def entries(self, path: str) -> list[Entry]:
        """What a directory holds, by the bytes of the names."""
        place = self.view.resolve(path)
        with self._explained("scandir", place), os.scandir(place) as found:
            by_name = sorted(found, key=lambda entry: os.fsencode(entry.name))
        return [Entry(one.name, one.is_dir(follow_symlinks=False), self._size(Path(one.path))) for one in by_name]

    def tree(self, path: str, excluded: Sequence[str] = ()) -> list[dict[str, Any]]:
        """What a directory holds, with all that is below."""
        return self._branch(path, "", excluded)

    def move(self, source: str, destination: str) -> None:
        """Move or rename a file or a directory to a place where nothing is."""
        old, new = self.view.resolve(source), self.view.resolve(destination)
        if os.path.lexists(new):
            raise ToolFailure(f"Destination already exists: {self.view.display_path(new)}")
        with self._explained("rename", old, new):
            old.rename(new)

    def search(self, path: str, pattern: str, excluded: Sequence[str] = ()) -> list[str]:
        """Paths below a directory that fit a pattern; symbolic links are found, but not followed."""
        root = self.view.resolve(path)
        with self._explained("scandir", root):
            return list(self._found(root, "", pattern, excluded))

    def facts(self, path: str) -> Facts:
        """Size, kind and permissions."""
        place = self.view.resolve(path)
        with self._explained("stat", place):
            status = place.stat()
        return Facts(
            size=self._size(place),
            time=self._world.now.astimezone(UTC),
            is_directory=stat.S_ISDIR(status.st_mode),
            is_file=stat.S_ISREG(status.st_mode),
            permissions=_permissions(status.st_mode),
        )

    def _bytes(self, path: str) -> bytes:
        place = self.view.resolve(path)
        if place.is_dir():
            raise failure(IsADirectoryError(21, ""), "read")
        with self._explained("open", place):
            if not stat.S_ISREG(place.stat().st_mode):
                raise OSError(22, "neither a file nor a directory")
            return place.read_bytes()

    def _size(self, place: Path) -> int:
        """0 where the place is no more, or leads outside."""
        real = Path(os.path.realpath(place))
        if not self.view.contains(real) or not real.exists():
            return 0
        return DIRECTORY_SIZE if real.is_dir() else real.stat().st_size

    def _branch(self, path: str, inner: str, excluded: Sequence[str]) -> list[dict[str, Any]]:
        branch: list[dict[str, Any]] = []
        for entry in self.entries(path):
            relative = f"{inner}{entry.name}"
            if any(_is_excluded(relative, pattern) for pattern in excluded):
                continue
            node: dict[str, Any] = {"name": entry.name, "type": "directory" if entry.is_directory else "file"}
            if entry.is_directory:
                node["children"] = self._branch(f"{path.rstrip('/')}/{entry.name}", f"{relative}/", excluded)
            branch.append(node)
        return branch

    def _found(self, directory: Path, inner: str, pattern: str, excluded: Sequence[str]) -> Iterator[str]:
        for place in sorted(directory.iterdir(), key=os.fsencode):
            relative = f"{inner}{place.name}"
            if not self.view.contains(Path(os.path.realpath(place))) or not place.exists():
                continue
            if any(matches(relative, each) for each in excluded):
                continue
            if matches(relative, pattern):
                yield self.view.display_path(place)
            if place.is_dir() and not place.is_symlink():
                yield from self._found(place, f"{relative}/", pattern, excluded)

    @contextmanager
    def _explained(self, operation: str, *places: Path) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise failure(error, operation, *(self.view.display_path(place) for place in places)) from error


def _is_excluded(relative: str, pattern: str) -> bool:
    if "*" in pattern:
        return matches(relative, pattern)
    return any(matches(relative, each) for each in (pattern, f"**/{pattern}", f"**/{pattern}/**"))


def _permissions(mode: int) -> str:
    """The owner's; what others may do depends on who unpacked the files, so it is the same but for writing."""
    owner = (mode >> 6) & 7
    return f"{owner}{owner & 5}{owner & 5}"


def _encoded(text: str) -> bytes:
    return _SURROGATE.sub("\ufffd", text).encode()
