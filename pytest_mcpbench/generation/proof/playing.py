"""Attempts at a candidate's task: the reference twice, agents that must not pass, and a solver."""

import json
import re
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import anyio

from pytest_mcpbench.agents.agent import Agent, AgentEnvironment
from pytest_mcpbench.agents.call_batch import CallBatch
from pytest_mcpbench.agents.lexical.agent import LexicalAgent
from pytest_mcpbench.agents.noop import NoopAgent
from pytest_mcpbench.agents.oracle import OracleAgent
from pytest_mcpbench.agents.script import Script, ScriptAgent, ScriptedStep
from pytest_mcpbench.attempt.attempt import AttemptResult
from pytest_mcpbench.attempt.player import Player
from pytest_mcpbench.core.errors import ServerError, SourceLocation, TaskError
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.loading import LoadOptions
from pytest_mcpbench.core.placeholders import PLACEHOLDER
from pytest_mcpbench.core.task import ExpectedCall, Task
from pytest_mcpbench.core.tool import Call, ToolSpec
from pytest_mcpbench.core.trajectory import Step, Trajectory
from pytest_mcpbench.definitions.canonical import ToolDefinition
from pytest_mcpbench.definitions.lint.parameters import Parameter
from pytest_mcpbench.definitions.lint.words import content_words, words_of
from pytest_mcpbench.definitions.proposals import schema_arguments
from pytest_mcpbench.generation.pipeline.candidates import Drop, TaskCandidate
from pytest_mcpbench.generation.pipeline.model_attempts import counted_attempt
from pytest_mcpbench.generation.pipeline.paths import scalars
from pytest_mcpbench.generation.pipeline.setup import Setup, Solver
from pytest_mcpbench.generation.pipeline.stages import Outcome
from pytest_mcpbench.generation.pipeline.suite_text import TASKS_FILE
from pytest_mcpbench.generation.reported_errors import reports_error
from pytest_mcpbench.generation.spelling import (
    month_name,
    plural_unit,
    spoken_day,
    spoken_moment,
    spoken_zone,
    whole_word,
)
from pytest_mcpbench.loaders.native import load
from pytest_mcpbench.text.paths import SANDBOX
from pytest_mcpbench.text.vocabulary import numbers_of

# Checks of the words of a request: it names no tool or parameter, and does not recite arguments.

_SHORTEST = 3
"""Words of the shortest request."""


def wording_fault(task: Task, tools: Iterable[ToolDefinition]) -> Drop | None:
    """Return what is wrong with the words of a task's requests; ``None`` if nothing is."""
    request = task.request
    if len(request.split()) < _SHORTEST:
        return Drop("the request is too short", request)
    calls = [call for group in task.expected.calls for call in group.calls]
    values = {value for call in calls for _, value in scalars(call.arguments) if isinstance(value, str)}
    # Without the values that the request states: one of them may look like the name of a tool or parameter.
    plain = request
    for value in sorted(values, key=len, reverse=True):
        plain = plain.replace(value, " … ") if value else plain
    for tool in tools:
        for name in (tool.name, *tool.properties):
            is_identifier = re.search(r"[_./]|[a-z][A-Z]|\w-\w", name) is not None
            if is_identifier and re.search(rf"(?i)(?<!\w){re.escape(name)}(?!\w)", plain) is not None:
                return Drop("the request names a tool or a parameter", name)
        if re.search(rf"(?i)\bthe\s+[`'\"]?{re.escape(tool.name)}[`'\"]?\s+tool\b", plain):
            return Drop("the request names a tool or a parameter", tool.name)
        for name in tool.properties:
            if re.search(rf"(?i)(?<![\w-]){re.escape(name)}\s*[=:]\s*\S", request):
                return Drop("the request recites an argument", name)
    return None


# Agents that do not understand the request; a task that one of them passes measures nothing.

_PATIENCE_SECONDS = 3
"""Time for the results of all tools; a slower one is recorded as a time-out."""


