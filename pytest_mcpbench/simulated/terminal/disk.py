"""The attempt's directory as the shell's file system: relative paths, no way out, names in order."""

import os
from dataclasses import dataclass
from errno import errorcode
from pathlib import Path, PurePosixPath

from pytest_mcpbench.simulated.engine.failure import ToolFailure
from pytest_mcpbench.simulated.files.glob import matches
from pytest_mcpbench.simulated.files.paths import DirectoryView, normalize

_SAID = {
    "EACCES": "Permission denied",
    "EEXIST": "File exists",
    "EINVAL": "Invalid argument",
    "EISDIR": "Is a directory",
    "ELOOP": "Too many levels of symbolic links",
    "ENAMETOOLONG": "File name too long",
    "ENOENT": "No such file or directory",
    "ENOTDIR": "Not a directory",
    "ENOTEMPTY": "Directory not empty",
}


@dataclass
class Disk:
    """Paths of one shell, which stands in one directory at a time."""

    view: DirectoryView
    current: str
    """As it is shown, absolute."""

    @property
    def home(self) -> str:
        return self.view.shown_as

    def absolute(self, path: str) -> str:
        """A path as it is shown."""
        return normalize(path if path.startswith("/") else f"{self.current}/{path}")

    def place(self, path: str) -> Path:
        """Where a path leads on disk, links resolved; ``OSError`` where it leads outside or to nothing."""
        found = self.target(path)
        if not found.exists():
            raise FileNotFoundError(2, "", path)
        if path.endswith("/") and not found.is_dir():
            raise NotADirectoryError(20, "", path)
        return found

    def target(self, path: str) -> Path:
        """The same for a path of which the last step need not exist."""
        if not path:
            raise FileNotFoundError(2, "", path)
        try:
            found = self.view.resolve(self.absolute(path))
        except ToolFailure as failure:
            raise _error(str(failure)) from failure
        if not found.parent.is_dir():
            raise FileNotFoundError(2, "", path)
        return found

    def entry(self, path: str) -> Path:
        """A name in a directory, itself: the last step is not followed if it is a link."""
        absolute = PurePosixPath(self.absolute(path))
        if str(absolute) in (self.home, "/"):
            raise PermissionError(13, "", path)
        found = self.place(str(absolute.parent)) / absolute.name
        if not os.path.lexists(found):
            raise FileNotFoundError(2, "", path)
        return found

    def read(self, path: str) -> str:
        """The text of a file; bytes that are no UTF-8 are replaced."""
        place = self.place(path)
        if place.is_dir():
            raise IsADirectoryError(21, "", path)
        if not place.is_file():
            raise OSError(22, "", path)
        return place.read_bytes().decode("utf-8", "replace")

    def write(self, path: str, text: str, *, append: bool = False) -> None:
        """Put text into a file, which is made where it is missing."""
        if path == "/dev/null":
            return
        place = self.target(path)
        if place.is_dir():
            raise IsADirectoryError(21, "", path)
        with place.open("ab" if append else "wb") as file:
            file.write(text.encode("utf-8", "replace"))

    def make_directory(self, path: str, *, parents: bool = False) -> None:
        """Make a directory; with its parents, one that is there already is none too many."""
        if not parents:
            self.target(path).mkdir()
            return
        try:
            place = self.view.resolve(self.absolute(path))
        except ToolFailure as failure:
            raise _error(str(failure)) from failure
        place.mkdir(parents=True, exist_ok=True)

    def expanded(self, pattern: str) -> list[str]:
        """The paths that fit a pattern, in order; none where nothing does. Hidden names must be meant."""
        found = ["/" if pattern.startswith("/") else ""]
        for step in pattern.strip("/").split("/"):
            found = [_joined(before, name) for before in found for name in self._names(before, step)]
        return sorted(path for path in found if self._exists(path))

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


def _joined(directory: str, name: str) -> str:
    return f"{directory.rstrip('/')}/{name}" if directory else name


def said(error: OSError) -> str:
    """What a command says of an error of the system."""
    return _SAID.get(errorcode.get(error.errno or 0, ""), "Input/output error")


def _error(message: str) -> OSError:
    if message.startswith(("ENOENT", "Parent directory")):
        return FileNotFoundError(2, "")
    if message.startswith("ENOTDIR"):
        return NotADirectoryError(20, "")
    return OSError(40, "") if message.startswith("ELOOP") else PermissionError(13, "")
