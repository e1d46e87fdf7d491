"""Replay of traces: on a real server to record its results, on a simulation to compare the two."""

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.concurrency import concurrent_map
from pytest_mcpbench.core.errors import ServerError
from pytest_mcpbench.core.fidelity.comparison import Pair, is_success, replace_in_result
from pytest_mcpbench.core.fidelity.trace import ROOT, Trace, TracedCall, replace_text
from pytest_mcpbench.core.judgement import Judge, Question
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.sandbox import Sandbox, parse_clock
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.suite import SuiteManifest, TaskFileRef
from pytest_mcpbench.core.task import Task, Turn
from pytest_mcpbench.core.tool import ToolResult
from pytest_mcpbench.servers.isolation import NO_ISOLATION, Isolation
from pytest_mcpbench.servers.server_connection import ServerConnection


async def record_results(traces: Sequence[Trace], server: ServerRef) -> list[Trace]:
    """Return the traces with the server's results; each trace has its own directory and server process.

    Raises:
        ServerError: the server does not start, or it dies.
    """
    async with ServerPool() as pool:
        return [await record_trace(trace, server, pool) for trace in traces]


async def record_trace(trace: Trace, server: ServerRef, pool: ServerPool) -> Trace:
    """Return a trace with the results of the server, which starts in a directory of its own.

    Raises:
        ServerError: the server does not start, or it dies.
    """
    results, failure = await _replay_trace(trace, server, pool)
    if failure is not None:
        raise failure
    calls = [call.model_copy(update={"result": result}) for call, result in zip(trace.calls, results, strict=True)]
    return trace.model_copy(update={"calls": tuple(calls)})


async def replay_traces(
    traces: Sequence[Trace], simulation: ServerRef, *, isolation: Isolation = NO_ISOLATION, concurrency: int = 1
) -> list[Pair]:
    """Return every call of the traces with the results of the real server and of the simulation, in order.

    If the simulation does not start, or dies, the remaining calls of the trace have no result; neither has a call that
    it does not answer in time.
    """
    async with ServerPool(isolation=isolation) as pool:

        async def replay(trace: Trace) -> list[Pair]:
            results, failure = await _replay_trace(trace, simulation, pool)
            return [_pair(trace, number, results, failure) for number in range(len(trace.calls))]

        return list(chain.from_iterable(await concurrent_map(traces, replay, concurrency=concurrency)))


def unanswered_pairs(traces: Sequence[Trace], failure: ServerError) -> list[Pair]:
    """Return every call of the traces without a result of the simulation, which does not start."""
    return [_pair(trace, number, (), failure) for trace in traces for number in range(len(trace.calls))]


async def judge_pairs(pairs: Sequence[Pair], judge: Judge) -> list[Pair]:
    """Return the pairs, with the success of both results as labelled by a judge.

    If the judge returns no label, the rule's decision remains; so does a label in the trace.
    """
    return [await _judge_pair(pair, judge) for pair in pairs]


async def _judge_pair(pair: Pair, judge: Judge) -> Pair:
    results_by_field = {} if pair.is_labelled else {"real_success": pair.real}
    if pair.simulated is not None:
        results_by_field["simulated_success"] = pair.simulated
    labels = {field: await _label(pair, result, judge) for field, result in results_by_field.items()}
    decided = {field: label == _SUCCESS for field, label in labels.items() if label is not None}
    return pair.model_copy(update={**decided, "unread": len(labels) - len(decided)})


_SUCCESS, _FAILURE = "success", "failure"


async def _label(pair: Pair, result: ToolResult, judge: Judge) -> str | None:
    question = Question(
        kind="response",
        statement=f"The call {pair.tool}({pair.arguments}) succeeded: its result holds what the call is for.",
        evidence=f"error: {result.text}" if result.is_error else result.text,
        labels=(_SUCCESS, _FAILURE),
    )
    return (await judge.decide(question)).label


def traces_from_records(records: Sequence[RunRecord], server: str) -> list[Trace]:
    """Return the calls of agents to a server in finished attempts, one trace per attempt, without initial state."""
    traces = []
    for record in records:
        calls = [
            TracedCall(tool=call.called, arguments=call.arguments, result=call.result)
            for call in (record.evidence.calls if record.evidence else ())
            if call.server == server and call.result is not None and call.problem is None
        ]
        if calls:
            identity = f"{record.suite}::{record.task_id}[{record.model}]-{record.trial}"
            traces.append(Trace(id=identity, calls=tuple(calls)))
    return traces


async def _replay_trace(
    trace: Trace, server: ServerRef, pool: ServerPool
) -> tuple[list[ToolResult], ServerError | None]:
    """Return the results of the trace's calls; fewer results and an error if the server cannot continue."""
    results: list[ToolResult] = []
    with TemporaryDirectory(prefix="mcpbench-trace-") as scratch:
        directory = Path(scratch).resolve()
        _write(trace.files, directory)
        try:
            suite = _suite(_server_in_directory(directory, server))
            clock, seeds = parse_clock(trace.now), {server.name: trace.world}
            sandbox = Sandbox(path=directory, now=clock, identity=trace.id, seeds=seeds)
            async with pool.arena(_TASK, suite, sandbox) as arena:
                connection = arena.connections[server.name]
                for call in trace.given:
                    await _send_call(connection, call, directory)
                for call in trace.calls:
                    results.append(await _send_call(connection, call, directory))
        except ServerError as failure:
            return results, failure
    return results, None


async def _send_call(connection: ServerConnection, call: TracedCall, directory: Path) -> ToolResult:
    arguments = replace_text(call.arguments, ROOT, str(directory))
    return replace_in_result(await connection.call(call.tool, arguments), str(directory), ROOT)


def _pair(trace: Trace, number: int, results: Sequence[ToolResult], failure: ServerError | None) -> Pair:
    call = trace.calls[number]
    real = call.result
    assert real is not None, "only traces with results are replayed"
    simulated, error = _answer(results, number, failure)
    return Pair(
        trace=f"{trace.id}, call {number + 1}",
        tool=call.tool,
        arguments=call.arguments,
        real=real,
        simulated=simulated,
        error=error,
        real_success=is_success(real) if call.success is None else call.success,
        simulated_success=simulated is not None and is_success(simulated),
        is_labelled=call.success is not None,
    )


def _answer(results: Sequence[ToolResult], number: int, failure: ServerError | None) -> tuple[ToolResult | None, str]:
    """Return the simulation's result of a call, or ``None`` and the reason why there is none."""
    if number >= len(results):
        return None, str(failure)
    result = results[number]
    return (None, result.text) if result.error_kind == "timeout" else (result, "")


def _write(files: dict[str, str], directory: Path) -> None:
    for name, text in files.items():
        path = directory / name
        if name.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")


_TASK = Task(id="trace", turns=(Turn(user="Replay the trace."),))


def _server_in_directory(directory: Path, server: ServerRef) -> ServerRef:
    """Return the server with the trace's directory in its arguments and environment."""
    at = {"arguments": tuple(server.arguments), "environment": server.environment}
    recorded_traces = {name: replace_text(value, ROOT, str(directory)) for name, value in at.items()}
    return server.model_copy(update={**recorded_traces, "arguments": tuple(recorded_traces["arguments"])})


def _suite(server: ServerRef) -> SuiteManifest:
    files = (TaskFileRef(path="traces.jsonl", loader="native"),)
    return SuiteManifest(name="traces", directory=str(Path.cwd()), files=files, servers={server.name: server})
