"""Drafts of tasks, parsed from the files in ``source/`` and completed with facts: one file per topic."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from pytest_mcpbench.core.errors import SourceLocation, TaskError
from pytest_mcpbench.core.result_templates import ResultTemplateError, fill, fill_slots
from pytest_mcpbench.generation.atlas.fact_sources import LOOKUPS, require
from pytest_mcpbench.generation.atlas.facts import FACTS
from pytest_mcpbench.generation.source.calls import ReferenceCall
from pytest_mcpbench.generation.source.files import SourceEntry, SourceValue, read_named_entries, source_directory
from pytest_mcpbench.generation.source.values import evaluate

TOPICS = (
    *("money", "production", "people", "purchasing", "staffing", "clients", "software", "letters"),
    *("town", "shop", "house", "office", "records", "exhibits", "errands"),
)
"""Names of the files in ``source/``, in the order of their tasks in ``tasks.jsonl``."""

DERIVED = "<derived>"
"""An argument that only the task's derivation knows, such as the hash of a commit."""


class WrittenDerivation(SourceValue):
    """Templates over the results of the reference calls."""

    answer: str
    arguments: Mapping[str, Mapping[str, JsonValue]] = {}
    macros: str = ""


class DraftTask(SourceEntry):
    """One task, whose claims have slots for facts."""

    ask: str
    is_conditional: bool = False
    other_tools: tuple[str, ...] = ()
    """Tools that another outcome of the condition needs."""
    calls: tuple[ReferenceCall, ...]
    claims: tuple[str, ...]
    facts: Mapping[str, str] = {}
    """Name of a fact, or several names for a list -> expression over the data behind the servers."""
    relies_on: tuple[str | Mapping[str, str], ...] = ()
    """Lookups that must find what they look for, and statements with the expression that must be true."""
    derivation: WrittenDerivation


@dataclass(frozen=True)
class Draft:
    """A task before it is written to a file: the prompt, the reference calls, and the claims of a good answer."""

    task_id: str
    prompt: str
    calls: tuple[ReferenceCall, ...]
    claims: tuple[str, ...]
    derivation: WrittenDerivation
    place: SourceLocation
    is_conditional: bool = False
    """True if the action that the task requires depends on what the agent finds."""
    other_tools: tuple[str, ...] = ()
    """Tools that another outcome of the condition needs."""

    @property
    def name(self) -> str:
        """Return the name from which ids of the servers and distractors are drawn."""
        return self.task_id.replace("-", "_")


def drafts(directory: Path | None = None, topics: Iterable[str] = TOPICS) -> Iterator[Draft]:
    """Yield every task, with the facts in its claims; by default those of the suite."""
    for topic in topics:
        tasks = read_named_entries((directory or source_directory("atlas")) / f"{topic}.yaml", DraftTask)
        for task_id, task in tasks.items():
            try:
                scope = _scope(task_id, task)
                claims = tuple(fill_slots(claim, scope) for claim in task.claims)
            except (ResultTemplateError, ValueError) as error:
                raise TaskError(f"{task_id!r}: {error}.", task.place) from error
            yield Draft(
                task_id,
                task.ask,
                task.calls,
                claims,
                task.derivation,
                place=task.place,
                is_conditional=task.is_conditional,
                other_tools=task.other_tools,
            )


def _scope(task_id: str, task: DraftTask) -> dict[str, Any]:
    """Return what the slots of a task's claims can use: its facts, and lookups in the data behind the servers.

    Raises ``GenerationError`` if the data no longer contain what the task relies on.
    """
    computed = {**LOOKUPS, **(FACTS[task_id]() if task_id in FACTS else {})}
    scope = {**computed, **evaluate(task.facts, computed)}
    for relied in task.relies_on:
        if isinstance(relied, str):
            fill(relied, scope)
        else:
            for statement, expression in relied.items():
                require(bool(fill(expression, scope)), statement)
    return scope
