"""Earlier run as a baseline: its attempts are the first trials, and the tools that agents saw its definitions."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.arm import CANDIDATE
from pytest_mcpbench.core.errors import McpBenchError, UsageError
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.run_settings import read_settings
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.runs.records import read_facts, read_records
from pytest_mcpbench.text.natural_order import natural_key

Key = tuple[str, str, str, int]
CHANGED = "the task has changed since the baseline"
REMOVED = "the task is not in the suite any more"
NEW = "the baseline has no attempt of the task"


@dataclass(frozen=True)
class RecordedRun:
    """Attempts of an earlier run that can be compared with new ones."""

    directory: Path
    facts: Mapping[str, Any]
    records: Mapping[Key, RunRecord]
    """By suite, task id, model and trial; of a run with arms, those of the candidate's first trials."""

    @classmethod
    def read(cls, directory: Path) -> "RecordedRun":
        """Return the run of a directory. Raises UsageError if it has no record."""
        try:
            every = [record for _, record in read_records(directory) if not record.is_of_a_written_test]
            facts = read_facts(directory)
        except (McpBenchError, OSError) as error:
            raise UsageError(f"{directory}: {error}") from None
        own = [record for record in every if record.arm in ("", CANDIDATE) and record.evidence is not None]
        if not own:
            raise UsageError(f"{directory} has no record of a task that could be compared")
        keyed = {(record.suite, record.task_id, record.model, record.trial): record for record in own}
        return cls(directory, facts, keyed)

    def record(self, suite: SuiteManifest, task: Task, model: str, trial: int) -> RunRecord | None:
        """Return the record of an attempt at the same task."""
        found = self.records.get((suite.name, task.id, model, trial))
        return found if found is not None and found.task_hash == task.hash else None

    def tools_of(self, suite: SuiteManifest) -> dict[str, tuple[ToolSpec, ...]]:
        """Return the tools that the agents of the run saw, under the servers' own names."""
        seen = tools_seen(self._of_suite(suite))
        return {
            server: tuple(tool.model_copy(update={"name": tool.tool}) for tool in tools.values())
            for server, tools in seen.items()
            if server in suite.servers
        }

    def instructions_of(self, suite: SuiteManifest) -> dict[str, str]:
        """Return the instructions that the agents of the run got, by server."""
        return instructions_read(self._of_suite(suite))

    def check(
        self, suite: SuiteManifest, task_ids: set[str], *, models: tuple[str, ...], temperature: float | None
    ) -> None:
        """Raise UsageError if the run cannot be the baseline of the suite: other tasks, models or conditions."""
        records = self._of_suite(suite)
        if not {record.task_id for record in records} & task_ids:
            others = ", ".join(sorted({record.suite for record in self.records.values()}, key=natural_key))
            raise UsageError(f"it has no task of suite {suite.name!r}; its suites are {others}, with other tasks")
        for model in models:
            if not any(record.model == model for record in records):
                there_are = ", ".join(sorted({record.model for record in records}, key=natural_key))
                raise UsageError(f"it has no attempt of model {model}; its models are {there_are}")
        now = {**suite.conditions.model_dump(mode="json"), "temperature": temperature}
        suites = self.facts.get("suites")
        known = suites.items() if isinstance(suites, dict) else ()
        stored: Mapping[str, Any] = next(
            (facts for name, facts in known if str(name).partition(" (")[0] == suite.name), {}
        )
        before = {**stored.get("conditions", {}), "temperature": read_settings(self.facts).get("temperature")}
        for name, value in now.items():
            if name in before and before[name] != value:
                raise UsageError(f"it was made with {name} {before[name]}, and this run has {name} {value}")

    def dropped(self, suite: SuiteManifest, tasks: Mapping[str, Task]) -> dict[str, str]:
        """Return why tasks of the run cannot be compared, by task."""
        hashes = {record.task_id: record.task_hash for record in self._of_suite(suite)}
        changed = {name: CHANGED for name, digest in hashes.items() if name in tasks and tasks[name].hash != digest}
        return changed | {name: REMOVED for name in hashes if name not in tasks}

    def _of_suite(self, suite: SuiteManifest) -> list[RunRecord]:
        return [record for (name, *_), record in self.records.items() if name == suite.name]


def instructions_read(records: Iterable[RunRecord]) -> dict[str, str]:
    """Return the instructions that the agents of some attempts got, by server."""
    return {facts.name: facts.instructions for each in records if each.evidence for facts in each.evidence.servers}


def tools_seen(records: Iterable[RunRecord]) -> dict[str, dict[str, ToolSpec]]:
    """Return the tools that the agents of some attempts saw, by server and by the server's own name."""
    seen: dict[str, dict[str, ToolSpec]] = {}
    for record in records:
        for tool in record.evidence.tools if record.evidence else ():
            seen.setdefault(tool.server, {}).setdefault(tool.tool, tool)
    return seen
