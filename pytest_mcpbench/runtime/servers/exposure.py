"""Selection of the tools that an agent sees in a task."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Never

from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.suggestions import did_you_mean
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.task_place import place_of
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.core.tool_index import ToolIndex
from pytest_mcpbench.loaders.manifest import MCP_JSON_FILES
from pytest_mcpbench.loaders.recorded_servers import is_replayed, needs_no_replay
from pytest_mcpbench.runtime.servers.distractors import categories_of, choose_distractors
from pytest_mcpbench.runtime.servers.reference_check import check_reference
from pytest_mcpbench.runtime.servers.tool_naming import assign_names, names_of


@dataclass(frozen=True)
class Exposure:
    """Tools that the agent sees, and notes on their selection."""

    tools: tuple[ToolSpec, ...]
    unavailable: tuple[str, ...] = ()
    """Names that the task lists and no server offers."""
    notes: tuple[str, ...] = ()


def servers_needed(task: Task, suite: SuiteManifest) -> tuple[ServerRef, ...]:
    """Return the servers that an attempt needs, in the suite's order.

    If the suite adds distractors, these are all servers, or those of the same categories as the task's servers. If all
    servers that the task requires are real, the replayed ones are left out.

    Raises:
        TaskError: the task refers to a server that the suite does not have, or needs one and the suite has none.
    """
    _require_servers(task, suite)
    names = _servers_offering_tools(task, suite)
    if suite.recorded and needs_no_replay(task, suite):
        names = [name for name in names if not is_replayed(name, suite)]
    return tuple(suite.servers[name] for name in names)


def expose(task: Task, suite: SuiteManifest, offered: Sequence[ToolSpec]) -> Exposure:
    """Return the tools that the agent sees, in the order in which they are offered.

    Args:
        task: Task that may restrict the tools.
        suite: Suite that decides on exposure, names and distractors.
        offered: Tools under their servers' own names, grouped by server in the suite's order.

    Raises:
        TaskError: the task lists tools and none of them is offered, or it must list them and does not, or one of its
            reference calls uses a tool that is not offered.
    """
    tools, notes = assign_names(_without_duplicates(offered), is_prefixed=suite.tool_names == "prefixed")
    requested = _requested_names(task, suite)
    own = _own_tools(tools, requested, task, suite)
    if not own and requested:
        raise _nothing_offered(requested, task, suite, tools)
    check_reference(task, suite, tools)
    known = frozenset[str]().union(*map(names_of, tools))
    listed = task.tools if task.tools != "all" else requested or ()
    unavailable = tuple(name for name in dict.fromkeys(listed) if name not in known)
    if unavailable:
        notes = (*notes, f"offered by no server, so left out: {', '.join(unavailable)}")
    if suite.exposure == "none":
        return Exposure((), unavailable, notes)
    visible, distractor_notes = _add_distractors(own, tools, task, suite)
    return Exposure(visible, unavailable, (*notes, *distractor_notes))


def _require_servers(task: Task, suite: SuiteManifest) -> None:
    """Raise a task error if the task needs tools and the suite has no server at all."""
    expected = task.expected
    needs_tools = task.servers or task.tools != "all" or expected.flat_calls or expected.verify or expected.state
    if suite.servers or not needs_tools:
        return
    where = f", and no {', '.join(MCP_JSON_FILES)} was found in {', '.join(suite.searched)}" if suite.searched else ""
    raise TaskError(
        f"the file defines no server{where}.",
        place_of(task, suite),
        "server",
        "Write `server:` with its command or URL, or `mcp_json:` with the path of such a file.",
    )


def _servers_offering_tools(task: Task, suite: SuiteManifest) -> list[str]:
    selected = _task_servers(task, suite)
    has_distractors = suite.distractors > 0 and suite.exposure != "none"
    if suite.exposure == "all" or (has_distractors and suite.distractor_choice != "category"):
        return list(suite.servers)
    if task.tools != "all" and suite.tool_names == "prefixed" and not task.servers:
        offering = {_server_of(name, suite.servers) for name in task.tools}
        selected = [name for name in selected if name in offering]
    return _servers_of_categories(selected, suite) if has_distractors else selected


def _task_servers(task: Task, suite: SuiteManifest) -> list[str]:
    """Return the names of the task's servers in the suite's order; all servers if the task lists none."""
    for name in task.servers:
        if name not in suite.servers:
            there_are = ", ".join(suite.servers) or "none"
            raise TaskError(
                f"no server is called {name!r}; there are: {there_are}.",
                place_of(task, suite),
                "servers",
                did_you_mean(name, suite.servers),
            )
    return [name for name in suite.servers if not task.servers or name in task.servers]


def _servers_of_categories(names: Sequence[str], suite: SuiteManifest) -> list[str]:
    """Return the servers that share a category with one of the named servers."""
    wanted = categories_of(names, suite)
    return [name for name in suite.servers if wanted & categories_of((name,), suite)]


def _server_of(tool: str, servers: Iterable[str]) -> str | None:
    """Return the server whose name is the prefix of a tool's name; the longest of several (``a`` and ``a_b``)."""
    return max((name for name in servers if tool.startswith(f"{name}_")), key=len, default=None)


