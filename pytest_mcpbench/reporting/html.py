"""HTML of a run's tables and attempts, for a separate page or for pytest-html's report; all text is escaped."""

import base64
import functools
import hashlib
import html
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import jinja2
from markupsafe import Markup

from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.tool import CallRecord
from pytest_mcpbench.reporting import number_formats
from pytest_mcpbench.reporting.display_text import one_line, visible
from pytest_mcpbench.reporting.gate import details, gate_tables, headline
from pytest_mcpbench.reporting.summary import metric_names
from pytest_mcpbench.reporting.tables import detail_tables, main_tables

PAGE_CHARACTERS = 4_000_000
"""Approximate limit for the text of all attempts together, without markup."""
MOST_OF_AN_ATTEMPT = 200_000
"""Largest amount of text per attempt, however few there are; the record has the complete text."""
LEAST_OF_AN_ATTEMPT = 2_000
MOST_OF_A_TEXT = 20_000
STEPS_SHOWN = 60
CALLS_SHOWN = 40
"""Largest number of calls per step."""
REASONS_SHOWN = 60
"""Largest number of reasons per score."""
ROWS_SHOWN = 100
"""Largest number of rows in the comparison of calls."""
ROWS_SHOWN_AMONG_MANY = 12
"""The same limit for reports with many attempts: extra calls are also in the trajectory."""
_MANY = 20_000
"""Characters per attempt below which a report counts as having many attempts."""


@dataclass(frozen=True)
class Cell:
    """Cell of the list of attempts."""

    text: str
    order: float | str
    """Sort key; a column has either only numbers or only text."""


