"""Attempts as results in the format of MCP-RADAR's appendix C (Eval-Result), one JSON object a line."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.task import ANSWER_KINDS

_ANSWER = "answer: "
_ANSWER_OF_PRECISE_TASK = re.compile(rf"{_ANSWER}(?!(?:{'|'.join(ANSWER_KINDS)}) )")
"""Only reference line of a precise task: one that expects an answer between tags, and nothing else."""


def eval_result_lines(
    records: Iterable[RunRecord],
    untagged_answer: Callable[[AttemptEvidence], str],
    last_text: Callable[[AttemptEvidence], str],
) -> Iterator[str]:
    """Yield a line for each attempt with a verdict; without one ``success`` would have no value.

    Args:
        records: The attempts.
        untagged_answer: Returns the answer to a precise task, which the format stores without tags.
        last_text: Returns the answer to any other task that expects one, with its tags.
    """
    for record in records:
        if record.outcome in ("passed", "failed") and record.evidence is not None:
            has_answer = any(line.startswith(_ANSWER) for line in record.expected)
            is_precise = len(record.expected) == 1 and bool(_ANSWER_OF_PRECISE_TASK.match(record.expected[0]))
            prediction = record.evidence.answer
            if has_answer:
                prediction = untagged_answer(record.evidence) if is_precise else last_text(record.evidence)
            yield json.dumps(_eval_result(record, record.evidence, prediction), ensure_ascii=False) + "\n"


def _eval_result(record: RunRecord, evidence: AttemptEvidence, prediction: str) -> dict[str, Any]:
    calls, usage = evidence.calls, evidence.trajectory.usage
    tokens = (usage.input_tokens, usage.output_tokens)
    tool_calls: list[dict[str, str]] = []
    for call in calls:
        arguments = call.raw_arguments
        if arguments is None:
            arguments = json.dumps(call.arguments, ensure_ascii=False)
        tool_calls.append({"name": call.name, "arguments": arguments})
    return {
        "unique_id": record.task_id,
        "mcpbench_trial": record.trial,
        "question": "\n".join(record.turns) or record.prompt,
        "ground_truth": "\n".join(line.removeprefix(_ANSWER) for line in record.expected),
        "prediction": prediction,
        "success": record.verdicts.get("paper", record.outcome) == "passed",
        "tool_usage": {
            "tool_calls": tool_calls,
            "total_tool_count": len(calls),
            "tool_names": [call.name for call in calls],
        },
        "token_usage": {
            "prompt_tokens": tokens[0],
            "completion_tokens": tokens[1],
            "total_tokens": None if None in tokens else sum(filter(None, tokens)),
        },
    }
