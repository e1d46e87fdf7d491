"""References of the shipped suites, played through the interface of a chat model: right ones pass, wrong ones fail."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import anyio
import pytest

from fixtures.chat_server import chat_server
from pytest_mcpbench.agents.factory import make_agent
from pytest_mcpbench.attempt.player import Player
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.concurrency import concurrent_map
from pytest_mcpbench.core.score import Scorecard
from pytest_mcpbench.core.selection import draw_sample
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.judges.keyfacts.judge import KeyFactsJudge
from pytest_mcpbench.models.factory import Models
from tests.suites import shipped
from tests.suites.reference_attempts import ReferenceAttempt, one_worker, reference_attempts
from tests.suites.reference_model import Change, Move, ReferenceModel, Turn, as_reference, turns_of

pytestmark = pytest.mark.extra
RIGHT, WRONG_OF_A_KIND = 6, 2
"""Tasks of a suite that the references, and each kind of wrong attempt, are played on."""
SUITES = [pytest.param(name, marks=one_worker(name)) for name in shipped.NAMES]


def _without_any_call(move: Move, _tools: Sequence[str]) -> Move:
    """Give the right answer at once."""
    return Move(text=move.answer, answer=move.answer)


def _without_last_calls(move: Move, _tools: Sequence[str]) -> Move:
    return replace(move, calls=(), text="I have done it.") if move.is_last_group else move


def _with_broken_json(move: Move, _tools: Sequence[str]) -> Move:
    """Cut the arguments of the last calls in the middle, as a model does that stops too early."""
    if not move.is_last_group:
        return move
    return replace(move, calls=tuple((name, json.dumps(arguments)[:-1]) for name, arguments in move.calls))


def _with_unknown_tool(move: Move, _tools: Sequence[str]) -> Move:
    if not move.is_last_group:
        return move
    return replace(move, calls=tuple((f"{name}_v2", arguments) for name, arguments in move.calls))


def _with_wrong_tool(move: Move, tools: Sequence[str]) -> Move:
    if not move.is_last_group:
        return move
    return replace(move, calls=tuple((_other(name, tools), arguments) for name, arguments in move.calls))


def _other(name: str, tools: Sequence[str]) -> str:
    return tools[(tools.index(name) + 1) % len(tools)]


def _with_withdrawn_answer(move: Move, _tools: Sequence[str]) -> Move:
    return replace(move, text=f"{move.text}\nThat is wrong, though; I do not know.") if move.text else move


def _with_refusal(move: Move, _tools: Sequence[str]) -> Move:
    return replace(move, text="I am sorry, but I cannot help with that.") if move.text else move


def _changes_a_world(attempt: ReferenceAttempt) -> bool:
    return attempt.changes_a_world


def _is_about_its_calls(attempt: ReferenceAttempt) -> bool:
    expected = attempt.task.expected
    return bool(expected.calls) and expected.answer is None and not expected.claims


def _is_about_its_answer(attempt: ReferenceAttempt) -> bool:
    expected = attempt.task.expected
    searches = bool(expected.exec) and all(checkpoint.value is not None for checkpoint in expected.exec)
    return expected.answer is not None or bool(expected.claims) or searches


WRONG: dict[str, tuple[Change, Callable[[ReferenceAttempt], bool]]] = {
    "nothing is done": (_without_any_call, _changes_a_world),
    "the last calls are left out": (_without_last_calls, _is_about_its_calls),
    "the arguments are cut": (_with_broken_json, _is_about_its_calls),
    "a tool is invented": (_with_unknown_tool, _is_about_its_calls),
    "another tool is called": (_with_wrong_tool, _is_about_its_calls),
    "the answer is withdrawn": (_with_withdrawn_answer, _is_about_its_answer),
    "the answer is refused": (_with_refusal, _is_about_its_answer),
}


@pytest.mark.long
@pytest.mark.parametrize("name", SUITES)
def test_references_pass_when_a_chat_model_plays_them(name: str) -> None:
    tasks = draw_sample(shipped.tasks(name), RIGHT, seed=0, key=name)
    cards = _play(name, tasks, as_reference)
    assert len(cards) == len(tasks)
    assert {task: (card.shortfalls, card.unscored) for task, card in cards.items() if not card.passed} == {}


@pytest.mark.long
@pytest.mark.parametrize("kind", WRONG)
@pytest.mark.parametrize("name", SUITES)
def test_wrong_attempts_do_not_pass_when_a_chat_model_plays_them(name: str, kind: str) -> None:
    change, applies = WRONG[kind]
    tasks = [attempt.task for attempt in reference_attempts(name) if applies(attempt)]
    if not tasks:
        pytest.skip(f"{name} has no task to which this applies")
    cards = _play(name, draw_sample(tasks, WRONG_OF_A_KIND, seed=0, key=kind), change)
    # Answers in free words are left to a judge: such an attempt is unscored.
    assert [task for task, card in cards.items() if card.passed] == []


def _play(name: str, tasks: Sequence[Task], change: Change) -> dict[str, Scorecard]:
    """Return task id -> the scores of the attempt of a chat model."""
    turns = {attempt.task.id: _turns(attempt) for attempt in reference_attempts(name)}
    with chat_server(ReferenceModel(turns, change)) as server:
        return dict(anyio.run(partial(_play_all, name, tasks, server.url)))


def _turns(attempt: ReferenceAttempt) -> tuple[Turn, ...]:
    """Return the references of a task; the answers are those of ``oracle``."""
    return turns_of(attempt.task, {step.turn: step.text for step in attempt.evidence.trajectory.steps})


async def _play_all(name: str, tasks: Sequence[Task], url: str) -> list[tuple[str, Scorecard]]:
    async with Models({}) as models, ServerPool(root=shipped.SUITES.parent) as pool:
        player = Player(shipped.suite(name), pool, KeyFactsJudge())

        async def play(task: Task) -> tuple[str, Scorecard]:
            result = await player.play(task, make_agent(f"{url}#{task.id}", models))
            if result.error is not None:
                raise AssertionError(f"{task.id}: {result.error}")
            return task.id, player.score(task, result.evidence)

        return await concurrent_map(tasks, play, concurrency=8)
