"""Whether a real server, asked through its own read tools after the attempt, says what the task expects."""

import json
from dataclasses import dataclass
from typing import Any

from pytest_mcpbench.core.context.journal import ABSENT
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.payload import payload
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import Task, VerifyCheck
from pytest_mcpbench.core.tool import ToolResult
from pytest_mcpbench.metrics.comparison.containment import agrees, plain, shown
from pytest_mcpbench.metrics.comparison.dotted_path import at


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
        findings = [_finding(check, _result(check, evidence)) for check in task.expected.verify]
        unknown = [finding.reason for finding in findings if finding.holds is None]
        if unknown:
            return Score.missing("; ".join(unknown))
        findings.sort(key=lambda finding: finding.holds is True)
        reasons = [("holds: " if finding.holds else "does not hold: ") + finding.reason for finding in findings]
        return Score.share(sum(finding.holds is True for finding in findings), len(findings), reasons)


@dataclass(frozen=True)
class _Finding:
    holds: bool | None
    reason: str


def _result(check: VerifyCheck, evidence: AttemptEvidence) -> ToolResult | None:
    return next((verified.result for verified in evidence.verified if verified.check == check), None)


def _finding(check: VerifyCheck, result: ToolResult | None) -> _Finding:
    asked = f"{check.tool}({shown(check.arguments)})"
    if result is None:
        return _Finding(None, f"{asked} was not asked")
    if result.error_kind in ("timeout", "transport"):
        return _Finding(None, f"{asked} could not be asked: {result.text}")
    if result.is_error:
        return _Finding(False, f"{asked} answered with an error: {result.text}")
    found = at(payload(result), check.path)
    where = f" at {check.path}" if check.path else ""
    said = "nothing" if found is ABSENT else shown(found)
    return _Finding(_fits(check, found), f"{asked}{where} is {said}{_wanted(check)}")


def _fits(check: VerifyCheck, found: Any) -> bool:
    if found is ABSENT:
        return False
    if check.contains is not None and plain(check.contains) not in _text(found):
        return False
    if check.compares_value:
        return agrees(check.equals, found) and agrees(found, check.equals)
    return check.contains is not None or found is not None


def _wanted(check: VerifyCheck) -> str:
    parts = [f"expected {shown(check.equals)}"] if check.compares_value else []
    parts += [f"expected to contain {check.contains!r}"] if check.contains is not None else []
    return "".join(f", {part}" for part in parts)


def _text(value: Any) -> str:
    return plain(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
