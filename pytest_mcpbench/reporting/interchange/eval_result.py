"""Attempts as results in the format of MCP-RADAR's appendix C (Eval-Result), one JSON object a line."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.tool import CallRecord

_ANSWER = "answer: "


def eval_result_lines(records: Iterable[RunRecord]) -> Iterator[str]:
    """Yield a line for each attempt with a verdict; without one ``success`` would have no value."""
    for record in records:
        if record.outcome in ("passed", "failed") and record.evidence is not None:
            yield json.dumps(_eval_result(record, record.evidence), ensure_ascii=False) + "\n"


def _eval_result(record: RunRecord, evidence: AttemptEvidence) -> dict[str, Any]:
    calls, usage = evidence.calls, evidence.trajectory.usage
    tokens = (usage.input_tokens, usage.output_tokens)
    return {
        "unique_id": record.task_id,
        "question": "\n".join(record.turns) or record.prompt,
        "ground_truth": "\n".join(line.removeprefix(_ANSWER) for line in record.expected),
        "prediction": evidence.trajectory.answer,
        "success": record.verdicts.get("paper", record.outcome) == "passed",
        "tool_usage": {
            "tool_calls": [{"name": call.name, "arguments": _arguments(call)} for call in calls],
            "total_tool_count": len(calls),
            "tool_names": [call.name for call in calls],
        },
        "token_usage": {
            "prompt_tokens": tokens[0],
            "completion_tokens": tokens[1],
            "total_tokens": None if None in tokens else sum(filter(None, tokens)),
        },
    }


def _arguments(call: CallRecord) -> str:
    return json.dumps(call.arguments, ensure_ascii=False) if call.raw_arguments is None else call.raw_arguments
