"""Metric ``conversation``: agent and user said what the task demands, and in time."""

from collections.abc import Iterator
from dataclasses import dataclass

from pytest_mcpbench.core.chat import before_invented_exchange, user_messages
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.simulated_user import ConversationCheck
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.metrics.world_state.check_result import CheckResult, score_of_checks
from pytest_mcpbench.text.bounded_pattern import BoundedPattern, PatternTimeoutError


@dataclass(frozen=True)
class Conversation:
    """Share of ``expected.conversation`` that holds; it does not apply to a task without such checks.

    What the agent said is the text that ends its turn, what the user said is each message of theirs. A text of the
    agent that pretends to be the user's is the agent's. ``before`` fails an attempt that calls the tool in an earlier
    turn than the words allow, and without the call the words must still be said.
    """

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        checks = task.expected.conversation
        if not checks:
            return Score.not_applicable("the task has no checks of the conversation")
        said = _Said(user_messages(task, evidence.trajectory), evidence.trajectory.replies)
        return score_of_checks([_evaluate(check, said, evidence) for check in checks])


@dataclass(frozen=True)
class _Said:
    """Messages of both sides, by turn."""

    user: tuple[str, ...]
    agent: tuple[str, ...]


def _evaluate(check: ConversationCheck, said: _Said, evidence: AttemptEvidence) -> CheckResult:
    try:
        if check.ended is not None:
            conversation = evidence.trajectory.conversation
            if conversation is None:
                return CheckResult(None, f"{check}: the attempt had no user that answers")
            return CheckResult(conversation.end == check.ended, f"{check} (end: {conversation.end or 'none'})")
        if check.never_said is not None:
            found = [turn for turn, text in enumerate(said.agent, 1) if _is_in(check.never_said, text)]
            return CheckResult(not found, f"{check}{f' (said in turn {found[0]})' if found else ''}")
        turn = min(_turns_with_words(check, said), default=None)
        if turn is None:
            return CheckResult(False, str(check))
        if check.before is None:
            called = None
        else:
            tool = check.before
            calls = (
                (step.turn, call) for step in evidence.trajectory.steps for call in step.calls if call.problem is None
            )
            called = next((turn for turn, call in calls if tool in (call.called, call.name)), None)
        is_early = called is not None and called < turn
        return CheckResult(not is_early, f"{check}{f' (called in turn {(called or 0) + 1})' if is_early else ''}")
    except PatternTimeoutError as error:
        return CheckResult(None, str(error))


def _turns_with_words(check: ConversationCheck, said: _Said) -> Iterator[int]:
    """Yield each turn, from 0, at whose beginning the words have been said."""
    if check.asked is None:
        yield from (turn for turn, text in enumerate(said.user) if _is_in(check.told, text))
        return
    for turn, text in enumerate(said.agent):
        reply = said.user[turn + 1] if turn + 1 < len(said.user) else ""
        if _is_in(check.asked, before_invented_exchange(text)) and (check.told is None or _is_in(check.told, reply)):
            yield turn + 1


def _is_in(pattern: str | None, text: str) -> bool:
    return BoundedPattern(pattern or "", ignores_case=True).is_found(text)
