"""Plan of a measurement: its attempts, before any is made."""

from collections.abc import Iterator
from dataclasses import dataclass

from pytest_mcpbench.audit.descriptions.selection import tasks_for, tools_of
from pytest_mcpbench.audit.descriptions.settings import MutationSettings
from pytest_mcpbench.audit.descriptions.subject import Subject
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.gate.remedies import tasks_needed


@dataclass(frozen=True)
class MutationPlan:
    """Numbers of attempts, each of one model call."""

    tasks: int
    tools: int
    """Tools that are changed."""
    mutants: int
    watched: int
    """Mutants with a task that names their tool."""
    baseline: int
    first: int
    """First trials of all mutants, as far as the tasks name their tools."""
    fresh: int
    """Fresh trials if every task gets worse with every mutant."""
    settings: MutationSettings

    @property
    def least(self) -> int:
        """Attempts if no task gets worse."""
        return self.baseline + self.first

    @property
    def most(self) -> int:
        """Attempts if every task gets worse with every mutant."""
        return self.least + self.fresh


def plan_mutation(subject: Subject, settings: MutationSettings) -> MutationPlan:
    """Return the plan; raise UsageError if the calls that are allowed do not suffice for the baseline."""
    tools = [tools_of(task, subject.servers) for task in subject.tasks]
    tasks = [found for mutant in subject.mutants if (found := tasks_for(mutant, tools))]
    baseline = len(tools) * settings.trials
    if settings.max_calls is not None and settings.max_calls <= baseline:
        raise UsageError(f"--max-calls {settings.max_calls}: the baseline alone takes {baseline} calls.")
    pairs = sum(map(len, tasks))
    every_task = {task.id for found in tasks for task in found}
    return MutationPlan(
        tasks=len(tools),
        tools=sum(map(len, subject.tools.values())),
        mutants=len(subject.mutants),
        watched=len(tasks),
        baseline=baseline,
        first=pairs * settings.trials,
        fresh=(pairs + len(every_task)) * settings.fresh_trials,
        settings=settings,
    )


def plan_lines(plan: MutationPlan) -> Iterator[str]:
    """Yield the lines that a person reads before the first attempt."""
    settings = plan.settings
    tools = "1 tool" if plan.tools == 1 else f"{plan.tools} tools"
    yield f"  {plan.tasks} tasks, {tools}, {plan.mutants} mutants ({plan.watched} with a task that names their tool)"
    if settings.rules.is_deterministic:
        yield f"  {settings.model} always does the same: one trial of a task decides; about {plan.least} attempts"
        return
    yield f"  baseline: {plan.baseline} calls, shared by all mutants; first trials of the mutants: about {plan.first}"
    yield f"  tasks that get worse: {settings.fresh_trials} fresh trials with the mutant and as many without it"
    limit = f"; not more than {settings.max_calls} are made" if settings.max_calls is not None else ""
    yield f"  about {plan.least} calls if no task gets worse, {plan.most} if every task does{limit}"
    yield f"  false kills: at most {settings.rules.gate.alpha:.0%} of the mutants without effect"
    needed = tasks_needed(0.0, settings.rules.margin)
    if needed is not None:
        points = f"{settings.rules.margin * 100:.0f} points"
        yield f"  survivors: {needed} trials without a loss exclude one of {points} (tasks of the tool times --trials)"
