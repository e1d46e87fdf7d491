"""Badge with the pass rates of a run: an SVG image, or the JSON of an endpoint of shields.io."""

import json
from collections.abc import Iterable, Iterator
from html import escape

from pytest_mcpbench.core.model_names import compared_models
from pytest_mcpbench.core.report import Report
from pytest_mcpbench.reporting.aggregates.summary import Summary, summaries
from pytest_mcpbench.reporting.forms.display_text import one_line, width
from pytest_mcpbench.statistics.groups import group_by
from pytest_mcpbench.statistics.intervals import Interval

_MOST_SUITES = 5
_COLOURS = ((0.9, "#1f7a33"), (0.7, "#53700a"), (0.4, "#8a5a00"), (0.0, "#b3261e"))
"""Least pass rate -> colour; white text has a contrast of at least 4.5 : 1 on each."""
_GREY = "#57606a"
_CHARACTER = 6.6
"""Mean width of a character in pixels."""


def svg(report: Report) -> str:
    """Return the badge as an SVG image."""
    label, message, colour = _content(report)
    left, right = (round(width(text) * _CHARACTER) + 12 for text in (label, message))
    text = 'font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" fill="#fff" text-anchor="middle"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" '
        f'aria-label="{escape(f"{label}: {message}")}"><title>{escape(f"{label}: {message}")}</title>'
        f'<rect width="{left}" height="20" fill="#444"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="{colour}"/><g {text}>'
        f'<text x="{left / 2:g}" y="14">{escape(label)}</text>'
        f'<text x="{left + right / 2:g}" y="14">{escape(message)}</text></g></svg>\n'
    )


def shields(report: Report) -> str:
    """Return the badge as the JSON that an endpoint badge of shields.io reads."""
    label, message, colour = _content(report)
    return json.dumps({"schemaVersion": 1, "label": label, "message": message, "color": colour}) + "\n"


def _content(report: Report) -> tuple[str, str, str]:
    """Return label, message and colour; the colour is that of the lowest possible pass rate."""
    every = summaries(report)
    models = compared_models(summary.model for summary in every)
    by_suite = group_by((each for each in every if each.model in models), lambda summary: summary.suite)
    rates = [rate.low for group in by_suite.values() for rate in _ranges(group)]
    errors = sum(summary.errors for group in by_suite.values() for summary in group)
    parts: list[str] = []
    for group in by_suite.values():
        # The rate of the only model, or the range over models and over verdicts of unscored attempts.
        ranges = list(_ranges(group))
        if any(summary.verdicts for summary in group):
            ends = min(each.low for each in ranges), max(each.high for each in ranges)
            shown = dict.fromkeys(f"{rate * 100:.0f}" for rate in ends)
            parts.append(f"{'–'.join(shown)} %")
        else:
            parts.append("no verdict")
    if len(parts) == 1:
        label = next(iter(by_suite))
    else:
        label = "mcpbench"
        parts = [f"{one_line(suite, 30)} {part}" for suite, part in zip(by_suite, parts, strict=True)]
    more = [f"{len(parts) - _MOST_SUITES} more"] if len(parts) > _MOST_SUITES else []
    failed = [f"{errors} {'error' if errors == 1 else 'errors'}"] if errors else []
    message = " · ".join([*parts[:_MOST_SUITES], *more, *failed]) or "no attempts"
    colour = next(colour for least, colour in _COLOURS if min(rates) >= least) if rates else _GREY
    return one_line(label, 40), message, colour


def _ranges(group: Iterable[Summary]) -> Iterator[Interval]:
    return (summary.rate.range for summary in group if summary.rate.range is not None)
