"""Directories on their way between processes: as archives with the same bytes for the same files."""

import io
import os
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

LEFT_OUT = ("__pycache__", "node_modules")
"""Directories that are made anew wherever they are needed; hidden files and directories do not travel either."""


class TooLargeError(Exception):
    """What should travel is over the limit."""


def packed(directory: Path, paths: Iterable[Path], *, limit_bytes: int) -> bytes:
    """An archive of files and links of a directory.

    Raises:
        TooLargeError: together they are larger than the limit.
    """
    chosen, size = [], 0
    for path in paths:
        chosen.append(path)
        size += 0 if path.is_dir() else path.lstat().st_size
        if size > limit_bytes:
            raise TooLargeError
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(chosen):
            archive.add(path, path.relative_to(directory).as_posix(), recursive=False, filter=_nameless)
    return content.getvalue()


def travelling(directory: Path, *, without: Iterable[Path] = ()) -> Iterator[Path]:
    """The files and links below a directory, in no order, and its empty directories; not what cannot be read."""
    kept_here = set(without)
    for place, directories, files in os.walk(directory):
        directories[:] = [name for name in directories if not name.startswith(".") and name not in LEFT_OUT]
        for name in files:
            path = Path(place, name)
            if not name.startswith(".") and path not in kept_here and (path.is_symlink() or _is_readable_file(path)):
                yield path
        yield from (path for path in (Path(place, name) for name in directories) if path.is_symlink())
        if not directories and not files and Path(place) != directory:
            yield Path(place)


def unpack(content: bytes, directory: Path) -> None:
    """Put the files of an archive into a directory that is there."""
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        archive.extractall(directory, filter="tar")


def unpacked(content: bytes, directory: Path) -> Path:
    """The directory with the files of an archive; made whole or not at all, whoever else makes it at the same time."""
    if not directory.is_dir():
        directory.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(dir=directory.parent))
        unpack(content, scratch)
        try:
            scratch.rename(directory)
        except OSError:
            if not directory.is_dir():
                raise
    return directory


def _is_readable_file(path: Path) -> bool:
    return os.access(path, os.R_OK) and path.is_file()


def _nameless(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """Without owner and time, so that the same files give the same bytes."""
    entry.uid = entry.gid = entry.mtime = 0
    entry.uname = entry.gname = ""
    return entry
