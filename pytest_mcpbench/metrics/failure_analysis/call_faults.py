"""Faults in the calls of an attempt: schema violations, repetition, unrecovered errors."""

import json
from collections.abc import Mapping

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.placeholders import payload
from pytest_mcpbench.core.root_causes import NOT_COUNTED, root_cause
from pytest_mcpbench.core.tool import CallRecord
from pytest_mcpbench.metrics.comparison.schema import schema_violations


def violations(call: CallRecord, evidence: AttemptEvidence) -> tuple[str, ...]:
    """Return how the arguments break the input schema of the tool; none for a tool that was not exposed."""
    tool = evidence.tool(call)
    return schema_violations(call.arguments, tool.input_schema) if tool and call.problem is None else ()


def returned_nothing(call: CallRecord) -> bool:
    """Return whether a successful call returned no content, ``[]``, ``{}``, ``null`` or only empty fields."""
    if call.is_error or call.result is None:
        return False
    has_other_content = any(block.type != "text" for block in call.result.content)
    if has_other_content:
        return False
    value = payload(call.result)
    if isinstance(value, str):
        return not value.strip()
    if isinstance(value, Mapping):
        return all(child in (None, "", [], {}) for child in value.values())
    return value in (None, [])


def redundant_calls(evidence: AttemptEvidence) -> tuple[CallRecord, ...]:
    """Return calls that repeat an earlier one, arguments and result alike; a repeat with another result is polling."""
    seen: set[str] = set()
    repeated = []
    for call in evidence.calls:
        result = call.result.model_dump(mode="json") if call.result else None
        arguments = call.raw_arguments if call.raw_arguments is not None else call.arguments
        signature = json.dumps([call.name, arguments, result], sort_keys=True)
        if signature in seen:
            repeated.append(call)
        seen.add(signature)
    return tuple(repeated)


def repeats_itself(evidence: AttemptEvidence) -> bool:
    """Return whether any call is redundant."""
    return bool(redundant_calls(evidence))


def unrecovered_error(evidence: AttemptEvidence) -> bool:
    """Return whether a call failed and no call of a later round succeeded."""
    last_error = last_success = -1
    for number, step in enumerate(evidence.trajectory.rounds):
        causes = [root_cause(call) for call in step.calls]
        has_failed = any(cause is not None and cause not in NOT_COUNTED for cause in causes)
        last_error = number if has_failed else last_error
        last_success = number if None in causes else last_success
    return last_error >= 0 and last_success <= last_error
