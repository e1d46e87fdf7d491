"""Findability: whether searches for the requests of tasks find the tools that the tasks need."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from pytest_mcpbench.agents.dispatchers import LEXICAL, Dispatcher, Dispatchers
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.core.errors import TaskError, UsageError
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.definitions.canonical import ServerDefinition
from pytest_mcpbench.simulated.catalogue import SERVERS
from pytest_mcpbench.suite_files.configured_servers import ConfiguredServer
from pytest_mcpbench.suite_files.loading import BUILT_IN_NAMES, KnownNames, load_suite
from pytest_mcpbench.suite_files.server_paths import absolute

RANKS = (1, 5, 10)
"""Numbers of results at which recall is measured."""
MOST_FOREIGN = 300
"""Number of tools of other servers beside which gates measure, unless they are told otherwise."""
GATE_RANK = 5
"""Number of results that gates look at, unless they are told otherwise."""
_ROUNDING = 1e-9

Condition = tuple[str, int]
"""Way of searching, and number of foreign tools."""


@dataclass(frozen=True)
class MeasuredTool:
    """One tool with the requests that need it."""

    name: str
    requests: tuple[str, ...]
    recall: Mapping[Condition, tuple[float, ...]]
    """Mean over the requests at each of :data:`RANKS`; empty for a tool without requests."""


@dataclass(frozen=True)
class MeasuredServer:
    """The tools of one server, in its order."""

    name: str
    tools: tuple[MeasuredTool, ...]
    awaits_tasks: bool = False
    """Whether its task files have no tasks yet, or only proposals."""

    @property
    def needed_tools(self) -> list[MeasuredTool]:
        """Return the tools that at least one task needs."""
        return [tool for tool in self.tools if tool.requests]

    def shortfalls(self, foreign: int, least: float, at: int = GATE_RANK) -> Iterator[str]:
        """Yield a sentence for each needed tool whose recall is below ``least`` under every way of searching.

        Args:
            foreign: Number of foreign tools, one of those that were measured.
            least: Least recall, from 0 to 1.
            at: Number of results, one of :data:`RANKS`.
        """
        for tool in self.needed_tools:
            found = {
                search: values[RANKS.index(at)] for (search, size), values in tool.recall.items() if size == foreign
            }
            if max(found.values()) < least - _ROUNDING:
                reached = f"at most {max(found.values()):.2f} under {' and '.join(found)}, below {least:g}"
                yield f"{self.name}/{tool.name}: recall@{at} beside {foreign} foreign tools is {reached}"


async def measure_server(  # noqa: PLR0913 (each determines the numbers)
    server: ConfiguredServer,
    definition: ServerDefinition,
    others: Sequence[ToolSpec],
    *,
    dispatchers: Dispatchers,
    searches: Sequence[str] = LEXICAL,
    foreign: Sequence[int],
    names: KnownNames = BUILT_IN_NAMES,
) -> MeasuredServer:
    """Return the recall of each tool of a server for the requests of its tasks.

    Args:
        server: Server with the files whose tasks use it.
        definition: What clients see of it.
        others: Foreign tools, as :func:`foreign_tools` returns them.
        dispatchers: Factory of the ways of searching.
        searches: Names of ways of searching.
        foreign: Numbers of foreign tools to search in, too.
        names: Names that task files may use.

    Raises:
        TaskError: a task file is broken.
        ModelError: an embedding model cannot be reached.
    """
    own = [tool.spec(server.name) for tool in definition.tools]
    requests = _requests(server, {tool.tool for tool in own}, names)
    scored = {
        (search, size): await _recalls(dispatchers.get(search), own, others[:size], requests)
        for search in searches
        for size in foreign
    }
    tools = (
        MeasuredTool(tool.tool, requests[tool.tool], {key: found[tool.tool] for key, found in scored.items()})
        if requests[tool.tool]
        else MeasuredTool(tool.tool, (), {})
        for tool in own
    )
    awaits_tasks = bool(_task_files(server)) and all(task.proposal for task, _ in _tasks(server, names))
    return MeasuredServer(server.name, tuple(tools), awaits_tasks)


async def recall_changes(
    server: ConfiguredServer, before: ServerDefinition, after: ServerDefinition, names: KnownNames = BUILT_IN_NAMES
) -> list[str]:
    """Return a sentence for each tool whose mean recall@1 differs between two definitions of a server.

    Only the server's own tools are searched, without a model. A tool that one of the definitions lacks, or that no task
    needs, has no sentence; a broken task file is the only sentence.
    """
    dispatchers = Dispatchers()
    try:
        old, new = [
            await measure_server(server, each, (), dispatchers=dispatchers, foreign=(0,), names=names)
            for each in (before, after)
        ]
    except TaskError as error:
        return [f"tool search was not compared: {error}"]
    earlier = {tool.name: tool.recall for tool in old.needed_tools}
    sentences = []
    for tool in new.needed_tools:
        for condition, (now, *_) in tool.recall.items():
            was = earlier[tool.name][condition][0] if tool.name in earlier else now
            if abs(now - was) > _ROUNDING:
                sentences.append(f"{tool.name}: recall@1 of tool search was {was:.2f}, now {now:.2f} ({condition[0]})")
    return sentences


async def foreign_tools(own: ServerRef, size: int, seed: int, pool: ServerPool) -> list[ToolSpec]:
    """Return tools of simulated servers in an order drawn with a seed, so that fewer tools are the first of more."""
    if not size:
        return []
    # Some servers have two names.
    names = {factory: name for name, factory in SERVERS.items() if factory != own.factory}
    tools = []
    for factory, name in names.items():
        definition = await pool.definition(ServerRef(name=name, transport="in_process", factory=factory))
        specs = (tool.spec(name) for tool in definition.tools)
        tools += [spec.model_copy(update={"name": f"{name}_{spec.tool}"}) for spec in specs]
    if len(tools) < size:
        raise UsageError(
            f"the simulated servers have {len(tools)} tools; name at most so many foreign ones, not {size}."
        )
    return random.Random(seed).sample(tools, size)


def _task_files(server: ConfiguredServer) -> list[Path]:
    return [file for file in server.files if not file.name.endswith("mcp.json")]


def _tasks(server: ConfiguredServer, names: KnownNames) -> Iterator[tuple[Task, set[str]]]:
    """Yield the tasks and proposals that use a server, each with what its file calls the server."""
    for file in _task_files(server):
        suite = load_suite(file, {}, names)
        base = Path(suite.manifest.directory)
        called = {name for name, ref in suite.manifest.servers.items() if absolute(ref, base) == server.ref}
        for record in suite.attempts:
            if record.error is not None:
                raise record.error
            if record.task is not None and called & set(record.task.servers or suite.manifest.servers):
                yield record.task, called


def _requests(server: ConfiguredServer, tools: set[str], names: KnownNames) -> dict[str, tuple[str, ...]]:
    """Return the different requests of the tasks that expect each tool, without proposals."""
    found: dict[str, dict[str, None]] = {tool: {} for tool in tools}
    for task, called in _tasks(server, names):
        for call in () if task.proposal else task.expected.flat_calls:
            exposed = (call.tool, *(call.tool.removeprefix(f"{name}_") for name in called))
            tool = next((name for name in exposed if name in tools), None)
            if tool is not None and (call.server is None or call.server in called):
                found[tool][task.request] = None
    return {tool: tuple(requests) for tool, requests in found.items()}


async def _recalls(
    dispatcher: Dispatcher, own: Sequence[ToolSpec], others: Sequence[ToolSpec], requests: Mapping[str, Sequence[str]]
) -> dict[str, tuple[float, ...]]:
    """Return the recall of each tool with requests, among its own server's tools and the others."""
    tools = (*own, *others)
    different = dict.fromkeys(request for each in requests.values() for request in each)
    scores = {request: await dispatcher.scores(request, tools) for request in different}
    place = {tool.tool: index for index, tool in enumerate(own)}
    return {
        name: tuple(fmean(recall_at(rank, place[name], scores[request]) for request in each) for rank in RANKS)
        for name, each in requests.items()
        if each
    }


def recall_at(rank: int, place: int, scores: Sequence[float]) -> float:
    """Return the probability that one tool is among the first results, where equal scores come in any order.

    A score of 0 means that the tool has nothing in common with the request: it is not found.
    """
    own = scores[place]
    if own == 0:
        return 0.0
    better = sum(score > own for score in scores)
    return min(1.0, max(0.0, (rank - better) / scores.count(own)))
