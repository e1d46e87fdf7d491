"""Statistics of a run's tools: success by tool and server, causes of failed calls, size of the definitions."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.reporting.summary import by_suite_and_model


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
class Cause:
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


def tool_rates(report: Report) -> tuple[ToolRate, ...]:
    """Return the rate of each server followed by those of its tools, the most called first."""
    rates: list[ToolRate] = []
    for (suite, model), entries in by_suite_and_model(report.entries):
        calls, successes = _count_calls(entries)
        for server in sorted({name.partition("/")[0] for name in calls}):
            names = [name for name, _ in calls.most_common() if name.startswith(f"{server}/")]
            every = sum(calls[name] for name in names), sum(successes[name] for name in names)
            rates.append(ToolRate(suite, model, server, None, *every))
            tools = ((name.partition("/")[2], calls[name], successes[name]) for name in names)
            rates += [ToolRate(suite, model, server, *tool) for tool in tools]
    return tuple(rates)


def causes(report: Report) -> tuple[Cause, ...]:
    """Return the root causes by suite and model, the most frequent first."""
    rates: list[Cause] = []
    for (suite, model), entries in by_suite_and_model(report.entries):
        counts: Counter[str] = Counter()
        for entry in entries:
            counts.update(entry.root_causes)
        calls = sum(entry.tool_calls for entry in entries)
        rates += [Cause(suite, model, cause, count, calls) for cause, count in counts.most_common()]
    return tuple(rates)


def definition_sizes(report: Report) -> tuple[DefinitionSize, ...]:
    """Return the definition sizes sorted by suite and server."""
    largest: dict[tuple[str, str], DefinitionSize] = {}
    for entry in report.entries:
        for server, size in entry.definitions.items():
            known = largest.get((entry.suite, server))
            if known is None or size.tokens > known.tokens:
                largest[entry.suite, server] = DefinitionSize(entry.suite, server, size.tools, size.tokens)
    return tuple(largest[key] for key in sorted(largest))


def _count_calls(entries: Iterable[Entry]) -> tuple[Counter[str], Counter[str]]:
    calls: Counter[str] = Counter()
    successes: Counter[str] = Counter()
    for entry in entries:
        for name, use in entry.tool_use.items():
            calls[name] += use.calls
            successes[name] += use.successes
    return calls, successes
