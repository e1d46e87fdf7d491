"""Files that are replaced as a whole, so that no reader sees a part of one."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path; the file written there replaces the one at ``path`` at the end of the block.

    After an exception the file at ``path`` is unchanged, and the temporary file is removed.
    """
    scratch = path.with_name(f".{path.name[:100]}.{uuid4().hex}.tmp")
    try:
        yield scratch
        scratch.replace(path)
    finally:
        scratch.unlink(missing_ok=True)


def replace_file(path: Path, content: bytes) -> None:
    """Write or replace a file as a whole; its directory exists."""
    with replacing(path) as scratch:
        scratch.write_bytes(content)
