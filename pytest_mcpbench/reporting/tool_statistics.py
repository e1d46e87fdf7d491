"""How the tools of a run behaved: success by tool and server, causes of what failed, size of the definitions."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.reporting.summary import by_suite_and_model


@dataclass(frozen=True)
class ToolRate:
    """The calls of one tool, or of all tools of a server, by one model."""

    suite: str
    model: str
    server: str
    tool: str | None
    """``None``: all of the server together."""
    calls: int
    successes: int


@dataclass(frozen=True)
class Cause:
    """Why calls of one model did not succeed."""

    suite: str
    model: str
    cause: str
    calls: int
    of: int
    """All calls, those that were never sent included."""


@dataclass(frozen=True)
class DefinitionSize:
    """The tools that one server exposes: the most that an attempt at the suite was given."""

    suite: str
    server: str
    tools: int
    tokens: int
    """Of all definitions together, estimated; they are sent with every model call."""


def tool_rates(report: Report) -> tuple[ToolRate, ...]:
    """Each server and then its tools, those with the most calls first."""
    found: list[ToolRate] = []
    for (suite, model), entries in by_suite_and_model(report.entries):
        calls, successes = _pooled(entries)
        for server in sorted({name.partition("/")[0] for name in calls}):
            names = [name for name, _ in calls.most_common() if name.startswith(f"{server}/")]
            every = sum(calls[name] for name in names), sum(successes[name] for name in names)
            found.append(ToolRate(suite, model, server, None, *every))
            tools = ((name.partition("/")[2], calls[name], successes[name]) for name in names)
            found += [ToolRate(suite, model, server, *tool) for tool in tools]
    return tuple(found)


def causes(report: Report) -> tuple[Cause, ...]:
    """The most frequent first."""
    found: list[Cause] = []
    for (suite, model), entries in by_suite_and_model(report.entries):
        counted: Counter[str] = Counter()
        for entry in entries:
            counted.update(entry.root_causes)
        calls = sum(entry.tool_calls for entry in entries)
        found += [Cause(suite, model, cause, count, calls) for cause, count in counted.most_common()]
    return tuple(found)


def definition_sizes(report: Report) -> tuple[DefinitionSize, ...]:
    """By suite and server."""
    largest: dict[tuple[str, str], DefinitionSize] = {}
    for entry in report.entries:
        for server, size in entry.definitions.items():
            known = largest.get((entry.suite, server))
            if known is None or size.tokens > known.tokens:
                largest[entry.suite, server] = DefinitionSize(entry.suite, server, size.tools, size.tokens)
    return tuple(largest[key] for key in sorted(largest))


def _pooled(entries: Iterable[Entry]) -> tuple[Counter[str], Counter[str]]:
    calls: Counter[str] = Counter()
    successes: Counter[str] = Counter()
    for entry in entries:
        for name, use in entry.tool_use.items():
            calls[name] += use.calls
            successes[name] += use.successes
    return calls, successes
