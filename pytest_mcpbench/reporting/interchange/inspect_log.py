"""Attempts of one model at one suite as a log of Inspect (``EvalLog``, version 2), which its viewer opens.

A task is a sample, and a trial is an epoch. Numbers that are not known are left out, because Inspect would take them
for 0: scores without a value, and tokens.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pytest_mcpbench.core.prompt import result_text
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.trajectory import Step
from pytest_mcpbench.core.usage import Usage
from pytest_mcpbench.reporting.aggregates.run_end import JOINED
from pytest_mcpbench.reporting.aggregates.summary import Summary

PASSED = "passed"
"""Name of the score that says whether an attempt passed."""
_VERSION = 2
_LONGEST_NAME = 100
_NO_TIME = "1970-01-01T00:00:00+00:00"
"""Time of records that have none; Inspect requires one."""


def log_name(summary: Summary, facts: Mapping[str, Any]) -> str:
    """Return the name of the log's file; Inspect lists files whose names begin with a time."""
    time = _started(facts).replace(":", "-")
    name = re.sub(r"[^A-Za-z0-9.-]+", "-", f"{summary.suite}-{summary.model}").strip("-")[:_LONGEST_NAME]
    return f"{time}_{name}_{_id(summary, facts)}.json"


def log_pieces(summary: Summary, records: Iterable[RunRecord], facts: Mapping[str, Any]) -> Iterator[str]:
    """Yield the JSON of a log in pieces, so that not all records are in memory.

    Args:
        summary: Aggregates of the attempts.
        records: The attempts.
        facts: Content of ``run.json``.
    """
    spec = {
        "eval_id": _id(summary, facts),
        "run_id": _id(summary, facts),
        "created": _started(facts),
        "task": summary.suite,
        "task_id": _id(summary, facts),
        "dataset": {"name": summary.suite, "samples": summary.tasks},
        "model": summary.model,
        "config": {"epochs": max(1, round(summary.attempts / max(1, summary.tasks)))},
        "packages": {"pytest_mcpbench": str(facts.get("version", ""))},
        "metadata": {"settings": facts.get("settings") or {}},
    }
    head = {
        "version": _VERSION,
        "status": _status(facts),
        "eval": spec,
        "plan": {"name": "mcpbench", "steps": []},
        "results": _results(summary),
        "stats": {"started_at": _started(facts), "completed_at": "", "model_usage": {}},
    }
    yield _json(head)[:-1] + ', "samples": ['
    separator = "\n"
    for record in records:
        yield separator + _json(_sample(record))
        separator = ",\n"
    yield "\n]}\n"


def _status(facts: Mapping[str, Any]) -> str:
    """Return Inspect's status of a run, or of runs that were joined."""
    ends = [run["end"] for run in (facts, *facts.get(JOINED, ())) if run.get("end")]
    if not ends:
        return "success"
    return "started" if any(end.get("cause") == "running" for end in ends) else "cancelled"


def _results(summary: Summary) -> dict[str, Any]:
    bounds = summary.rate.range
    passed = []
    if bounds is not None:
        values = {"accuracy": bounds.low} if not summary.unscored else {"least": bounds.low, "most": bounds.high}
        passed = [_score_result(PASSED, values, summary.verdicts, summary.attempts)]
    metrics = [
        _score_result(name, {"mean": aggregate.macro}, aggregate.n, summary.attempts)
        for name, aggregate in summary.metrics.items()
        if aggregate.macro is not None
    ]
    return {
        "total_samples": summary.attempts,
        "completed_samples": summary.completed_attempts,
        "scores": [*passed, *metrics],
    }


def _score_result(name: str, values: Mapping[str, float], scored: int, attempts: int) -> dict[str, Any]:
    return {
        "name": name,
        "scorer": name,
        "scored_samples": scored,
        "unscored_samples": attempts - scored,
        "metrics": {metric: {"name": metric, "value": value} for metric, value in values.items()},
    }


