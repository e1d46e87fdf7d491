"""Files that are replaced as a whole, so that no reader sees a part of one."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give another path to write to, whose file takes the place of ``path`` at the end of the block.

    After an exception the file at ``path`` is as before, and the other one is gone.
    """
    scratch = path.with_name(f".{path.name[:100]}.{uuid4().hex}.tmp")
    try:
        yield scratch
        scratch.replace(path)
    finally:
        scratch.unlink(missing_ok=True)


def replace_file(path: Path, content: bytes) -> None:
    """Write a file whose directory exists."""
    with replacing(path) as scratch:
        scratch.write_bytes(content)
