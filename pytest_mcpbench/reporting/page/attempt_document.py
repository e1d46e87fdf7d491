"""One attempt as the JSON document that the client script shows: everything that its record has, without a limit."""

import functools
import json
from collections.abc import Iterator
from typing import Any

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.judgement import Verdict
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.tool import CallRecord, ToolResult
from pytest_mcpbench.core.tool_choice import ComparisonRow
from pytest_mcpbench.core.trajectory import Step
from pytest_mcpbench.core.usage import Usage
from pytest_mcpbench.core.world import WorldRecord
from pytest_mcpbench.reporting.forms.display_text import visible_values
from pytest_mcpbench.reporting.tables.judge_panels import stated_verdicts

Document = dict[str, Any]
"""Plain JSON; its keys are ours, and everything that others wrote is in its strings."""


def attempt_document(record: RunRecord) -> Document:
    """Return the whole document of an attempt, with control and direction characters made visible.

    A server of the page sends it for an attempt. A page in one file stores its two parts packed.
    """
    document: Document = visible_values({**outcome_document(record), "given": given_document(record)})
    return document


def given_document(record: RunRecord) -> Document:
    """Return what the agent got before the first message: its system prompt and its tools."""
    tools = record.evidence.tools if record.evidence else ()
    return {
        "system": record.system_prompt,
        "tools": [
            {
                "name": tool.name,
                "server": tool.server,
                "description": tool.description,
                "schema": _text(tool.input_schema),
            }
            for tool in tools
        ],
    }


def outcome_document(record: RunRecord) -> Document:
    """Return the document of an attempt without what the agent got before the first message."""
    return {
        "suite": record.suite,
        "task": record.task_id,
        "model": record.model,
        "node": record.node_id,
        "outcome": record.outcome,
        "error": {"kind": record.error.kind, "message": record.error.message} if record.error else None,
        "tags": [[name, value] for name, value in record.tags.items()],
        "labels": [[taxonomy, label] for taxonomy, labels in record.failures.items() for label in labels],
        "turns": list(record.turns or (record.prompt,)),
        "expected": list(record.expected),
        "scores": list(_scores(record)),
        "comparison": [
            {
                "expected": row.expected,
                "actual": row.actual,
                "verdict": row.verdict,
                "reasons": list(row.reason),
                "metrics": list(_metrics_against(row, record)),
            }
            for row in record.comparison
        ],
        "started": record.begin,
        "seconds": record.seconds,
        **(_evidence(record.evidence) if record.evidence else {}),
        "verdicts": [
            {**_verdict(each), "votes": [_verdict(vote) for vote in (*each.stages, *each.votes)]}
            for each in stated_verdicts(record)
        ],
    }


def _evidence(evidence: AttemptEvidence) -> Document:
    trajectory, noted = evidence.trajectory, evidence.notes.model_dump(mode="json")
    conversation: Document = {}
    if (simulated := trajectory.conversation) is not None:
        conversation = {
            "user": simulated.user,
            "userEnd": simulated.end,
            "userUsage": _usage(simulated.usage),
            "userMessages": [
                {"seconds": message.seconds, "usage": _usage(message.usage), "retries": message.retries}
                for message in simulated.messages
            ],
        }
    return {
        "steps": [_step(step) for step in trajectory.steps],
        "stop": trajectory.stop,
        "usage": _usage(trajectory.usage),
        "judgeUsage": _usage(evidence.judge_usage),
        **conversation,
        "notes": [[name, _text(note)] for name, note in (*trajectory.notes.items(), *noted.items())],
        "worlds": [_world(world) for world in evidence.worlds if world.changes or world.observations],
        "verified": [
            {"check": _text(each.check.model_dump(mode="json")), "result": _result(each.result)}
            for each in evidence.verified
        ],
        "missingTools": list(evidence.unavailable_tools),
    }


def _verdict(verdict: Verdict) -> Document:
    return {
        "label": verdict.label,
        "statement": verdict.statement,
        "score": verdict.score,
        "reason": verdict.reason,
        "judge": verdict.judge,
        "error": verdict.error,
    }


