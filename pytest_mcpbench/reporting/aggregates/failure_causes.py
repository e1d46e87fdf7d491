"""Causes of attempts without a pass, from the calls beside the reference and the scores below their floors."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from pytest_mcpbench.core.errors import McpBenchError
from pytest_mcpbench.core.model_names import is_competitor
from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.core.score import is_below
from pytest_mcpbench.core.tool_choice import NO_TOOL, ChosenTool
from pytest_mcpbench.reporting.forms.display_text import one_line

ARROW = "→"
_CONTRADICTION = "contradiction_free"
_ANSWER_METRICS = frozenset(
    {"answer", "answer_strict", "checkpoints", "coverage", "coverage_with_request", _CONTRADICTION, "response", "sr"}
)
_WORLD_METRICS = frozenset({"effects", "exec", "state", "state_clean", "verify"})
_MEANINGS = {
    "effects": "wrong or unasked change",
    "exec": "asked change missing",
    "state": "wrong state at the end",
    "verify": "wrong state at the end",
    "state_clean": "unasked change",
    "dag_leaf": "calls in the wrong order",
    "tool_success": "failed call",
    "report": "wrong closing sentence",
}
"""What a score below its floor means, for metrics whose names do not say it."""
_LONGEST_NAME = 60
_LONGEST_REASON = 160


@dataclass(frozen=True)
class Cause:
    """Cause of an attempt without a pass."""

    kind: str
    """Group of causes, such as ``wrong tool`` or ``error of the server``."""
    detail: str = ""
    """Tools, arguments or reason that tell causes of one kind apart; may be empty."""


@dataclass(frozen=True)
class CauseGroup:
    """Attempts whose causes are of one kind."""

    kind: str
    attempts: int
    details: tuple[tuple[str, int], ...]
    """Each detail with its number of attempts, the most frequent first."""


def cause_of(entry: Entry) -> Cause:
    """Return the cause of an attempt that did not pass.

    Errors and missing scores come first; then the first of these that applies: a model refused, no tool was called,
    another tool than the expected one was called, an expected call was not made, an argument is wrong, a call was not
    needed. An argument is a cause only where a score below its floor compares arguments. An attempt with none of these
    has the meaning of the score that is below its floor.
    """
    if entry.outcome == "error":
        kind = entry.error_kind or McpBenchError.kind
        told = "internal error" if kind == McpBenchError.kind else f"error of the {kind}"
        return Cause(told, one_line((entry.error or "").partition("\n")[0], _LONGEST_REASON))
    if entry.outcome == "unscored":
        reason = one_line(entry.why_unscored, _LONGEST_REASON)
        detail = "no rule could decide free words" if entry.needs_reader else reason
        return Cause("unscored", detail)
    # ``lexical`` ends a turn for which it knows no call as a refusal, and has no model that refuses.
    if "refused" in entry.failures.get("rules", ()) and is_competitor(entry.model):
        return Cause("refused")
    return _cause_of_tools(entry) or _cause_of_arguments(entry) or _cause_of_scores(entry)


def group_causes(entries: Iterable[Entry]) -> tuple[CauseGroup, ...]:
    """Return the causes of the attempts by kind, the most frequent kind first."""
    counts = Counter(map(cause_of, entries))
    kinds: Counter[str] = Counter()
    for cause, count in counts.items():
        kinds[cause.kind] += count
    groups: list[CauseGroup] = []
    for kind, attempts in kinds.most_common():
        of_kind = [(cause.detail, count) for cause, count in counts.most_common() if cause.kind == kind]
        groups.append(CauseGroup(kind, attempts, tuple((detail, count) for detail, count in of_kind if detail)))
    return tuple(groups)


def tool_change(entry: Entry) -> str:
    """Return ``expected → called`` of the attempt's cause, or the mistake in an argument; empty for other causes."""
    cause = cause_of(entry)
    if cause.kind in ("wrong tool", "wrong argument"):
        return cause.detail
    if cause.kind in ("needless call", "needless read"):
        return f"{NO_TOOL} {ARROW} {cause.detail}"
    missing = [cell for cell in _wrong_tools(entry) if cell.expected != NO_TOOL]
    return f"{_name(missing[0].expected)} {ARROW} {NO_TOOL}" if missing else ""


def _cause_of_tools(entry: Entry) -> Cause | None:
    wrong = [cell for cell in _wrong_tools(entry) if cell.expected != NO_TOOL]
    if wrong and not entry.tool_calls:
        return Cause("no tool called", f"expected {_name(wrong[0].expected)}")
    confused = [cell for cell in wrong if cell.called != NO_TOOL]
    if confused:
        return Cause("wrong tool", f"{_name(confused[0].expected)} {ARROW} {_name(confused[0].called)}")
    return Cause("call not made", _name(wrong[0].expected)) if wrong else None


def _cause_of_arguments(entry: Entry) -> Cause | None:
    short = _short(entry)
    if short and (_ANSWER_METRICS | _WORLD_METRICS).issuperset(short):
        return None
    wrong = [check for check in (entry.choice.arguments if entry.choice else ()) if check.mistake is not None]
    if not wrong:
        return None
    first = wrong[0]
    return Cause("wrong argument", f"{_name(first.tool)}.{_name(first.parameter)}: {first.mistake}")


def _cause_of_scores(entry: Entry) -> Cause:
    """Return the needless call, the wrong answer, or the score that is below its floor."""
    short = _short(entry)
    if _CONTRADICTION in short and _ANSWER_METRICS.issuperset(short):
        return Cause("answer contradicts the reference")
    if short and _ANSWER_METRICS.issuperset(short):
        return Cause("no answer" if "no_answer" in entry.failures.get("rules", ()) else "wrong answer")
    needless = _wrong_tools(entry)
    if needless:
        # A paper's metric counts an extra read as a mistake; it does no harm, and readers want to tell it apart.
        is_harmless = all(cell.is_read for cell in needless) and _WORLD_METRICS.isdisjoint(short)
        return Cause("needless read" if is_harmless else "needless call", _name(needless[0].called))
    if not short:
        return Cause("failed")
    return Cause(_MEANINGS.get(short[0]) or f"{one_line(short[0], _LONGEST_NAME)} below its floor")


def _short(entry: Entry) -> list[str]:
    """Return the metrics that are below their floors."""
    return [name for name, floor in entry.floors.items() if is_below(entry.scores.get(name), floor)]


def _wrong_tools(entry: Entry) -> list[ChosenTool]:
    """Return the cells of wrong calls, the heaviest first."""
    tools = entry.choice.tools if entry.choice else ()
    return sorted((cell for cell in tools if cell.expected != cell.called), key=lambda cell: -cell.weight)


def _name(text: str) -> str:
    return one_line(text, _LONGEST_NAME)
