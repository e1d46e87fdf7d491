"""Drafts of tasks, parsed from the files in ``source/`` and completed with facts: one file per topic."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from pytest_mcpbench.core.errors import SourceLocation, TaskError
from pytest_mcpbench.core.result_templates import ResultTemplateError, fill_slots
from pytest_mcpbench.generation.atlas.facts import FACTS
from pytest_mcpbench.generation.source.calls import ReferenceCall
from pytest_mcpbench.generation.source.files import SourceEntry, SourceValue, read_named_entries, source_directory

TOPICS = ("money", "production", "people")
"""Names of the files in ``source/``, in the order of their tasks in ``tasks.jsonl``."""

DERIVED = "<derived>"
"""An argument that only the task's derivation knows, such as the hash of a commit."""


class WrittenDerivation(SourceValue):
    """Templates over the results of the reference calls."""

    answer: str
    arguments: Mapping[str, Mapping[str, JsonValue]] = {}
    macros: str = ""


class WrittenTask(SourceEntry):
    """One task, whose claims have slots for facts."""

    ask: str
    is_conditional: bool = False
    calls: tuple[ReferenceCall, ...]
    claims: tuple[str, ...]
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

    @property
    def name(self) -> str:
        """Return the name from which ids of the servers and distractors are drawn."""
        return self.task_id.replace("-", "_")


def drafts() -> Iterator[Draft]:
    """Yield every task, with the facts in its claims."""
    for topic in TOPICS:
        tasks = read_named_entries(source_directory("atlas") / f"{topic}.yaml", WrittenTask)
        yield from (_draft(task_id, task) for task_id, task in tasks.items())


def _draft(task_id: str, task: WrittenTask) -> Draft:
    try:
        facts = FACTS[task_id]() if task_id in FACTS else {}
        claims = tuple(fill_slots(claim, facts) for claim in task.claims)
    except ResultTemplateError as error:
        raise TaskError(f"a claim of {task_id!r} cannot be filled: {error}.", task.place) from error
    except ValueError as error:
        raise TaskError(f"{task_id!r}: {error}.", task.place) from error
    return Draft(
        task_id, task.ask, task.calls, claims, task.derivation, place=task.place, is_conditional=task.is_conditional
    )
