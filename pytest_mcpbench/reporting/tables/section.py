"""Sections of the page, with the markup that they share: tables, and tabs that work without a script."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from pytest_mcpbench.reporting.forms.display_text import visible
from pytest_mcpbench.reporting.tables.table import Table


@dataclass(frozen=True)
class Section:
    """A part of the page with a heading of its own.

    Consecutive sections with the same title and different suites are one section, which shows the suite that is chosen.
    """

    id: str
    """Unique in the page; letters, digits and hyphens. It is the address of the section (``#leaderboard``)."""
    title: str
    """Plain text."""
    body: Markup
    """Content without a heading of level 1 or 2. The text of tasks, tools and models in it is escaped."""
    suite: str | None = None
    """Series that the section is about; ``None``: all of them."""


def plain(text: str) -> Markup:
    """Return text of tasks, tools or models as markup: escaped, with control and direction characters made visible."""
    return Markup.escape(visible(text))


_WITHIN_NUMBERS = re.compile(r" (?=[%–…×→])|(?<=[–…→]) (?=[\d−+])")
"""Spaces of ``−11 %``, ``54 – 73 %``, ``0.2 × its cost``, ``90 → 80 %`` and ``−6.2 … +45.8``, at which no line ends."""


def sentence(text: str) -> Markup:
    """Return plain text in which no line ends within a number or a range."""
    # A line may end behind a dash in spite of the space (LB12a of Unicode's line breaking), but not before a joiner.
    return plain(_WITHIN_NUMBERS.sub("\u00a0", text)).replace("–\u00a0", "–\u2060\u00a0")


def table_markup(table: Table) -> Markup:
    """Return a table with a caption, column headings and row headings, that scrolls sideways if it is wide."""
    rows: list[str] = []
    for row in table.rows:
        first = f'<th scope="row"{_words(table.words > 0)}>{plain(row[0])}</th>' if row else ""
        rest = (f"<td{_words(index < table.words)}>{plain(cell)}</td>" for index, cell in enumerate(row[1:], start=1))
        rows.append(f"<tr>{first}{''.join(rest)}</tr>")
    return Markup(
        '<figure class="table" tabindex="0" role="group" aria-label="{title}"><table><caption>{title}</caption>'
        "<thead><tr>{headings}</tr></thead><tbody>{rows}</tbody></table>{note}</figure>"
    ).format(
        title=plain(table.title),
        headings=_join(
            f'<th scope="col"{_words(index < table.words)}>{plain(text)}</th>'
            for index, text in enumerate(table.headings)
        ),
        rows=_join(rows),
        note=Markup("<figcaption>{}</figcaption>").format(plain(table.note)) if table.note else "",
    )


def table_section(anchor: str, title: str, table: Table, *, suite: str | None = None) -> Section:
    """Return a section that is one table; its caption, which would repeat the title, is only read aloud."""
    return Section(anchor, title, Markup('<div class="one-table">{}</div>').format(table_markup(table)), suite=suite)


def tabs(anchor: str, legend: str, panels: Sequence[tuple[str, Markup]]) -> Markup:
    """Return panels of which one is shown at a time: a radio button for each, so that no script is needed.

    All panels are printed. ``anchor`` is unique in the page; ``legend`` names the choice for screen readers.
    """
    if len(panels) == 1:
        return panels[0][1]
    return Markup('<fieldset class="tabs"><legend>{}</legend>{}</fieldset>').format(
        plain(legend),
        _join(
            Markup(
                '<div class="tab"><input type="radio" name="{anchor}" id="{anchor}-tab-{index}"{checked}>'
                '<label for="{anchor}-tab-{index}">{label}</label>'
                '<div class="panel"><h3 class="print-only">{label}</h3>{body}</div></div>'
            ).format(
                anchor=anchor, index=index, checked="" if index else Markup(" checked"), label=plain(label), body=body
            )
            for index, (label, body) in enumerate(panels)
        ),
    )


def _words(is_words: bool) -> str:
    return ' class="words"' if is_words else ""


def _join(parts: Iterable[str]) -> Markup:
    """Return markup that is already escaped as one piece. ``Markup.format`` is too slow for thousands of cells."""
    return Markup("".join(parts))
