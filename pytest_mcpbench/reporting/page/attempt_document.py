"""One attempt as the JSON document that the client script shows: everything that its record has, without a limit."""

import functools
import json
from collections.abc import Iterator
from typing import Any

from pytest_mcpbench.core.elicitation import Elicitation
from pytest_mcpbench.core.evidence import AttemptEvidence, VerifyResult
from pytest_mcpbench.core.judgement import Verdict
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.sampling import Sampling
from pytest_mcpbench.core.tool import CallRecord, ContextRead, ToolResult, ToolSearch
from pytest_mcpbench.core.tool_choice import ComparisonRow
from pytest_mcpbench.core.trajectory import Conversation, ParsedText, Step
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
        "comparison": [_comparison(row, record) for row in record.comparison],
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
    return {
        "steps": [_step(step) for step in trajectory.steps],
        "stop": trajectory.stop,
        "usage": _usage(trajectory.usage),
        "judgeUsage": _usage(evidence.judge_usage),
        **(_conversation(trajectory.conversation) if trajectory.conversation is not None else {}),
        "notes": [[name, _text(note)] for name, note in (*trajectory.notes.items(), *noted.items())],
        "worlds": [_world(world) for world in evidence.worlds if world.changes or world.observations],
        "verified": [_verified(each) for each in evidence.verified],
        "missingTools": list(evidence.unavailable_tools),
    }


def _conversation(conversation: Conversation) -> Document:
    return {
        "user": conversation.user,
        "userEnd": conversation.end,
        "userUsage": _usage(conversation.usage),
        "userMessages": [
            {"seconds": message.seconds, "usage": _usage(message.usage), "retries": message.retries}
            for message in conversation.messages
        ],
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
    return {
        "turn": step.turn,
        "text": step.text,
        "calls": [_call(call) for call in step.calls],
        **({"searches": [_search(search) for search in step.searches]} if step.searches else {}),
        **({"reads": [_read(read) for read in step.reads]} if step.reads else {}),
        "usage": _usage(step.usage),
        "seconds": step.seconds,
        "firstToken": step.first_token_seconds,
        "retries": step.retries,
        "finish": step.finish_reason,
        **(_parsed(step.parsed) if step.parsed else {}),
    }


def _parsed(parsed: ParsedText) -> Document:
    return {"format": parsed.format, "raw": parsed.raw, "problem": parsed.problem}


def _call(call: CallRecord) -> Document:
    return {
        "name": call.name,
        "server": call.server,
        "arguments": call.raw_arguments if call.raw_arguments is not None else _text(call.arguments),
        "problem": call.problem,
        "isError": call.is_error,
        "result": _result(call.result) if call.result else None,
        "samplings": [_sampling(sampled) for sampled in call.result.samplings] if call.result else [],
        "elicitations": [_elicitation(asked) for asked in call.result.elicitations] if call.result else [],
        **({"news": list(call.result.news)} if call.result and call.result.news else {}),
        "seconds": call.seconds,
    }


def _search(search: ToolSearch) -> Document:
    """Return the query and the names found; ``None`` for a search that was not made, with the reason if it is known."""
    found = None if search.found is None else list(search.found)
    return {"query": search.query, "found": found, "problem": search.problem}


def _read(read: ContextRead) -> Document:
    """Return what was read, with its text; ``None`` in place of the text for a read that was not made."""
    result = None if read.result is None else _result(read.result)
    return {"kind": read.kind, "target": read.target, "server": read.server, "result": result, "isError": read.is_error}


def _sampling(sampled: Sampling) -> Document:
    return {"prompt": sampled.prompt, "reply": sampled.reply, "model": sampled.model, "seconds": sampled.seconds}


def _elicitation(asked: Elicitation) -> Document:
    return {"question": asked.question, "answer": asked.reply, "by": asked.answered_by, "seconds": asked.seconds}


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


def _comparison(row: ComparisonRow, record: RunRecord) -> Document:
    return {
        "expected": row.expected,
        "actual": row.actual,
        "verdict": row.verdict,
        "reasons": list(row.reason),
        "metrics": list(_metrics_against(row, record)),
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


def _verified(verified: VerifyResult) -> Document:
    return {"check": _text(verified.check.model_dump(mode="json")), "result": _result(verified.result)}


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