def _sample(record: RunRecord) -> dict[str, Any]:
    messages: list[dict[str, Any]] = []
    if record.system_prompt:
        messages.append({"role": "system", "content": record.system_prompt})
    steps = record.evidence.trajectory.steps if record.evidence else ()
    turns = record.turns or (record.prompt,)
    for turn, text in enumerate(turns):
        messages.append({"role": "user", "content": text})
        is_last = turn == len(turns) - 1
        for step in steps:
            if step.turn == turn or (is_last and step.turn > turn):
                messages.extend(_step_messages(step, record.model))
    asked = [message for message in messages if message["role"] in ("system", "user")]
    scores = record.scorecard.scores.items()
    error = f"{record.error.kind}: {record.error.message}" if record.error else ""
    return {
        "id": record.task_id,
        "epoch": record.trial,
        "uuid": hashlib.sha256(repr(record.attempt).encode()).hexdigest()[:22],
        "input": asked,
        "target": list(record.expected),
        "messages": messages,
        "output": _output(record),
        "scores": _scores(record),
        "metadata": {
            "outcome": record.outcome,
            "node_id": record.node_id,
            **{f"tag:{name}": value for name, value in record.tags.items()},
            **{f"failures:{name}": list(labels) for name, labels in record.failures.items() if labels},
            **{f"unscored:{name}": score.unscored for name, score in scores if score.value is None},
        },
        "model_usage": _model_usage(record),
        "total_time": record.seconds,
        **({"started_at": record.begin} if record.begin else {}),
        **({"error": {"message": error, "traceback": error, "traceback_ansi": error}} if error else {}),
    }


def _step_messages(step: Step, model: str) -> Iterator[dict[str, Any]]:
    message = {"role": "assistant", "content": step.text, "model": model, "source": "generate"}
    requests: list[dict[str, Any]] = []
    for made in (*step.searches, *step.reads, *step.calls):
        request = {"id": made.id, "function": made.name, "arguments": made.arguments, "type": "function"}
        requests.append(request if made.raw_arguments is None else {**request, "parse_error": made.raw_arguments})
    yield {**message, "tool_calls": requests} if requests else message
    for search in step.searches:
        found = "\n".join(search.found or ()) or search.problem
        yield {"role": "tool", "content": found, "tool_call_id": search.id, "function": search.name}
    for read in step.reads:
        text = "" if read.result is None else result_text(read.result)
        yield {"role": "tool", "content": text, "tool_call_id": read.id, "function": read.name}
    for call in step.calls:
        text = call.result.text if call.result else ""
        result: dict[str, Any] = {"role": "tool", "content": text, "tool_call_id": call.id, "function": call.name}
        if call.is_error:
            kind = "timeout" if call.result is not None and call.result.error_kind == "timeout" else "unknown"
            result["error"] = {"type": kind, "message": text or call.problem or "not sent"}
        yield result


def _output(record: RunRecord) -> dict[str, Any]:
    answer = record.evidence.answer if record.evidence else ""
    message = {"role": "assistant", "content": answer, "source": "generate", "model": record.model}
    return {"model": record.model, "choices": [{"message": message, "stop_reason": "stop"}], "completion": answer}


def _scores(record: RunRecord) -> dict[str, Any]:
    answer = record.evidence.answer if record.evidence else None
    verdict = {"passed": 1, "failed": 0}.get(record.outcome)
    shortfalls = ", ".join(record.scorecard.shortfalls)
    passed = {PASSED: {"value": verdict, "answer": answer, "explanation": shortfalls}} if verdict is not None else {}
    scored = {name: score for name, score in record.scorecard.scores.items() if score.value is not None}
    return {
        **passed,
        **{name: {"value": score.value, "explanation": "\n".join(score.reasons)} for name, score in scored.items()},
    }


def _model_usage(record: RunRecord) -> dict[str, Any]:
    usage = record.evidence.trajectory.usage if record.evidence else Usage()
    if usage.input_tokens is None or usage.output_tokens is None:
        return {}
    tokens = {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "total_tokens": usage.input_tokens + usage.output_tokens,
        "input_tokens_cache_read": usage.cached_tokens,
        "total_cost": usage.cost_usd,
    }
    return {record.model: {name: value for name, value in tokens.items() if value is not None}}


def _started(facts: Mapping[str, Any]) -> str:
    return str(facts.get("started_at") or _NO_TIME)


def _id(summary: Summary, facts: Mapping[str, Any]) -> str:
    parts: Sequence[str] = (_started(facts), summary.suite, summary.model)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:22]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
