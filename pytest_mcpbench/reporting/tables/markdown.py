"""Markdown in which text of servers and models cannot become markup, a mention or a link."""

import re
from collections.abc import Iterable

from pytest_mcpbench.reporting.forms.display_text import one_line
from pytest_mcpbench.reporting.tables.table import Table

_MARKUP = re.compile(r"[\\`*\[\]|~]|<(?=[\w/!?])|(?<!\w)_|_(?!\w)|@(?=\w)|#(?=\d)|://")


def render_table(table: Table) -> str:
    """Return the table with its note below; numbers are right-aligned."""
    body = "\n".join([table_head(table), *map(table_row, table.rows)])
    return f"{body}\n\n{escape(table.note)}" if table.note else body


def table_head(table: Table) -> str:
    """Return the headings of a table and the line that aligns its columns."""
    rule = [":---" if index < table.words else "---:" for index in range(len(table.headings))]
    return f"{table_row(table.headings)}\n| {' | '.join(rule)} |"


def table_row(cells: Iterable[str]) -> str:
    """Return one row of a table."""
    return f"| {' | '.join(map(escape, cells))} |"


def escape(value: str) -> str:
    """Return one line without markup, mentions and links."""
    return _MARKUP.sub(_neutralize, one_line(value))


def _neutralize(match: re.Match[str]) -> str:
    """Replace a special character by an entity or, for mentions, split it with a comment.

    GitHub looks for mentions and references after rendering, when entities are already decoded.
    """
    sign = match.group()
    return f"{sign}<!-- -->" if sign in "@#" else f"&#{ord(sign[0])};{sign[1:]}"
