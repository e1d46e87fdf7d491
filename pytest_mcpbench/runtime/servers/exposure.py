"""Which tools of which servers an agent sees in a task, and under which names."""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Never

from pytest_mcpbench.core.errors import SourceLocation, TaskError
from pytest_mcpbench.core.sampling import draw_sample
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.suggestions import did_you_mean
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.core.tool_index import ToolIndex

_LONGEST_NAME = 64
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_-]")


@dataclass(frozen=True)
class Exposure:
    """What the agent sees."""

    tools: tuple[ToolSpec, ...]
    unavailable: tuple[str, ...] = ()
    """Names that the task lists and nobody offers."""
    notes: tuple[str, ...] = ()


def servers_needed(task: Task, suite: SuiteManifest) -> tuple[ServerRef, ...]:
    """The servers to connect to, in the suite's order: all of them where distractors may be of any.

    Raises:
        TaskError: the task names a server that the suite does not have.
    """
    selected = _selected(task, suite)
    if suite.exposure == "all" or suite.distractors:
        return tuple(suite.servers.values())
    if task.tools != "all" and suite.tool_names == "prefixed" and not task.servers:
        offering = {_server_of(name, suite.servers) for name in task.tools}
        selected = [name for name in selected if name in offering]
    return tuple(suite.servers[name] for name in selected)


def expose(task: Task, suite: SuiteManifest, offered: Sequence[ToolSpec]) -> Exposure:
    """The tools that the agent sees, in the order in which they are offered.

    Args:
        task: Says which it may use.
        suite: Says how they are named and whose are shown.
        offered: Tools under their servers' own names, by server in the suite's order.

    Raises:
        TaskError: the task lists tools and none of them is offered, or must list them and does not; or its reference
            calls a tool that is neither offered nor listed.
    """
    tools, notes = _named(_without_twins(offered), is_prefixed=suite.tool_names == "prefixed")
    wanted = _wanted(task, suite)
    own = _own(tools, wanted, task, suite)
    if not own and wanted:
        raise _none_is_offered(wanted, task, suite, tools)
    known = frozenset[str]().union(*map(_names_of, tools))
    _check_reference(task, suite, known)
    listed = task.tools if task.tools != "all" else wanted or ()
    unavailable = tuple(name for name in dict.fromkeys(listed) if name not in known)
    seen, more = _with_distractors(own, tools, task, suite)
    return Exposure(seen, unavailable, (*notes, *more))


def place_of(task: Task, suite: SuiteManifest) -> SourceLocation:
    """Where the task stands, as well as is known."""
    return SourceLocation(task.source.place or task.source.file or f"{suite.name}::{task.id}")


def _selected(task: Task, suite: SuiteManifest) -> list[str]:
    """The names of the task's servers in the suite's order; all of them where it names none."""
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


def _server_of(tool: str, servers: Iterable[str]) -> str | None:
    """The server that a prefixed name begins with; the longest where several do (``a`` and ``a_b``)."""
    return max((name for name in servers if tool.startswith(f"{name}_")), key=len, default=None)


def _without_twins(offered: Iterable[ToolSpec]) -> list[ToolSpec]:
    """The first of the tools that a server offers twice under one name."""
    return list({(tool.server, tool.tool): tool for tool in reversed(list(offered))}.values())[::-1]


def _named(tools: Sequence[ToolSpec], *, is_prefixed: bool) -> tuple[list[ToolSpec], tuple[str, ...]]:
    """The tools under the names that the agent sees: unlike one another, and such that every provider takes them."""
    times = Counter(tool.tool for tool in tools)
    taken: set[str] = set()
    named = []
    for tool in tools:
        needs_prefix = is_prefixed or times[tool.tool] > 1
        name = _unlike(taken, _acceptable(f"{tool.server}_{tool.tool}" if needs_prefix else tool.tool))
        taken.add(name)
        named.append(tool if name == tool.name else tool.model_copy(update={"name": name}))
    return named, () if is_prefixed else _shared_names(named, times)


def _shared_names(named: Sequence[ToolSpec], times: Counter[str]) -> tuple[str, ...]:
    shown = defaultdict(list)
    for tool in named:
        if times[tool.tool] > 1:
            shown[tool.tool].append(tool.name)
    return tuple(f"several servers offer {tool!r}: exposed as {', '.join(names)}" for tool, names in shown.items())


