"""Parts of a comment, cut so that together they fit into it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pytest_mcpbench.reporting.markdown import escape, table_head, table_row
from pytest_mcpbench.reporting.table import Table

MOST_CHARACTERS = 60_000
"""Largest length of a comment; GitHub allows 65,536 characters, GitLab 1,000,000."""
_BETWEEN = "\n\n"


@dataclass(frozen=True)
class Part:
    """A part of a comment whose rows may be cut; what stands before and after them may not."""

    head: str
    rows: tuple[str, ...] = ()
    tail: str = ""

    @property
    def text(self) -> str:
        """Return the part with all of its rows."""
        return "\n".join([self.head, *self.rows]) + self.tail

    def cut_to(self, characters: int) -> str:
        """Return the part with as many rows as fit, and the number of the others."""
        if len(self.text) <= characters:
            return self.text
        length = len(self.head) + len(self.tail) + len(_cut_note(len(self.rows), len(self.rows)))
        shown: list[str] = []
        for row in self.rows:
            length += len(row) + 1
            if length > characters:
                break
            shown.append(row)
        note = _cut_note(len(self.rows) - len(shown), len(self.rows)) if self.rows else ""
        return "\n".join([self.head, *shown]) + note + self.tail


def folded_table(table: Table, title: str = "") -> Part:
    """Return a table that is folded under its title."""
    note = f"{_BETWEEN}{escape(table.note)}" if table.note else ""
    return Part(
        f"{_summary(title or table.title)}{table_head(table)}",
        tuple(map(table_row, table.rows)),
        f"{note}{_BETWEEN}</details>",
    )


def folded_list(title: str, lines: Iterable[str]) -> Part:
    """Return a list that is folded under its title."""
    return Part(_summary(title), tuple(f"* {escape(line)}" for line in lines), f"{_BETWEEN}</details>")


def open_table(table: Table) -> Part:
    """Return a table without title and note."""
    return Part(table_head(table), tuple(map(table_row, table.rows)))


def join_parts(parts: Sequence[Part], limit: int = MOST_CHARACTERS) -> str:
    """Return all parts; if they are too long, each of the longest is cut to the same length.

    Only if there are so many parts that not even their heads fit, the last ones are left out, and counted.
    """
    lengths = [len(part.text) for part in parts]
    shares = fair_shares(lengths, limit - len(_BETWEEN) * len(parts) - len(_left_out(len(parts))))
    texts: list[str] = []
    room = limit - len(_left_out(len(parts)))
    for part, share in zip(parts, shares, strict=True):
        text = part.cut_to(share)
        if len(text) + len(_BETWEEN) > room:
            texts.append(_left_out(len(parts) - len(texts)))
            break
        room -= len(text) + len(_BETWEEN)
        texts.append(text)
    return _BETWEEN.join(texts) + "\n"


def fair_shares(lengths: Sequence[int], room: int) -> list[int]:
    """Return how much of the room each length gets: short ones all that they need, the others equal shares."""
    shares = [0] * len(lengths)
    waiting = sorted(range(len(lengths)), key=lambda index: lengths[index])
    for position, index in enumerate(waiting):
        shares[index] = min(lengths[index], max(0, room) // (len(waiting) - position))
        room -= shares[index]
    return shares


def _summary(title: str) -> str:
    return f"<details><summary>{escape(title)}</summary>{_BETWEEN}"


def _cut_note(left_out: int, rows: int) -> str:
    return f"{_BETWEEN}… and {left_out:,} of {rows:,} more, cut to fit; `mcpbench report` shows all."


def _left_out(parts: int) -> str:
    return f"{parts} more parts do not fit; `mcpbench report` shows all."
