"""Tables in text files from which seeds are made."""

from functools import cache
from pathlib import Path


@cache
def rows(file: Path) -> tuple[tuple[str, ...], ...]:
    """A line a row, its cells between bars; empty lines do not count."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return tuple(tuple(cell.strip() for cell in line.split("|")) for line in lines if line.strip())