def trivial_agents(task: Task, may_be_called: Callable[[ToolSpec], bool]) -> Mapping[str, Agent]:
    """Return the agents that must not pass a task, each by a description of what it does."""
    echo = Script(tuple(ScriptedStep(turn, text=said.user) for turn, said in enumerate(task.turns)))
    return {
        "doing nothing": NoopAgent(),
        "repeating the request": ScriptAgent(echo, name="echo"),
        "calling every tool": EveryToolAgent(may_be_called),
        "calling for each sentence the tool with most of its words": WordsAgent(may_be_called),
    }


@dataclass(frozen=True)
class EveryToolAgent:
    """Agent that calls each tool once, with the examples, defaults and first choices of its schema."""

    may_be_called: Callable[[ToolSpec], bool]
    """Tools that must not be called are left out: they may change something outside."""
    name: str = "every_tool"

    async def attempt(self, _task: Task, arena: AgentEnvironment) -> Trajectory:
        """Make all calls at once and answer with all results."""
        calls = [
            Call(id=f"every-{number}", name=tool.name, arguments=_arguments(tool))
            for number, tool in enumerate(filter(self.may_be_called, arena.tools), 1)
        ]
        batch = CallBatch(calls)
        with anyio.move_on_after(_PATIENCE_SECONDS):
            await batch.execute(arena)
        made = Step(calls=batch.records)
        return Trajectory(steps=(made, Step(text="\n".join(_results([made])))))


@dataclass(frozen=True)
class WordsAgent:
    """Agent that calls for each sentence the tool that has most of its words, and reads no value in it."""

    may_be_called: Callable[[ToolSpec], bool]
    name: str = "words"

    async def attempt(self, task: Task, arena: AgentEnvironment) -> Trajectory:
        """Make the calls one after the other, and answer each message with their results."""
        tools = [tool for tool in arena.tools if self.may_be_called(tool)]
        steps: list[Step] = []
        with anyio.move_on_after(_PATIENCE_SECONDS):
            for turn, said in enumerate(task.turns):
                made = [step async for step in _calls_by_words(turn, said.user, tools, arena)]
                steps += [*made, Step(turn=turn, text="\n".join(_results(made)))]
        return Trajectory(steps=tuple(steps))


async def _calls_by_words(
    turn: int, request: str, tools: Sequence[ToolSpec], arena: AgentEnvironment
) -> AsyncIterator[Step]:
    for number, sentence in enumerate(re.split(r"(?<=[.?!])\s+", request), 1):
        said = content_words(sentence)
        shared = [len(said & content_words(f"{tool.tool} {tool.description}")) for tool in tools]
        tool = tools[shared.index(max(shared))] if any(shared) else None
        if tool is not None:
            batch = CallBatch([Call(id=f"words-{turn}-{number}", name=tool.name, arguments=_arguments(tool))])
            await batch.execute(arena)
            yield Step(turn=turn, calls=batch.records)


def _results(steps: Sequence[Step]) -> Iterator[str]:
    for record in (record for step in steps for record in step.calls):
        if record.result is not None:
            yield record.result.text


def _arguments(tool: ToolSpec) -> dict[str, Any]:
    definition = ToolDefinition({"name": tool.name, "description": tool.description, "inputSchema": tool.input_schema})
    return schema_arguments(definition)


# Values in reference calls that can be known neither from the request, nor from the context, nor from results.

Dictionaries = Mapping[str, Mapping[str, str]]

_NUMBER_WORDS = {int(value): word for word, value in numbers_of("numbers", "en").items()}


def unknown_value(
    task: Task, results: Mapping[str, str], tools: Mapping[str, ToolSpec], dictionaries: Dictionaries
) -> str | None:
    """Return the first argument whose value would have to be guessed, as ``tool.parameter = value``.

    Args:
        task: The task.
        results: Text of each reference call's result, by its id, in the order of the calls.
        tools: Tools by name.
        dictionaries: Codes with the names that people use; a code is known if the request has its name.
    """
    # The world of a server is not among what is known: an agent has to ask for it.
    context = task.context
    facts = [*context.necessary, *context.necessary.values(), *context.unnecessary, context.now or ""]
    # An agent can ask a user who answers.
    told = [task.user.goal, *(rule.reply for rule in task.user.script)] if task.user is not None else []
    known = "\n".join([*(turn.user for turn in task.turns), *told, task.system or "", *facts])
    for group in task.expected.calls:
        leaves = ((call.tool, path, value) for call in group.calls for path, value in _leaves(call))
        for tool, path, value in leaves:
            if not _is_known(path, value, known, tools.get(tool), dictionaries):
                return f"{tool}.{path} = {json.dumps(value, ensure_ascii=False)}"
        # Calls of one group are made at the same time, so that none sees the result of another.
        known += "\n" + "\n".join(results.get(call.id, "") for call in group.calls)
    return None


