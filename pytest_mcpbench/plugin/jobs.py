"""A job: one task, model and trial, with everything about its suite that the attempt needs."""

from collections.abc import Iterator
from dataclasses import dataclass

from pytest_mcpbench.core.floors import floors_of
from pytest_mcpbench.core.loading import Loaded
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Limits, Task
from pytest_mcpbench.plugin.options import Settings


@dataclass(frozen=True, slots=True)
class Job:
    """What one item runs."""

    suite: SuiteManifest
    loaded: Loaded
    model: str
    trial: int
    trials: int
    settings: Settings

    @property
    def task(self) -> Task:
        """The task with where it stands, and the suite's prompt and limits filled in."""
        if self.loaded.task is None:
            raise self.loaded.error or AssertionError("a record without a task has an error")
        task, place = self.loaded.task, self.loaded.place
        source = task.source.model_copy(update={"file": place.file, "place": str(place)})
        filled_in = {"system": task.system or self._system, "limits": self._limits(task), "source": source}
        return task.model_copy(update=filled_in)

    @property
    def label(self) -> str:
        """What stands in brackets behind the task's id: the model, with the trial where there are several."""
        model = self.model.replace("[", "(").replace("]", ")")
        return f"{model}-{self.trial + 1}" if self.trials > 1 else model

    @property
    def floors(self) -> dict[str, float]:
        """Least values: the task's over the suite's, the command line's over both."""
        task = self.loaded.task
        return {**(floors_of(task, self.suite) if task else {}), **self.settings.floors}

    @property
    def metric_names(self) -> tuple[str, ...]:
        """The metrics to compute: those with a floor first."""
        return tuple(dict.fromkeys((*self.floors, *self.suite.metrics, *self.settings.metrics)))

    @property
    def _system(self) -> str | None:
        name = self.settings.prompt
        return self.suite.prompts.get(name, self.suite.system) if name else self.suite.system

    def _limits(self, task: Task) -> Limits:
        """The command line's over the task's over the suite's."""
        asked = {
            "rounds": self.settings.rounds,
            "tool_calls": self.settings.tool_calls,
            "seconds": self.settings.seconds,
        }
        own = task.limits.model_dump(exclude_unset=True) if task.limits else {}
        over = {name: value for name, value in asked.items() if value is not None}
        return self.suite.limits.model_copy(update={**own, **over})


def of_records(
    suite: SuiteManifest,
    records: list[Loaded],
    settings: Settings,
    *,
    models: tuple[str, ...] = (),
    trials: int | None = None,
) -> Iterator[Job]:
    """Every record with every model and trial; models and trials vary fastest."""
    count = trials or settings.trials
    for loaded in records:
        for model in models or settings.models:
            for trial in range(count):
                yield Job(suite, loaded, model, trial, count, settings)