def _step(step: Step) -> Document:
    # A search or a read that was not made has ``None`` in place of what it would have returned.
    searches = [
        {
            "query": search.query,
            "found": None if search.found is None else list(search.found),
            "problem": search.problem,
        }
        for search in step.searches
    ]
    reads = [
        {
            "kind": read.kind,
            "target": read.target,
            "server": read.server,
            "result": None if read.result is None else _result(read.result),
            "isError": read.is_error,
        }
        for read in step.reads
    ]
    parsed = step.parsed
    return {
        "turn": step.turn,
        "text": step.text,
        "calls": [_call(call) for call in step.calls],
        **({"searches": searches} if searches else {}),
        **({"reads": reads} if reads else {}),
        "usage": _usage(step.usage),
        "seconds": step.seconds,
        "firstToken": step.first_token_seconds,
        "retries": step.retries,
        "finish": step.finish_reason,
        **({"format": parsed.format, "raw": parsed.raw, "problem": parsed.problem} if parsed else {}),
    }


def _call(call: CallRecord) -> Document:
    result = call.result
    return {
        "name": call.name,
        "server": call.server,
        "arguments": call.raw_arguments if call.raw_arguments is not None else _text(call.arguments),
        "problem": call.problem,
        "isError": call.is_error,
        "result": _result(result) if result else None,
        "samplings": [
            {"prompt": each.prompt, "reply": each.reply, "model": each.model, "seconds": each.seconds}
            for each in (result.samplings if result else ())
        ],
        "elicitations": [
            {"question": each.question, "answer": each.reply, "by": each.answered_by, "seconds": each.seconds}
            for each in (result.elicitations if result else ())
        ],
        **({"news": list(result.news)} if result and result.news else {}),
        "seconds": call.seconds,
    }


def _result(result: ToolResult) -> str:
    """Return the text that the model reads or, where there is none, the structured result."""
    return result.text or ("" if result.structured is None else _text(result.structured))


def _scores(record: RunRecord) -> Iterator[Document]:
    """Yield the scores; those below their floor come first, then those that have a floor."""
    floors, shortfalls = record.scorecard.floors, record.scorecard.shortfalls
    order = sorted(record.scorecard.scores.items(), key=lambda item: (item[0] not in shortfalls, item[0] not in floors))
    for name, score in order:
        yield {
            "metric": name,
            "value": score.value,
            "floor": floors.get(name),
            "isShort": name in shortfalls,
            "applies": score.applies,
            "unscored": score.unscored,
            "reasons": list(score.reasons),
        }


def _metrics_against(row: ComparisonRow, record: RunRecord) -> Iterator[str]:
    """Yield the metrics below their floor whose reasons mention the tool of a row that differs."""
    if row.verdict == "same":
        return
    tools = {text.partition("(")[0] for text in (row.expected, row.actual) if text}
    for metric in record.scorecard.shortfalls:
        reasons = record.scorecard.scores[metric].reasons
        if any(tool in reason for tool in tools for reason in reasons):
            yield metric


def _world(world: WorldRecord) -> Document:
    return {
        "name": world.name,
        "changes": [
            {"kind": each.kind, "path": each.path, "before": _value(each.before), "after": _value(each.after)}
            for each in world.changes
        ],
        "observations": [
            {"path": each.path, "before": _value(each.before), "after": _value(each.after), "doubt": each.doubt}
            for each in world.observations
        ],
    }


def _usage(usage: Usage) -> Document:
    return {
        "input": usage.input_tokens,
        "output": usage.output_tokens,
        "cached": usage.cached_tokens,
        "cost": usage.cost_usd,
    }


def _value(value: Any) -> str | None:
    return None if value is None else _text(value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else _indented(json.dumps(value, ensure_ascii=False))


@functools.lru_cache(maxsize=1024)
def _indented(text: str) -> str:
    """Return JSON with line breaks; cached, because attempts share tools, and json indents a hundred times slower."""
    return json.dumps(json.loads(text), ensure_ascii=False, indent=1)
