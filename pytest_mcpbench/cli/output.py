"""Text that commands print or write to a file."""

import sys
from collections.abc import Iterable
from pathlib import Path

_LISTED = 20
"""Most names that a list on one line shows."""


def write_text(pieces: Iterable[str], out: Path | None) -> None:
    """Write to a file, or to standard output, where characters that its encoding lacks are replaced."""
    if out is None:
        encoding = sys.stdout.encoding or "utf-8"
        for piece in [pieces] if isinstance(pieces, str) else pieces:
            sys.stdout.write(piece.encode(encoding, "replace").decode(encoding))
        return
    out.parent.mkdir(parents=True, exist_ok=True)
    with out.open("w", encoding="utf-8") as file:
        file.writelines(pieces)


def print_problem(problem: str) -> int:
    """Print one line to standard error and return the exit code of an error that the user can mend."""
    print(f"mcpbench: {problem}", file=sys.stderr)
    return 2


def shortened_list(names: Iterable[str]) -> str:
    """Return the first names on one line, and the number of the others."""
    every = list(names)
    more = f" and {len(every) - _LISTED} more" if len(every) > _LISTED else ""
    return ", ".join(every[:_LISTED]) + more
