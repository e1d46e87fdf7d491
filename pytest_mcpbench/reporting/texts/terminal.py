"""Report for the terminal at the end of a run."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, zip_longest
from textwrap import wrap
from typing import Any

from pydantic import JsonValue

from pytest_mcpbench.core.report import Report
from pytest_mcpbench.reporting.aggregates.run_end import damage_sentence, end_sentence, restarts_sentence
from pytest_mcpbench.reporting.aggregates.spending import spending
from pytest_mcpbench.reporting.aggregates.unscored import other_reasons, undecided_sentence
from pytest_mcpbench.reporting.forms.display_text import cut_columns, one_line, pad, width, wrap_columns
from pytest_mcpbench.reporting.forms.number_formats import quantity
from pytest_mcpbench.reporting.tables.judge_panels import same_family_sentences
from pytest_mcpbench.reporting.tables.report_tables import brief_tables, detail_tables, main_tables
from pytest_mcpbench.reporting.tables.table import Table
from pytest_mcpbench.reporting.texts.gate import result_lines
from pytest_mcpbench.reporting.texts.result_sentences import result_sentences

# Sentences about the suites of which a run made a sample only.


def sample_sentences(facts: Mapping[str, JsonValue]) -> Iterator[str]:
    """Yield ``radar is a sample, 20/domain: 120 of 515 tasks. --suite=radar:full runs all.`` for each such suite."""
    suites, contents = _mapping(facts.get("suites")), _mapping(facts.get("contents"))
    for name, about in suites.items():
        rule, content = _mapping(about).get("sample"), _mapping(contents.get(name))
        if rule is not None and "suite_tasks" in content:
            size, total = len(content.get("tasks", ())), content["suite_tasks"]
            yield f"{name} is a sample, {rule}: {size:,} of {quantity(total, 'task')}. --suite={name}:full runs all."


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


_REASONS_SHOWN = 5
_COLUMNS = 120
_GAP = 2
_LONGEST_GROUP = 80
_NARROWEST = 8


def lines(report: Report, *, verbosity: int = 0, columns: int | None = None, is_brief: bool = False) -> list[str]:
    """Return the verdicts of gates, the main tables and notes on them; with ``-v`` the detail tables precede these.

    Args:
        report: The report.
        verbosity: 1 and more for the detail tables, -1 and less for the verdicts alone.
        columns: Width of the terminal; ``None``: as wide as the tables are.
        is_brief: True to leave out main tables and columns that :func:`brief_tables` does not need.
    """
    sentences = (end_sentence(report), damage_sentence(report), restarts_sentence(report))
    faults = [sentence for sentence in sentences if sentence is not None]
    blocks = [faults, [line for gate in report.gates for line in result_lines(gate)]]
    if verbosity >= 0:
        tables = (detail_tables(report) if verbosity > 0 else ()) + (brief_tables if is_brief else main_tables)(report)
        blocks += [
            *(render_table(table, columns) for table in tables),
            _wrapped(sample_sentences(report.facts), columns),
            [divided.sentence] if (divided := spending(report)) else [],
            [*_unscored_reasons(report, columns)],
            _wrapped(same_family_sentences(report), columns),
        ]
    return _joined(blocks)


def sentence_lines(report: Report, columns: int | None = None) -> list[str]:
    """Return the sentences that end a report: the best of several models, or the result of the only one."""
    return _wrapped(result_sentences(report), columns)


def _joined(blocks: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of the blocks that have some, with an empty line between blocks."""
    return [line for block in blocks if block for line in ("", *block)][1:]


def _wrapped(sentences: Iterable[str], columns: int | None) -> list[str]:
    return [line for text in sentences for line in wrap(text, columns or _COLUMNS, break_on_hyphens=False)]


def _unscored_reasons(report: Report, columns: int | None) -> Iterator[str]:
    """Yield what would decide the unscored attempts, and each other reason, the most frequent first."""
    undecided, others = undecided_sentence(report.entries), other_reasons(report.entries)
    if undecided:
        yield from wrap(f"Unscored: {undecided}.", columns or _COLUMNS, break_on_hyphens=False)
    if others:
        yield "Unscored for other reasons:" if undecided else "Unscored:"
    for reason, count in others.most_common(_REASONS_SHOWN):
        yield from wrap(f"{count} × {one_line(reason, 1000)}", columns or _COLUMNS, subsequent_indent="    ")
    if len(others) > _REASONS_SHOWN:
        yield f"… and {len(others) - _REASONS_SHOWN} more reasons"


