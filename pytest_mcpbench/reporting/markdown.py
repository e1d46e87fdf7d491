"""Report as Markdown, short enough for a comment on a pull request."""

import re
from collections.abc import Callable, Iterable, Sequence

from pytest_mcpbench.core.gate.result import GateResult
from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.reporting import number_formats
from pytest_mcpbench.reporting.display_text import one_line
from pytest_mcpbench.reporting.gate import details, gate_tables, headline
from pytest_mcpbench.reporting.summary import summaries
from pytest_mcpbench.reporting.table import Table
from pytest_mcpbench.reporting.tables import detail_tables, main_tables

MARK = "<!-- pytest-mcpbench -->"
"""First line of every report; a script can use it to find the comment that it has to replace."""
MOST_CHARACTERS = 60_000
"""Largest length of a report; GitHub limits comments to 65,536 characters."""
_TASKS_SHOWN = 50
_MARKUP = re.compile(r"[\\`*\[\]|~]|<(?=[\w/!?])|(?<!\w)_|_(?!\w)|@(?=\w)|#(?=\d)|://")


def text(report: Report) -> str:
    """Return a summary, the main tables, and collapsed lists of failures and errors with the detail tables."""
    failed = [entry for entry in report.entries if entry.outcome == "failed"]
    broken = [entry for entry in report.entries if entry.outcome == "error"]
    unscored = [entry for entry in report.entries if entry.outcome == "unscored"]
    verdicts = [_gate(gate) for gate in report.gates]
    parts = [MARK, "## mcpbench", *verdicts, _verdict(report), *(_with_title(table) for table in main_tables(report))]
    parts += _tasks("Failed", failed, shortfalls)
    parts += _tasks("Errors", broken, lambda entry: f"{entry.error_kind}: {entry.error or ''}")
    parts += _tasks("Unscored", unscored, lambda entry: entry.why_unscored)
    parts += [_collapsible(table.title, render_table(table)) for table in detail_tables(report)]
    return _within_limit(parts)


def comparison(table: Table, findings: Iterable[str], details: Iterable[tuple[str, Table]] = ()) -> str:
    """Return the comparison of two runs, with tables that are folded under their titles."""
    folded = [_collapsible(title, render_table(each)) for title, each in details]
    parts = [MARK, "## mcpbench: comparison", render_table(table), *map(_escape_markup, findings), *folded]
    return _within_limit(parts)


def render_table(table: Table) -> str:
    """Return the table with its note below; numbers are right-aligned."""
    rule = [":---" if index < table.words else "---:" for index in range(len(table.headings))]
    rows = [map(_escape_markup, table.headings), rule, *(map(_escape_markup, row) for row in table.rows)]
    body = "\n".join("| " + " | ".join(row) + " |" for row in rows)
    return f"{body}\n\n{_escape_markup(table.note)}" if table.note else body


def shortfalls(entry: Entry) -> str:
    """Return the scores that are below their floors."""
    short = (name for name, floor in entry.floors.items() if _is_below(entry.scores.get(name), floor))
    return ", ".join(f"{name} {number_formats.score(entry.scores[name])} < {entry.floors[name]:g}" for name in short)


def _verdict(report: Report) -> str:
    """Return a sentence with the counts of passed, failed and other attempts."""
    summary_list = summaries(report)
    counts = {
        name: sum(getattr(summary, name) for summary in summary_list) for name in ("attempts", "passed", "failed")
    }
    others = {name: sum(getattr(summary, name) for summary in summary_list) for name in ("errors", "unscored")}
    suffix = "".join(f", {count} {name}" for name, count in others.items() if count)
    return f"**{counts['passed']} of {counts['attempts']} attempts passed**, {counts['failed']} failed{suffix}."


def _gate(result: GateResult) -> str:
    """Return the verdict of a gate, with what it is based on as a list."""
    lines = "\n".join(f"* {_escape_markup(line)}" for line in details(result))
    tables = "\n\n".join(_collapsible(table.title, render_table(table)) for table in gate_tables(result))
    return f"**{_escape_markup(headline(result))}**\n\n{lines}\n\n{tables}".rstrip()


def _tasks(title: str, entries: Sequence[Entry], why: Callable[[Entry], str]) -> list[str]:
    if not entries:
        return []
    rows = tuple((_task(entry), one_line(entry.model, 60), one_line(why(entry))) for entry in entries[:_TASKS_SHOWN])
    more = f"\n\n… and {len(entries) - _TASKS_SHOWN} more." if len(entries) > _TASKS_SHOWN else ""
    return [
        _collapsible(f"{title}: {len(entries)}", render_table(Table(title, ("task", "model", "why"), rows, 3)) + more)
    ]


def _task(entry: Entry) -> str:
    return f"{entry.task_id} ({entry.test})" if entry.test else entry.task_id


def _is_below(value: float | None, floor: float) -> bool:
    return value is not None and value < floor


def _with_title(table: Table) -> str:
    return f"### {_escape_markup(table.title)}\n\n{render_table(table)}"


def _collapsible(title: str, body: str) -> str:
    return f"<details><summary>{_escape_markup(title)}</summary>\n\n{body}\n\n</details>"


def _within_limit(parts: Sequence[str]) -> str:
    """Join as many parts as fit, followed by the number of parts that do not."""
    parts_within_limit: list[str] = []
    for part in parts:
        if sum(map(len, parts_within_limit)) + 2 * len(parts_within_limit) + len(part) > MOST_CHARACTERS:
            parts_within_limit.append(
                f"{len(parts) - len(parts_within_limit)} more parts are too long for a comment; see the HTML report."
            )
            break
        parts_within_limit.append(part)
    return "\n\n".join(parts_within_limit) + "\n"


def _escape_markup(value: str) -> str:
    """Return one line without markup, mentions and links."""
    return _MARKUP.sub(_neutralize, one_line(value))


def _neutralize(match: re.Match[str]) -> str:
    """Replace a special character by an entity or, for mentions, split it with a comment.

    GitHub looks for mentions and references after rendering, when entities are already decoded.
    """
    sign = match.group()
    return f"{sign}<!-- -->" if sign in "@#" else f"&#{ord(sign[0])};{sign[1:]}"
