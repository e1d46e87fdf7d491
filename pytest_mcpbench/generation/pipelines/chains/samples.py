"""Samples from recorded runs and logs: requests that were met with calls (FinMCP-Bench 2.1)."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.placeholders import payload, unwrap_result
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.tool import CallRecord, ToolResult
from pytest_mcpbench.generation.pipeline.candidates import Drop, Dropped
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.stages import Selection
from pytest_mcpbench.generation.pipelines.chains.candidates import SampleCall, SampleCandidate
from pytest_mcpbench.loaders.chat_messages import content_text
from pytest_mcpbench.runs.records import read_file
from pytest_mcpbench.statistics.groups import group_by

_Turn = tuple[str, str, tuple[tuple[SampleCall, ...], ...]]
"""Request, scenario, and steps of calls."""

SCENARIO_TAGS = ("scenario", "category", "domain")
"""Tags of tasks that name a scenario; the first that a task has counts, and without any the suite."""


def read_samples(setup: Setup) -> Selection:
    """Return the turns that called tools of the servers: of passed attempts in records, and of all turns in logs."""
    kept: dict[tuple[str, str], SampleCandidate] = {}
    dropped: list[Dropped] = []
    tools = {(server, tool.name) for server, definition in setup.servers.items() for tool in definition.tools}
    number = 0
    for file in setup.inputs:
        if is_log(file):
            turns = _turns_of_log(file, setup)
        else:
            turns = (turn for _, record in read_file(file) for turn in _turns(record))
        for request, scenario, steps in turns:
            number += 1
            sample = SampleCandidate(id=f"sample-{number:05}", scenario=scenario, request=request, steps=steps)
            missing = next((call for step in steps for call in step if (call.server, call.tool) not in tools), None)
            if missing is not None:
                reason = "a call is of a tool that the servers do not have"
                dropped.append(Dropped.of(sample, Drop(reason, f"{missing.server}.{missing.tool}")))
            else:
                # Trials and models repeat a request; the calls of the first one that passed are enough.
                kept.setdefault((scenario, request), sample)
    if not kept and not dropped:
        raise UsageError("--input: the records have no passed attempt with calls, and the logs no such turn.")
    return Selection(tuple(kept.values()), dropped)


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
    """Yield request, scenario and successful calls of each turn of a passed attempt."""
    if record.outcome != "passed" or record.evidence is None:
        return
    scenario = next((record.tags[tag] for tag in SCENARIO_TAGS if tag in record.tags), record.suite)
    requests = record.turns or (record.prompt,)
    for turn, request in enumerate(requests):
        steps = tuple(
            tuple(sample_call(call) for call in step.calls if not call.is_error)
            for step in record.evidence.trajectory.steps
            if step.turn == turn
        )
        if any(steps):
            yield request, scenario, tuple(step for step in steps if step)


def sample_call(call: CallRecord) -> SampleCall:
    """Return a call that has a result."""
    result = None if call.result is None else unwrap_result(payload(call.result))
    return SampleCall(server=call.server or "", tool=call.called, arguments=call.arguments, result=result)


# Conversations in logs of other programs: Claude Code, Codex, Inspect, and spans of OpenTelemetry (FinMCP-Bench 2.1).
#
# Such a log does not say which conversations met their request; only calls that succeeded are read from it.


@dataclass
class LoggedCall:
    """A call of a log, with the name that the program shows to its model."""

    name: str
    arguments: dict[str, Any]
    result: Any = None
    is_answered: bool = False
    """False as long as the log has no result, and for a call that failed."""


@dataclass
class LoggedTurn:
    """A request and the calls that were made for it, in steps of parallel calls."""

    request: str
    scenario: str
    steps: list[list[LoggedCall]] = field(default_factory=list)


def is_log(file: Path) -> bool:
    """Return whether a file is a log of another program; one with records of this package is none."""
    with file.open(encoding="utf-8-sig", errors="replace") as lines:
        # Records are large, and their first line may be torn: a few lines say enough.
        texts = [line for line in islice(lines, 5) if line.strip()]
    found = [value for value in map(_json, texts) if isinstance(value, dict)]
    return bool(texts) and not any("task_hash" in value for value in found)


def read_turns(file: Path) -> Iterator[LoggedTurn]:
    """Yield the turns of a log. Raises UsageError if it is none of the known formats."""
    text = file.read_text(encoding="utf-8-sig", errors="replace")
    # A file is one JSON object, or has one a line; other lines are skipped.
    found = [_json(text)] if isinstance(_json(text), dict) else [_json(line) for line in text.splitlines()]
    values = [value for value in found if isinstance(value, dict)]
    for is_format, read in _FORMATS:
        if any(map(is_format, values)):
            yield from read(values, file.resolve().parent.name)
            return
    known = "records of a run, sessions of Claude Code or Codex, logs of Inspect (JSON), spans of OpenTelemetry (JSON)"
    raise UsageError(f"--input: {file} is none of these: {known}.")


def _json(text: Any) -> Any:
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return None


@dataclass
class _Conversation:
    """Turns so far; results find their calls by id."""

    scenario: str
    turns: list[LoggedTurn] = field(default_factory=list)
    calls: dict[str, LoggedCall] = field(default_factory=dict)
    _message: object = None

    def ask(self, text: str) -> None:
        if text.strip():
            self.turns.append(LoggedTurn(text.strip(), self.scenario))
            self._message = None

    def call(self, call_id: str, name: str, arguments: Any, *, message: object) -> None:
        """Add a call; those of one message are parallel."""
        if not self.turns:
            return
        made = self.calls[call_id] = LoggedCall(name, arguments if isinstance(arguments, dict) else {})
        if message is None or message != self._message:
            self.turns[-1].steps.append([])
        self._message = message
        self.turns[-1].steps[-1].append(made)

    def answer(self, call_id: Any, text: str, *, is_error: bool) -> None:
        call = self.calls.get(str(call_id))
        if call is not None and not is_error:
            call.result, call.is_answered = unwrap_result(payload(ToolResult.of_text(text))), True
        # A call after a result is of a later step, whatever message the log says it belongs to.
        self._message = None


def _claude_code(values: Sequence[Mapping[str, Any]], scenario: str) -> list[LoggedTurn]:
    found = _Conversation(scenario)
    for line in values:
        message = line.get("message")
        if not isinstance(message, dict) or line.get("isMeta") or line.get("isSidechain"):
            continue
        content = message.get("content")
        if message.get("role") == "user" and isinstance(content, str):
            found.ask(content)
        for block in content if isinstance(content, list) else ():
            match block.get("type"):
                case "text" if message.get("role") == "user":
                    found.ask(block.get("text", ""))
                case "tool_use":
                    found.call(block["id"], block["name"], block.get("input"), message=message.get("id"))
                case "tool_result":
                    text = content_text(block.get("content"))
                    found.answer(block.get("tool_use_id"), text, is_error=bool(block.get("is_error")))
    return found.turns


def _codex(values: Sequence[Mapping[str, Any]], scenario: str) -> list[LoggedTurn]:
    found = _Conversation(scenario)
    for line in values:
        item = line.get("payload")
        if line.get("type") != "response_item" or not isinstance(item, dict):
            continue
        match item.get("type"):
            case "message" if item.get("role") == "user":
                text = content_text(item.get("content"))
                # What Codex itself tells the model stands in tags such as <environment_context>.
                found.ask("" if text.lstrip().startswith("<") else text)
            case "function_call":
                # Parallel calls follow each other without a result between them.
                name = "".join((item.get("namespace") or "", item["name"]))
                found.call(item["call_id"], name, _json(item.get("arguments")), message="parallel")
            case "function_call_output":
                output = item.get("output")
                nested = output if isinstance(output, dict) else {"content": output}
                text = content_text(nested.get("content"))
                is_error = nested.get("success") is False
                found.answer(item.get("call_id"), text, is_error=is_error)
    return found.turns


def _inspect(values: Sequence[Mapping[str, Any]], _scenario: str) -> Iterator[LoggedTurn]:
    for log in values:
        about = log.get("eval")
        scenario = str(about.get("task", "inspect")) if isinstance(about, dict) else "inspect"
        for sample in log.get("samples") or ():
            found = _Conversation(scenario)
            for at, message in enumerate(sample.get("messages") or ()):
                if message.get("role") == "user":
                    found.ask(content_text(message.get("content")))
                elif message.get("role") == "tool":
                    text = content_text(message.get("content"))
                    found.answer(message.get("tool_call_id"), text, is_error=bool(message.get("error")))
                for call in message.get("tool_calls") or ():
                    found.call(str(call["id"]), str(call["function"]), call.get("arguments"), message=at)
            yield from found.turns


def _spans(values: Sequence[Mapping[str, Any]], scenario: str) -> Iterator[LoggedTurn]:
    spans = [
        span
        for value in values
        for resource in value.get("resourceSpans") or ()
        for scope in resource.get("scopeSpans") or ()
        for span in scope.get("spans") or ()
    ]
    for trace in group_by(spans, lambda span: str(span.get("traceId"))).values():
        ordered = sorted(trace, key=_start)
        request = next(filter(None, (_last_request(_attributes(span)) for span in ordered)), "")
        calls = [span for span in ordered if _attributes(span).get("gen_ai.operation.name") == "execute_tool"]
        steps = [[_call_of(span) for span in group] for _, group in groupby(calls, key=_start)]
        if request:
            yield LoggedTurn(request, scenario, steps)


def _start(span: Mapping[str, Any]) -> int:
    return int(span.get("startTimeUnixNano") or 0)


def _attributes(span: Mapping[str, Any]) -> dict[str, Any]:
    return {each["key"]: each.get("value", {}).get("stringValue") for each in span.get("attributes") or ()}


def _last_request(attributes: Mapping[str, Any]) -> str:
    """Return the text of the last user message that a span was given."""
    messages = _json(attributes.get("gen_ai.input.messages"))
    asked = [message for message in messages or () if isinstance(message, dict) and message.get("role") == "user"]
    parts = asked[-1].get("parts") or () if asked else ()
    return "\n".join(str(part["content"]) for part in parts if part.get("type") == "text" and part.get("content"))


def _call_of(span: Mapping[str, Any]) -> LoggedCall:
    attributes = _attributes(span)
    arguments = _json(attributes.get("gen_ai.tool.call.arguments"))
    name = str(attributes.get("gen_ai.tool.name"))
    call = LoggedCall(name, arguments if isinstance(arguments, dict) else {})
    result = attributes.get("gen_ai.tool.call.result")
    if result is not None and "error.type" not in attributes:
        call.result, call.is_answered = unwrap_result(payload(ToolResult.of_text(result))), True
    return call


_FORMATS: Sequence[tuple[Callable[[Mapping[str, Any]], bool], Callable[..., Any]]] = (
    (lambda value: "resourceSpans" in value, _spans),
    (lambda value: "samples" in value and "eval" in value, _inspect),
    (lambda value: value.get("type") == "response_item" and "payload" in value, _codex),
    (lambda value: "sessionId" in value and "message" in value, _claude_code),
)
