"""Tools and arguments that an attempt chose, beside those of the reference."""

from dataclasses import dataclass
from typing import Literal

from pytest_mcpbench.core.frozen import FrozenModel

NO_TOOL = "(none)"
"""Row of calls that the reference does not have, and column of reference calls that were not made."""
UNKNOWN_TOOL = "(unknown)"
"""Column of calls to tools that no server offers."""

Mistake = Literal["missing", "malformed", "invented", "wrong type", "outside the enum", "wrong value"]
MISTAKES: tuple[Mistake, ...] = ("missing", "malformed", "invented", "wrong type", "outside the enum", "wrong value")


class ChosenTool(FrozenModel):
    """One cell of a confusion matrix, with the share of a trial that belongs to it."""

    expected: str
    called: str
    weight: float = 1.0
    """1 for a call; a wrong call where one of several tools was right counts for each of them in equal parts."""
    is_read: bool = False
    """Whether a call that the reference does not have is one of a tool that promises to change nothing."""


class ArgumentCheck(FrozenModel):
    """One argument of a call to the right tool."""

    tool: str
    parameter: str
    mistake: Mistake | None = None
    """``None``: the argument is right. ``invented``: the tool has no such parameter, or nothing asks for it.
    ``malformed``: the arguments of the call are not a JSON object."""


class ToolChoice(FrozenModel):
    """Choices of one attempt."""

    tools: tuple[ChosenTool, ...] = ()
    arguments: tuple[ArgumentCheck, ...] = ()


# One row of the side-by-side view of expected and actual calls.

RowVerdict = Literal["same", "different", "missing", "extra"]


@dataclass(frozen=True)
class ComparisonRow:
    """A reference call paired with an actual call; an absent one is an empty text."""

    expected: str
    actual: str
    verdict: RowVerdict
    reason: tuple[str, ...] = ()
    """The differences, one sentence each."""
    call_index: int | None = None
    """Position of the actual call among all calls of the attempt, from 0."""
