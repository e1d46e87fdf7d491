"""Selection of the tasks that can show the effect of a mutant."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pytest_mcpbench.core.routing import first_groups
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.definitions.canonical import ServerDefinition
from pytest_mcpbench.definitions.mutation import Mutant

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
    """Return the tools of a task as far as its definition names them."""
    names = list(_names(task))
    watched = (
        (server.name, tool.name)
        for server in servers
        for tool in server.tools
        for name, of_server in names
        if of_server in (None, server.name) and name in (tool.name, f"{server.name}_{tool.name}")
    )
    return TaskTools(task, frozenset(watched))


def tasks_for(mutant: Mutant, tasks: Iterable[TaskTools]) -> list[Task]:
    """Return the tasks that name or called a tool that a mutant changes, or one that the changed text names."""
    server = mutant.definition.name
    changed = {(server, name) for name in mutant.tools}
    neighbours = changed | {(server, name) for name in _named_tools(mutant)}
    return [
        each.task
        for each in tasks
        if (each.seen is None or changed & each.seen)
        and (mutant.mutator in DRAWS_CALLS or neighbours & (each.watched | each.called))
    ]


def _names(task: Task) -> Iterator[tuple[str, str | None]]:
    """Yield the names of tools in a task, each with the server that it is of, if that is given."""
    for call in (call for group in first_groups(task)[:1] for call in group.calls):
        yield call.tool, call.server
        yield from ((similar.tool, similar.server) for similar in call.similar_tools)
    if task.expected.forbidden_tools != "all":
        yield from ((name, None) for name in task.expected.forbidden_tools)


def _named_tools(mutant: Mutant) -> Iterator[str]:
    return (
        tool.name
        for tool in mutant.definition.tools
        if re.search(rf"(?<!\w){re.escape(tool.name)}(?!\w)", mutant.change)
    )
