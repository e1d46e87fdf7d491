"""Choice of the suite that the page shows: one row of radio buttons for all sections, which needs no script."""

from collections.abc import Sequence

from markupsafe import Markup

from pytest_mcpbench.reporting.page.section import Section, plain

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
    """Return the rules that hide the other suites on a screen. Paper and browsers without ``:has`` show all suites."""
    if len(suites) < 2:
        return ""
    return "@media screen{" + "".join(map(_rules, range(len(suites)))) + "}\n"


def suite_parts(group: Sequence[Section], suites: Sequence[str]) -> Markup:
    """Return the bodies of the sections with one title, each with a heading; a suite without one has a sentence."""
    if len(suites) < 2 or group[0].suite is None:
        return Markup().join(Markup('<div id="{}">{}</div>').format(each.id, each.body) for each in group)
    by_suite = {each.suite: each for each in group}
    return Markup().join(_part(index, suite, by_suite.get(suite)) for index, suite in enumerate(suites))


def _button(key: str, value: str, label: str, *, is_chosen: bool) -> Markup:
    return Markup(
        '<input type="radio" name="suite-choice" id="suite-{key}" value="{value}"{checked}>'
        '<label for="suite-{key}">{label}</label>'
    ).format(key=key, value=plain(value), checked=Markup(" checked") if is_chosen else "", label=plain(label))


def _rules(index: int) -> str:
    chosen = f"main:has(#suite-{index}:checked) .of-suite"
    return f"{chosen}:not(.of-suite-{index}),{chosen}>.suite-name{{display:none}}"


def _part(index: int, suite: str, section: Section | None) -> Markup:
    if section is None:
        return Markup('<p class="of-suite of-suite-{} note screen-only">{} has nothing to show here.</p>').format(
            index, plain(suite)
        )
    return Markup('<div class="of-suite of-suite-{}" id="{}"><h3 class="suite-name">{}</h3>{}</div>').format(
        index, section.id, plain(suite), section.body
    )
