"""Attempts that people judged: the reference's calls with one text or the answer worded otherwise, played for real."""

import ast
import json
import re
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import anyio
import pytest

from pytest_mcpbench.agents.oracle import OracleAgent
from pytest_mcpbench.agents.script import Script, ScriptAgent, ScriptedCall
from pytest_mcpbench.attempt.player import Player
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.audit.values import leaves
from pytest_mcpbench.concurrency import concurrent_map
from pytest_mcpbench.core.chat import ChatMessage, ModelSettings, Reply
from pytest_mcpbench.core.judgement import Judge
from pytest_mcpbench.core.suite import OpenTexts
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.judges.cascade import JudgeCascade
from pytest_mcpbench.judges.keyfacts.judge import KeyFactsJudge
from pytest_mcpbench.judges.llm import LlmJudge
from pytest_mcpbench.text.json_reading import replace_at
from tests.shared_data import shared_file
from tests.suites import shipped
from tests.suites.edits import Edit
from tests.suites.invented_attempts import INVENTED
from tests.suites.judged_edits import DISPUTED, EDITS, NOT_PLAYED

WRITTEN = ("text", "body", "content", "message")
"""Names of arguments that hold what a call writes."""
FIRST = ("single-52", "single-79")
"""Tasks of whose two writing calls the first is reworded."""
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


OUTCOMES = {
    "atlas": {"right": (5, 0, 13), "wrong": (0, 2, 2)},
    "finmcp": {"right": (2, 0, 0), "wrong": (0, 1, 0)},
    "persona": {"right": (25, 1, 19), "wrong": (0, 16, 9)},
    "radar": {"right": (22, 4, 5), "wrong": (0, 9, 5)},
    "toolbench": {"right": (3, 0, 0), "wrong": (0, 1, 0)},
}
"""Attempts that people judged, by suite: passed, failed, unscored, without a model as judge."""
INVENTED_OUTCOMES = {
    "atlas": {"right": (0, 0, 15), "wrong": (0, 13, 4)},
    "finmcp": {"right": (3, 0, 0), "wrong": (0, 4, 0)},
    "persona": {"right": (14, 0, 18), "wrong": (0, 18, 12)},
    "radar": {"right": (28, 0, 4), "wrong": (0, 19, 4)},
    "toolbench": {"right": (14, 0, 0), "wrong": (0, 12, 0)},
}


class Played(NamedTuple):
    task: str
    edit: Edit
    is_right: bool
    line: int = 0
    """Line in the file of judged attempts; 0 for others."""
    is_exact: bool = False
    """True for an attempt without free words."""


@pytest.mark.parametrize("suite", OUTCOMES)
def test_no_right_attempt_fails_and_no_wrong_one_passes(suite: str) -> None:
    attempts = _judged(suite)
    outcomes = anyio.run(partial(_play_all, suite, attempts))

    assert _falsely(attempts, outcomes) == [each for each in attempts if each.line in DISPUTED]
    assert _counts(attempts, outcomes) == OUTCOMES[suite]
    open_texts = shipped.suite(suite).open_texts
    reworded = [
        outcome
        for each, outcome in zip(attempts, outcomes, strict=True)
        if each.is_right and each.line and each.line not in EDITS
    ]
    assert open_texts is None or open_texts == OpenTexts(attempts=len(reworded), unscored=reworded.count("unscored"))


@pytest.mark.extra
@pytest.mark.parametrize("suite", INVENTED_OUTCOMES)
def test_no_right_attempt_as_models_write_them_fails_and_no_wrong_one_passes(suite: str) -> None:
    attempts = _invented(suite)
    outcomes = anyio.run(partial(_play_all, suite, attempts))

    assert _falsely(attempts, outcomes) == []
    assert _counts(attempts, outcomes) == INVENTED_OUTCOMES[suite]
    assert {outcome for each, outcome in zip(attempts, outcomes, strict=True) if each.is_exact and each.is_right} <= {
        "passed"
    }


def _judged(suite: str) -> list[Played]:
    """Return the attempts that people judged, and a few wrong ones more."""
    lines = shared_file("right_attempts/attempts.jsonl").read_text(encoding="utf-8").splitlines()
    rows = {line: row for line, row in enumerate(map(json.loads, lines), 1) if row["suite"] == suite}
    return [
        *(
            Played(row["task"], _edit(line, row), row["right"], line)
            for line, row in rows.items()
            if line not in NOT_PLAYED
        ),
        *(Played(task, partial(_reworded, attempt=text), False) for of, task, text in WRONG if of == suite),
    ]


