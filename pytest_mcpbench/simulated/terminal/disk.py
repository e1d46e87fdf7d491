"""The attempt's directory as the shell's file system, with relative paths and no access outside the directory."""

import os
from dataclasses import dataclass
from errno import ENOSPC, errorcode
from pathlib import Path, PurePosixPath

from pytest_mcpbench.simulated.engine.failure import ToolFailure
from pytest_mcpbench.simulated.files.glob import matches
from pytest_mcpbench.simulated.files.paths import DirectoryView, normalize

_MESSAGES = {
    "EACCES": "Permission denied",
    "EEXIST": "File exists",
    "EINVAL": "Invalid argument",
    "EISDIR": "Is a directory",
    "ELOOP": "Too many levels of symbolic links",
    "ENAMETOOLONG": "File name too long",
    "ENOENT": "No such file or directory",
    "ENOSPC": "No space left on device",
    "ENOTDIR": "Not a directory",
    "ENOTEMPTY": "Directory not empty",
}

_LARGEST_FILE = 10_000_000
"""Bytes of a file that the shell writes."""


@dataclass
class Disk:
    """File access of one shell, relative to its current directory."""

    view: DirectoryView
    current: str
    """Absolute path of the current directory, as displayed to the agent."""

    @property
    def home(self) -> str:
        return self.view.shown_as

    def absolute(self, path: str) -> str:
        """Return a path in absolute form, as displayed to the agent."""
        return normalize(path if path.startswith("/") else f"{self.current}/{path}")

    def place(self, path: str) -> Path:
        """Return the real path of an existing file or directory, with links resolved.

        Raises:
            OSError: the path does not exist or leads outside the attempt's directory.
        """
        path_on_disk = self.target(path)
        if not path_on_disk.exists():
            raise FileNotFoundError(2, "", path)
        if path.endswith("/") and not path_on_disk.is_dir():
            raise NotADirectoryError(20, "", path)
        return path_on_disk

    def target(self, path: str) -> Path:
        """Return the real path like :meth:`place`, although the last component need not exist."""
        if not path:
            raise FileNotFoundError(2, "", path)
        try:
            path_on_disk = self.view.resolve(self.absolute(path))
        except ToolFailure as failure:
            raise _os_error(str(failure)) from failure
        if not path_on_disk.parent.is_dir():
            raise FileNotFoundError(2, "", path)
        return path_on_disk

    def entry(self, path: str) -> Path:
        """Return the real path of a directory entry; if the entry is a link, it is not followed."""
        absolute = PurePosixPath(self.absolute(path))
        if str(absolute) in (self.home, "/"):
            raise PermissionError(13, "", path)
        path_on_disk = self.place(str(absolute.parent)) / absolute.name
        if not os.path.lexists(path_on_disk):
            raise FileNotFoundError(2, "", path)
        return path_on_disk

    def read(self, path: str) -> str:
        """Return the text of a file; invalid UTF-8 is replaced."""
        place = self.place(path)
        if place.is_dir():
            raise IsADirectoryError(21, "", path)
        if not place.is_file():
            raise OSError(22, "", path)
        return place.read_bytes().decode("utf-8", "replace")

    def write(self, path: str, text: str, *, append: bool = False) -> None:
        """Write text to a file, which is created if it does not exist."""
        if path == "/dev/null":
            return
        place = self.target(path)
        if place.is_dir():
            raise IsADirectoryError(21, "", path)
        content = text.encode("utf-8", "replace")
        before = place.stat().st_size if append and place.exists() else 0
        if before + len(content) > _LARGEST_FILE:
            raise OSError(ENOSPC, "", path)
        with place.open("ab" if append else "wb") as file:
            file.write(content)

    def make_directory(self, path: str, *, parents: bool = False) -> None:
        """Create a directory; with ``parents``, also its parents, and an existing directory is not an error."""
        if not parents:
            self.target(path).mkdir()
            return
        try:
            place = self.view.resolve(self.absolute(path))
        except ToolFailure as failure:
            raise _os_error(str(failure)) from failure
        place.mkdir(parents=True, exist_ok=True)

    def expand(self, pattern: str) -> list[str]:
        """Return the paths that match a pattern, sorted; hidden files match only a pattern with a leading dot."""
        paths = ["/" if pattern.startswith("/") else ""]
        for step in pattern.strip("/").split("/"):
            paths = [
                f"{parent.rstrip('/')}/{name}" if parent else name
                for parent in paths
                for name in self._names(parent, step)
            ]
        return sorted(path for path in paths if self._exists(path))

    def _names(self, directory: str, step: str) -> list[str]:
        if not any(sign in step for sign in "*?["):
            return [step]
        try:
            names = [entry.name for entry in self.place(directory or ".").iterdir()]
        except OSError:
            return []
        return [name for name in names if matches(name, step) and (step.startswith(".") or not name.startswith("."))]

    def _exists(self, path: str) -> bool:
        try:
            return self.place(path).exists()
        except OSError:
            return False


def error_message(error: OSError) -> str:
    """Return the message that a command prints for an error of the system."""
    return _MESSAGES.get(errorcode.get(error.errno or 0, ""), "Input/output error")


def _os_error(message: str) -> OSError:
    if message.startswith(("ENOENT", "Parent directory")):
        return FileNotFoundError(2, "")
    if message.startswith("ENOTDIR"):
        return NotADirectoryError(20, "")
    return OSError(40, "") if message.startswith("ELOOP") else PermissionError(13, "")