def _acceptable(name: str) -> str:
    """What OpenAI, Anthropic and Google take as a name: letters, digits, ``_`` and ``-``, at most 64 of them."""
    plain = _NOT_IN_A_NAME.sub("_", name)
    if len(plain) <= _LONGEST_NAME:
        return plain
    digest = hashlib.sha256(name.encode()).hexdigest()[:8]
    return f"{plain[: _LONGEST_NAME - 9]}_{digest}"


def _unlike(taken: set[str], name: str) -> str:
    candidates = (f"{name[: _LONGEST_NAME - 4]}_{number}" for number in range(2, 1000))
    return name if name not in taken else next(other for other in candidates if other not in taken)


def _names_of(tool: ToolSpec) -> frozenset[str]:
    """The names by which a task may list a tool."""
    return frozenset((tool.name, tool.tool, f"{tool.server}_{tool.tool}"))


def _wanted(task: Task, suite: SuiteManifest) -> tuple[str, ...] | None:
    """The names of the tools that the task is to see; ``None``: all of those of its servers, or of the suite's."""
    if suite.exposure == "needed":
        needed = tuple(dict.fromkeys(call.tool for call in task.expected.flat_calls))
        return needed or _refuse(task, suite, "calls", "needs by its reference calls, and this one has none")
    if suite.exposure == "all":
        return None
    if task.tools == "all":
        is_optional = suite.exposure == "selected"
        return None if is_optional else _refuse(task, suite, "tools", "lists, and this one lists none")
    return task.tools


def _refuse(task: Task, suite: SuiteManifest, field: str, what: str) -> Never:
    problem = f"the suite exposes only the tools that a task {what}."
    remedy = f'Add `{field}`, or choose exposure "selected" (suite.toml or --mcpbench-exposure).'
    raise TaskError(problem, place_of(task, suite), field, remedy)


def _own(
    tools: Sequence[ToolSpec], wanted: tuple[str, ...] | None, task: Task, suite: SuiteManifest
) -> tuple[ToolSpec, ...]:
    """The task's tools, without distractors."""
    if suite.exposure == "needed":
        index = ToolIndex.of(tools)
        found = [index.tool_of_reference(call.tool, call.server) for call in task.expected.flat_calls]
        needed = {tool.name for tool in found if tool is not None}
        return tuple(tool for tool in tools if tool.name in needed)
    servers = suite.servers if suite.exposure == "all" else _selected(task, suite)
    of_servers = (tool for tool in tools if tool.server in servers)
    return tuple(tool for tool in of_servers if wanted is None or _names_of(tool).intersection(wanted))


def _check_reference(task: Task, suite: SuiteManifest, known: frozenset[str]) -> None:
    """Refuse a reference call that nobody can make, unless the task lists the tool or the servers are records."""
    if suite.recorded:
        return
    listed = frozenset(task.tools if task.tools != "all" else ())
    for call in task.expected.flat_calls:
        tools = [(call.server, call.tool), *((similar.server, similar.tool) for similar in call.similar_tools)]
        names = {name for server, tool in tools for name in (tool, f"{server}_{tool}")}
        if not names & (known | listed):
            raise TaskError(
                f"the reference calls {call.tool!r}, which no server of the task offers.",
                place_of(task, suite),
                "calls",
                did_you_mean(call.tool, known),
            )


def _with_distractors(
    own: tuple[ToolSpec, ...], tools: Sequence[ToolSpec], task: Task, suite: SuiteManifest
) -> tuple[tuple[ToolSpec, ...], tuple[str, ...]]:
    """The task's tools and others that are drawn, in the order in which they are offered; what is to be noted of it."""
    if not suite.distractors:
        return own, ()
    kept = {tool.name for tool in own}
    others = sorted(tool.name for tool in tools if tool.name not in kept)
    more = draw_sample(others, suite.distractors, seed=suite.seed, key=task.id)
    note = f"distractors: {len(more)}" + (
        f" of {suite.distractors}; there are no more tools" if len(more) < suite.distractors else ""
    )
    return tuple(tool for tool in tools if tool.name in kept.union(more)), (note,)


def _none_is_offered(wanted: Sequence[str], task: Task, suite: SuiteManifest, tools: Sequence[ToolSpec]) -> TaskError:
    names = [tool.name for tool in tools]
    return TaskError(
        f"no server offers any of the tools {', '.join(wanted)}; there are: {_shortened(names) or 'none'}.",
        place_of(task, suite),
        "tools",
        did_you_mean(wanted[0], names),
    )


def _shortened(names: Sequence[str], most: int = 20) -> str:
    more = f", … ({len(names) - most} more)" if len(names) > most else ""
    return ", ".join(names[:most]) + more
