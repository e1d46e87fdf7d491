"""Assembly of the page: head with styles and the hash of the script, sections in order, and the attempts."""

import base64
import functools
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from itertools import groupby, takewhile

from markupsafe import Markup

from pytest_mcpbench.reporting.charts.palette import chart_style, page_colours
from pytest_mcpbench.reporting.tables.section import Section, plain

# Choice of the suite that the page shows: one row of radio buttons for all sections, which needs no script.

ALL = "*"
"""Name of the choice that shows every suite, in the address of the page."""


def suites_of(sections: Sequence[Section]) -> tuple[str, ...]:
    """Return the suites that sections are about, in their order."""
    return tuple(dict.fromkeys(each.suite for each in sections if each.suite is not None))


def suite_buttons(suites: Sequence[str]) -> Markup:
    """Return a radio button for each suite, of which the first is chosen, and one for all; nothing for one suite."""
    if len(suites) < 2:
        return Markup()
    buttons = [_button(str(index), suite, suite, is_chosen=index == 0) for index, suite in enumerate(suites)]
    return Markup(
        '<div class="suites" role="radiogroup" aria-labelledby="suites-label"><span id="suites-label">Suite</span>'
        "{}{}</div>\n"
    ).format(Markup().join(buttons), _button("all", ALL, "all", is_chosen=False))


def suite_style(suites: Sequence[str]) -> str:
    """Return the rules that hide the other suites, and the chosen one's name on a screen, where the choice shows it.

    Browsers without ``:has`` show all suites.
    """
    if len(suites) < 2:
        return ""
    rules: list[str] = []
    for index in range(len(suites)):
        chosen = f"main:has(#suite-{index}:checked) .of-suite"
        rules.append(f"{chosen}:not(.of-suite-{index}){{display:none}}")
        rules.append(f"@media screen{{{chosen}>.suite-name{{display:none}}}}")
    return "".join(rules) + "\n"


def suite_parts(group: Sequence[Section], suites: Sequence[str], *, has_script: bool) -> Markup:
    """Return the bodies of the sections with one title, each with a heading; a suite without one has a sentence.

    With a script only the suite that is shown first is parsed by the browser. Those of the others are in ``<noscript>``
    elements, which are text to a browser with scripts until the script of the page parses them.
    """
    if len(suites) < 2 or group[0].suite is None:
        return Markup().join(Markup('<div id="{}">{}</div>').format(each.id, each.body) for each in group)
    by_suite = {each.suite: each for each in group}
    parts: list[Markup] = []
    for index, suite in enumerate(suites):
        section = by_suite.get(suite)
        if section is None:
            nothing = Markup('<p class="of-suite of-suite-{} note screen-only">{} has nothing to show here.</p>')
            parts.append(nothing.format(index, plain(suite)))
        else:
            body = Markup("<noscript>{}</noscript>").format(section.body) if has_script and index > 0 else section.body
            part = Markup('<div class="of-suite of-suite-{}" id="{}"><h3 class="suite-name">{}</h3>{}</div>')
            parts.append(part.format(index, section.id, plain(suite), body))
    return Markup().join(parts)


def _button(key: str, value: str, label: str, *, is_chosen: bool) -> Markup:
    return Markup(
        '<input type="radio" name="suite-choice" id="suite-{key}" value="{value}"{checked}>'
        '<label for="suite-{key}">{label}</label>'
    ).format(key=key, value=plain(value), checked=Markup(" checked") if is_chosen else "", label=plain(label))


_TEMPLATES = files("pytest_mcpbench.reporting") / "templates" / "page"

SCRIPTS = (
    "dom",
    "numbers",
    "source",
    "remote",
    "search",
    "address",
    "suites",
    "rows",
    "list",
    "attempt",
    "notes",
    "main",
)
"""Modules of the client script, in the order in which they are joined."""


def page(
    *,
    title: str,
    sections: Sequence[Section],
    attempts: Iterable[Markup] | None = None,
    closing: Sequence[Section] = (),
) -> Iterator[str]:
    """Yield the parts of a self-contained page that loads nothing and runs only its own script.

    The list of attempts stands between ``sections`` and ``closing``. ``attempts`` are the blocks of data behind it, see
    :func:`~pytest_mcpbench.reporting.page.attempt_blocks.attempt_blocks`; ``None`` leaves the list out.
    """
    has_list = attempts is not None
    suites = suites_of(sections)
    contents = _contents(sections, closing, has_list=has_list)
    yield _head(title, contents, client_script() if has_list else "", source="", style=suite_style(suites))
    yield _main(sections, closing, suites, has_list=has_list)
    yield from attempts or ()
    yield _end(has_list=has_list)


