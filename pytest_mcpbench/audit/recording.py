"""Recording of effects: the reference is played twice, and what both attempts change is what the task asks for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_mcpbench.agents.oracle import OracleAgent
from pytest_mcpbench.attempt.player import Player
from pytest_mcpbench.concurrency import concurrent_map
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.world import Effect
from pytest_mcpbench.metrics.world_state.recorded_effects import DifferentAttemptsError, effects_of


@dataclass(frozen=True)
class Recording:
    """The effects of the tasks' references, and the tasks whose references have none to record."""

    effects: Mapping[str, tuple[Effect, ...]]
    problems: Mapping[str, str]
    """Task id -> the reason why its effects could not be recorded."""


async def record_effects(player: Player, tasks: Sequence[Task], *, concurrency: int = 4) -> Recording:
    """Play the reference of each task twice and return what it changes."""
    left_open = player.suite.effects.left_open if player.suite.effects else ()

    async def record(task: Task) -> tuple[Effect, ...] | str:
        if task.expected.open_reference is not None:
            return task.expected.open_reference
        attempts = [
            await player.play(task, OracleAgent(records_effects=True), identity)
            for identity in (task.id, f"{task.id}.again")
        ]
        errors = [str(attempt.error) for attempt in attempts if attempt.error is not None]
        if errors:
            return errors[0]
        try:
            return effects_of(task, attempts[0].evidence, attempts[1].evidence, left_open)
        except DifferentAttemptsError as error:
            return str(error)

    found = dict(
        zip((task.id for task in tasks), await concurrent_map(tasks, record, concurrency=concurrency), strict=True)
    )
    return Recording(
        effects={task_id: effects for task_id, effects in found.items() if not isinstance(effects, str)},
        problems={task_id: problem for task_id, problem in found.items() if isinstance(problem, str)},
    )