def _without_duplicates(offered: Iterable[ToolSpec]) -> list[ToolSpec]:
    """Return the tools without those that their server has already offered under the same name."""
    # Reversed twice, so that the dictionary keeps the first of several.
    return list({(tool.server, tool.tool): tool for tool in reversed(list(offered))}.values())[::-1]


def _requested_names(task: Task, suite: SuiteManifest) -> tuple[str, ...] | None:
    """Return the names of the tools to expose; ``None`` for all tools of the task's servers, or of the suite's."""
    if suite.exposure == "needed":
        needed = tuple(dict.fromkeys(call.tool for call in task.expected.flat_calls))
        return needed or _refuse(task, suite, "calls", "needs by its reference calls, and this one has none")
    if suite.exposure == "all":
        return None
    if task.tools == "all":
        is_optional = suite.exposure in ("selected", "none")
        return None if is_optional else _refuse(task, suite, "tools", "lists, and this one lists none")
    return task.tools


def _refuse(task: Task, suite: SuiteManifest, field: str, what: str) -> Never:
    problem = f"the suite exposes only the tools that a task {what}."
    remedy = f'Add `{field}`, or choose exposure "selected" (suite.toml or --mcpbench-exposure).'
    raise TaskError(problem, place_of(task, suite), field, remedy)


def _own_tools(
    tools: Sequence[ToolSpec], requested: tuple[str, ...] | None, task: Task, suite: SuiteManifest
) -> tuple[ToolSpec, ...]:
    """Return the task's tools, without distractors."""
    if suite.exposure == "needed":
        index = ToolIndex.of(tools)
        found = [index.tool_of_reference(call.tool, call.server) for call in task.expected.flat_calls]
        needed = {tool.name for tool in found if tool is not None}
        return tuple(tool for tool in tools if tool.name in needed)
    servers = suite.servers if suite.exposure == "all" else _task_servers(task, suite)
    of_servers = (tool for tool in tools if tool.server in servers)
    return tuple(tool for tool in of_servers if requested is None or names_of(tool).intersection(requested))


def _add_distractors(
    own: tuple[ToolSpec, ...], tools: Sequence[ToolSpec], task: Task, suite: SuiteManifest
) -> tuple[tuple[ToolSpec, ...], tuple[str, ...]]:
    """Return the task's tools and its distractors in the order in which they are offered, and a note on the latter."""
    if not suite.distractors:
        return own, ()
    distractors = choose_distractors(own, tools, task, suite)
    visible = {tool.name for tool in own}.union(distractors.names)
    return tuple(tool for tool in tools if tool.name in visible), (distractors.note,)


def _nothing_offered(
    requested: Sequence[str], task: Task, suite: SuiteManifest, tools: Sequence[ToolSpec]
) -> TaskError:
    names = [tool.name for tool in tools]
    return TaskError(
        f"no server offers any of the tools {', '.join(requested)}; there are: {_join_names(names) or 'none'}.",
        place_of(task, suite),
        "tools",
        did_you_mean(requested[0], names),
    )


def _join_names(names: Sequence[str], most: int = 20) -> str:
    more = f", … ({len(names) - most} more)" if len(names) > most else ""
    return ", ".join(names[:most]) + more