def served_page(*, title: str, sections: Sequence[Section], source: str, closing: Sequence[Section] = ()) -> str:
    """Return the same page for a server of attempts; ``source`` is the address below which the script fetches data.

    * ``index?since=<version>``: what :func:`~pytest_mcpbench.reporting.page.attempt_index.attempt_index` returns, with
      ``version``, ``complete``, and only the rows that have changed after a version; each also has ``number`` and
      ``notes``;
    * ``attempts/<number>``: the attempt with that number, as
      :func:`~pytest_mcpbench.reporting.page.attempt_document.attempt_document` returns it;
    * ``search?text=…&part=all|conversation``: a list of the numbers of the attempts that contain every word of the
      text, in any case; ``conversation`` leaves out system prompts and definitions of tools;
    * ``notes``: takes a ``number`` and a ``text``, and stores a note on the attempt.
    """
    suites = suites_of(sections)
    contents = _contents(sections, closing, has_list=True)
    head = _head(title, contents, client_script(), source=source, style=suite_style(suites))
    # Joined, because markup that is added to plain text escapes it.
    return "".join((head, _main(sections, closing, suites, has_list=True), _end(has_list=True)))


def stylesheet() -> str:
    """Return the styles of the page, which define the colours that charts use."""
    return page_colours() + _source("page.css") + _source("sections.css") + chart_style() + "\n"


def client_script() -> str:
    """Return the script of the page."""
    return '"use strict";\n(() => {\n' + "\n".join(_source(f"{name}.js") for name in SCRIPTS) + "})();\n"


def _head(title: str, contents: Markup, script: str, *, source: str, style: str) -> str:
    return _source("head.html").format(
        title=plain(title),
        style=stylesheet() + style,
        script_hash=script_hash(script),
        connections="'self'" if source else "'none'",
        source=Markup('<meta name="mcpbench-source" content="{}">').format(source) if source else "",
        contents=contents,
        target="attempts" if script else "content",
    )


def _main(sections: Sequence[Section], closing: Sequence[Section], suites: Sequence[str], *, has_list: bool) -> str:
    of_run = list(takewhile(lambda each: each.suite is None, sections))
    first, before, after = (
        Markup().join(_section_markup(group, suites, has_script=has_list) for group in _groups(part))
        for part in (of_run, sections[len(of_run) :], closing)
    )
    attempts = Markup(_source("attempts.html") if has_list else "")
    return first + suite_buttons(suites) + before + attempts + after + Markup("</main>\n")


def _end(*, has_list: bool) -> str:
    script = f"<script>{client_script()}</script>" if has_list else ""
    return f"{script}</body></html>\n"


def _groups(sections: Sequence[Section]) -> list[list[Section]]:
    """Return the sections; those with one title and different suites are together."""
    return [list(group) for _, group in groupby(sections, key=lambda each: (each.title, each.suite is None))]


def _section_markup(group: Sequence[Section], suites: Sequence[str], *, has_script: bool) -> Markup:
    return Markup(
        '<section id="{id}-section" aria-labelledby="{id}-title"><h2 id="{id}-title">{title}</h2>{body}</section>\n'
    ).format(id=group[0].id, title=plain(group[0].title), body=suite_parts(group, suites, has_script=has_script))


def _contents(sections: Sequence[Section], closing: Sequence[Section], *, has_list: bool) -> Markup:
    """Return links to all sections."""
    before, after = (
        [(f"{each[0].id}-section", each[0].title) for each in _groups(part)] for part in (sections, closing)
    )
    links = [*before, *([("attempts", "Attempts")] if has_list else []), *after]
    return Markup().join(
        Markup('<li><a href="#{}">{}</a></li>').format(anchor, plain(title)) for anchor, title in links
    )


def script_hash(script: str) -> str:
    """Return the hash by which a content security policy allows a script."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


@functools.cache
def _source(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")
