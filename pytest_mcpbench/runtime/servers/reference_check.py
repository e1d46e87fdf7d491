"""Check of a task's tools before its attempt: a reference to a tool or parameter that is gone cannot be fulfilled."""

from collections.abc import Sequence

from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.core.suggestions import did_you_mean
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import ExpectedCall, SimilarTool, Task
from pytest_mcpbench.core.task_place import place_of
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.core.tool_index import ToolIndex
from pytest_mcpbench.loaders.recorded_servers import is_replayed
from pytest_mcpbench.metrics.comparison.schema import parameters
from pytest_mcpbench.runtime.servers.tool_naming import names_of


def check_reference(task: Task, suite: SuiteManifest, tools: Sequence[ToolSpec]) -> None:
    """Raise a task error for reference calls and forbidden tools that the offered tools do not have."""
    known = frozenset[str]().union(*map(names_of, tools))
    _check_tools(task, suite, known)
    _check_arguments(task, suite, ToolIndex.of(tools))
    _check_forbidden_tools(task, suite, known)


def _check_tools(task: Task, suite: SuiteManifest, known: frozenset[str]) -> None:
    """Raise a task error for the reference calls of tools that no server offers: no agent could solve the task."""
    missing = [
        call
        for call in task.expected.flat_calls
        if known.isdisjoint(_required_names(call)) and not _may_be_replayed(call, suite)
    ]
    if missing:
        names = dict.fromkeys(repr(_required_names(call)[0]) for call in missing)
        raise TaskError(
            f"the reference calls {', '.join(names)}, which no server of the task offers.",
            place_of(task, suite),
            "calls",
            did_you_mean(missing[0].tool, known),
        )


def _check_arguments(task: Task, suite: SuiteManifest, tools: ToolIndex) -> None:
    """Raise a task error for a reference call whose parameters are not those of its tool: it cannot be made any more.

    References that expect an error are left alone, as are recorded ones.
    """
    for call in () if suite.recorded else task.expected.flat_calls:
        tool = tools.tool_of_reference(call.tool, call.server)
        problem = _parameter_problem(call, tool) if tool is not None and not call.is_error_expected else None
        if problem is not None:
            raise TaskError(f"the reference call of {call.tool!r} {problem}", place_of(task, suite), "calls")


def _check_forbidden_tools(task: Task, suite: SuiteManifest, known: frozenset[str]) -> None:
    """Raise a task error for a forbidden tool that does not exist: the task would pass without proving anything."""
    forbidden = task.expected.forbidden_tools
    for name in () if forbidden == "all" or suite.recorded else forbidden:
        if name not in known:
            raise TaskError(
                f"no server of the task offers the forbidden tool {name!r}.",
                place_of(task, suite),
                "never",
                did_you_mean(name, known),
            )


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


def _may_be_replayed(call: ExpectedCall, suite: SuiteManifest) -> bool:
    """Return whether a call may be one of a replayed server.

    Those offer only the tools that the task files record, which need not be those of the reference.
    """
    return suite.recorded and (call.server not in suite.servers or is_replayed(call.server, suite))


def _required_names(call: ExpectedCall) -> tuple[str, ...]:
    """Return the names of the tools that fulfil a reference call, with their servers if it specifies them."""
    tools: tuple[ExpectedCall | SimilarTool, ...] = (call, *call.similar_tools)
    return tuple(tool.tool if tool.server is None else f"{tool.server}_{tool.tool}" for tool in tools)