def render_table(table: Table, columns: int | None = None, groups: Sequence[str] = ()) -> list[str]:
    """Return title, rows and note of a table; text cells that repeat the row above are left blank.

    A table that is wider than ``columns`` wraps its headings and text cells and is continued below itself, each time
    with its text columns. ``groups`` has a heading for each column, which stands once above neighbours that share it.
    """
    rows = [table.headings, *_without_repetition(table)]
    # Text columns shrink, the widest first, until the widest number fits too.
    words = table.words
    widths = [max(width(row[column]) for row in rows) for column in range(len(rows[0]))]
    if columns is not None and sum(widths) + _GAP * (len(widths) - 1) > columns:
        for column in range(words, len(widths)):
            words_of_heading = rows[0][column].split(" ")
            widths[column] = max(map(width, (*words_of_heading, *(row[column] for row in rows[1:]))))
    room = (columns or sum(widths) + _GAP * len(widths)) - max((each + _GAP for each in widths[words:]), default=0)
    while sum(widths[:words]) + _GAP * (words - 1) > room and max(widths[:words]) > _NARROWEST:
        widths[widths.index(max(widths[:words]))] -= 1
    widest = columns - _span(widths, range(table.words)) - _GAP if columns else _LONGEST_GROUP
    for group, members in _groups(groups, range(len(groups))):
        widths[members[-1]] += max(0, min(width(group), widest) - _span(widths, members))
    blocks = [
        [*_group_line(groups, widths, block), *_block_lines(rows, widths, block, table)]
        for block in _blocks(widths, table.words, columns, groups)
    ]
    note = wrap(f"({table.note})", columns or _COLUMNS * 10) if table.note else []
    return [f"{table.title}:", *_joined(blocks), *note]


def _groups(groups: Sequence[str], columns: Iterable[int]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the heading of each group with its columns, and empty headings with the columns between groups."""
    for group, members in groupby(columns, key=lambda column: groups[column] if groups else ""):
        yield group, tuple(members)


def _span(widths: Sequence[int], columns: Sequence[int]) -> int:
    return sum(widths[column] for column in columns) + _GAP * (len(columns) - 1)


def _blocks(widths: Sequence[int], words: int, columns: int | None, groups: Sequence[str]) -> Iterator[tuple[int, ...]]:
    """Yield the columns of each block: the text columns, and as many of the others as fit, groups undivided."""
    room = sum(widths) + _GAP * len(widths) if columns is None else columns
    keys = block = tuple(range(words))
    units: list[tuple[int, ...]] = []
    for group, members in _groups(groups, range(words, len(widths))):
        # A group that does not fit beside the text columns is divided.
        is_whole = group and _span(widths, (*keys, *members)) <= room
        units += [members] if is_whole else [(column,) for column in members]
    for unit in units:
        if _span(widths, (*block, *unit)) > room and block != keys:
            yield block
            block = keys
        block += unit
    yield block


def _group_line(groups: Sequence[str], widths: Sequence[int], block: Sequence[int]) -> Iterator[str]:
    """Yield the line with the headings of groups, each in the middle of a rule over its columns, if there are any."""
    if not any(groups):
        return
    parts = []
    for group, members in _groups(groups, block):
        span = _span(widths, members)
        is_ruled = group and width(group) + 4 <= span
        text, rule = (f" {group} ", "─") if is_ruled else (cut_columns(group, span), " ")
        filling = span - width(text)
        parts.append(rule * (filling // 2) + text + rule * (filling - filling // 2))
    yield (" " * _GAP).join(parts).rstrip()


def _block_lines(
    rows: Sequence[Sequence[str]], widths: Sequence[int], block: Sequence[int], table: Table
) -> Iterator[str]:
    for row in rows:
        cells = [wrap_columns(row[column], widths[column]) for column in block]
        for parts in zip_longest(*cells, fillvalue=""):
            padded = (
                pad(part, widths[column], to_the_left=column < table.words)
                for part, column in zip(parts, block, strict=True)
            )
            yield (" " * _GAP).join(padded).rstrip()


def _without_repetition(table: Table) -> Iterator[tuple[str, ...]]:
    """Yield the rows with leading text cells blanked that equal those of the row above."""
    above: tuple[str, ...] = ()
    for row in table.rows:
        same = 0
        while same < min(table.words - 1, len(above)) and row[same] == above[same]:
            same += 1
        yield ("",) * same + row[same:]
        above = row
