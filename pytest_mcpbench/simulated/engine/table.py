"""Reader of the text tables from which seeds are built."""

from functools import cache
from pathlib import Path


@cache
def rows(file: Path) -> tuple[tuple[str, ...], ...]:
    """Parse a file with one row per line and cells separated by ``|``; blank lines are skipped."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return tuple(tuple(cell.strip() for cell in line.split("|")) for line in lines if line.strip())
