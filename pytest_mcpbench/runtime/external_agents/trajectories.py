"""Steps of a turn, from the calls that the proxies have seen and the messages that the program reports."""

from collections.abc import Iterator, Sequence

from pytest_mcpbench.core.tool import CallRecord
from pytest_mcpbench.core.trajectory import NO_USAGE, Step, Usage
from pytest_mcpbench.runtime.external_agents.program import ProgramReport, ReportedMessage

Groups = Sequence[Sequence[CallRecord]]


def turn_steps(turn: int, groups: Groups, report: ProgramReport, *, is_complete: bool) -> tuple[Step, ...]:
    """Return the steps of a turn.

    The calls, their results and their order are those that the proxies have seen. The messages of the program decide
    which calls were made together, and which text came with them, if they name exactly the same calls. Otherwise calls
    that overlapped in time are one step.

    Args:
        turn: Index of the turn.
        groups: Calls that the proxies have seen; those of one group overlapped.
        report: Content of the program's output; its usage is counted with the last step.
        is_complete: Whether the program ended by itself, so that its answer is the last step.
    """
    steps = list(_steps_of_messages(turn, groups, report.messages))
    if not steps:
        steps = [Step(turn=turn, calls=tuple(calls), usage=NO_USAGE) for calls in groups]
    if is_complete or not steps:
        steps.append(Step(turn=turn, text=report.answer))
    steps[-1] = steps[-1].model_copy(update={"usage": report.usage})
    return tuple(steps)


def usage_difference(total: Usage, earlier: Usage) -> Usage:
    """Return what was used since an earlier total; a part that either does not know is unknown."""
    return Usage(
        input_tokens=_difference(total.input_tokens, earlier.input_tokens),
        output_tokens=_difference(total.output_tokens, earlier.output_tokens),
        cached_tokens=_difference(total.cached_tokens, earlier.cached_tokens),
        cost_usd=total.cost_usd,
    )


def _difference(total: int | None, earlier: int | None) -> int | None:
    return None if total is None or earlier is None else total - earlier


def _steps_of_messages(turn: int, groups: Groups, messages: Sequence[ReportedMessage]) -> Iterator[Step]:
    left = [call for group in groups for call in group]
    with_calls = [message for message in messages if message.calls]
    if sum(len(message.calls) for message in with_calls) != len(left):
        return
    found = []
    for message in with_calls:
        calls, left = left[: len(message.calls)], left[len(message.calls) :]
        if not _are_the_same(message.calls, calls):
            return
        found.append(Step(turn=turn, text=message.text, calls=tuple(calls), usage=NO_USAGE))
    yield from found


def _are_the_same(reported: Sequence[str], calls: Sequence[CallRecord]) -> bool:
    """Return whether the names that a program reports, which may have a prefix, are those of the calls."""
    left = list(reported)
    for call in calls:
        # The longest name first: that of the tool may end like that of another.
        match = next((name for name in left if name == call.name or name.endswith(call.called)), None)
        if match is None:
            return False
        left.remove(match)
    return True
