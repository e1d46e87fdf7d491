"""A report as Markdown, short enough for a comment on a pull request."""

import re
from collections.abc import Callable, Iterable, Sequence

from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.reporting import number_formats
from pytest_mcpbench.reporting.display_text import one_line
from pytest_mcpbench.reporting.summary import summaries
from pytest_mcpbench.reporting.tables import Table, detail_tables, main_tables

MARK = "<!-- pytest-mcpbench -->"
"""First line of every report, by which a comment that is to be replaced can be found."""
MOST_CHARACTERS = 60_000
"""A comment on GitHub may have 65,536."""
_TASKS_SHOWN = 50
_MARKUP = re.compile(r"[\\`*\[\]|~]|<(?=[\w/!?])|(?<!\w)_|_(?!\w)|@(?=\w)|#(?=\d)|://")


def text(report: Report) -> str:
    """A sentence, the main tables, the tasks that failed or could not be run, and what explains them, folded."""
    failed = [entry for entry in report.entries if entry.outcome == "failed"]
    broken = [entry for entry in report.entries if entry.outcome == "error"]
    unscored = [entry for entry in report.entries if entry.outcome == "unscored"]
    parts = [MARK, "## mcpbench", _verdict(report), *(_titled(table) for table in main_tables(report))]
    parts += _tasks("Failed", failed, shortfalls)
    parts += _tasks("Errors", broken, lambda entry: f"{entry.error_kind}: {entry.error or ''}")
    parts += _tasks("Unscored", unscored, lambda entry: entry.why_unscored)
    parts += [_folded(table.title, drawn(table)) for table in detail_tables(report)]
    return _bounded(parts)


def comparison(table: Table, remarks: Iterable[str]) -> str:
    """A comparison of two runs."""
    return "\n\n".join([MARK, "## mcpbench: comparison", drawn(table), *map(_escaped, remarks)]) + "\n"


def drawn(table: Table) -> str:
    """The table with its note below; numbers to the right."""
    rule = [":---" if index < table.words else "---:" for index in range(len(table.headings))]
    rows = [map(_escaped, table.headings), rule, *(map(_escaped, row) for row in table.rows)]
    body = "\n".join("| " + " | ".join(row) + " |" for row in rows)
    return f"{body}\n\n{_escaped(table.note)}" if table.note else body


def shortfalls(entry: Entry) -> str:
    """Which scores are below their floors."""
    short = (name for name, floor in entry.floors.items() if _is_below(entry.scores.get(name), floor))
    return ", ".join(f"{name} {number_formats.score(entry.scores[name])} < {entry.floors[name]:g}" for name in short)


def _verdict(report: Report) -> str:
    """The numbers that decide, in a sentence."""
    made = summaries(report)
    counts = {name: sum(getattr(summary, name) for summary in made) for name in ("attempts", "passed", "failed")}
    others = {name: sum(getattr(summary, name) for summary in made) for name in ("errors", "unscored")}
    beside = "".join(f", {count} {name}" for name, count in others.items() if count)
    return f"**{counts['passed']} of {counts['attempts']} attempts passed**, {counts['failed']} failed{beside}."


def _tasks(title: str, entries: Sequence[Entry], why: Callable[[Entry], str]) -> list[str]:
    if not entries:
        return []
    rows = tuple((_task(entry), one_line(entry.model, 60), one_line(why(entry))) for entry in entries[:_TASKS_SHOWN])
    more = f"\n\n… and {len(entries) - _TASKS_SHOWN} more." if len(entries) > _TASKS_SHOWN else ""
    return [_folded(f"{title}: {len(entries)}", drawn(Table(title, ("task", "model", "why"), rows, 3)) + more)]


def _task(entry: Entry) -> str:
    return f"{entry.task_id} ({entry.test})" if entry.test else entry.task_id


def _is_below(value: float | None, floor: float) -> bool:
    return value is not None and value < floor


def _titled(table: Table) -> str:
    return f"### {_escaped(table.title)}\n\n{drawn(table)}"


def _folded(title: str, body: str) -> str:
    return f"<details><summary>{_escaped(title)}</summary>\n\n{body}\n\n</details>"


def _bounded(parts: Sequence[str]) -> str:
    """As many parts as fit, and how many do not."""
    kept: list[str] = []
    for part in parts:
        if sum(map(len, kept)) + 2 * len(kept) + len(part) > MOST_CHARACTERS:
            kept.append(f"{len(parts) - len(kept)} more parts are too long for a comment; see the HTML report.")
            break
        kept.append(part)
    return "\n\n".join(kept) + "\n"


def _escaped(value: str) -> str:
    """One line in which nothing is markup, nobody is mentioned, and no link is made."""
    return _MARKUP.sub(_harmless, one_line(value))


def _harmless(match: re.Match[str]) -> str:
    """Mentions and references are found behind the rendering, where entities do not help; a comment splits them."""
    sign = match.group()
    return f"{sign}<!-- -->" if sign in "@#" else f"&#{ord(sign[0])};{sign[1:]}"
