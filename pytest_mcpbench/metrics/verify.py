"""Metric ``verify``: a real server's own read tools confirm the expected state after the attempt."""

import json
from dataclasses import dataclass
from typing import Any

from pytest_mcpbench.core.context.journal import ABSENT
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.placeholders import payload
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import Task, VerifyCheck
from pytest_mcpbench.core.tool import ToolResult
from pytest_mcpbench.metrics.comparison.containment import equivalent, format_json, normalize
from pytest_mcpbench.metrics.world_state.check_result import CheckResult, score_of_checks
from pytest_mcpbench.text.paths import part_at


@dataclass(frozen=True)
class Verify:
    """Share of ``expected.verify`` that holds.

    ``equals`` compares the decoded result, or the part of it at ``path``; ``contains`` looks for a text in it; with
    neither, something other than null must be there. A tool error is an answer too and fails the check; a read that
    timed out or never reached the server leaves the score unscored.
    """

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        if not task.expected.verify:
            return Score.not_applicable("the task has no verify checks")
        results = []
        for check in task.expected.verify:
            found = next((verified.result for verified in evidence.verified if verified.check == check), None)
            results.append(_evaluate(check, found))
        return score_of_checks(results)


def _evaluate(check: VerifyCheck, result: ToolResult | None) -> CheckResult:
    request = f"{check.tool}({format_json(check.arguments)})"
    if result is None:
        return CheckResult(None, f"{request} was not asked")
    if result.error_kind in ("timeout", "transport"):
        return CheckResult(None, f"{request} could not be asked: {result.text}")
    if result.is_error:
        return CheckResult(False, f"{request} answered with an error: {result.text}")
    found = part_at(payload(result), check.path or "", ABSENT)
    where = f" at {check.path}" if check.path else ""
    said = "nothing" if found is ABSENT else format_json(found)
    if found is ABSENT or (check.contains is not None and normalize(check.contains) not in _text(found)):
        fits = False
    elif check.compares_value:
        fits = equivalent(check.equals, found)
    else:
        fits = check.contains is not None or found is not None
    expectation = f", expected {format_json(check.equals)}" if check.compares_value else ""
    if check.contains is not None:
        expectation += f", expected to contain {check.contains!r}"
    return CheckResult(fits, f"{request}{where} is {said}{expectation}")


def _text(value: Any) -> str:
    return normalize(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
