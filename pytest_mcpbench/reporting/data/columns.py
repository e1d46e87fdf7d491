"""Columns of the tables of attempts, scores, calls and verdicts."""

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from pytest_mcpbench.core.conditions import Conditions
from pytest_mcpbench.core.judgement import POINTS
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.root_causes import root_cause
from pytest_mcpbench.core.trajectory import ANSWERED_BY, Trajectory
from pytest_mcpbench.core.usage import Usage
from pytest_mcpbench.core.variant import model_of
from pytest_mcpbench.reporting.data.table import AttemptRow, ColumnType, DataColumn, Row, TableKind, Value

_KEY: tuple[DataColumn, ...] = (
    DataColumn("run", "text"),
    DataColumn("suite", "text"),
    DataColumn("file", "text"),
    DataColumn("test", "text"),
    DataColumn("task", "text"),
    DataColumn("model", "text"),
    DataColumn("series", "text"),
    DataColumn("trial", "integer"),
    DataColumn("arm", "text"),
)
"""Columns that identify an attempt, in every table."""

_ATTEMPT: Mapping[str, tuple[ColumnType, Callable[[RunRecord], Value]]] = {
    "outcome": ("text", lambda record: record.outcome),
    "passed": ("truth", lambda record: {"passed": True, "failed": False}.get(record.outcome)),
    "verdict.paper": ("text", lambda record: record.verdicts.get("paper")),
    "verdict.guarded": ("text", lambda record: record.verdicts.get("guarded")),
    "is_xfail": ("truth", lambda record: record.is_xfail),
    "error_kind": ("text", lambda record: record.error.kind if record.error else None),
    "error": ("text", lambda record: record.error.message if record.error else None),
    "started_at": ("time", lambda record: _time(record.begin)),
    "seconds": ("number", lambda record: record.seconds),
    "answered_by": (
        "text",
        lambda record: _of_trajectory(record, lambda trajectory: trajectory.notes.get(ANSWERED_BY)),
    ),
    "stop": ("text", lambda record: _of_trajectory(record, lambda trajectory: trajectory.stop)),
    "steps": ("integer", lambda record: _of_trajectory(record, lambda trajectory: len(trajectory.steps))),
    "rounds": ("integer", lambda record: _of_trajectory(record, lambda trajectory: len(trajectory.rounds))),
    "calls": ("integer", lambda record: _of_trajectory(record, lambda trajectory: len(trajectory.calls))),
    "failed_calls": (
        "integer",
        lambda record: _of_trajectory(record, lambda trajectory: sum(call.is_error for call in trajectory.calls)),
    ),
    "retries": (
        "integer",
        lambda record: _of_trajectory(record, lambda trajectory: sum(step.retries for step in trajectory.steps)),
    ),
    "exposed_tools": ("integer", lambda record: len(record.evidence.tools) if record.evidence else None),
    "input_tokens": ("integer", lambda record: _usage(record).input_tokens),
    "output_tokens": ("integer", lambda record: _usage(record).output_tokens),
    "cached_tokens": ("integer", lambda record: _usage(record).cached_tokens),
    "cache_write_tokens": ("integer", lambda record: _usage(record).cache_write_tokens),
    "first_token_seconds": ("number", lambda record: _of_trajectory(record, _first_token_seconds)),
    "cost_usd": ("number", lambda record: _usage(record).cost_usd),
    "judge_input_tokens": ("integer", lambda record: _judge_usage(record).input_tokens),
    "judge_output_tokens": ("integer", lambda record: _judge_usage(record).output_tokens),
    "judge_cost_usd": ("number", lambda record: _judge_usage(record).cost_usd),
    "user_input_tokens": ("integer", lambda record: _user_usage(record).input_tokens),
    "user_output_tokens": ("integer", lambda record: _user_usage(record).output_tokens),
    "user_cost_usd": ("number", lambda record: _user_usage(record).cost_usd),
    "prompt": ("text", lambda record: record.prompt),
    "answer": ("text", lambda record: _of_trajectory(record, lambda trajectory: trajectory.answer)),
    "node_id": ("text", lambda record: record.node_id or None),
    "task_hash": ("text", lambda record: record.task_hash or None),
    "settings_hash": ("text", lambda record: record.settings_hash or None),
}

_UNKNOWN = Usage()


def _first_token_seconds(trajectory: Trajectory) -> float | None:
    """Return the mean over the steps that were streamed."""
    known = [step.first_token_seconds for step in trajectory.steps if step.first_token_seconds is not None]
    return sum(known) / len(known) if known else None


def _attempt_rows(attempt: AttemptRow) -> Iterator[Row]:
    record = attempt.record
    yield {
        **_key(attempt),
        **{name: value(record) for name, (_, value) in _ATTEMPT.items()},
        **{f"score.{name}": score.value for name, score in record.scorecard.scores.items()},
        **{f"floor.{name}": floor for name, floor in record.scorecard.floors.items()},
        **{f"tag.{name}": value for name, value in record.tags.items()},
        **{f"failures.{name}": "; ".join(labels) for name, labels in record.failures.items()},
        **{f"swept.{name}": value for name, value in record.swept.items()},
        **{
            f"condition.{name}": value if name in Conditions.model_fields or isinstance(value, str) else _json(value)
            for name, value in attempt.conditions.items()
        },
    }


