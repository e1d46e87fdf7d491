"""Selection of the tools that an agent sees in a task."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Never

from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.core.selection import draw_sample
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.suite import SuiteManifest, place_of
from pytest_mcpbench.core.task import ExpectedCall, SimilarTool, Task
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.core.tool_index import ToolIndex, first_sentence, tool_document
from pytest_mcpbench.loaders.manifest import MCP_JSON_FILES
from pytest_mcpbench.loaders.recorded_servers import is_replayed, needs_no_replay
from pytest_mcpbench.metrics.comparison.schema import parameters
from pytest_mcpbench.text.paths import name_digest
from pytest_mcpbench.text.search import Index
from pytest_mcpbench.text.suggestions import did_you_mean
from pytest_mcpbench.text.words import terms

# Selection of distractors: tools that a task does not need, added to those that the agent sees.


@dataclass(frozen=True)
class Distractors:
    """Names of the tools to add, with a note on their number."""

    names: tuple[str, ...]
    note: str


def choose_distractors(
    own: Sequence[ToolSpec], tools: Sequence[ToolSpec], task: Task, suite: SuiteManifest
) -> Distractors:
    """Return the distractors of a task, the same in every run and for every model.

    Those for a smaller number are among those for a larger one.
    """
    own_names = {tool.name for tool in own}
    others = [tool for tool in tools if tool.name not in own_names]
    # The tools of the reference calls; without a reference, all of the task's own tools.
    index = ToolIndex.of(tools)
    found = (index.tool_of_reference(call.tool, call.server) for call in task.expected.flat_calls)
    required_tools = list({tool.name: tool for tool in found if tool is not None}.values()) or own
    ranked = _ranked(others, required_tools, task, suite)
    chosen = ranked[: suite.distractors]
    choice = "" if suite.distractor_choice == "random" else f" ({suite.distractor_choice})"
    note = f"distractors{choice}: {len(chosen)}"
    if len(chosen) != suite.distractors:
        where = " in the categories of the required tools" if suite.distractor_choice == "category" else ""
        note = f"{note} of {suite.distractors}; there are no more tools{where}"
    return Distractors(tuple(tool.name for tool in chosen), note)


def categories_of(servers: Iterable[str], suite: SuiteManifest) -> frozenset[str]:
    """Return the categories of servers; a server that has none is a category of its own."""
    found: set[str] = set()
    for server in servers:
        found.update([name for name, members in suite.categories.items() if server in members] or [server])
    return frozenset(found)


def _ranked(
    others: Sequence[ToolSpec], required: Sequence[ToolSpec], task: Task, suite: SuiteManifest
) -> tuple[ToolSpec, ...]:
    """Return the tools that may be distractors, the first choice first."""
    by_name = sorted(others, key=lambda tool: tool.name)
    # Drawn by seed and task id; sorting by nearness keeps this order among tools that are equally near.
    drawn = draw_sample(by_name, len(by_name), seed=suite.seed, key=task.id)
    if suite.distractor_choice == "random":
        return drawn
    if suite.distractor_choice == "category":
        wanted = categories_of((tool.server for tool in required), suite)
        return tuple(tool for tool in drawn if wanted & categories_of((tool.server,), suite))
    # Nearness is the BM25 score against the required tool that a tool resembles most.
    index = Index([tool_document(tool) for tool in drawn])
    texts = [f"{tool.tool} {first_sentence(tool)}" for tool in required]
    scores = [index.scores(dict.fromkeys(terms(text), 1.0)) for text in texts]
    best = [max(of_tool, default=0.0) for of_tool in zip(*scores, strict=True)] if scores else [0.0] * len(drawn)
    nearness = dict(zip((tool.name for tool in drawn), best, strict=True))
    return tuple(sorted(drawn, key=lambda tool: -nearness[tool.name]))


# Names under which an agent sees tools, and by which tasks refer to them.

_LONGEST_NAME = 64
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_-]")


def assign_names(tools: Sequence[ToolSpec], *, is_prefixed: bool) -> tuple[list[ToolSpec], tuple[str, ...]]:
    """Return the tools under names that are unique and that every provider accepts, with notes on renamed tools."""
    counts = Counter(tool.tool for tool in tools)
    taken: set[str] = set()
    renamed = []
    for tool in tools:
        needs_prefix = is_prefixed or counts[tool.tool] > 1
        name = _unique_name(taken, _accepted_name(f"{tool.server}_{tool.tool}" if needs_prefix else tool.tool))
        taken.add(name)
        renamed.append(tool if name == tool.name else tool.model_copy(update={"name": name}))
    if is_prefixed:
        return renamed, ()
    names = defaultdict(list)
    for tool in renamed:
        if counts[tool.tool] > 1:
            names[tool.tool].append(tool.name)
    notes = (f"several servers offer {tool!r}: exposed as {', '.join(those)}" for tool, those in names.items())
    return renamed, tuple(notes)


_CUT = "… [truncated]"


def cut_text(text: str, most: int | None) -> str:
    """Return the first characters of a text, with a mark if it is longer; all of it without a limit."""
    return text if most is None or len(text) <= most else f"{text[:most]}{_CUT}"


def as_client_shows(tools: Sequence[ToolSpec], suite: SuiteManifest) -> tuple[tuple[ToolSpec, ...], tuple[str, ...]]:
    """Return the exposed tools as the suite's client shows them, with notes on those that it leaves out."""
    notes = []
    shown = list(tools)
    if (longest := suite.longest_name) is not None:
        shown = [tool for tool in shown if len(tool.server) + len(tool.tool) <= longest]
        if left_out := [tool.tool for tool in tools if tool not in shown]:
            notes.append(f"left out, as server and name have more than {longest} characters: {', '.join(left_out)}")
    if suite.most_tools is not None and len(shown) > suite.most_tools:
        notes.append(f"left out: all but the first {suite.most_tools} of {len(shown)} tools")
        shown = shown[: suite.most_tools]
    taken: set[str] = set()
    renamed = []
    for tool in shown:
        name = tool.name
        if suite.name_form is not None:
            form = suite.name_form.replace("{server}", tool.server).replace("{tool}", tool.tool)
            name = _unique_name(taken, _accepted_name(form))
            taken.add(name)
        update = {"name": name, "description": cut_text(tool.description, suite.description_characters)}
        renamed.append(tool.model_copy(update=update) if update != {n: getattr(tool, n) for n in update} else tool)
    return tuple(renamed), tuple(notes)


