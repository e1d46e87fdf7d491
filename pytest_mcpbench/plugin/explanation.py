"""What a failing item says: which metric fell short, and the calls side by side."""

from collections.abc import Sequence
from typing import Any

from pytest_mcpbench.core.comparison_table import comparison_rows
from pytest_mcpbench.core.run import Run
from pytest_mcpbench.core.score import Score, Scorecard
from pytest_mcpbench.core.task import ExpectedCall, Task
from pytest_mcpbench.plugin.jobs import Job

_REASONS_SHOWN = 20


class ShortfallError(AssertionError):
    """A score is below its floor; the message says everything, a traceback would not help."""


def of_shortfalls(job: Job, run: Run, scorecard: Scorecard) -> str:
    """The first line says it all in short; then reasons, calls and the answer."""
    lines = [_headline(scorecard)]
    for metric in scorecard.shortfalls:
        lines += ["", f"{metric}: {_value(scorecard[metric])}, at least {scorecard.floors[metric]:g} is asked"]
        lines += [f"  {reason}" for reason in scorecard[metric].reasons[:_REASONS_SHOWN]]
    lines += ["", f"request: {_short(job.task.prompt, 300)}"]
    lines += _calls(job.task, run)
    lines += ["", f"answer: {_short(run.answer, 300) or '(none)'}", f"stopped: {run.trajectory.stop}"]
    return "\n".join(lines)


def of_unscored(scorecard: Scorecard) -> str:
    """Why there is no verdict."""
    return "unscored: " + "; ".join(f"{name}: {scorecard[name].unscored}" for name in scorecard.unscored)


def of_comparison(operator: str, left: Any, right: Any, *, verbosity: int) -> list[str]:
    """The lines below ``assert mcp_scorecard["ast"] >= 0.9``."""
    score = left if isinstance(left, Score) else right
    numbers = [_value(side) if isinstance(side, Score) else str(side) for side in (left, right)]
    shown = score.reasons if verbosity > 0 else score.reasons[:_REASONS_SHOWN]
    more = len(score.reasons) - len(shown)
    return [f"{numbers[0]} {operator} {numbers[1]}", *shown, *([f"… and {more} more reasons; use -v"] if more else [])]


def expected_lines(task: Task) -> tuple[str, ...]:
    """The task's reference, a line a part."""
    expected = task.expected
    calls = [" & ".join(_call(call) for call in group.calls) for group in expected.calls]
    answer = [f"answer: {expected.answer}"] if expected.answer is not None else []
    claims = [f"claim: {claim}" for claim in expected.claims]
    checkpoints = [f"checkpoint: {checkpoint.text}" for checkpoint in expected.checkpoints]
    state = [f"{check.verb}: {check.path} {check.where or ''}".rstrip() for check in expected.state]
    return (*calls, *answer, *claims, *checkpoints, *state)


def _headline(scorecard: Scorecard) -> str:
    return "; ".join(
        f"{name} {_value(scorecard[name])} < {scorecard.floors[name]:g}{_first_reason(scorecard[name])}"
        for name in scorecard.shortfalls
    )


def _first_reason(score: Score) -> str:
    return f": {_short(score.reasons[0], 160)}" if score.reasons else ""


def _calls(task: Task, run: Run) -> list[str]:
    rows = comparison_rows(task, run)
    if not rows:
        return []
    width = max(len(row.expected) for row in rows)
    width = min(max(width, len("expected calls")), 70)
    lines = ["", f"{'expected calls':<{width}}  actual calls"]
    for row in rows:
        lines.append(f"{_short(row.expected, width):<{width}}  {_short(row.actual, 100)}")
        lines += [f"{'':<{width}}  ^ {reason}" for reason in _sequence(row.reason)]
    return lines


def _sequence(reason: str | Sequence[str]) -> Sequence[str]:
    return ([reason] if reason else []) if isinstance(reason, str) else reason


def _call(call: ExpectedCall) -> str:
    arguments = ", ".join(f"{name}={value!r}" for name, value in call.arguments.items())
    return f"{call.tool}({arguments})"


def _value(score: Score) -> str:
    return "unscored" if score.value is None else f"{score.value:.3g}"


def _short(text: str, width: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"
