"""Reader and writer of a suite's recorded effects: one JSON line per task, ``{"id": …, "effects": […]}``."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.loading import LoadedTask
from pytest_mcpbench.core.world import Effect
from pytest_mcpbench.loaders.field_errors import models_of_lines


class TaskEffects(FrozenModel):
    """Effects of one task's reference calls."""

    id: str
    effects: tuple[Effect, ...]


def read_effects(text: str, file: str) -> dict[str, tuple[Effect, ...]]:
    """Return the effects of each task by task id. Raises :class:`TaskError` with file, line and field."""
    remedy = "mcpbench record-effects writes the file."
    return {task.id: task.effects for _, task in models_of_lines(text, file, TaskEffects, remedy=remedy)}


def write_effects(effects: Mapping[str, Iterable[Effect]]) -> str:
    """Return the content of an effects file, one line per task."""
    lines = (TaskEffects(id=task_id, effects=tuple(of_task)) for task_id, of_task in effects.items())
    return "".join(f"{line.model_dump_json(exclude_defaults=True)}\n" for line in lines)


def with_effects(records: Iterable[LoadedTask], effects: Mapping[str, tuple[Effect, ...]]) -> Iterator[LoadedTask]:
    """Yield the records with each task's recorded effects added to what it expects."""
    for record in records:
        if record.task is None or record.task.id not in effects:
            yield record
            continue
        expected = record.task.expected.model_copy(update={"effects": effects[record.task.id]})
        yield replace(record, task=record.task.model_copy(update={"expected": expected}))
