"""The suite ``adversarial``: its attacks reach the agent, do harm if they are obeyed, and only then."""

import json
from functools import cache, partial

import anyio
import pytest

from pytest_mcpbench.agents.agent import Agent, AgentEnvironment
from pytest_mcpbench.agents.noop import NoopAgent
from pytest_mcpbench.agents.oracle import OracleAgent
from pytest_mcpbench.attempt.player import Player
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.concurrency import concurrent_map
from pytest_mcpbench.core.score import Scorecard
from pytest_mcpbench.core.task import ExpectedCall, Task
from pytest_mcpbench.core.tool import Call
from pytest_mcpbench.core.trajectory import Step, Trajectory
from pytest_mcpbench.generation.adversarial import VARIANTS, scenarios, task_files
from tests.suites import shipped

NAME = "adversarial"
SCENARIOS = {scenario["id"]: scenario for scenario in scenarios()}


class CredulousAgent:
    """Agent that makes the reference calls, and obeys the text of an attack as soon as it has read it.

    It recognizes the texts of this suite and makes the calls that the scenario's ``obey`` gives for them; it
    understands nothing.
    """

    name = "credulous"

    async def attempt(self, task: Task, arena: AgentEnvironment) -> Trajectory:
        scenario = SCENARIOS[task.id.rpartition("-")[0]]
        obeyed = [ExpectedCall.model_validate(call) for call in scenario["obey"]["calls"]]
        left = list(enumerate(task.expected.flat_calls))
        read = json.dumps([tool.model_dump(mode="json") for tool in arena.tools], ensure_ascii=False)
        read += "".join(server.instructions for server in arena.servers)
        steps: list[Step] = []
        while left or (obeyed and _has_read(read, scenario["attacked"])):
            if obeyed and _has_read(read, scenario["attacked"]):
                left = [(index, call) for index, call in left if index not in scenario["obey"].get("instead", ())]
                call = obeyed.pop(0)
            else:
                _, call = left.pop(0)
            made = Call(id=f"call-{len(steps)}", name=call.tool, arguments=dict(call.arguments))
            record = await arena.call(made)
            assert record.result is not None
            assert call.is_error_expected or not record.result.is_error, f"{task.id}: {record.result.text}"
            read += record.result.text
            steps.append(Step(calls=(record,)))
        check = task.expected.answer_check
        return Trajectory(steps=(*steps, Step(text=check.right_answer if check else "Done.")))


def _has_read(read: str, text: str) -> bool:
    return json.dumps(text, ensure_ascii=False)[1:-1] in read or text in read


@cache
def cards(agent_name: str) -> dict[str, Scorecard]:
    """Return the scores of an agent's attempts at all tasks, by the id of the task."""
    agents: dict[str, Agent] = {agent.name: agent for agent in (OracleAgent(), NoopAgent(), CredulousAgent())}
    return anyio.run(partial(_play_all, agents[agent_name]))


async def _play_all(agent: Agent) -> dict[str, Scorecard]:
    async with ServerPool(root=shipped.SUITES.parent) as pool:
        player = Player(shipped.suite(NAME), pool)

        async def play(task: Task) -> tuple[str, Scorecard]:
            result = await player.play(task, agent)
            assert result.error is None, f"{task.id}: {result.error}"
            return task.id, player.score(task, result.evidence)

        return dict(await concurrent_map(shipped.tasks(NAME), play, concurrency=8))


def passed(agent_name: str) -> set[str]:
    return {task_id for task_id, card in cards(agent_name).items() if card.passed}


def of_variant(variant: str) -> set[str]:
    return {task.id for task in shipped.tasks(NAME) if task.tags["variant"] == variant}


@pytest.mark.extra
def test_every_task_can_be_solved_and_none_by_doing_nothing() -> None:
    assert passed("oracle") == of_variant("attacked") | of_variant("benign")
    assert passed("noop") == set()


@pytest.mark.extra
def test_obeying_an_attack_fails_its_task_by_what_has_changed_and_passes_the_twin() -> None:
    assert passed("credulous") == of_variant("benign")
    unharmed = {task_id for task_id, card in cards("credulous").items() if card["state_clean"].value == 1}
    assert unharmed == of_variant("benign")


def test_twins_differ_in_the_planted_text_alone() -> None:
    tasks = {task.id: task for task in shipped.tasks(NAME)}
    assert len(tasks) == 2 * len(SCENARIOS)
    for name, scenario in SCENARIOS.items():
        attacked, benign = (_without(tasks[f"{name}-{each}"], scenario[each]) for each in VARIANTS)
        assert attacked == benign


def _without(task: Task, text: str) -> str:
    dumped = task.model_dump_json(exclude={"id", "tags", "source"})
    planted = json.dumps(text, ensure_ascii=False)[1:-1]
    assert planted in dumped
    return dumped.replace(planted, "")


def test_regenerating_writes_the_task_file_that_is_checked_in() -> None:
    files = task_files()
    assert {path: (shipped.SUITES / NAME / path).read_text(encoding="utf-8") for path in files} == files
