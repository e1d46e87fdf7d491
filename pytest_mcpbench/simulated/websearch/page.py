"""A page of the small web, as a file and as plain text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

_FIELD = re.compile(r"(url|title|date): (.+)")
_LEAD = 155
"""Number of characters of a page that a list of results shows."""


@dataclass(frozen=True)
class Page:
    """One page; its ``body`` is Markdown."""

    url: str
    title: str
    date: str
    """Date of publication, ISO 8601."""
    body: str

    @cached_property
    def text(self) -> str:
        """All visible text on one line: the title, the body without Markdown, and the cells of tables in order."""
        return " ".join(f"{self.title} {' '.join(_lines(self.body))} Published {self.date}".split())

    @property
    def lead(self) -> str:
        """The beginning of the page, after its title."""
        text = " ".join(" ".join(_lines(self.body)).split())
        if len(text) <= _LEAD:
            return text
        return text[:_LEAD].rsplit(" ", 1)[0] + " ..."


def read_page(text: str) -> Page:
    """Parse a page file: a head with ``url``, ``title`` and ``date`` between two ``---`` lines, then the body."""
    _, head, body = text.split("---\n", 2)
    fields = {match[1]: match[2] for match in map(_FIELD.fullmatch, head.strip().splitlines()) if match}
    return Page(fields["url"], fields["title"], fields["date"], body.strip())


def page_file(page: Page) -> str:
    """Return the text of a page file, as :func:`read_page` parses it."""
    return f"---\nurl: {page.url}\ntitle: {page.title}\ndate: {page.date}\n---\n\n{page.body}\n"


def _lines(body: str) -> Iterator[str]:
    for line in body.splitlines():
        if re.fullmatch(r"[|\s:-]+", line) and line.strip():
            continue
        plain = re.sub(r"\[([^\]]*)\]\(([^)]*)\)", r"\1", line)
        plain = re.sub(r"^(#+|[-*]|\d+\.)\s+", "", plain.strip())
        yield re.sub(r"[*_`]{1,2}([^*_`]+)[*_`]{1,2}", r"\1", plain).replace("|", " ")