def names_of(tool: ToolSpec) -> frozenset[str]:
    """Return the names by which a task may refer to a tool."""
    return frozenset((tool.name, tool.tool, f"{tool.server}_{tool.tool}"))


def _accepted_name(name: str) -> str:
    """Return a name that OpenAI, Anthropic and Google accept: at most 64 letters, digits, ``_`` and ``-``."""
    plain = _NOT_IN_A_NAME.sub("_", name)
    if len(plain) <= _LONGEST_NAME:
        return plain
    # Cut names may coincide; the digest keeps them apart, and the same in every run.
    return f"{plain[: _LONGEST_NAME - 9]}_{name_digest(name)}"


def _unique_name(taken: set[str], name: str) -> str:
    candidates = (f"{name[: _LONGEST_NAME - 4]}_{number}" for number in range(2, 1000))
    return name if name not in taken else next(other for other in candidates if other not in taken)


# Check of a task's tools before its attempt: a reference to a tool or parameter that is gone cannot be fulfilled.


def check_reference(task: Task, suite: SuiteManifest, tools: Sequence[ToolSpec]) -> None:
    """Raise a task error for reference calls and forbidden tools that the offered tools do not have."""
    known = frozenset[str]().union(*map(names_of, tools))
    for server in suite.servers.values():
        known |= {name for tool in server.later_tools for name in (tool, f"{server.name}_{tool}")}
    # No agent could solve a task whose reference calls a tool that no server offers. Replayed servers offer only the
    # tools that the task files record, which need not be those of the reference.
    missing = [
        call
        for call in task.expected.flat_calls
        if known.isdisjoint(_required_names(call))
        and not (suite.recorded and (call.server not in suite.servers or is_replayed(call.server, suite)))
    ]
    place = place_of(task, suite)
    if missing:
        names = ", ".join(dict.fromkeys(repr(_required_names(call)[0]) for call in missing))
        problem = f"the reference calls {names}, which no server of the task offers."
        raise TaskError(problem, place, "calls", did_you_mean(missing[0].tool, known))
    # A call whose parameters are not those of its tool cannot be made any more, unless an error is expected.
    index = ToolIndex.of(tools)
    for call in () if suite.recorded else task.expected.flat_calls:
        tool = index.tool_of_reference(call.tool, call.server)
        fault = _parameter_problem(call, tool) if tool is not None and not call.is_error_expected else None
        if fault is not None:
            raise TaskError(f"the reference call of {call.tool!r} {fault}", place, "calls")
    # A task would pass without proving anything if a tool that it forbids does not exist.
    forbidden = task.expected.forbidden_tools
    for name in () if forbidden == "all" or suite.recorded else forbidden:
        if name not in known:
            problem = f"no server of the task offers the forbidden tool {name!r}."
            raise TaskError(problem, place, "never", did_you_mean(name, known))


