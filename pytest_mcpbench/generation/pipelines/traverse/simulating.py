"""Simulation that a model writes from traces, and repairs until it answers like the real server (MCP-Persona 3.1.2)."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import BaseModel

from pytest_mcpbench.attempt.fidelity import replay_traces, unanswered_pairs
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.core.errors import ServerError
from pytest_mcpbench.core.fidelity.comparison import Fidelity, Pair, canonical_json, fidelity, is_success
from pytest_mcpbench.core.fidelity.trace import Trace, to_wire_result
from pytest_mcpbench.core.server import ServerRef, ServerTimeouts
from pytest_mcpbench.core.tool import ToolResult
from pytest_mcpbench.definitions.canonical import ServerDefinition
from pytest_mcpbench.generation.pipeline.questions import Questions, UnreadableReplyError
from pytest_mcpbench.generation.pipeline.reply_cache import BudgetError
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.stages import Asking
from pytest_mcpbench.servers.isolation import make_isolation

# Prompts for the model that writes a simulation.

_MOST_CHARACTERS = 24_000
"""Length of all traces in a prompt."""
_MOST_OF_A_RESULT = 1500
_MOST_DIFFERENCES = 12
_OTHER = ("fp", "fn")
"""Cells of calls that only one of both servers accepts."""
INSTRUCTIONS = files(__package__).joinpath("instructions.md").read_text(encoding="utf-8")
"""What a simulation is, with an example."""


def first_version(definition: ServerDefinition, traces: Sequence[Trace]) -> str:
    """Return the question for the first version; without traces, from the documentation alone."""
    tools = json.dumps([tool.canonical for tool in definition.tools], ensure_ascii=False)
    parts = [f"Tools of the real server:\n{tools}"]
    found = next((trace.files for trace in traces if trace.files), None)
    if found:
        parts.append(f"Files in the server's directory before each call:\n{_text(found)[:_MOST_OF_A_RESULT]}")
    if traces:
        lines: list[str] = []
        for trace in traces:
            before = [f"{call.tool}({_text(call.arguments)})" for call in trace.given]
            head = f"[after {', '.join(before)}] " if before else ""
            lines += [
                f"{head}{call.tool}({_text(call.arguments)}) -> {_text(to_wire_result(call.result))}"
                for call in trace.calls
                if call.result is not None
            ]
        cut = [line[:_MOST_OF_A_RESULT] for line in lines]
        if sum(map(len, cut)) > _MOST_CHARACTERS:
            share = _MOST_CHARACTERS // len(cut)
            cut = [line[: max(share, 200)] for line in cut]
        parts.append("Calls of the real server, each from a fresh state:\n" + "\n".join(cut))
    return "\n\n".join([*parts, "Write world.py and server.py."])


def next_version(
    definition: ServerDefinition, traces: Sequence[Trace], code: Mapping[str, str], fidelity: Fidelity
) -> str:
    """Return the question for a version that mends the differences of the last one."""
    own = "\n\n".join(f"{name}:\n{text}" for name, text in code.items())
    differences = "\n".join(list(differences_of(fidelity))[:_MOST_DIFFERENCES])
    return "\n\n".join(
        (
            first_version(definition, traces),
            f"Your files so far:\n\n{own}",
            f"They answer these calls differently:\n{differences}",
            "Write both files again, with these differences mended.",
        )
    )


def differences_of(fidelity: Fidelity) -> Iterator[str]:
    """Yield each reason for calls without an answer, then the calls of another outcome and of another response."""
    unanswered: dict[str, list[Pair]] = {}
    for pair in fidelity.errors:
        unanswered.setdefault(pair.error, []).append(pair)
    for error, pairs in unanswered.items():
        yield f"{len(pairs)} calls without your answer, such as {_call(pairs[0])}: {error[:_MOST_OF_A_RESULT]}"
    yield from (_difference(pair, pair.simulated) for pair in fidelity.pairs if pair.simulated and pair.cell in _OTHER)
    for pair in fidelity.pairs:
        if pair.simulated and pair.cell not in _OTHER and canonical_json(pair.real) != canonical_json(pair.simulated):
            yield _difference(pair, pair.simulated)


def _difference(pair: Pair, simulated: ToolResult) -> str:
    real, own = (_text(to_wire_result(each))[:_MOST_OF_A_RESULT] for each in (pair.real, simulated))
    return f"{_call(pair)}: real {real}, yours {own}"


def _call(pair: Pair) -> str:
    return f"{pair.tool}({_text(pair.arguments)})"


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


ROUNDS = 5
"""Versions of the simulation that the model writes at most."""
ASKING = Asking(prompt_tokens=9000, reply_tokens=3000, questions=1 + ROUNDS, candidates=1)
ENOUGH_IDENTICAL = 0.9
"""Share of identical responses that is enough for a simulation that also accepts and refuses the same calls, of those
that the server itself gives again."""
_SLOWEST_SECONDS = 10
"""Time for a simulation to answer a call."""
_HELD_OUT = 3
"""One of this many traces is held out: the model never sees it."""


class Code(BaseModel):
    """Reply of the model: the two files of a simulation."""

    world_py: str
    server_py: str

    @property
    def files(self) -> dict[str, str]:
        return {"world.py": self.world_py, "server.py": self.server_py}


@dataclass(frozen=True)
class SimulationVersion:
    """A version of the code, with its fidelity on the traces that it was written for."""

    code: Code
    fidelity: Fidelity

    @property
    def quality(self) -> tuple[float, float]:
        """Return the shares of calls with the same outcome and with the same response; no answer counts as neither."""
        calls, matrix = len(self.fidelity.pairs), self.fidelity.confusion
        return (matrix.tp + matrix.tn) / calls, sum(self.fidelity.identical.values()) / calls

    def is_good_enough(self, again: Fidelity) -> bool:
        """Return whether it answers like the server, whose own answers to the same calls ``again`` compares."""
        outcomes, identical = self.quality
        return outcomes == 1 and identical >= ENOUGH_IDENTICAL * sum(again.identical.values()) / len(again.pairs)


@dataclass(frozen=True)
class Versions:
    """All versions that the model wrote, in order, and the reason why there are no more."""

    versions: Sequence[SimulationVersion]
    end: str = ""
    """Empty if the last version answers like the server."""
    is_final: bool = True
    """False if the budget is used up, so that a run with a larger one goes on."""

    @property
    def best(self) -> SimulationVersion:
        return max(self.versions, key=lambda each: each.quality)

    @property
    def sentence(self) -> str:
        """Return the version that was chosen, whether it is good enough, and why the model wrote no further one."""
        chosen = f"Version {self.versions.index(self.best) + 1} is kept"
        if not self.end:
            return f"{chosen}: it answers like the server."
        return (
            f"{chosen}, but none of {len(self.versions)} answers like the server. There is no further one: {self.end}."
        )


def split(traces: Sequence[Trace]) -> tuple[list[Trace], list[Trace]]:
    """Return the traces that the model is shown, and those that are held out, of accepted and refused calls alike."""
    accepted: list[Trace] = []
    refused: list[Trace] = []
    for trace in traces:
        result = trace.calls[0].result
        group = accepted if result is not None and is_success(result) else refused
        group.append(trace)
    held_out = [*accepted[_HELD_OUT - 1 :: _HELD_OUT], *refused[_HELD_OUT - 1 :: _HELD_OUT]]
    return [each for each in traces if each not in held_out], held_out


async def write_simulation(setup: Setup, questions: Questions, traces: Sequence[Trace]) -> Versions:
    """Return the versions that the model writes.

    The model sees the calls on which a version differs and writes the next one, until one is good enough, the model
    repeats itself, the rounds end, the budget is used up or a reply cannot be read. Raises ``McpBenchError`` if there
    is no first version.
    """
    definition = next(iter(setup.servers.values()))
    code = await questions.ask(INSTRUCTIONS, first_version(definition, traces), Code)
    again = await measure_again(setup, traces)
    versions: list[SimulationVersion] = []
    while code not in [each.code for each in versions]:
        last = SimulationVersion(code, await measure(code, traces, setup.concurrency))
        versions.append(last)
        if last.is_good_enough(again):
            return Versions(versions)
        if len(versions) == ROUNDS:
            return Versions(versions, f"{ROUNDS} versions are the most")
        try:
            prompt = next_version(definition, traces, code.files, last.fidelity)
            code = await questions.ask(INSTRUCTIONS, prompt, Code)
        except (BudgetError, UnreadableReplyError) as error:
            return Versions(versions, str(error).rstrip("."), is_final=not isinstance(error, BudgetError))
    return Versions(versions, "the model repeats an earlier version")


async def write_vanilla(setup: Setup, questions: Questions) -> Code:
    """Return a simulation that the model writes from the definitions of the tools alone."""
    definition = next(iter(setup.servers.values()))
    return await questions.ask(INSTRUCTIONS, first_version(definition, ()), Code)


async def measure(code: Code, traces: Sequence[Trace], concurrency: int) -> Fidelity:
    """Return the fidelity of a simulation, whose code runs isolated where bubblewrap works.

    No call has an answer if the simulation does not start.
    """
    with TemporaryDirectory(prefix="mcpbench-simulation-") as directory:
        write(code.files, Path(directory))
        command = ("-m", "pytest_mcpbench.cli", "serve", str(Path(directory)))
        timeouts = ServerTimeouts(call_seconds=_SLOWEST_SECONDS)
        server = ServerRef(
            name="simulation", transport="stdio", command=sys.executable, arguments=command, timeouts=timeouts
        )
        isolation = make_isolation("auto")
        try:
            # Each trace starts the simulation anew: one that cannot start is not tried for all of them.
            async with ServerPool(isolation=isolation) as pool:
                await pool.definition(server)
        except ServerError as error:
            pairs: Sequence[Pair] = unanswered_pairs(traces, error)
        else:
            pairs = await replay_traces(traces, server, isolation=isolation, concurrency=concurrency)
    return fidelity("simulation", pairs, traces=len(traces))


async def measure_again(setup: Setup, traces: Sequence[Trace]) -> Fidelity:
    """Return the fidelity of the server to itself; results that contain times or new ids differ."""
    (server,) = setup.suite.servers.values()
    return fidelity(server.name, await replay_traces(traces, server, concurrency=setup.concurrency), traces=len(traces))


def write(files: Mapping[str, str], directory: Path) -> None:
    """Write the files of a simulation."""
    for name, text in files.items():
        (directory / name).write_text(text, encoding="utf-8")
