"""Simulated agents of a given ability, and what they say about tasks."""

import random

import pytest

from pytest_mcpbench.attempt.player import Player
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.audit.items import (
    PlayedDecision,
    PlayedTask,
    analyse,
    decisions_of,
    passes,
    play_tasks,
    report_lines,
    splits_of,
)
from pytest_mcpbench.audit.subject import Subject
from pytest_mcpbench.core.judgement import Question, Verdict
from pytest_mcpbench.core.task import Expected
from tests.builders import a_call, a_task, a_tool, evidence_of
from tests.metrics.verdicts import a_verdict
from tests.servers.subjects import a_suite

FIND = a_tool("find", {"query": {"type": "string"}})
SEND = a_tool("send", {"id": {"type": "string"}})


def a_played_task(task_id: str, *noticed: bool, category: str = "", parts: int = 1) -> PlayedTask:
    decisions = tuple(PlayedDecision(parts, is_noticed) for is_noticed in noticed)
    return PlayedTask(task_id, category, len(noticed), is_passed_by_lexical=False, decisions=decisions)


def test_what_follows_from_a_wrong_call_is_wrong_and_the_rest_is_right() -> None:
    found = a_call("find", {"query": "Ann"}, result='{"id": "p-7"}')
    unrelated = a_call("find", {"query": "Bob"}, result='{"id": "p-8"}')
    evidence = evidence_of((found,), (unrelated,), (a_call("send", {"id": "p-7"}),), answer="p-7", tools=(FIND, SEND))
    task = a_task(ask="Send what Ann has. Look for Bob, too.", expected=Expected(answer="p-7"))
    decisions = list(decisions_of(Subject(task, evidence)))
    right = [(call.name, call.arguments) for call in decisions[-1].script.calls]
    after_wrong_search = decisions[0].script
    assert [decision.parts for decision in decisions] == [1, 1, 2, 1]
    assert ("find", {"query": "Bob"}) in [(call.name, call.arguments) for call in after_wrong_search.calls]
    assert not {"p-7", "Ann"} & {value for call in after_wrong_search.calls for value in call.arguments.values()}
    assert after_wrong_search.answer != "p-7"
    assert right == [("find", {"query": "Ann"}), ("find", {"query": "Bob"}), ("send", {"id": "p-7"})]


def test_an_attempt_fails_with_a_mistake_that_is_noticed_only() -> None:
    draw = random.Random(0)
    assert passes((PlayedDecision(3, is_noticed=False),), 0.0, draw)
    assert not passes((PlayedDecision(1, is_noticed=True),), 0.0, draw)
    assert passes((PlayedDecision(1, is_noticed=True),), 1.0, draw)


def test_tasks_that_notice_nothing_have_no_discrimination_and_long_tasks_are_hard() -> None:
    tasks = [
        *(a_played_task(f"blind-{number}", False, category="b") for number in range(20)),
        *(a_played_task(f"short-{number}", True, category="s") for number in range(20)),
        *(a_played_task(f"long-{number}", *([True] * 6), category="l") for number in range(20)),
    ]
    items = {item.id: item for item in analyse(tasks, (0.6, 0.95), 20)}
    splits = splits_of(list(items.values()))
    assert items["blind-0"].rates == {0.6: 1.0, 0.95: 1.0}
    assert items["blind-0"].discrimination is None
    assert (items["long-0"].discrimination or 0) > 0.2
    assert {task_id.partition("-")[0] for task_id in splits["hard"]} == {"long"}
    assert {name: len(ids) for name, ids in splits.items()} == {"quick": 20, "core": 20, "hard": 15}
    assert {task_id.partition("-")[0] for task_id in splits["quick"]} == {"blind", "short", "long"}


class UnsureJudge:
    """Finds a claim in an answer that is no other text, and otherwise cannot decide."""

    name = "unsure"
    identity = ""

    async def decide(self, question: Question) -> Verdict:
        is_said = question.statement == question.evidence
        return a_verdict(1) if is_said else a_verdict(None, error="I cannot tell.")


@pytest.mark.anyio
async def test_a_mistake_that_the_judge_cannot_decide_is_left_out_and_counted() -> None:
    task = a_task(expected=Expected(claims=("It costs 100 dollars.",)))
    async with ServerPool() as pool:
        player = Player(a_suite(name="s", floors={"coverage": 0.75}), pool, UnsureJudge())
        (played,), unplayable = await play_tasks(player, [task], "category", lambda *_: None)
    assert (played.decisions, played.open_decisions, unplayable) == ((), 1, [])
    lines = list(report_lines(analyse([played], (0.6,), 2), {}, [played]))
    assert lines[-2] == "mistakes that pass: 0 of 0; tasks in which all do: 0"
    assert lines[-1] == "mistakes left out, whose attempts have no verdict or could not be made: 1"


def test_mistakes_that_no_check_notices_are_counted_with_the_tasks_that_notice_none() -> None:
    played = [
        a_played_task("some", True, False),
        a_played_task("none", False, False),
        a_played_task("all", True),
        a_played_task("without-decisions"),
    ]
    assert list(report_lines(analyse(played, (0.6,), 2), {}, played))[-1] == (
        "mistakes that pass: 3 of 5; tasks in which all do: 1"
    )