def _leaves(call: ExpectedCall) -> Iterator[tuple[str, Any]]:
    """Yield path and value of each argument that is compared with the reference's."""
    matched = {".".join(map(str, matcher.at)) for matcher in call.matchers}
    for parts, value in scalars(call.arguments):
        path = ".".join(map(str, parts))
        is_result = isinstance(value, str) and PLACEHOLDER.search(value) is not None
        if not is_result and path not in matched and parts[0] not in call.optional:
            yield path, value


def _is_known(path: str, value: Any, known: str, tool: ToolSpec | None, dictionaries: Dictionaries) -> bool:
    found = tool.properties.get(path) if tool else None
    schema = found if isinstance(found, dict) else {}
    is_default = "default" in schema and bool(schema["default"] == value)
    is_only_choice = schema.get("const") == value or schema.get("enum") == [value]
    if is_default or is_only_choice:
        return True
    if isinstance(value, bool):
        return bool(content_words(path) & content_words(known))
    names = [entry[str(value)] for entry in dictionaries.values() if str(value) in entry]
    parameter = Parameter(path, schema, tool.input_schema if tool else {})
    described = f"{tool.description if tool else ''} {parameter.description}"
    word = whole_word(value, parameter.values or (), described)
    ways = (spoken_moment, spoken_day, spoken_zone)
    spoken = [each for each in (*(way(str(value)) for way in ways), word) if each]
    # A file in a directory that the system prompt names is known by the rest of its path.
    files = [str(value).removeprefix(f"{SANDBOX}/")] if SANDBOX in known else []
    spellings = (str(value), plural_unit(str(value)), *names, *spoken, *files)
    month = month_name(words_of(path.rpartition(".")[2]), value)
    if month is not None and re.search(rf"\b{month}\b(?! I\b)", known):
        return True  # `May I …` and `march on` name none.
    if any(_says(known, each) for each in spellings):
        return True
    if not isinstance(value, int | float):  # A bool, which is an int as well, was decided above.
        return False
    numbers = [f"{value:g}", f"{value:,}", *([_NUMBER_WORDS[int(value)]] if value in _NUMBER_WORDS else [])]
    return any(_says(known, each) for each in numbers)


def _says(known: str, value: str) -> bool:
    """Return whether a text has a value as words of its own; ``most_recent`` is also said as `most recent`."""
    words = [re.escape(word) for word in re.split(r"[_\s-]+", value.strip())]
    spoken = r"[_\s-]+".join(words)
    return any(words) and re.search(rf"(?i)(?<!\w){spoken}(?!\w)", known) is not None


CHANGING = "changing"
"""Tag of tasks whose results are not the same each time; its value names what differed."""
LEXICAL = "lexical"
"""Tag of tasks that the agent ``lexical`` passes, which matches words and understands none; its value is ``passes``."""


