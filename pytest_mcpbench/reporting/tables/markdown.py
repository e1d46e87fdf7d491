"""Markdown in which text of servers and models cannot become markup, a mention or a link."""

import re
from collections.abc import Iterable

from pytest_mcpbench.reporting.forms.display_text import one_line
from pytest_mcpbench.reporting.tables.table import Table

_MARKUP = re.compile(
    r"[\\`*\[\]|~$&]|<(?=[\w/!?])|(?<!\w)_|_(?!\w)|@(?=\w)|[#!%](?=\d)|://|(?i:\bwww)(?=\.)|(?i:\bgh)(?=-\d)"
    r"|\b(?=[a-f]*\d)[0-9a-f]{7,40}\b"
)
"""What GitHub and GitLab take for markup: among others mentions, references, links, formulas and names of commits."""
_SHORTER_THAN_A_COMMIT = 6


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
    """Replace a special character by an entity or, for mentions, references and links, split them with a comment.

    GitHub looks for these after rendering, when entities are already decoded.
    """
    text = match.group()
    if text[0] in "@#!%" or text.lower() in ("www", "gh"):
        return f"{text}<!-- -->"
    if len(text) > len("://"):
        step = _SHORTER_THAN_A_COMMIT
        return "<!-- -->".join(text[at : at + step] for at in range(0, len(text), step))
    return f"&#{ord(text[0])};{text[1:]}"
