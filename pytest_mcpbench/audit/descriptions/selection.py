"""Selection of the tasks that can show the effect of a mutant."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pytest_mcpbench.core.planning import first_groups
from pytest_mcpbench.core.task import ExpectedCall, Task
from pytest_mcpbench.definitions.canonical import ServerDefinition
from pytest_mcpbench.definitions.mutation import DefinitionMutant

DRAWS_CALLS = frozenset({"assertive", "poisoned"})
"""Mutators that may draw the calls of any task to a tool, so that every task can show their effect."""


@dataclass(frozen=True)
class TaskTools:
    """Tools of a task, as pairs of server and the server's own name."""

    task: Task
    watched: frozenset[tuple[str, str]]
    """Tools that the reference of the first message names, or that the task forbids."""
    called: frozenset[tuple[str, str]] = frozenset()
    """Tools that the agent called in the baseline."""
    seen: frozenset[tuple[str, str]] | None = None
    """Tools that the agent saw in the baseline; ``None`` before it."""


def tools_of(task: Task, servers: Iterable[ServerDefinition]) -> TaskTools:
    """Return the tools of a task as far as the part of its definition names them that route mode scores."""
    calls = [call for group in first_groups(task)[:1] for call in group.calls]
    return TaskTools(task, _tools_named([*_names_in(calls), *_forbidden_names(task)], servers))


def named_tools(tasks: Iterable[Task], servers: Iterable[ServerDefinition]) -> frozenset[tuple[str, str]]:
    """Return the tools that the tasks name anywhere, also in later messages, which route mode does not reach."""
    names = (name for task in tasks for name in (*_names_in(task.expected.flat_calls), *_forbidden_names(task)))
    return _tools_named(list(dict.fromkeys(names)), servers)


def tasks_for(mutant: DefinitionMutant, tasks: Iterable[TaskTools]) -> list[Task]:
    """Return the tasks that name or called a tool that a mutant changes, or one that the changed text names."""
    server = mutant.definition.name
    changed = {(server, name) for name in mutant.tools}
    tools_in_text = (
        tool.name
        for tool in mutant.definition.tools
        if re.search(rf"(?<!\w){re.escape(tool.name)}(?!\w)", mutant.change)
    )
    neighbours = changed | {(server, name) for name in tools_in_text}
    return [
        each.task
        for each in tasks
        if (each.seen is None or changed & each.seen)
        and (mutant.mutator in DRAWS_CALLS or neighbours & (each.watched | each.called))
    ]


def _tools_named(
    names: Sequence[tuple[str, str | None]], servers: Iterable[ServerDefinition]
) -> frozenset[tuple[str, str]]:
    """Return the tools that have one of the names, each with the server that it is of, if that is given."""
    return frozenset(
        (server.name, tool.name)
        for server in servers
        for tool in server.tools
        for name, of_server in names
        if of_server in (None, server.name) and name in (tool.name, f"{server.name}_{tool.name}")
    )


def _names_in(calls: Iterable[ExpectedCall]) -> Iterator[tuple[str, str | None]]:
    for call in calls:
        yield call.tool, call.server
        yield from ((similar.tool, similar.server) for similar in call.similar_tools)


def _forbidden_names(task: Task) -> Iterator[tuple[str, str | None]]:
    forbidden = task.expected.forbidden_tools
    return ((name, None) for name in (forbidden if forbidden != "all" else ()))
