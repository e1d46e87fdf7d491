"""Statistics of a run's tools: success by tool and server, causes of failed calls, size of the definitions."""

from collections import Counter
from dataclasses import dataclass

from pytest_mcpbench.core.definition_tokens import Definitions
from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.reporting.aggregates.conditions import categories_of_suite
from pytest_mcpbench.reporting.aggregates.summary import by_suite_and_model
from pytest_mcpbench.statistics.groups import group_by
from pytest_mcpbench.text.natural_order import natural_key, natural_keys


@dataclass(frozen=True)
class ToolRate:
    """Calls of one model to one tool or to all tools of a server."""

    suite: str
    model: str
    server: str
    tool: str | None
    """Name of the tool; ``None`` for all tools of the server."""
    calls: int
    successes: int


@dataclass(frozen=True)
class RootCause:
    """Root cause of one model's failed calls."""

    suite: str
    model: str
    cause: str
    calls: int
    of: int
    """Number of all calls, including those that were never sent."""


@dataclass(frozen=True)
class DefinitionSize:
    """Largest set of tools that one server exposed to an attempt at the suite."""

    suite: str
    server: str
    tools: int
    tokens: int
    """Estimated tokens of all definitions, which are sent with every model call."""


@dataclass(frozen=True)
class CategorySize:
    """Tool definitions of the tasks of one category (MCPToolBench++ Table 1) and what of them agents were shown."""

    suite: str
    category: str | None
    """Value of the tag ``category``; ``None`` for all tasks of the suite."""
    tasks: int
    tools: int
    """Number of different tools that the servers of the category offer; without ``[categories]`` in the suite, those of
    all servers of these tasks."""
    tokens: int
    """Estimated tokens of their definitions."""
    exposed_a_task: float
    """Mean over the tasks of the tokens of the exposed definitions."""
    offered_a_task: float
    """Mean over the tasks of the tokens of all definitions of the connected servers."""

    @property
    def exposed_share(self) -> float | None:
        """Return the share of the offered tokens that was exposed; ``None`` if no tool was offered."""
        return self.exposed_a_task / self.offered_a_task if self.offered_a_task else None


@dataclass(frozen=True)
class TaskDefinitionSize:
    """Estimated tokens of the tool definitions of one task."""

    suite: str
    task: str
    exposed: int
    offered: int


def tool_rates(report: Report) -> tuple[ToolRate, ...]:
    """Return the rate of each server followed by those of its tools, the most called first."""
    rates: list[ToolRate] = []
    for (suite, model), entries in by_suite_and_model(report.entries):
        calls: Counter[str] = Counter()
        successes: Counter[str] = Counter()
        for entry in entries:
            for name, use in entry.tool_use.items():
                calls[name] += use.calls
                successes[name] += use.successes
        for server in sorted({name.partition("/")[0] for name in calls}, key=natural_key):
            names = [name for name, _ in calls.most_common() if name.startswith(f"{server}/")]
            every = sum(calls[name] for name in names), sum(successes[name] for name in names)
            rates.append(ToolRate(suite, model, server, None, *every))
            tools = ((name.partition("/")[2], calls[name], successes[name]) for name in names)
            rates += [ToolRate(suite, model, server, *tool) for tool in tools]
    return tuple(rates)


def root_causes(report: Report) -> tuple[RootCause, ...]:
    """Return the root causes by suite and model, the most frequent first."""
    rates: list[RootCause] = []
    for (suite, model), entries in by_suite_and_model(report.entries):
        counts: Counter[str] = Counter()
        for entry in entries:
            counts.update(entry.root_causes)
        calls = sum(entry.tool_calls for entry in entries)
        rates += [RootCause(suite, model, cause, count, calls) for cause, count in counts.most_common()]
    return tuple(rates)


def definition_sizes(report: Report) -> tuple[DefinitionSize, ...]:
    """Return the definition sizes sorted by suite and server."""
    largest: dict[tuple[str, str], DefinitionSize] = {}
    for entry in report.entries:
        for server, size in entry.definitions.items():
            known = largest.get((entry.suite, server))
            if known is None or size.tokens > known.tokens:
                largest[entry.suite, server] = DefinitionSize(entry.suite, server, size.tools, size.tokens)
    return tuple(largest[key] for key in sorted(largest, key=natural_keys))


def category_sizes(report: Report) -> tuple[CategorySize, ...]:
    """Return the sizes by category and for all tasks of each suite, sorted by suite and category."""
    by_suite = group_by((entry for entry in report.entries if entry.offered), lambda entry: entry.suite)
    sizes: list[CategorySize] = []
    for suite, entries in sorted(by_suite.items(), key=lambda item: natural_key(item[0])):
        by_category = group_by(entries, lambda entry: entry.tags.get("category"))
        sizes += [
            _category_size(suite, name, by_category[name], categories_of_suite(report.facts, suite).get(name))
            for name in sorted(filter(None, by_category), key=natural_key)
        ]
        sizes.append(_category_size(suite, None, entries, None))
    return tuple(sizes)


def task_definition_sizes(report: Report) -> tuple[TaskDefinitionSize, ...]:
    """Return the largest sizes of each task, sorted by suite and task."""
    by_task = group_by((entry for entry in report.entries if entry.offered), lambda entry: (entry.suite, entry.task_id))
    return tuple(_task_definition_size(*key, by_task[key]) for key in sorted(by_task, key=natural_keys))


def _category_size(
    suite: str, category: str | None, entries: list[Entry], servers: frozenset[str] | None
) -> CategorySize:
    largest: dict[str, Definitions] = {}
    for entry in entries:
        for server, size in entry.offered.items():
            if servers is not None and server not in servers:
                continue
            largest[server] = max(largest.get(server, size), size, key=lambda each: each.tokens)
    tasks = [
        _task_definition_size(suite, task, those)
        for task, those in group_by(entries, lambda entry: entry.task_id).items()
    ]
    return CategorySize(
        suite=suite,
        category=category,
        tasks=len(tasks),
        tools=sum(size.tools for size in largest.values()),
        tokens=sum(size.tokens for size in largest.values()),
        exposed_a_task=sum(task.exposed for task in tasks) / len(tasks),
        offered_a_task=sum(task.offered for task in tasks) / len(tasks),
    )


def _task_definition_size(suite: str, task: str, entries: list[Entry]) -> TaskDefinitionSize:
    return TaskDefinitionSize(
        suite=suite,
        task=task,
        exposed=max(sum(size.tokens for size in entry.definitions.values()) for entry in entries),
        offered=max(sum(size.tokens for size in entry.offered.values()) for entry in entries),
    )
