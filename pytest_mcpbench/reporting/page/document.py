"""Assembly of the page: head with styles and the hash of the script, sections in order, and the attempts."""

import base64
import functools
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from itertools import groupby

from markupsafe import Markup

from pytest_mcpbench.reporting.charts.palette import chart_style
from pytest_mcpbench.reporting.page.section import Section, plain, tabs

_TEMPLATES = files("pytest_mcpbench.reporting") / "templates" / "page"

SCRIPTS: tuple[str, ...] = ()
"""Modules of the client script, in the order in which they are joined."""


def page(*, title: str, sections: Sequence[Section], data: Iterable[Markup] = ()) -> Iterator[str]:
    """Yield the parts of a self-contained page that loads nothing and runs only its own script.

    ``data`` is what :func:`~pytest_mcpbench.reporting.page.attempt_blocks.attempt_blocks` yields; without it the page
    has no list of attempts.
    """
    script = client_script()
    yield _source("head.html").format_map(
        {
            "title": plain(title),
            "style": Markup(stylesheet()),
            "script_hash": _hash(script),
            "contents": _contents(sections),
        }
    )
    yield from map(_section_markup, _groups(sections))
    yield from data
    yield Markup("</main><script>{}</script></body></html>\n").format(Markup(script))


def stylesheet() -> str:
    """Return the styles of the page, which define the colours that charts use."""
    return _source("page.css") + chart_style() + "\n"


def client_script() -> str:
    """Return the script of the page."""
    return '"use strict";\n(() => {\n' + "\n".join(_source(f"{name}.js") for name in SCRIPTS) + "\n})();\n"


def _groups(sections: Sequence[Section]) -> list[list[Section]]:
    """Return the sections; those that are tabs of one section are together."""
    return [list(group) for _, group in groupby(sections, key=lambda each: (each.title, each.suite is None))]


def _section_markup(group: Sequence[Section]) -> Markup:
    panels = [(each.suite or each.title, Markup('<div id="{}">{}</div>').format(each.id, each.body)) for each in group]
    return Markup(
        '<section id="{id}-section" aria-labelledby="{id}-title"><h2 id="{id}-title">{title}</h2>{body}</section>'
    ).format(id=group[0].id, title=plain(group[0].title), body=tabs(f"{group[0].id}-suite", "Suite", panels))


def _contents(sections: Sequence[Section]) -> Markup:
    items = (
        Markup('<li><a href="#{}-section">{}</a></li>').format(g[0].id, plain(g[0].title)) for g in _groups(sections)
    )
    return Markup().join(items)


def _hash(script: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


@functools.cache
def _source(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")