def _parameter_problem(call: ExpectedCall, tool: ToolSpec) -> str | None:
    """Return which arguments of a reference call its tool does not have; ``None`` if it has all.

    A required parameter that the reference leaves out is no fault: then a call may give it any value.
    """
    known = parameters(tool.input_schema)
    unknown = [name for name in call.arguments if name not in known.properties]
    if not known.are_known or known.accepts_others or not unknown:
        return None
    missing = sorted(known.required - call.arguments.keys())
    without = f" and lacks {', '.join(map(repr, missing))}, which it requires" if missing else ""
    question = did_you_mean(unknown[0], missing or known.properties)
    names = ", ".join(map(repr, unknown))
    has = ", ".join(known.properties) or "none"
    return f"gives {names}, which the tool does not have{without}; its parameters are: {has}." + (
        f" {question}" if question else ""
    )


def _required_names(call: ExpectedCall) -> tuple[str, ...]:
    """Return the names of the tools that fulfil a reference call, with their servers if it specifies them."""
    tools: tuple[ExpectedCall | SimilarTool, ...] = (call, *call.similar_tools)
    return tuple(tool.tool if tool.server is None else f"{tool.server}_{tool.tool}" for tool in tools)


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
    expected = task.expected
    needs_tools = task.servers or task.tools != "all" or expected.flat_calls or expected.verify or expected.state
    if needs_tools and not suite.servers:
        files, searched = ", ".join(MCP_JSON_FILES), ", ".join(suite.searched)
        raise TaskError(
            "the file defines no server" + (f", and no {files} was found in {searched}." if suite.searched else "."),
            place_of(task, suite),
            "server",
            "Write `server:` with its command or URL, or `mcp_json:` with the path of such a file.",
        )
    names = _servers_offering_tools(task, suite)
    if suite.recorded and needs_no_replay(task, suite):
        names = [name for name in names if not is_replayed(name, suite)]
    return tuple(suite.servers[name] for name in names)


def expose(task: Task, suite: SuiteManifest, offered: Sequence[ToolSpec], *, is_checked: bool = True) -> Exposure:
    """Return the tools that the agent sees, in the order in which they are offered.

    Args:
        task: Task that may restrict the tools.
        suite: Suite that decides on exposure, names and distractors.
        offered: Tools under their servers' own names, grouped by server in the suite's order.
        is_checked: Whether a reference must be possible with these tools; not once the servers have changed them.

    Raises:
        TaskError: the task lists tools and none of them is offered, or it must list them and does not, or one of its
            reference calls uses a tool that is not offered.
    """
    tools, notes = assign_names(offered, is_prefixed=suite.tool_names == "prefixed")
    requested = _requested_names(task, suite)
    own = _own_tools(tools, requested, task, suite)
    if is_checked:
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
    if not suite.distractors:
        return Exposure(own, unavailable, notes)
    distractors = choose_distractors(own, tools, task, suite)
    names = {tool.name for tool in own}.union(distractors.names)
    visible = tuple(tool for tool in tools if tool.name in names)
    return Exposure(visible, unavailable, (*notes, distractors.note))


def _servers_offering_tools(task: Task, suite: SuiteManifest) -> list[str]:
    selected = _task_servers(task, suite)
    has_distractors = suite.distractors > 0 and suite.exposure != "none"
    if suite.exposure == "all" or (has_distractors and suite.distractor_choice != "category"):
        return list(suite.servers)
    if task.tools != "all" and suite.tool_names == "prefixed" and not task.servers:
        # The server whose name is the prefix of a tool's name; the longest of several (`a` and `a_b`).
        offering = {
            max((name for name in suite.servers if tool.startswith(f"{name}_")), key=len, default=None)
            for tool in task.tools
        }
        selected = [name for name in selected if name in offering]
    if not has_distractors:
        return selected
    wanted = categories_of(selected, suite)
    return [name for name in suite.servers if wanted & categories_of((name,), suite)]


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


_MOST_NAMES = 20
"""Names of tools in a message."""


def _nothing_offered(
    requested: Sequence[str], task: Task, suite: SuiteManifest, tools: Sequence[ToolSpec]
) -> TaskError:
    names = [tool.name for tool in tools]
    more = f", … ({len(names) - _MOST_NAMES} more)" if len(names) > _MOST_NAMES else ""
    there_are = ", ".join(names[:_MOST_NAMES]) + more or "none"
    return TaskError(
        f"no server offers any of the tools {', '.join(requested)}; there are: {there_are}.",
        place_of(task, suite),
        "tools",
        did_you_mean(requested[0], names),
    )
