"""Which place of the attempt's directory a path leads to, as the filesystem server checks it; none lies outside."""

import os
import re
import unicodedata
from dataclasses import dataclass
from errno import errorcode
from pathlib import Path, PurePosixPath

from pytest_mcpbench.simulated.engine.failure import ToolFailure

_WINDOWS = re.compile(r"[A-Za-z]:(?:[\\/]|$)")
_CODES = {
    "EACCES": "permission denied",
    "EEXIST": "file already exists",
    "EINVAL": "invalid argument",
    "EISDIR": "illegal operation on a directory",
    "ELOOP": "too many symbolic links encountered",
    "ENAMETOOLONG": "name too long",
    "ENOENT": "no such file or directory",
    "ENOTDIR": "not a directory",
    "ENOTEMPTY": "directory not empty",
    "EPERM": "operation not permitted",
}


@dataclass(frozen=True)
class DirectoryView:
    """A directory on disk, the path under which it is shown, and the parts of it that may be entered."""

    directory: Path
    """Real and resolved."""
    shown_as: str
    """Absolute, without a slash at its end."""
    allowed: tuple[str, ...]
    """Absolute paths, as they are shown."""

    @classmethod
    def of(cls, directory: Path, shown_as: str | None = None, allowed: tuple[str, ...] = ()) -> "DirectoryView":
        """``shown_as`` is by default where the directory is; ``allowed`` are relative to it, by default all of it."""
        real = directory.resolve()
        shown = normalize(shown_as or str(real))
        return cls(real, shown, tuple(normalize(f"{shown}/{part}") for part in allowed) or (shown,))

    def resolve(self, path: str) -> Path:
        """Where a path leads on disk, symbolic links resolved; the last steps of it need not exist yet."""
        absolute = self.absolute(path)
        if "\0" in path or not self._allows(absolute):
            raise ToolFailure(f"Access denied - path outside allowed directories: {absolute} not in {self._listed}")
        try:
            return self._checked(Path(os.path.realpath(self._on_disk(absolute), strict=True)))
        except FileNotFoundError:
            return self._beginning(absolute)
        except OSError as error:
            raise failure(error, "realpath", absolute) from error

    def absolute(self, path: str) -> str:
        """A path as it is shown: absolute, its dots resolved."""
        if path == "~" or path.startswith("~/"):
            path = self.shown_as + path[1:]
        if _WINDOWS.match(path):
            raise ToolFailure(f"Access denied - Windows-style path received on a POSIX host: {path}")
        if path.startswith("/"):
            return normalize(path)
        candidates = [normalize(f"{directory}/{path}") for directory in self.allowed]
        return next((candidate for candidate in candidates if self._allows(candidate)), candidates[0])

    def display_path(self, place: Path) -> str:
        """A place on disk as the server shows it; one outside of the directory as it is."""
        if not place.is_relative_to(self.directory):
            return str(place)
        inner = place.relative_to(self.directory).as_posix()
        return self.shown_as if inner == "." else f"{self.shown_as.rstrip('/')}/{inner}"

    def contains(self, place: Path) -> bool:
        """Whether a resolved place on disk may be entered."""
        return place.is_relative_to(self.directory) and self._allows(self.display_path(place))

    def _on_disk(self, absolute: str) -> Path:
        return self.directory / absolute.removeprefix(self.shown_as).lstrip("/")

    def _allows(self, absolute: str) -> bool:
        return any(absolute == one or absolute.startswith(one.rstrip("/") + "/") for one in self.allowed)

    def _checked(self, real: Path) -> Path:
        if not self.contains(real):
            place = self.display_path(real)
            raise ToolFailure(
                f"Access denied - symlink target outside allowed directories: {place} not in {self._listed}"
            )
        return real

    def _beginning(self, absolute: str) -> Path:
        """Follow a path as far as it exists, comparing names by their composed form."""
        root = max((one for one in self.allowed if absolute.startswith(one)), key=len)
        current = self._on_disk(root)
        try:
            current = self._checked(Path(os.path.realpath(current, strict=True)))
            parts = [part for part in absolute.removeprefix(root).split("/") if part]
            for index, part in enumerate(parts):
                found = _entry(current, part)
                if found is None:
                    return current.joinpath(*parts[index:])
                current = self._checked(Path(os.path.realpath(current / found, strict=True)))
        except FileNotFoundError:
            raise ToolFailure(f"Parent directory does not exist: {PurePosixPath(absolute).parent}") from None
        return current

    @property
    def _listed(self) -> str:
        return ", ".join(self.allowed)


def normalize(path: str) -> str:
    """An absolute path without dots, double slashes and a slash at its end."""
    return re.sub("^/+", "/", os.path.normpath(path))


def failure(error: OSError, operation: str, *paths: str) -> ToolFailure:
    """What Node.js says of an error of the system."""
    code = _code(error)
    where = " -> ".join(f"'{path}'" for path in paths)
    return ToolFailure(f"{code}: {_CODES.get(code, 'unknown error')}, {operation}" + (f" {where}" if where else ""))


def _code(error: OSError) -> str:
    return errorcode.get(error.errno or 0, "EIO")


def _entry(directory: Path, name: str) -> str | None:
    entries = sorted(entry.name for entry in directory.iterdir())
    if name in entries:
        return name
    found = [entry for entry in entries if _composed(entry) == _composed(name)]
    if len(found) > 1:
        raise ToolFailure(f"Ambiguous Unicode path component: {name}")
    return found[0] if found else None


def _composed(name: str) -> str:
    return unicodedata.normalize("NFC", name)
