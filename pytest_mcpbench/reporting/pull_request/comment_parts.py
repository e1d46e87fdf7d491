"""Parts of a comment, cut so that together they fit into it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from pytest_mcpbench.core.model_names import compared_models
from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.reporting.aggregates.telling_tasks import TellingTask, one_per_cause
from pytest_mcpbench.reporting.forms.display_text import one_line
from pytest_mcpbench.reporting.tables.markdown import escape, table_head, table_row
from pytest_mcpbench.reporting.tables.table import Table, filled_table, model_name

MOST_CHARACTERS = 60_000
"""Largest length of a comment; GitHub allows 65,536 characters, GitLab 1,000,000."""
MOST_FOLDED_ROWS = 140
"""Rows of all folded parts together, as far as each can have :data:`FEWEST_ROWS`."""
FEWEST_ROWS = 10
"""Rows that each folded part keeps, however many parts there are."""
MOST_TITLES = 4
"""Titles of folded parts of one kind that a reader sees; more of them are folded under one title."""
_LINES_OF_NOTE = 2
_BETWEEN = "\n\n"


@dataclass(frozen=True)
class CommentPart:
    """A part of a comment whose rows may be cut; what stands before and after them may not."""

    head: str
    rows: tuple[str, ...] = ()
    tail: str = ""
    is_folded: bool = False
    """True if a reader sees only its title until it is unfolded."""
    left_out: int = 0
    """Number of further rows, which the text counts only."""

    @property
    def text(self) -> str:
        """Return the part as Markdown."""
        note = _cut_note(self.left_out, len(self.rows) + self.left_out) if self.left_out else ""
        return "\n".join([self.head, *self.rows]) + note + self.tail

    def first_rows(self, count: int) -> "CommentPart":
        """Return the part with its first rows."""
        return replace(self, rows=self.rows[:count], left_out=self.left_out + max(0, len(self.rows) - count))

    def cut_to(self, characters: int) -> "CommentPart":
        """Return the part with as many rows as fit."""
        if len(self.text) <= characters:
            return self
        every = len(self.rows) + self.left_out
        room = characters - len(self.head) - len(self.tail) - len(_cut_note(every, every))
        lengths = accumulate(len(row) + 1 for row in self.rows)
        return self.first_rows(sum(length <= room for length in lengths))


def folded_table(table: Table, title: str = "") -> CommentPart:
    """Return a table that is folded under its title."""
    note = f"{_BETWEEN}{escape(table.note)}" if table.note else ""
    return CommentPart(
        f"{_summary(title or table.title)}{table_head(table)}",
        tuple(map(table_row, table.rows)),
        f"{note}{_BETWEEN}</details>",
        is_folded=True,
    )


def folded_list(title: str, lines: Iterable[str]) -> CommentPart:
    """Return a list that is folded under its title."""
    return CommentPart(
        _summary(title), tuple(f"* {escape(line)}" for line in lines), f"{_BETWEEN}</details>", is_folded=True
    )


def folded_group(title: str, parts: Iterable[CommentPart]) -> Iterator[CommentPart]:
    """Yield folded parts, under one more title if there are many of them."""
    every = list(parts)
    if len(every) <= MOST_TITLES:
        yield from every
    else:
        yield CommentPart(_summary(f"{title}: {len(every)}").strip())
        yield from every
        yield CommentPart("</details>")


def open_table(table: Table) -> CommentPart:
    """Return a table without title and note."""
    return CommentPart(table_head(table), tuple(map(table_row, table.rows)))


def join_parts(parts: Sequence[CommentPart], limit: int = MOST_CHARACTERS) -> str:
    """Return all parts; folded ones with many rows are cut to the same number, and long ones to the same length.

    Only if there are so many parts that not even their heads fit, the last ones are left out, and counted.
    """
    row_shares = fair_shares([len(part.rows) if part.is_folded else 0 for part in parts], MOST_FOLDED_ROWS)
    # A part stays whole if the note about the rows that are cut would be as long as these.
    parts = [
        part.first_rows(max(share, FEWEST_ROWS)) if part.is_folded and len(part.rows) > share + _LINES_OF_NOTE else part
        for part, share in zip(parts, row_shares, strict=True)
    ]
    lengths = [len(part.text) for part in parts]
    shares = fair_shares(lengths, limit - len(_BETWEEN) * len(parts) - len(_left_out(len(parts))))
    texts: list[str] = []
    room = limit - len(_left_out(len(parts)))
    for part, share in zip(parts, shares, strict=True):
        text = part.cut_to(share).text
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
    return f"{_BETWEEN}… and {left_out:,} of {rows:,} more, cut to fit; a report with `--format=html` has all."


def _left_out(parts: int) -> str:
    return f"{parts} more parts do not fit; a report with `--format=html` has all."


# Marks: the first lines of comments, by which a script finds the comment that it has to replace.

REPORT = "<!-- pytest-mcpbench report -->"
"""First line of every report."""
COMPARISON = "<!-- pytest-mcpbench comparison -->"
"""First line of every comparison of two runs."""
_MARK = re.compile(r"<!-- pytest-mcpbench(?: (report|comparison))? -->")
_UNSAFE = re.compile(r"[^\w./ ]+")


def mark_of(text: str) -> str:
    """Return the mark with which a text begins; a text without one is marked as a report."""
    match = _MARK.match(text)
    return COMPARISON if match and match.group(1) == "comparison" else REPORT


def without_mark(text: str) -> str:
    """Return the text without its mark."""
    return _MARK.sub("", text, count=1).lstrip() if _MARK.match(text) else text


def with_name(mark: str, name: str) -> str:
    """Return the mark of the comment with that name; characters that could end the mark become hyphens."""
    safe = _UNSAFE.sub("-", name).strip(" -")
    return mark.replace(" -->", f" {safe} -->") if safe else mark


# Tables of tasks in comments.

_TELLING = 5
_LONGEST_REASON = 120


def telling_table(tasks: Sequence[TellingTask], entries: Sequence[Entry], *, are_changes: bool) -> Table:
    """Return the five most telling tasks of a report with these entries."""
    rows = [_row(task, _LONGEST_REASON) for task in one_per_cause(tasks, _TELLING)]
    return _table("Most telling tasks", rows, entries, are_changes=are_changes)


def task_table(title: str, tasks: Sequence[TellingTask], entries: Sequence[Entry], *, are_changes: bool) -> Table:
    """Return all tasks in their order."""
    return _table(title, [_row(task, 2 * _LONGEST_REASON) for task in tasks], entries, are_changes=are_changes)


def _table(title: str, rows: Sequence[tuple[str, ...]], entries: Sequence[Entry], *, are_changes: bool) -> Table:
    """Return the table without the columns of suite and model where the report has only one to compare."""
    same = [len({entry.suite for entry in entries}) < 2, len(compared_models(entry.model for entry in entries)) < 2]
    kept = [tuple("" if index < 2 and same[index] else cell for index, cell in enumerate(row)) for row in rows]
    passes = "passed before → after" if are_changes else "passed"
    headings = ("suite", "model", "task", passes, "expected → called", "reason")
    return filled_table(title, headings, kept, len(headings))


def _row(task: TellingTask, longest: int) -> tuple[str, ...]:
    return (
        one_line(task.suite, 60),
        model_name(task.model),
        one_line(task.task, 80),
        task.passes,
        one_line(task.tools, 120),
        one_line(task.reason, longest),
    )
