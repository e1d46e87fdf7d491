"""Mapping between the paths that an agent writes and files in the attempt's directory, with access checks."""

import os
import re
from dataclasses import dataclass
from errno import errorcode
from pathlib import Path, PurePosixPath

from pytest_mcpbench.simulated.engine.failure import ToolFailure
from pytest_mcpbench.text.normal_forms import normal_form

_WINDOWS_PATH = re.compile(r"[A-Za-z]:(?:[\\/]|$)")
_MESSAGES = {
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
    """A directory on disk, the path under which agents see it, and the parts that they may access."""

    directory: Path
    """Path on disk, with symbolic links resolved."""
    shown_as: str
    """Absolute path under which agents see the directory, without a trailing slash."""
    allowed: tuple[str, ...]
    """Absolute paths that agents may access, as agents see them."""

    @classmethod
    def create(cls, directory: Path, shown_as: str | None = None, allowed: tuple[str, ...] = ()) -> "DirectoryView":
        """Create a view of a directory.

        ``shown_as`` defaults to the real path. ``allowed`` are paths relative to the directory and default to all of
        it.
        """
        real = directory.resolve()
        visible_path = normalize(shown_as or str(real))
        return cls(
            real, visible_path, tuple(normalize(f"{visible_path}/{part}") for part in allowed) or (visible_path,)
        )

    def resolve(self, path: str) -> Path:
        """Resolve a path to its location on disk, following symbolic links; its last components need not exist."""
        absolute = self.absolute(path)
        if "\0" in path or not self._is_allowed(absolute):
            raise ToolFailure(
                f"Access denied - path outside allowed directories: {absolute} not in {self._allowed_list}"
            )
        try:
            return self._require_access(Path(os.path.realpath(self._on_disk(absolute), strict=True)))
        except FileNotFoundError:
            return self._resolve_existing_part(absolute)
        except OSError as error:
            raise failure(error, "realpath", absolute) from error

    def absolute(self, path: str) -> str:
        """Convert a path to an absolute path as agents see it, with ``.`` and ``..`` resolved."""
        if path == "~" or path.startswith("~/"):
            path = self.shown_as + path[1:]
        if _WINDOWS_PATH.match(path):
            raise ToolFailure(f"Access denied - Windows-style path received on a POSIX host: {path}")
        if path.startswith("/"):
            return normalize(path)
        candidates = [normalize(f"{directory}/{path}") for directory in self.allowed]
        return next((candidate for candidate in candidates if self._is_allowed(candidate)), candidates[0])

    def display_path(self, target: Path) -> str:
        """Convert a location on disk to the path that agents see; a location outside the directory is returned
        unchanged.
        """
        if not target.is_relative_to(self.directory):
            return str(target)
        inner = target.relative_to(self.directory).as_posix()
        return self.shown_as if inner == "." else f"{self.shown_as.rstrip('/')}/{inner}"

    def contains(self, target: Path) -> bool:
        """Return whether agents may access a resolved location on disk."""
        return target.is_relative_to(self.directory) and self._is_allowed(self.display_path(target))

    def _on_disk(self, absolute: str) -> Path:
        return self.directory / absolute.removeprefix(self.shown_as).lstrip("/")

    def _is_allowed(self, absolute: str) -> bool:
        return any(absolute == one or absolute.startswith(one.rstrip("/") + "/") for one in self.allowed)

    def _require_access(self, real: Path) -> Path:
        if not self.contains(real):
            visible = self.display_path(real)
            raise ToolFailure(
                f"Access denied - symlink target outside allowed directories: {visible} not in {self._allowed_list}"
            )
        return real

    def _resolve_existing_part(self, absolute: str) -> Path:
        """Follow a path as far as it exists, comparing names in Unicode's composed form (NFC)."""
        root = max((one for one in self.allowed if absolute.startswith(one)), key=len)
        current = self._on_disk(root)
        try:
            current = self._require_access(Path(os.path.realpath(current, strict=True)))
            parts = [part for part in absolute.removeprefix(root).split("/") if part]
            for index, part in enumerate(parts):
                names = [entry.name for entry in current.iterdir()]
                matches = [part] if part in names else [name for name in names if _to_nfc(name) == _to_nfc(part)]
                if len(matches) > 1:
                    raise ToolFailure(f"Ambiguous Unicode path component: {part}")
                if not matches:
                    return current.joinpath(*parts[index:])
                current = self._require_access(Path(os.path.realpath(current / matches[0], strict=True)))
        except FileNotFoundError:
            raise ToolFailure(f"Parent directory does not exist: {PurePosixPath(absolute).parent}") from None
        return current

    @property
    def _allowed_list(self) -> str:
        return ", ".join(self.allowed)


def normalize(path: str) -> str:
    """Normalize an absolute path: no dot segments, double slashes or trailing slash."""
    return re.sub("^/+", "/", os.path.normpath(path))


def failure(error: OSError, operation: str, *paths: str) -> ToolFailure:
    """Convert an operating system error to the message that Node.js produces."""
    code = errorcode.get(error.errno or 0, "EIO")
    where = " -> ".join(f"'{path}'" for path in paths)
    return ToolFailure(f"{code}: {_MESSAGES.get(code, 'unknown error')}, {operation}" + (f" {where}" if where else ""))


def _to_nfc(name: str) -> str:
    return normal_form("NFC", name)
