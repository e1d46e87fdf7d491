"""Places to look at behind the verdict of a gate: texts, tools, arguments and tasks that changed between two arms."""

from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.tool_choice import Mistake


class ChangedText(FrozenModel):
    """One text that agents read, in both arms."""

    tool: str
    """Empty for the server's instructions."""
    place: str
    before: str
    after: str
    tokens: int
    """Estimated tokens, candidate minus baseline."""


class ChangedCell(FrozenModel):
    """One cell of the confusion matrices that differs; each task counts once, whatever the number of its trials."""

    expected: str
    called: str
    before: float
    after: float


class ChangedArgument(FrozenModel):
    """Mistakes of one kind in one parameter, weighted like the cells."""

    tool: str
    parameter: str
    mistake: Mistake
    before: float
    after: float


class TaskTraces(FrozenModel):
    """Calls and answer of one trial of a changed task in each arm, a line each."""

    task: str
    baseline: tuple[str, ...]
    candidate: tuple[str, ...]


class Explanation(FrozenModel):
    """Everything that changed between the arms of a gate."""

    texts: tuple[ChangedText, ...] = ()
    cells: tuple[ChangedCell, ...] = ()
    """The greatest change first."""
    arguments: tuple[ChangedArgument, ...] = ()
    traces: tuple[TaskTraces, ...] = ()
