"""Metric ``elicitation``: servers asked the user what the task demands, and before the calls that need it."""

from pytest_mcpbench.core.elicitation import ElicitationCheck
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.metrics.world_state.check_result import CheckResult, score_of_checks
from pytest_mcpbench.text.bounded_pattern import BoundedPattern, PatternTimeoutError


def elicitation(task: Task, evidence: AttemptEvidence) -> Score:
    """Share of ``expected.elicitations`` that holds; it does not apply to a task without such checks.

    ``confirms`` looks at each call of a tool that returned no error: during it the server must have asked something,
    whatever the user answered. What a declined question must prevent is a matter of ``state`` or ``verify``.
    """
    checks = task.expected.elicitations
    if not checks:
        return Score.not_applicable("the task has no checks of elicitations")
    return score_of_checks([_evaluate(check, evidence) for check in checks])


def _evaluate(check: ElicitationCheck, evidence: AttemptEvidence) -> CheckResult:
    try:
        if check.confirms is not None:
            calls = [call for call in evidence.calls if check.confirms in call.names and not call.is_error]
            silent = [number for number, call in enumerate(calls, 1) if call.result and not call.result.elicitations]
            found = f"call {silent[0]} of {len(calls)} asked nothing" if silent else f"calls: {len(calls)}"
            return CheckResult(not silent, f"{check} ({found})")
        pattern = BoundedPattern(check.asked or check.never_asked or "", ignores_case=True)
        asked = [each for each in evidence.elicitations if pattern.is_found(each.message)]
        if check.never_asked is not None:
            return CheckResult(not asked, f"{check}{f' (asked: {asked[0].question})' if asked else ''}")
        holds = any(check.action in (None, each.action) for each in asked)
        answers = ", ".join(dict.fromkeys(each.reply for each in asked))
        return CheckResult(holds, f"{check} ({f'the user answered {answers}' if asked else 'not asked'})")
    except PatternTimeoutError as error:
        return CheckResult(None, str(error))
