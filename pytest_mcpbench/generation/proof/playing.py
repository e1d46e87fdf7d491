"""Attempts at a candidate's task: the reference twice, agents that must not pass, and a solver."""

import json
from dataclasses import dataclass

from pytest_mcpbench.core.errors import ServerError, SourceLocation, TaskError
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.loading import LoadOptions
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.generation.pipeline.candidates import Drop, TaskCandidate
from pytest_mcpbench.generation.pipeline.model_attempts import counted_attempt
from pytest_mcpbench.generation.pipeline.setup import Setup, Solver
from pytest_mcpbench.generation.pipeline.stages import Outcome
from pytest_mcpbench.generation.pipeline.suite_text import TASKS_FILE
from pytest_mcpbench.generation.proof.known_values import unknown_value
from pytest_mcpbench.generation.proof.trivial_agents import trivial_agents
from pytest_mcpbench.generation.proof.wording import wording_fault
from pytest_mcpbench.generation.reported_errors import reports_error
from pytest_mcpbench.loaders.native import load
from pytest_mcpbench.runtime.agents.oracle import OracleAgent
from pytest_mcpbench.runtime.attempt import AttemptResult
from pytest_mcpbench.runtime.player import Player

CHANGING = "changing"
"""Tag of tasks whose results are not the same each time; its value names what differed."""


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
        guessed = self._guessed_value(task, evidences[0])
        if guessed is not None:
            return Drop("a value in the reference cannot be known", guessed)
        changing = _changing_call(*evidences)
        return [_with_tags(candidate, {CHANGING: changing} if changing else {})]

    async def play_trivial_agents(self, candidate: TaskCandidate) -> Outcome:
        """Drop a candidate that a trivial agent passes."""
        task = _require(read_task(candidate))
        for deed, agent in trivial_agents(task, self._may_be_called).items():
            result = await self.player.play(task, agent)
            _raise_failed_start(result)
            if result.error is None and self.player.score(task, result.evidence).passed:
                return Drop(f"{deed} passes the task")
        return [candidate]

    async def solve(self, candidate: TaskCandidate, solver: Solver) -> Outcome:
        """Tag a candidate with the number of attempts of the solver that passed, and its difficulty."""
        task = _require(read_task(candidate))
        trials = self.setup.settings.trials
        passed = 0
        for trial in range(1, trials + 1):
            passed += await self._passes(task, solver, trial)
        difficulty = "easy" if passed == trials else "hard" if passed == 0 else "medium"
        return [_with_tags(candidate, {"difficulty": difficulty, "solved": f"{passed} of {trials}"})]

    def _may_be_called(self, tool: ToolSpec) -> bool:
        return self.setup.may_be_called(tool.server, tool.tool)

    async def _passes(self, task: Task, solver: Solver, trial: int) -> bool:
        result = await counted_attempt(self.setup, task, solver.agent, trial=trial)
        if result.error is not None:
            raise result.error
        return self.player.score(task, result.evidence).passed

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

    def _guessed_value(self, task: Task, evidence: AttemptEvidence) -> str | None:
        references = [call for group in task.expected.calls for call in group.calls]
        texts = {
            reference.id: made.result.text if made.result is not None else ""
            for reference, made in zip(references, evidence.calls, strict=False)
        }
        tools = {tool.tool: tool for tool in evidence.tools}
        return unknown_value(task, texts, tools, self.setup.dictionaries)


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


def _changing_call(first: AttemptEvidence, second: AttemptEvidence) -> str | None:
    """Return the tool of the first call that returned something else the second time."""
    for one, other in zip(first.calls, second.calls, strict=False):
        if one.result is not None and other.result is not None and one.result.text != other.result.text:
            return one.called
    return None


def _with_tags(candidate: TaskCandidate, tags: dict[str, str]) -> TaskCandidate:
    own = candidate.task.get("tags")
    merged = {**(own if isinstance(own, dict) else {}), **tags}
    task = {**candidate.task, **({"tags": merged} if merged else {})}
    return candidate.model_copy(update={"task": task})
