"""Samples from recorded runs: requests that were met with calls (FinMCP-Bench 2.1)."""

from collections.abc import Iterator

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.placeholders import payload, unwrap_result
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.tool import CallRecord
from pytest_mcpbench.core.trajectory import Step
from pytest_mcpbench.generation.pipeline.candidates import Drop, Dropped
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.stages import Selection
from pytest_mcpbench.generation.pipelines.chains.candidates import SampleCall, SampleCandidate
from pytest_mcpbench.runs.records import read_file

SCENARIO_TAGS = ("scenario", "category", "domain")
"""Tags of tasks that name a scenario; the first that a task has counts, and without any the suite."""


def read_samples(setup: Setup) -> Selection:
    """Return the turns of all passed attempts in the files of records that called tools of the servers."""
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
        raise UsageError("--input: the records have no passed attempt with calls.")
    return Selection(tuple(kept.values()), dropped)


def _all_samples(setup: Setup) -> Iterator[SampleCandidate]:
    number = 0
    for file in setup.inputs:
        for _, record in read_file(file):
            for request, scenario, steps in _turns(record):
                number += 1
                yield SampleCandidate(id=f"sample-{number:05}", scenario=scenario, request=request, steps=steps)


def _turns(record: RunRecord) -> Iterator[tuple[str, str, tuple[tuple[SampleCall, ...], ...]]]:
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
