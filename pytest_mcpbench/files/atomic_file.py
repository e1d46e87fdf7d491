"""Files that are created or replaced as a whole, so that no reader sees a part of one."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path; the file written there replaces the one at ``path`` at the end of the block.

    After an exception the file at ``path`` is unchanged, and the temporary file is removed. A device or pipe, such as
    ``/dev/null``, is no file that can be replaced: its own path is yielded.
    """
    if path.exists() and not path.is_file():
        yield path
        return
    scratch = _scratch_path(path)
    try:
        yield scratch
        scratch.replace(path)
    finally:
        scratch.unlink(missing_ok=True)


def create_file(path: Path, content: bytes) -> None:
    """Write a file unless it exists; several processes may try at the same time. Its directory exists."""
    scratch = _scratch_path(path)
    try:
        scratch.write_bytes(content)
        # A hard link fails if its name exists, and shows the complete file at once.
        os.link(scratch, path)
    except FileExistsError:
        pass
    finally:
        scratch.unlink(missing_ok=True)


def replace_file(path: Path, content: bytes) -> None:
    """Write or replace a file as a whole; its directory exists."""
    with replacing(path) as scratch:
        scratch.write_bytes(content)


def _scratch_path(path: Path) -> Path:
    return path.with_name(f".{path.name[:100]}.{uuid4().hex}.tmp")
