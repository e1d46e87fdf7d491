"""Spans of attempts by the semantic conventions of OpenTelemetry for generative AI.

An attempt is a span ``invoke_agent`` with a span ``chat`` for each request to the model and ``execute_tool`` for each
call. Scores are events ``gen_ai.evaluation.result``. Records have durations and not the times of each request, so that
the steps of an attempt are placed one after the other, and the calls of a step together behind its request.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.tool import CallRecord
from pytest_mcpbench.core.trajectory import Step
from pytest_mcpbench.core.usage import Usage

Attributes = Mapping[str, str | int | float | bool | Sequence[str]]
_NANOSECONDS = 1_000_000_000


@dataclass(frozen=True)
class SpanEvent:
    """Event of a span."""

    name: str
    attributes: Attributes


@dataclass(frozen=True)
class Span:
    """A span with its children; times are in nanoseconds since 1970."""

    name: str
    kind: Literal["internal", "client"]
    start: int
    end: int
    attributes: Attributes
    error: str | None = None
    events: tuple[SpanEvent, ...] = ()
    children: tuple["Span", ...] = field(default=())


def attempt_span(record: RunRecord, *, has_content: bool) -> Span:
    """Return the span of an attempt.

    Args:
        record: The attempt.
        has_content: Whether messages, arguments and results are attributes; the conventions leave them out by default.
    """
    start = _nanoseconds(record.begin)
    steps = record.evidence.trajectory.steps if record.evidence else ()
    step_spans: list[Span] = []
    now = start
    for step in steps:
        answered = now + _duration(step.seconds)
        step_spans.append(_chat_span(record.model, step, now, answered, has_content=has_content))
        calls = [_call_span(call, answered, has_content=has_content) for call in step.calls]
        step_spans.extend(calls)
        now = max([answered, *(call.end for call in calls)])
    children = tuple(step_spans)
    end = max([start + _duration(record.seconds), *(child.end for child in children)])
    return Span(
        name=f"invoke_agent {record.model}",
        kind="internal",
        start=start,
        end=end,
        attributes=_attempt_attributes(record, has_content=has_content),
        error=f"{record.error.kind}: {record.error.message}" if record.error else None,
        events=tuple(_evaluation(name, score) for name, score in record.scorecard.scores.items()),
        children=children,
    )


def _attempt_attributes(record: RunRecord, *, has_content: bool) -> Attributes:
    usage = record.evidence.trajectory.usage if record.evidence else Usage()
    content = {
        "gen_ai.system_instructions": _json([{"type": "text", "content": record.system_prompt}]),
        "gen_ai.input.messages": _json([_message("user", text) for text in record.turns or (record.prompt,)]),
    }
    return {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": provider(record.model),
        "gen_ai.agent.name": record.model,
        "gen_ai.request.model": record.model,
        **_usage(usage),
        "mcpbench.suite": record.suite,
        "mcpbench.task": record.task_id,
        "mcpbench.trial": record.trial,
        "mcpbench.outcome": record.outcome,
        **({"mcpbench.arm": record.arm} if record.arm else {}),
        **({"error.type": record.error.kind} if record.error else {}),
        **{f"mcpbench.tag.{name}": value for name, value in record.tags.items()},
        **{f"mcpbench.failures.{name}": list(labels) for name, labels in record.failures.items() if labels},
        **(content if has_content else {}),
    }


def provider(model: str) -> str:
    """Return the provider in the name of a model, such as ``anthropic/claude``; ``custom`` if it has none."""
    name, slash, _ = model.partition("/")
    return name if slash and ":" not in name else "custom"


def _chat_span(model: str, step: Step, start: int, end: int, *, has_content: bool) -> Span:
    content: Attributes = {}
    if has_content:
        message = _message("assistant", step.text)
        calls = [
            {"type": "tool_call", "id": call.id, "name": call.name, "arguments": call.arguments}
            for call in (*step.searches, *step.reads, *step.calls)
        ]
        answer = {**message, "parts": [*message["parts"], *calls], "finish_reason": step.finish_reason or "stop"}
        content = {"gen_ai.output.messages": _json([answer])}
    return Span(
        name=f"chat {model}",
        kind="client",
        start=start,
        end=end,
        attributes={
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": provider(model),
            "gen_ai.request.model": model,
            **_usage(step.usage),
            **({"gen_ai.response.finish_reasons": [step.finish_reason]} if step.finish_reason else {}),
            **content,
        },
    )


def _call_span(call: CallRecord, start: int, *, has_content: bool) -> Span:
    arguments = _json(call.arguments) if call.raw_arguments is None else call.raw_arguments
    content = {
        "gen_ai.tool.call.arguments": arguments,
        "gen_ai.tool.call.result": call.result.text if call.result else "",
    }
    if not call.is_error:
        error = None
    else:
        error = call.problem or (call.result.error_kind if call.result else None) or "not_sent"
    return Span(
        name=f"execute_tool {call.name}",
        kind="internal",
        start=start,
        end=start + _duration(call.seconds),
        attributes={
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": call.name,
            "gen_ai.tool.call.id": call.id,
            "gen_ai.tool.type": "function",
            **({"mcpbench.server": call.server} if call.server else {}),
            **({"error.type": error} if error else {}),
            **(content if has_content else {}),
        },
        error=error,
    )


def _evaluation(metric: str, score: Score) -> SpanEvent:
    value: Attributes = {} if score.value is None else {"gen_ai.evaluation.score.value": score.value}
    label = "scored" if score.value is not None else "unscored" if score.applies else "n/a"
    explanation = score.unscored or "\n".join(score.reasons)
    return SpanEvent(
        "gen_ai.evaluation.result",
        {
            "gen_ai.evaluation.name": metric,
            **value,
            "gen_ai.evaluation.score.label": label,
            "gen_ai.evaluation.explanation": explanation,
        },
    )


def _usage(usage: Usage) -> Attributes:
    tokens = {
        "gen_ai.usage.input_tokens": usage.input_tokens,
        "gen_ai.usage.output_tokens": usage.output_tokens,
        "gen_ai.usage.cache_read.input_tokens": usage.cached_tokens,
        "mcpbench.cost_usd": usage.cost_usd,
    }
    return {name: value for name, value in tokens.items() if value is not None}


def _message(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": text}] if text else []}


def _nanoseconds(time: str) -> int:
    """Return a time of a record; records without one begin in 1970."""
    try:
        begin = datetime.fromisoformat(time)
    except ValueError:
        return 0
    moment = begin if begin.tzinfo else begin.replace(tzinfo=UTC)
    return round(moment.timestamp() * 1_000_000) * 1000


def _duration(seconds: float) -> int:
    return max(0, round(seconds * _NANOSECONDS))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