def _invented(suite: str) -> list[Played]:
    return [
        Played(each.task, partial(_edited, edits=each.edits), each.is_right, is_exact=not each.has_free_text)
        for each in INVENTED
        if each.suite == suite
    ]


def _falsely(attempts: Sequence[Played], outcomes: Sequence[str]) -> list[Played]:
    """Return the right attempts that fail, and the wrong ones that pass."""
    return [
        each
        for each, outcome in zip(attempts, outcomes, strict=True)
        if outcome == ("failed" if each.is_right else "passed")
    ]


def _counts(attempts: Sequence[Played], outcomes: Sequence[str]) -> dict[str, tuple[int, ...]]:
    found = Counter((each.is_right, outcome) for each, outcome in zip(attempts, outcomes, strict=True))
    kinds = ("passed", "failed", "unscored")
    return {
        name: tuple(found[is_right, kind] for kind in kinds) for name, is_right in (("right", True), ("wrong", False))
    }


def _edit(line: int, row: dict[str, Any]) -> Edit:
    if line in EDITS:
        return partial(_edited, edits=EDITS[line])
    return partial(_reworded, attempt=row["attempt"], first=row["task"] in FIRST)


def _edited(script: Script, edits: tuple[Edit, ...]) -> Script:
    for edit in edits:
        script = edit(script)
    return script


def _key(attempt: str) -> str:
    key = attempt.partition(": ")[0]
    return key if key in ("text", "body", "content", "append", "subject") else ""


class _Reader:
    """A model that answers each question about an attempt as a reader of the whole attempt would."""

    name = "reader"

    def __init__(self, *, is_right: bool) -> None:
        self._label = "fulfilled" if is_right else "not_fulfilled"

    async def complete(
        self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec], settings: ModelSettings
    ) -> Reply:
        del tools, settings
        numbers = re.findall(r"^Question (\d+), of the kind", messages[-1].text, re.MULTILINE)
        verdicts = [{"number": int(number), "reason": "read", "label": self._label} for number in numbers]
        return Reply(text=json.dumps({"verdicts": verdicts} if verdicts else {"reason": "read", "label": self._label}))


def _cascade(*, is_right: bool) -> Judge:
    return JudgeCascade(KeyFactsJudge(), LlmJudge(_Reader(is_right=is_right)))


@pytest.mark.long
@pytest.mark.parametrize("suite", OUTCOMES)
def test_with_a_model_that_reads_what_the_rules_leave_open_right_attempts_pass_and_wrong_ones_fail(suite: str) -> None:
    attempts = [*_judged(suite), *_invented(suite)][::3]
    outcomes = anyio.run(partial(_play_all, suite, attempts, with_model=True))

    assert _falsely(attempts, outcomes) == [each for each in attempts if each.line in DISPUTED]
    counts = _counts(attempts, outcomes)
    assert counts["right"][2] <= 0.1 * sum(counts["right"])
    assert counts["wrong"] == (0, sum(counts["wrong"]), 0)


async def _play_all(suite: str, attempts: Sequence[Played], *, with_model: bool = False) -> list[str]:
    tasks = {task.id: task for task in shipped.tasks(suite)}
    async with ServerPool(root=shipped.SUITES.parent) as pool:
        judges = {right: _cascade(is_right=right) if with_model else KeyFactsJudge() for right in (True, False)}
        players = {right: Player(shipped.suite(suite), pool, judge) for right, judge in judges.items()}

        async def script(task_id: str) -> Script:
            return Script.of((await players[True].play(tasks[task_id], OracleAgent())).evidence.trajectory)

        names = sorted({each.task for each in attempts})
        scripts = dict(zip(names, await concurrent_map(names, script, concurrency=8), strict=True))

        async def outcome(attempt: Played) -> str:
            player = players[attempt.is_right]
            result = await player.play(tasks[attempt.task], ScriptAgent(attempt.edit(scripts[attempt.task])))
            assert result.error is None, result.error
            card = player.score(tasks[attempt.task], result.evidence)
            return "failed" if card.shortfalls else "unscored" if card.unscored else "passed"

        return await concurrent_map(attempts, outcome, concurrency=8)


def _reworded(script: Script, attempt: str, *, first: bool = False) -> Script:
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
