"""Audit of tasks whose user answers: the script of the task plays the user of every attempt."""

from pathlib import Path

import anyio

from pytest_mcpbench.agents.oracle import OracleAgent
from pytest_mcpbench.agents.script import Script, ScriptAgent, ScriptedStep
from pytest_mcpbench.attempt.player import Player
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.audit.runner import audit
from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.suite_files.discovery import find_suite
from pytest_mcpbench.suite_files.loading import load_suite

SUITE = Path(__file__).parents[2] / "fixtures" / "conversations" / "suite.toml"


def test_the_script_of_the_task_answers_each_attempt_and_decides_how_it_ends() -> None:
    async def play() -> None:
        loaded = load_suite(find_suite(str(SUITE), Path.cwd()), {})
        task, with_goal = (attempt.task for attempt in loaded.attempts)
        assert task is not None
        assert with_goal is not None
        async with ServerPool(root=Path.cwd()) as pool:
            player = Player(loaded.manifest, pool)
            right = Script.of((await player.play(task, OracleAgent())).evidence.trajectory)
            hasty = Script(tuple(ScriptedStep(0, step.calls, step.text) for step in right.steps[-2:]))
            scripts = {"right": right, "stops early": Script(right.steps[:-1]), "asks nothing": hasty}
            played = {name: (await player.play(task, ScriptAgent(script))).evidence for name, script in scripts.items()}
            scores = {name: player.score(task, evidence)["conversation"].value for name, evidence in played.items()}
            ends = {name: evidence.trajectory.conversation for name, evidence in played.items()}
            assert {name: end and end.end for name, end in ends.items()} == {
                "right": "satisfied",
                "stops early": "gave_up",
                "asks nothing": "satisfied",
            }
            assert scores["right"] == 1.0
            assert (scores["stops early"], scores["asks nothing"]) == (0.75, 0.5)
            report = await audit(player, [task])
            assert {outcome.fate for outcome in report.outcomes} == {"killed"}
            assert isinstance((await player.play(with_goal, OracleAgent())).error, TaskError)

    anyio.run(play)
