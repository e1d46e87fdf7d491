"""Samples from recorded runs and logs: requests that were met with calls (FinMCP-Bench 2.1)."""

from collections.abc import Iterator
from pathlib import Path

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.placeholders import payload, unwrap_result
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.tool import CallRecord
from pytest_mcpbench.core.trajectory import Step
from pytest_mcpbench.generation.pipeline.candidates import Drop, Dropped
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.stages import Selection
from pytest_mcpbench.generation.pipelines.chains.candidates import SampleCall, SampleCandidate
from pytest_mcpbench.generation.pipelines.chains.logs import is_log, read_turns
from pytest_mcpbench.runs.records import read_file

_Turn = tuple[str, str, tuple[tuple[SampleCall, ...], ...]]
"""Request, scenario, and steps of calls."""

SCENARIO_TAGS = ("scenario", "category", "domain")
"""Tags of tasks that name a scenario; the first that a task has counts, and without any the suite."""


def read_samples(setup: Setup) -> Selection:
    """Return the turns that called tools of the servers: of passed attempts in records, and of all turns in logs."""
    kept: dict[tuple[str, str], SampleCandidate] = {}
    dropped: list[Dropped] = []
    for sample in _all_samples(setup):
        missing = next((call for step in sample.steps for call in step if not _has_tool(setup, call)), None)
        if missing is not None:
            reason = "a call is of a tool that the servers do not have"
            dropped.append(Dropped.of(sample, Drop(reason, f"{missing.server}.{missing.tool}")))
        else:
            # Trials and models repeat a request; the calls of the first one that passed are enough.
            kept.setdefault((sample.scenario, sample.request), sample)
    if not kept and not dropped:
        raise UsageError("--input: the records have no passed attempt with calls, and the logs no such turn.")
    return Selection(tuple(kept.values()), dropped)


def _all_samples(setup: Setup) -> Iterator[SampleCandidate]:
    number = 0
    for file in setup.inputs:
        if is_log(file):
            turns = _turns_of_log(file, setup)
        else:
            turns = (turn for _, record in read_file(file) for turn in _turns(record))
        for request, scenario, steps in turns:
            number += 1
            yield SampleCandidate(id=f"sample-{number:05}", scenario=scenario, request=request, steps=steps)


def _turns_of_log(file: Path, setup: Setup) -> Iterator[_Turn]:
    """Yield request, scenario and successful calls of each turn of a log."""
    # The own name of a tool stands for it only if no other server has a tool of that name.
    names: dict[str, tuple[str, str]] = {}
    own: dict[str, list[tuple[str, str]]] = {}
    for server, definition in setup.servers.items():
        for tool in definition.tools:
            place = server, tool.name
            own.setdefault(tool.name, []).append(place)
            names |= dict.fromkeys((f"mcp__{server}__{tool.name}", f"{server}__{tool.name}"), place)
            names |= dict.fromkeys((f"{server}_{tool.name}", f"{server}.{tool.name}"), place)
    tools = names | {name: places[0] for name, places in own.items() if len(places) == 1}
    for turn in read_turns(file):
        steps = tuple(
            tuple(
                SampleCall(server=server, tool=tool, arguments=call.arguments, result=call.result)
                for call in step
                if call.is_answered
                for server, tool in [tools.get(call.name, ("", call.name))]
            )
            for step in turn.steps
        )
        if any(steps):
            yield turn.request, turn.scenario, tuple(step for step in steps if step)


def _turns(record: RunRecord) -> Iterator[_Turn]:
    """Yield request, scenario and calls of each turn of a passed attempt."""
    if record.outcome != "passed" or record.evidence is None:
        return
    scenario = next((record.tags[tag] for tag in SCENARIO_TAGS if tag in record.tags), record.suite)
    requests = record.turns or (record.prompt,)
    for turn, request in enumerate(requests):
        steps = tuple(_calls(step) for step in record.evidence.trajectory.steps if step.turn == turn)
        if any(steps):
            yield request, scenario, tuple(step for step in steps if step)


def _calls(step: Step) -> tuple[SampleCall, ...]:
    """Return the calls of a step that came back with a good result."""
    return tuple(map(sample_call, (call for call in step.calls if not call.is_error)))


def sample_call(call: CallRecord) -> SampleCall:
    """Return a call that has a result."""
    result = None if call.result is None else unwrap_result(payload(call.result))
    return SampleCall(server=call.server or "", tool=call.called, arguments=call.arguments, result=result)


def _has_tool(setup: Setup, call: SampleCall) -> bool:
    definition = setup.servers.get(call.server)
    return definition is not None and definition.tool(call.tool) is not None
