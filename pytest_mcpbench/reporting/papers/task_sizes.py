"""Sizes of tasks, and the rows about them in Table 1 of FinMCP-Bench."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median

from pytest_mcpbench.core.difficulty import difficulty
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.reporting.aggregates.measures import MeasuredNumber, without_value
from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.reporting.tables.grid import Cell, GridRow
from pytest_mcpbench.text.token_estimate import estimate_tokens

KINDS = {"single_tool": "Single-Tool", "multi_tool": "Multi-Tool", "multi_turn": "Multi-Turn"}
DIFFICULTIES = {"easy": "Easy", "medium": "Medium", "hard": "Hard"}
NO_CALL = "no_tool"
"""Kind of a task whose right attempt calls no tool."""
UNKNOWN_KIND = "unknown"
"""Kind of a task in one turn whose reference calls are not known."""
EMPTY = ""


@dataclass(frozen=True)
class TaskSize:
    """Size of one task; ``None`` stands for what its format does not say."""

    kind: str = UNKNOWN_KIND
    difficulty: str = ""
    calls: int | None = None
    """Reference calls."""
    steps: int | None = None
    """Groups of parallel reference calls."""
    turns: int | None = None
    """User messages; unknown for a user who answers."""
    is_parallel: bool = False
    """True if a step has several calls."""
    tools: frozenset[tuple[str, str]] | None = None
    """Server and name of each tool that the reference calls; the server is empty if the call names none."""
    tokens: int = 0
    """Estimated tokens of the user messages."""
    tags: Mapping[str, str] = field(default_factory=dict)
    id: str = ""


def size_of(task: Task) -> TaskSize:
    """Return the size of a task. Its difficulty is its tag ``difficulty`` or follows from its reference calls."""
    groups = task.expected.calls
    has_reference = bool(groups) or task.expected.forbidden_tools == "all"
    calls = len(task.expected.flat_calls) if has_reference else None
    by_calls = "" if calls is None else difficulty(calls)
    # The kind as section 2 of FinMCP-Bench defines it, with two more for what the paper does not have.
    if len(task.turns) > 1 or task.user is not None:
        kind = "multi_turn"
    elif calls is None:
        kind = UNKNOWN_KIND
    else:
        kind = NO_CALL if calls == 0 else "single_tool" if calls == 1 else "multi_tool"
    return TaskSize(
        id=task.id,
        kind=kind,
        difficulty=task.tags.get("difficulty", by_calls),
        calls=calls,
        steps=len(groups) if has_reference else None,
        turns=len(task.turns) if task.user is None else None,
        is_parallel=any(len(group.calls) > 1 for group in groups),
        tools=frozenset((call.server or "", call.tool) for call in task.expected.flat_calls) if has_reference else None,
        tokens=sum(estimate_tokens(turn.user) for turn in task.turns),
        tags=task.tags,
    )


def statistics_rows(sizes: Sequence[TaskSize]) -> list[GridRow]:
    """Return the rows of Table 1 about samples: all by difficulty, and each kind with its sizes."""
    levels = [
        GridRow(("All", name), _count(size.difficulty == level for size in sizes))
        for level, name in DIFFICULTIES.items()
    ]
    by_kind = {kind: [size for size in sizes if size.kind == kind] for kind in KINDS}
    multi_tool = by_kind["multi_tool"]
    return [
        GridRow(("All", "Samples"), (number_of(len(sizes)), EMPTY, EMPTY)),
        *levels,
        GridRow((KINDS["single_tool"], "Samples"), _count(True for _ in by_kind["single_tool"])),
        *_kind_rows("multi_tool", multi_tool, "Steps per instance", lambda size: size.steps),
        GridRow(
            (KINDS["multi_tool"], "Samples having parallel calls"), _count(size.is_parallel for size in multi_tool)
        ),
        *_kind_rows("multi_turn", by_kind["multi_turn"], "Number of turns", lambda size: size.turns),
    ]


def median_and_mean(sizes: Sequence[int]) -> tuple[Cell, ...]:
    """Return the cells of a row of Table 1: an empty one, the median and the mean."""
    if not sizes:
        return (EMPTY, without_value("no sample"), without_value("no sample"))
    form = number_formats.two_decimals
    return EMPTY, MeasuredNumber(float(median(sizes)), form, len(sizes)), MeasuredNumber(fmean(sizes), form, len(sizes))


def number_of(count: int) -> MeasuredNumber:
    """Return a count as a cell."""
    return MeasuredNumber(float(count), number_formats.whole, count)


def known(sizes: Sequence[TaskSize], size: Callable[[TaskSize], int | None]) -> list[int]:
    """Return the sizes that are known."""
    return [value for value in map(size, sizes) if value is not None]


def _count(facts: Iterable[bool]) -> tuple[Cell, ...]:
    return number_of(sum(facts)), EMPTY, EMPTY


def _kind_rows(
    kind: str, sizes: Sequence[TaskSize], name: str, size: Callable[[TaskSize], int | None]
) -> list[GridRow]:
    return [
        GridRow((KINDS[kind], "Samples"), (number_of(len(sizes)), EMPTY, EMPTY)),
        GridRow((KINDS[kind], "MCP calls per instance"), median_and_mean(known(sizes, lambda each: each.calls))),
        GridRow((KINDS[kind], name), median_and_mean(known(sizes, size))),
    ]
