"""Runs of reference calls of which one has one text replaced: whoever writes ``zzz`` must not pass."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from shutil import copytree
from tempfile import mkdtemp
from typing import Any

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.placeholders import fill_placeholders
from pytest_mcpbench.core.planning import Overrides, planned_floors
from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.score import scorecard
from pytest_mcpbench.core.task import ExpectedCall, Task
from pytest_mcpbench.core.tool import CallRecord, Content, ToolResult
from pytest_mcpbench.metrics.catalogue import configure, resolve
from pytest_mcpbench.simulated.engine import Simulation
from tests.builders import evidence_of
from tests.suites import shipped

JUNK = "zzz"


def survivors(
    suite: str, task: Task, simulations: Mapping[str, Simulation], tools: frozenset[str], directory: Path
) -> Iterator[str]:
    """``tool.argument`` of every text in a call of ``tools`` that may become junk while the task still passes."""
    for index, call in enumerate(task.expected.flat_calls):
        for path in _texts(dict(call.arguments)) if call.tool in tools else ():
            if passes(suite, task, played(suite, task, simulations, directory, {index: path})):
                yield f"{call.tool}.{'.'.join(str(part) for part in path if isinstance(part, str))}"


def played(
    suite: str,
    task: Task,
    simulations: Mapping[str, Simulation],
    directory: Path,
    junk: Mapping[int, tuple[str | int, ...]],
) -> AttemptEvidence:
    """The run of the reference calls on fresh worlds, up to one that fails; ``junk``: index of a call -> the text."""
    place = Path(mkdtemp(dir=directory))
    if isinstance(task.context.files, str):
        copytree(shipped.SUITES / suite / task.context.files, place, dirs_exist_ok=True)
    sandbox = Sandbox(place, identity=task.id, seeds=task.context.seeds)
    states = {name: simulations[name].state(sandbox.world(name)) for name in task.servers}
    results: dict[str, ToolResult] = {}
    records = []
    for index, call in enumerate(task.expected.flat_calls):
        server = call.server or task.servers[0]
        arguments = fill_placeholders(dict(call.arguments), results, simulations[server].table[call.tool].input_schema)
        assert isinstance(arguments, dict)
        if index in junk:
            arguments = _with_junk(arguments, junk[index])
        results[call.id] = _result(simulations[server], states[server], call, arguments)
        records.append(_record(index, call, server, arguments, results[call.id]))
        if results[call.id].is_error:
            break
    return evidence_of(tuple(records), tools=shipped.tools(suite), task_id=task.id, worlds=sandbox.diff())


def passes(suite: str, task: Task, evidence: AttemptEvidence) -> bool:
    """Whether the run reaches the floors of the task and of its suite."""
    of = shipped.suite(suite)
    floors = planned_floors(of, task, Overrides())
    metrics = {name: configure(name, resolve(name), of.metric_settings.get(name, {})) for name in floors}
    return scorecard(task, evidence, metrics, floors).passed


def _record(index: int, call: ExpectedCall, server: str, arguments: dict[str, Any], result: ToolResult) -> CallRecord:
    return CallRecord(
        id=str(index), name=f"{server}_{call.tool}", tool=call.tool, server=server, arguments=arguments, result=result
    )


def _result(simulation: Simulation, state: Any, call: ExpectedCall, arguments: dict[str, Any]) -> ToolResult:
    try:
        value = simulation.call(state, call.tool, arguments)
    except Exception as error:
        return ToolResult.failure(str(error), "tool")
    if isinstance(value, list) and value and isinstance(value[0], Content):
        return ToolResult(content=tuple(value))
    return ToolResult.of_text(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _texts(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Where the texts of a value are."""
    if isinstance(value, str):
        yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from _texts(child, (*path, key))


def _with_junk(value: Any, path: tuple[str | int, ...]) -> Any:
    if not path:
        return JUNK
    copy: Any = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = _with_junk(copy[path[0]], path[1:])
    return copy
