"""Subject of a measurement: the tasks of a suite, its servers, and their mutants."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pytest_mcpbench.attempt.player import Player
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.audit.descriptions.selection import named_tools
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.gate.decision import DroppedTask
from pytest_mcpbench.core.loading import LoadedTask
from pytest_mcpbench.core.planning import NOT_ROUTABLE
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.definitions.canonical import ServerDefinition
from pytest_mcpbench.definitions.mutation import DefinitionMutant, distinct_mutants, mutants_of
from pytest_mcpbench.servers.exposure import servers_needed
from pytest_mcpbench.text.suggestions import hint

Tools = Mapping[str, tuple[str, ...]]
"""Server -> names of its tools."""


@dataclass(frozen=True)
class MutationSubject:
    """Everything that is measured."""

    tasks: tuple[Task, ...]
    excluded: tuple[DroppedTask, ...]
    """Records that cannot be attempted or scored in route mode."""
    servers: tuple[ServerDefinition, ...]
    """Servers that the tasks need."""
    mutants: tuple[DefinitionMutant, ...]
    """No two have the same definition. Their ids begin with the server if there are several."""
    tools: Tools
    """Tools that are changed."""
    named: frozenset[tuple[str, str]] = frozenset()
    """Server and name of the tools that any record names in any message."""


@dataclass(frozen=True)
class TaskSelection:
    """Choice of mutants; everything if it is empty."""

    tools: tuple[str, ...] = ()
    mutators: tuple[str, ...] = ()
    seed: int = 0
    """Seed of the shuffled order."""


async def read_subject(
    player: Player, records: Sequence[LoadedTask], pool: ServerPool, selection: TaskSelection
) -> MutationSubject:
    """Return the tasks of a suite with the mutants of the servers that they need.

    Raises:
        UsageError: no task can be used, or no tool or mutator has a name of the selection.
        ServerError: a server cannot be started or listed.
    """
    excluded = tuple(DroppedTask(each.id, why) for each in records if (why := _why_excluded(each, player)) is not None)
    left_out = {each.task for each in excluded}
    tasks = tuple(each.task for each in records if each.task is not None and each.id not in left_out)
    if not tasks:
        first = f"; {excluded[0].task}: {excluded[0].reason}" if excluded else "; it has none"
        raise UsageError(f"suite {player.suite.name!r}: no task can be used{first}")
    refs = {ref.name: ref for task in tasks for ref in servers_needed(task, player.suite)}
    directory = Path(player.suite.directory)
    servers = tuple([await pool.definition(ref, directory=directory) for ref in refs.values()])
    tools = _chosen_tools(servers, selection.tools)
    named = named_tools((record.task for record in records if record.task is not None), servers)
    mutants: list[DefinitionMutant] = []
    for server in servers:
        if not tools[server.name]:
            continue
        chosen = tools[server.name] if selection.tools else ()
        found = mutants_of(server, tools=chosen, mutators=selection.mutators, seed=selection.seed)
        for mutant in distinct_mutants(found):
            mutants.append(mutant if len(servers) == 1 else replace(mutant, id=f"{server.name}/{mutant.id}"))
    return MutationSubject(tasks, excluded, servers, tuple(mutants), tools, named)


def _why_excluded(record: LoadedTask, player: Player) -> str | None:
    if record.task is None:
        return str(record.error)
    if record.task.proposal:
        return f"a proposal: {record.task.proposal}"
    return None if player.plan(record.task).floors else NOT_ROUTABLE


def _chosen_tools(servers: Iterable[ServerDefinition], names: Sequence[str]) -> Tools:
    known = {server.name: tuple(tool.name for tool in server.tools) for server in servers}
    every = [name for tools in known.values() for name in tools]
    for name in names:
        if name not in every:
            raise UsageError(f"--tool: there is no tool {name!r}. {hint(name, every)}")
    if not names:
        return known
    return {server: tuple(name for name in tools if name in names) for server, tools in known.items()}