def budget(attempts: int) -> int:
    """Return the number of characters that each attempt may show so that the page stays reasonably small."""
    return max(LEAST_OF_AN_ATTEMPT, min(MOST_OF_AN_ATTEMPT, PAGE_CHARACTERS // max(1, attempts)))


def columns(report: Report) -> tuple[str, ...]:
    """Return the headings between test id and duration: the model, each metric, the cost."""
    return ("model", *metric_names(report.entries), "cost")


def cells(entry: Entry, headings: Sequence[str]) -> tuple[Cell, ...]:
    """Return the cells of one attempt under these headings."""
    cost = entry.usage.cost_usd
    named = {
        "model": Cell(one_line(entry.model, 80), entry.model),
        "cost": Cell(number_formats.money(cost), _number(cost)),
    }
    return tuple(named.get(heading) or _score_cell(entry, heading) for heading in headings)


def empty_cells(headings: Sequence[str]) -> tuple[Cell, ...]:
    """Return empty cells for the row of a test that is not a benchmark task."""
    return tuple(Cell("", "") if heading == "model" else Cell("", -2.0) for heading in headings)


def summary(report: Report) -> str:
    """Return the tables above the list of tests, with the styles of all HTML from this module."""
    gates = [(gate, headline(gate), details(gate), gate_tables(gate)) for gate in report.gates]
    return _render(
        "summary.html", gates=gates, tables=main_tables(report), details=detail_tables(report), report=report
    )


def attempt_details(record: RunRecord, characters: int = MOST_OF_AN_ATTEMPT) -> str:
    """Return the details of an attempt: request, scores with reasons, compared calls, reference, steps with results."""
    steps = record.evidence.trajectory.steps if record.evidence else ()
    rows_shown = ROWS_SHOWN if characters >= _MANY else ROWS_SHOWN_AMONG_MANY
    limit = _limit(record, characters, rows_shown)
    return _render(
        "attempt.html",
        record=record,
        steps=steps[:STEPS_SHOWN],
        steps_left_out=max(0, len(steps) - STEPS_SHOWN),
        calls_shown=CALLS_SHOWN,
        reasons_shown=REASONS_SHOWN,
        rows_shown=rows_shown,
        scores=record.scorecard.scores,
        floors=record.scorecard.floors,
        text=lambda value: escape(truncate(value, limit)),
        open_steps=8 if characters >= _MANY else 0,
    )


def page(report: Report, records: Iterable[tuple[Entry, RunRecord | None]]) -> Iterator[str]:
    """Yield the parts of a self-contained page; its only script sorts, filters and opens rows."""
    headings = columns(report)
    script = _source("page.js")
    characters = budget(len(report.entries))
    head = _render(
        "page_head.html", headings=("outcome", "task", *headings, "calls", "time"), script_hash=_hash(script)
    )
    yield head.replace("<!--summary-->", summary(report))
    for number, (entry, record) in enumerate(records):
        body = attempt_details(record, characters) if record else ""
        search_text = " ".join((entry.series, entry.task_id, entry.model, *entry.tags.values())).lower()
        row = _render(
            "page_row.html", number=number, entry=entry, cells=cells(entry, headings), search_text=one_line(search_text)
        )
        yield row.replace("<!--attempt-->", body)
    yield f"</table></main><script>{script}</script></body></html>\n"


def escape(text: str) -> Markup:
    """Escape text for element content only: quotation marks stay, which makes JSON a third shorter."""
    return Markup(html.escape(visible(text), quote=False))


def truncate(text: str | None, limit: int) -> str:
    """Return the text up to the limit, followed by the number of characters that are left out."""
    text = text or ""
    left_out = len(text) - limit
    return text if left_out <= 0 else f"{text[:limit]}… [{left_out:,} more]"


def fair_limit(lengths: Iterable[int], available: int) -> int:
    """Return the length to which texts are truncated so that their sum fits; short texts stay complete."""
    ordered = sorted(lengths)
    for position, length in enumerate(ordered):
        share = available // (len(ordered) - position)
        if length > share:
            return share
        available -= length
    return ordered[-1] if ordered else 0


def _limit(record: RunRecord, characters: int, rows_shown: int) -> int:
    """Return the length to which the texts of a record are truncated, at least 60 so that each beginning is visible."""
    texts = list(_texts(record, rows_shown))
    available = int(characters / _weight(texts))
    return max(60, min(MOST_OF_A_TEXT, fair_limit(map(len, texts), available)))


def _weight(texts: Iterable[str]) -> float:
    """Return the growth factor of a text in pytest-html's page, which has HTML in JSON in an attribute, in ASCII."""
    sample = "".join(text[:500] for text in texts)
    special = sum(character in '<>&"' or not character.isascii() for character in sample)
    return 1 + 5 * special / max(1, len(sample))


def _texts(record: RunRecord, rows_shown: int) -> Iterator[str]:
    yield from (record.system_prompt, *(record.turns or (record.prompt,)), "\n".join(record.expected))
    yield record.error.message if record.error else ""
    for score in record.scorecard.scores.values():
        yield from (score.unscored or "", *score.reasons[:REASONS_SHOWN])
    for row in record.comparison[:rows_shown]:
        yield from (row.expected, row.actual, *row.reason)
    for step in record.evidence.trajectory.steps[:STEPS_SHOWN] if record.evidence else ():
        yield step.text
        for call in step.calls[:CALLS_SHOWN]:
            yield from (_arguments(call), call.result.text if call.result else "")


def _score_cell(entry: Entry, metric: str) -> Cell:
    value = entry.scores.get(metric)
    if value is not None:
        return Cell(f"{value:.3f}", value)
    if metric not in entry.scores:
        return Cell("error" if entry.outcome == "error" else "", -2.0)
    return Cell("n/a" if metric in entry.not_applicable else "unscored", -1.0)


def _number(value: float | None) -> float:
    return -1.0 if value is None else value


def _arguments(call: CallRecord) -> str:
    if call.raw_arguments is not None:
        return call.raw_arguments
    return json.dumps(call.arguments, ensure_ascii=False, indent=1) if call.arguments else "{}"


def _score_text(score: Score) -> str:
    if score.value is not None:
        return f"{score.value:.3f}"
    return "unscored" if score.applies else "n/a"


def _is_short(score: Score, floor: float | None) -> bool:
    return floor is not None and score.value is not None and score.value < floor - 1e-12


def _hash(script: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _render(name: str, **values: Any) -> str:
    return str(_environment().get_template(name).render(**values))


def _source(name: str) -> str:
    loader = _environment().loader
    assert loader is not None
    return loader.get_source(_environment(), name)[0]


@functools.cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("pytest_mcpbench.reporting"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "arguments": _arguments,
        "line": one_line,
        "visible": visible,
        "score": _score_text,
        "money": number_formats.money,
        "tokens": number_formats.usage_tokens,
        "seconds": number_formats.seconds,
    }
    environment.tests |= {"short": _is_short}
    return environment
