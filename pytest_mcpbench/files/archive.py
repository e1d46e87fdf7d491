"""Archives of directories: the same files give the same bytes."""

import io
import os
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

EXCLUDED_DIRECTORIES = ("__pycache__", "node_modules")
"""Directories that are left out because they are rebuilt where they are needed."""


class ArchiveTooLargeError(Exception):
    """Error for files that exceed the size limit of an archive."""


def pack(directory: Path, paths: Iterable[Path], *, limit_bytes: int) -> bytes:
    """Return an archive of files, links and directories below a directory.

    Raises:
        TooLargeError: the files are larger than the limit in total.
    """
    members, size = [], 0
    for path in paths:
        members.append(path)
        size += 0 if path.is_dir() else path.lstat().st_size
        if size > limit_bytes:
            raise ArchiveTooLargeError
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=tarfile.PAX_FORMAT) as archive:
        # Sorted and without metadata: the digest of an archive is its name, and workers store each archive once.
        for path in sorted(members):
            archive.add(path, path.relative_to(directory).as_posix(), recursive=False, filter=_without_metadata)
    return content.getvalue()


def portable_paths(directory: Path, *, without: Iterable[Path] = ()) -> Iterator[Path]:
    """Yield the readable files, the links and the empty directories below a directory, in no order.

    Hidden files, hidden directories and :data:`EXCLUDED_DIRECTORIES` are skipped.
    """
    excluded = set(without)
    for place, directories, files in os.walk(directory):
        # os.walk() descends into what is left in this list.
        directories[:] = [name for name in directories if not name.startswith(".") and name not in EXCLUDED_DIRECTORIES]
        for name in files:
            path = Path(place, name)
            if name.startswith(".") or path in excluded:
                continue
            if path.is_symlink() or (os.access(path, os.R_OK) and path.is_file()):
                yield path
        # A link to a directory is listed among the directories, but not entered.
        yield from (path for path in (Path(place, name) for name in directories) if path.is_symlink())
        if not directories and not files and Path(place) != directory:
            yield Path(place)


def extract(content: bytes, directory: Path) -> None:
    """Extract an archive into an existing directory."""
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        # The filter keeps members inside the directory; "data" would also refuse links that lead out of it.
        archive.extractall(directory, filter="tar")


def extract_once(content: bytes, directory: Path) -> Path:
    """Extract an archive into a directory unless it exists, and return the directory.

    Several processes may do this at the same time; the directory appears with all its files or not at all.
    """
    if not directory.is_dir():
        directory.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(dir=directory.parent))
        extract(content, scratch)
        try:
            scratch.rename(directory)
        except OSError:
            if not directory.is_dir():  # otherwise another process was faster
                raise
    return directory


def _without_metadata(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = entry.mtime = 0
    entry.uname = entry.gname = ""
    return entry
