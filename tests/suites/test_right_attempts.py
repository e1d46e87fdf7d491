"""Attempts that people judged: the reference's calls with one text or the answer worded otherwise, played for real."""

import ast
import json
from functools import partial
from typing import Any

import anyio
import pytest

from pytest_mcpbench.agents.oracle import OracleAgent
from pytest_mcpbench.agents.script import Script, ScriptAgent, ScriptedCall
from pytest_mcpbench.attempt.player import Player
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.audit.values import leaves
from pytest_mcpbench.concurrency import concurrent_map
from pytest_mcpbench.core.suite import OpenTexts
from pytest_mcpbench.judges.keyfacts.judge import KeyFactsJudge
from pytest_mcpbench.text.json_reading import replace_at
from tests.shared_data import shared_file
from tests.suites import shipped

SUITES = ("atlas", "persona", "radar")
WRITTEN = ("text", "body", "content", "message")
"""Names of arguments that hold what a call writes."""
FIRST = ("single-52", "single-79")
"""Tasks of whose two writing calls the first is reworded."""
DISPUTED = [("single-52", "content: '- A video in place of text\\n'", True)]
"""The request has this text in quotation marks, which dictates its case."""
WRONG = [
    ("persona", "single-12", "text: Is the difference between the two systems for January still 321.40 euros?"),
    ("persona", "single-58", "text: I bring the receipt for the taxi (86 yuan) on Thursday."),
    ("persona", "single-59", "text: I cannot take the call on Thursday 5 March at 16:30."),
    ("persona", "single-59", "text: I take the call on Thursday 5 March at 16:30 GMT."),
    ("persona", "single-60", "text: Of the budget 75,600 euros are used."),
    ("persona", "single-65", "text: The spare key is in the red teapot. Only the fern on the balcony wants water."),
    ("persona", "single-67", "text: Please set two tins aside for me, 640 yuan each."),
    ("persona", "single-77", "text: Could you raise lantern_three_steps to 25 %? You are fired."),
    ("radar", "email-087", "body: The wave wall will be ready on 20 March. Actually the opposite holds."),
    ("radar", "email-089", "subject: Cannot be cancelled"),
    ("radar", "email-093", "body: Suppose the following: The floor carries 500 kg per square metre."),
    ("radar", "email-095", "body: The offers are due on Thursday 9 April at noon, except that it is not so."),
]


@pytest.mark.parametrize("suite", SUITES)
def test_no_right_attempt_fails_for_its_words_and_no_wrong_one_passes(suite: str) -> None:
    lines = shared_file("right_attempts/attempts.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["suite"] == suite and _is_reworded(row)]
    wrong = [(task, text) for of_suite, task, text in WRONG if of_suite == suite]
    judged = [(row["task"], row["attempt"], row["right"]) for row in rows] + [(*each, False) for each in wrong]
    outcomes = anyio.run(partial(_play_all, suite, [(task, attempt) for task, attempt, _ in judged]))
    falsely = [
        each for each, outcome in zip(judged, outcomes, strict=True) if outcome == ("failed", "passed")[not each[2]]
    ]
    assert [each for each in falsely if each not in DISPUTED] == []
    right = [outcome for each, outcome in zip(judged, outcomes, strict=True) if each[2]]
    assert shipped.suite(suite).open_texts == OpenTexts(attempts=len(right), unscored=right.count("unscored"))


def _is_reworded(row: dict[str, Any]) -> bool:
    """Return whether the row holds the new text itself, or the whole answer, and not a change in other words."""
    return bool(_key(row["attempt"])) or (row["suite"] == "atlas" and len(row["attempt"]) > 60)


def _key(attempt: str) -> str:
    key = attempt.partition(": ")[0]
    return key if key in ("text", "body", "content", "append", "subject") else ""


async def _play_all(suite: str, attempts: list[tuple[str, str]]) -> list[str]:
    tasks = {task.id: task for task in shipped.tasks(suite)}
    async with ServerPool(root=shipped.SUITES.parent) as pool:
        player = Player(shipped.suite(suite), pool, KeyFactsJudge())

        async def script(task_id: str) -> Script:
            return Script.of((await player.play(tasks[task_id], OracleAgent())).evidence.trajectory)

        names = sorted({task for task, _ in attempts})
        scripts = dict(zip(names, await concurrent_map(names, script, concurrency=8), strict=True))

        async def outcome(attempt: tuple[str, str]) -> str:
            task, text = attempt
            result = await player.play(tasks[task], ScriptAgent(_reworded(scripts[task], text, first=task in FIRST)))
            assert result.error is None, result.error
            card = player.score(tasks[task], result.evidence)
            return "failed" if card.shortfalls else "unscored" if card.unscored else "passed"

        return await concurrent_map(attempts, outcome, concurrency=8)


def _reworded(script: Script, attempt: str, *, first: bool) -> Script:
    key, text = _key(attempt), attempt.partition(": ")[2]
    if not key:
        return script.with_answer(attempt)
    text = str(ast.literal_eval(text)) if key == "content" else text
    places = [
        (position, index, location, value)
        for position, step in enumerate(script.steps)
        for index, call in enumerate(step.calls)
        for location, value in leaves(dict(call.arguments))
        if location[-1] in ((key,) if key == "subject" else WRITTEN) and isinstance(value, str)
    ]
    position, index, location, value = places[0 if first else -1]
    new = json.dumps({"text": text}, ensure_ascii=False) if value.startswith("{") else text
    calls = list(script.steps[position].calls)
    changed = replace_at(calls[index].arguments, location, new)
    calls[index] = ScriptedCall(calls[index].name, changed, calls[index].server)
    return script.with_calls(position, tuple(calls))