@dataclass(frozen=True)
class Proof:
    """Steps of the proof, for the stages of a run."""

    setup: Setup
    player: Player

    async def check_wording(self, candidate: TaskCandidate) -> Outcome:
        """Drop a candidate that is no valid task, or whose request has the words of the tools."""
        task = read_task(candidate)
        if isinstance(task, Drop):
            return task
        tools = [tool for name in task.servers or self.setup.servers for tool in self.setup.servers[name].tools]
        return wording_fault(task, tools) or [candidate]

    async def play_reference(self, candidate: TaskCandidate) -> Outcome:
        """Drop a candidate whose reference fails or needs guessed values; mark one whose results change."""
        task = _require(read_task(candidate))
        played = [await self._reference(task) for _ in range(2)]
        faults = [each for each in played if isinstance(each, Drop)]
        evidences = [each for each in played if isinstance(each, AttemptEvidence)]
        if faults:
            return faults[0]
        evidence, again = evidences
        references = [call for group in task.expected.calls for call in group.calls]
        texts = {
            reference.id: made.result.text if made.result is not None else ""
            for reference, made in zip(references, evidence.calls, strict=False)
        }
        tools = {tool.tool: tool for tool in evidence.tools}
        guessed = unknown_value(task, texts, tools, self.setup.dictionaries)
        if guessed is not None:
            return Drop("a value in the reference cannot be known", guessed)
        # The tool of the first call that returned something else the second time.
        changing = next(
            (
                one.called
                for one, other in zip(evidence.calls, again.calls, strict=False)
                if one.result is not None and other.result is not None and one.result.text != other.result.text
            ),
            None,
        )
        return [_with_tags(candidate, {CHANGING: changing} if changing else {})]

    async def play_trivial_agents(self, candidate: TaskCandidate) -> Outcome:
        """Drop a candidate that a trivial agent passes, and tag one that ``lexical`` passes."""
        task = _require(read_task(candidate))
        for deed, agent in trivial_agents(task, self._may_be_called).items():
            if await self._is_passed_by(task, agent):
                return Drop(f"{deed} passes the task")
        passes = await self._is_passed_by(task, LexicalAgent(may_be_called=self._may_be_called))
        return [_with_tags(candidate, {LEXICAL: "passes"} if passes else {})]

    async def _is_passed_by(self, task: Task, agent: Agent) -> bool:
        result = await self.player.play(task, agent)
        _raise_failed_start(result)
        return result.error is None and self.player.score(task, result.evidence).passed

    async def solve(self, candidate: TaskCandidate, solver: Solver) -> Outcome:
        """Tag a candidate with the number of attempts of the solver that passed, and its difficulty."""
        task = _require(read_task(candidate))
        trials = self.setup.settings.trials
        passed = 0
        for trial in range(1, trials + 1):
            result = await counted_attempt(self.setup, task, solver.agent, trial=trial)
            if result.error is not None:
                raise result.error
            passed += self.player.score(task, result.evidence).passed
        difficulty = "easy" if passed == trials else "hard" if passed == 0 else "medium"
        return [_with_tags(candidate, {"difficulty": difficulty, "solved": f"{passed} of {trials}"})]

    def _may_be_called(self, tool: ToolSpec) -> bool:
        return self.setup.may_be_called(tool.server, tool.tool)

    async def _reference(self, task: Task) -> AttemptEvidence | Drop:
        result = await self.player.play(task, OracleAgent())
        _raise_failed_start(result)
        if result.error is not None:
            return Drop("the reference fails on the server", str(result.error))
        card = self.player.score(task, result.evidence)
        if not card.passed:
            return Drop("the reference does not pass", ", ".join([*card.shortfalls, *card.unscored]))
        failed = next((call for call in result.evidence.calls if call.result and reports_error(call.result)), None)
        if failed is not None and failed.result is not None:
            return Drop("a result of the reference is an error", f"{failed.called}: {failed.result.text}")
        return result.evidence


def read_task(candidate: TaskCandidate) -> Task | Drop:
    """Return the task of a candidate, as its file will be read."""
    content = json.dumps({"id": candidate.id, **candidate.task}, ensure_ascii=False).encode()
    (loaded,) = load(content, LoadOptions(TASKS_FILE, {}, None))
    return loaded.task or Drop("the task is not valid", str(loaded.error))


def _require(task: Task | Drop) -> Task:
    if isinstance(task, Drop):
        raise TaskError(f"{task.reason}: {task.detail}", SourceLocation(TASKS_FILE))
    return task


def _raise_failed_start(result: AttemptResult) -> None:
    """Raise the error of a server that does not start: the next task would meet it, too."""
    if isinstance(result.error, ServerError) and result.error.phase != "call":
        raise result.error


def _with_tags(candidate: TaskCandidate, tags: dict[str, str]) -> TaskCandidate:
    own = candidate.task.get("tags")
    merged = {**(own if isinstance(own, dict) else {}), **tags}
    task = {**candidate.task, **({"tags": merged} if merged else {})}
    return candidate.model_copy(update={"task": task})
