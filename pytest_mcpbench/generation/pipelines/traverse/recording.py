"""Recording of calls on the real server, each from a fresh state, and the choice of those that are kept."""

import json
import re
from collections import defaultdict
from collections.abc import Sequence

import anyio
from pydantic import BaseModel

from pytest_mcpbench.attempt.fidelity import record_trace
from pytest_mcpbench.core.errors import ServerError, UsageError
from pytest_mcpbench.core.fidelity.comparison import is_success
from pytest_mcpbench.core.fidelity.trace import Trace, TracedCall
from pytest_mcpbench.core.tool import ToolResult
from pytest_mcpbench.generation.pipeline.candidates import Drop, Dropped
from pytest_mcpbench.generation.pipeline.questions import Questions
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.stages import Asking, Outcome, Selection
from pytest_mcpbench.generation.pipelines.traverse.candidates import CallCandidate, TraceCandidate
from pytest_mcpbench.generation.pipelines.traverse.seeds import is_read_only, removes

ASKING = Asking(prompt_tokens=300, reply_tokens=40)
_SLOWEST_SECONDS = 20
_WRONG = re.compile(
    r"invalid|required|missing|must|(?<!un)expected|argument|parameter|parse|not[ _]found|no such|unknown|out of range"
    r"|does ?n[o']t exist|too (?:long|short|large|small|many|few)",
    re.IGNORECASE,
)
"""Words with which servers say that a call is wrong, not that they have failed."""
_INSTRUCTIONS = """You see a call of a tool that is wrong on purpose, what is wrong with it, and the error of the \
server. Decide whether the error is about exactly that: the server has recognised what is wrong and says so. An error \
of the machine, of the network or without any reason is not."""


class _Decision(BaseModel):
    """Reply of the model."""

    recognises_what_is_wrong: bool


async def execute(setup: Setup, call: CallCandidate) -> Outcome:
    """Return the call with the server's answer.

    Calls that only read or remove, or that contradict the server's data, are made after those that fill the server; a
    valid call of another tool if it is refused without them.
    """
    own = tuple(each for each in call.given if each.tool != call.tool)
    takes = is_read_only(setup.servers[call.server], call.tool) or removes(call.tool)
    needs_something = takes or call.kind == "semantic"
    recorded = await _record(setup, call, own if needs_something else ())
    if isinstance(recorded, Drop) or needs_something or call.kind != "valid" or is_success(_result(recorded)):
        return recorded if isinstance(recorded, Drop) else [_candidate(call, recorded)]
    again = await _record(setup, call, own) if own else recorded
    return again if isinstance(again, Drop) else [_candidate(call, again)]


async def _record(setup: Setup, call: CallCandidate, given: tuple[TracedCall, ...]) -> Trace | Drop:
    made = TracedCall(tool=call.tool, arguments=call.arguments)
    trace = Trace(id=call.id, files=files_of(setup), given=given, calls=(made,))
    try:
        with anyio.fail_after(_SLOWEST_SECONDS):
            return await record_trace(trace, setup.suite.servers[call.server], setup.pool)
    except TimeoutError:
        return Drop("the server does not answer in time", f"{_SLOWEST_SECONDS} s")
    except ServerError as error:
        return Drop("the server fails unexpectedly", str(error))


def _candidate(call: CallCandidate, trace: Trace) -> TraceCandidate:
    return TraceCandidate(**call.model_dump(), trace=trace)


def files_of(setup: Setup) -> dict[str, str]:
    """Return the text of the files that the server finds; an empty directory ends in a slash.

    Raises UsageError for a file without text, which a trace cannot keep.
    """
    if setup.files is None:
        return {}
    texts: dict[str, str] = {}
    for path in sorted(setup.files.rglob("*")):
        name = path.relative_to(setup.files).as_posix()
        if path.is_dir():
            if not any(path.iterdir()):
                texts[f"{name}/"] = ""
            continue
        try:
            texts[name] = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            problem = f"--files: {name} is not a text in UTF-8, and --pipeline traverse keeps nothing else."
            raise UsageError(f"{problem} Leave it out, or let the calls of --input make it.") from None
    return texts


async def discriminate(questions: Questions | None, candidate: TraceCandidate) -> Outcome:
    """Keep valid calls that succeed, and invalid ones of which the server says what is wrong.

    A model decides the latter; without one, the answer must name the parameter or its value, or call the call wrong.
    """
    result = _result(candidate.trace)
    if candidate.kind == "valid":
        return [candidate] if is_success(result) else Drop("the server refuses a valid call", result.text[:300])
    if is_success(result):
        return Drop("the server accepts an invalid call", f"{candidate.violation}: {result.text[:300]}")
    if questions is None:
        named = [candidate.parameter]
        if candidate.parameter in candidate.arguments:
            value = candidate.arguments[candidate.parameter]
            named += [repr(value), json.dumps(value)]
        # As words of their own: the parameter id does not stand in "invalid".
        names_it = any(re.search(rf"(?<!\w){re.escape(each)}(?!\w)", result.text) for each in named if each)
        says_what_is_wrong = names_it or _WRONG.search(result.text) is not None
    else:
        call = f"{candidate.tool}({json.dumps(candidate.arguments, ensure_ascii=False)})"
        prompt = f"Call: {call}\nWrong with it: {candidate.violation}\nError: {result.text[:2000]}"
        says_what_is_wrong = (await questions.ask(_INSTRUCTIONS, prompt, _Decision)).recognises_what_is_wrong
    if says_what_is_wrong:
        return [candidate]
    return Drop("the error does not say what is wrong", f"{candidate.violation}: {result.text[:300]}")


def choose(setup: Setup, traces: Sequence[TraceCandidate]) -> Selection:
    """Keep as many traces as are wanted, half of them of valid calls, in equal shares of tools and kinds."""
    order = _in_turn(setup, [each for each in traces if each.kind == "valid"])
    wrong = _in_turn(setup, [each for each in traces if each.kind != "valid"])
    half = setup.settings.tasks // 2
    valid_share = max(setup.settings.tasks - len(wrong), half)
    chosen = {each.id for each in (*order[:valid_share], *wrong[: setup.settings.tasks - min(len(order), valid_share)])}
    rest = Drop("enough traces without it")
    return Selection(
        [each for each in traces if each.id in chosen],
        [Dropped.of(each, rest) for each in traces if each.id not in chosen],
    )


def _in_turn(setup: Setup, traces: Sequence[TraceCandidate]) -> list[TraceCandidate]:
    """Return the traces in a drawn order in which each tool and kind has its first one before any has its second."""
    groups: dict[tuple[str, str], list[TraceCandidate]] = defaultdict(list)
    for each in traces:
        groups[each.tool, each.kind].append(each)
    ranked: list[tuple[int, float, TraceCandidate]] = []
    for (tool, kind), group in groups.items():
        rng = setup.random(f"choice of {tool}, {kind}")
        rng.shuffle(group)
        ranked += [(rank, rng.random(), each) for rank, each in enumerate(group)]
    return [each for _, _, each in sorted(ranked, key=lambda one: one[:2])]


def _result(trace: Trace) -> ToolResult:
    result = trace.calls[0].result
    assert result is not None, "the trace has just been recorded"
    return result