def _score_rows(attempt: AttemptRow) -> Iterator[Row]:
    scorecard = attempt.record.scorecard
    for name, score in scorecard.scores.items():
        yield {
            **_key(attempt),
            "metric": name,
            "value": score.value,
            "floor": scorecard.floors.get(name),
            "status": "scored" if score.value is not None else "unscored" if score.applies else "n/a",
            "why_no_value": score.unscored,
            "reasons": "\n".join(score.reasons),
            "counts": _json(score.counts),
        }


def _call_rows(attempt: AttemptRow) -> Iterator[Row]:
    steps = attempt.record.evidence.trajectory.steps if attempt.record.evidence else ()
    calls = [(number, step, call) for number, step in enumerate(steps) for call in step.calls]
    for index, (number, step, call) in enumerate(calls):
        result = call.result
        yield {
            **_key(attempt),
            "call": index,
            "step": number,
            "turn": step.turn,
            "server": call.server,
            "tool": call.tool,
            "name": call.name,
            "arguments": _json(call.arguments) if call.raw_arguments is None else None,
            "raw_arguments": call.raw_arguments,
            "result": result.text if result else None,
            "structured": _json(result.structured) if result and result.structured is not None else None,
            "is_error": call.is_error,
            "error_kind": result.error_kind if result else None,
            "problem": call.problem,
            "root_cause": root_cause(call),
            "seconds": call.seconds if result else None,
        }


def _verdict_rows(attempt: AttemptRow) -> Iterator[Row]:
    for verdict in attempt.record.evidence.verdicts.values() if attempt.record.evidence else ():
        yield {
            **_key(attempt),
            "statement": verdict.statement,
            "verdict": verdict.label,
            "points": POINTS.get(verdict.label or ""),
            "judge": verdict.judge,
            "reason": verdict.reason,
            "why_no_verdict": verdict.error,
        }


def _key(attempt: AttemptRow) -> dict[str, Value]:
    record = attempt.record
    values = (
        attempt.run,
        record.suite,
        record.file or None,
        record.test,
        record.task_id,
        model_of(record.model, record.swept),
        record.model,
        record.trial,
        record.arm or None,
    )
    return dict(zip((column.name for column in _KEY), values, strict=True))


def _of_trajectory(record: RunRecord, value: Callable[[Trajectory], Value]) -> Value:
    return None if record.evidence is None else value(record.evidence.trajectory)


def _usage(record: RunRecord) -> Usage:
    return record.evidence.trajectory.usage if record.evidence else _UNKNOWN


def _user_usage(record: RunRecord) -> Usage:
    return record.evidence.user_usage if record.evidence else _UNKNOWN


def _judge_usage(record: RunRecord) -> Usage:
    return record.evidence.judge_usage if record.evidence else _UNKNOWN


def _time(text: str) -> datetime | None:
    """Return a time in UTC; ``None`` for records that have none."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _condition_columns() -> tuple[DataColumn, ...]:
    types: Mapping[Any, ColumnType] = {int: "integer", int | None: "integer", bool: "truth"}
    fields = Conditions.model_fields.items()
    return tuple(DataColumn(f"condition.{name}", types.get(field.annotation, "text")) for name, field in fields)


ATTEMPTS = TableKind(
    "attempts",
    (*_KEY, *(DataColumn(name, type_) for name, (type_, _) in _ATTEMPT.items()), *_condition_columns()),
    _attempt_rows,
    # A run of another version may have conditions that this one does not know.
    {"condition": "text", "score": "number", "floor": "number", "tag": "text", "failures": "text", "swept": "text"},
)
SCORES = TableKind(
    "scores",
    (
        *_KEY,
        DataColumn("metric", "text"),
        DataColumn("value", "number"),
        DataColumn("floor", "number"),
        DataColumn("status", "text"),
        DataColumn("why_no_value", "text"),
        DataColumn("reasons", "text"),
        DataColumn("counts", "text"),
    ),
    _score_rows,
    {},
)
CALLS = TableKind(
    "calls",
    (
        *_KEY,
        DataColumn("call", "integer"),
        DataColumn("step", "integer"),
        DataColumn("turn", "integer"),
        DataColumn("server", "text"),
        DataColumn("tool", "text"),
        DataColumn("name", "text"),
        DataColumn("arguments", "text"),
        DataColumn("raw_arguments", "text"),
        DataColumn("result", "text"),
        DataColumn("structured", "text"),
        DataColumn("is_error", "truth"),
        DataColumn("error_kind", "text"),
        DataColumn("problem", "text"),
        DataColumn("root_cause", "text"),
        DataColumn("seconds", "number"),
    ),
    _call_rows,
    {},
)
VERDICTS = TableKind(
    "verdicts",
    (
        *_KEY,
        DataColumn("statement", "text"),
        DataColumn("verdict", "text"),
        DataColumn("points", "number"),
        DataColumn("judge", "text"),
        DataColumn("reason", "text"),
        DataColumn("why_no_verdict", "text"),
    ),
    _verdict_rows,
    {},
)
KINDS: Mapping[str, TableKind] = {kind.name: kind for kind in (ATTEMPTS, SCORES, CALLS, VERDICTS)}
