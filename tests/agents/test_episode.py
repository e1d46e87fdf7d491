from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mcpbench.agents.episode import (
    AskModel,
    AskUser,
    CallTools,
    EpisodeHistory,
    NextStep,
    Stop,
    build_step,
    next_step,
    unsent_record,
)
from pytest_mcpbench.core.chat import CONTEXT_FULL, Reply
from pytest_mcpbench.core.task import Limits
from pytest_mcpbench.core.tool import Call, CallRecord, ToolResult
from pytest_mcpbench.core.trajectory import ParsedText, Step
from pytest_mcpbench.core.usage import Usage

FREE = Limits(rounds=None, tool_calls=None, seconds=None)


def call(name: str, number: int = 1, **fields: object) -> Call:
    return Call.model_validate({"id": str(number), "name": name, "arguments": {"n": number}, **fields})


def made(call: Call) -> CallRecord:
    return CallRecord(**call.model_dump(), tool=call.name, server="server", result=ToolResult.of_text("done"))


def a_step(*calls: Call, turn: int = 0, text: str = "", finish: str | None = None, **fields: object) -> Step:
    reply = Reply.model_validate({"text": text, "calls": calls, "finish_reason": finish, **fields})
    return build_step(turn, reply, [made(call) for call in calls])


def cut_step(*calls: Call, turn: int = 0, finish: str | None = None) -> Step:
    return build_step(turn, Reply(calls=calls, finish_reason=finish), [unsent_record(call) for call in calls])


def after(*steps: Step, turns: int = 1, seconds: float = 0.0) -> EpisodeHistory:
    return EpisodeHistory(turns=turns, steps=steps, seconds=seconds)


def asked(*calls: Call, before: tuple[Step, ...] = (), finish: str | None = None) -> EpisodeHistory:
    return after(*before).with_reply(0, Reply(calls=calls, finish_reason=finish))


A, B, C = call("a"), call("b", 2), call("c", 3)
MALFORMED = Call(id="1", name="a", raw_arguments='{"n": ')

PROBLEM = ParsedText(format="json", raw="{", problem="half")
UNREADABLE, CUT = a_step(parsed=PROBLEM), a_step(parsed=PROBLEM, finish="length")

IN_ONE_TURN: dict[str, tuple[EpisodeHistory, Limits, NextStep]] = {
    "nothing yet: ask": (after(), FREE, AskModel(0)),
    "text: answered": (after(a_step(text="42")), FREE, Stop("answered")),
    "empty reply: declined": (after(a_step(text=" \n")), FREE, Stop("declined")),
    "filtered: declined": (after(a_step(text="I can't", finish="content_filter")), FREE, Stop("declined")),
    "cut off text: too long": (after(a_step(text="and", finish="length")), FREE, Stop("output_too_long")),
    "unreadable: ask again": (after(UNREADABLE), FREE, AskModel(0)),
    "unreadable three times in a row": (after(UNREADABLE, UNREADABLE, UNREADABLE), FREE, Stop("unreadable")),
    "unreadable now and then": (after(UNREADABLE, UNREADABLE, a_step(A), UNREADABLE), FREE, AskModel(0)),
    "unreadable in the last round": (after(a_step(A), UNREADABLE), Limits(rounds=2), Stop("round_limit")),
    "unreadable because cut off": (after(CUT), FREE, Stop("output_too_long")),
    "conversation too long": (after(a_step(finish=CONTEXT_FULL)), FREE, Stop("token_limit")),
    "one call: call it": (asked(A), FREE, CallTools((A,))),
    "text and a call: call it": (after().with_reply(0, Reply(text="So", calls=(A,))), FREE, CallTools((A,))),
    "several calls: all at once": (asked(A, B, C), FREE, CallTools((A, B, C))),
    "malformed arguments: refused by the arena, the loop goes on": (
        asked(MALFORMED, B),
        FREE,
        CallTools((MALFORMED, B)),
    ),
    "after calls: ask": (after(a_step(A, B)), FREE, AskModel(0)),
    "cut off calls: none is made": (asked(A, MALFORMED, finish="length"), FREE, CallTools((), (A, MALFORMED))),
    "after cut off calls: too long": (after(cut_step(A, finish="length")), FREE, Stop("output_too_long")),
    "round limit: the last calls are made": (
        asked(B, before=(a_step(A),)),
        Limits(rounds=2),
        CallTools((B,)),
    ),
    "round limit: then no further question": (after(a_step(A), a_step(B)), Limits(rounds=2), Stop("round_limit")),
    "round limit: an answer in the last round counts": (
        after(a_step(A), a_step(text="42")),
        Limits(rounds=2),
        Stop("answered"),
    ),
    "call limit in mid-turn": (asked(B, C, before=(a_step(A),)), Limits(tool_calls=2), CallTools((B,), (C,))),
    "call limit reached exactly: ask for the answer": (after(a_step(A, B)), Limits(tool_calls=2), AskModel(0)),
    "call limit 0": (asked(A), Limits(tool_calls=0), CallTools((), (A,))),
    "after the call limit": (
        after(Step(calls=(made(A), unsent_record(B)))),
        Limits(tool_calls=1),
        Stop("call_limit"),
    ),
    "repeated as often as allowed": (asked(A, before=(a_step(A), a_step(A))), Limits(repeats=3), CallTools((A,))),
    "repeated once more": (asked(A, before=(a_step(A), a_step(A))), Limits(repeats=2), CallTools((), (A,))),
    "after repetition": (after(a_step(A), a_step(A), cut_step(A)), Limits(repeats=2), Stop("repetition")),
    "repeated with another beside it": (
        asked(A, C, before=(a_step(A, B), a_step(B, A))),
        Limits(repeats=2),
        CallTools((), (A, C)),
    ),
    "repeated within one reply": (asked(A, A, A), Limits(repeats=2), CallTools((), (A, A, A))),
    "repeated malformed": (
        asked(MALFORMED, before=(a_step(MALFORMED),)),
        Limits(repeats=1),
        CallTools((), (MALFORMED,)),
    ),
    "not in a row": (asked(A, before=(a_step(A), a_step(B))), Limits(repeats=1), CallTools((A,))),
    "other arguments": (asked(call("a", 2), before=(a_step(A),)), Limits(repeats=1), CallTools((call("a", 2),))),
    "time is up": (after(a_step(A), seconds=10.0), Limits(seconds=10.0), Stop("time_limit")),
    "an answer in time is an answer": (after(a_step(text="42"), seconds=11.0), Limits(seconds=10.0), Stop("answered")),
    "tokens used up": (
        after(a_step(A, usage=Usage(input_tokens=90, output_tokens=10))),
        Limits(total_tokens=100),
        Stop("token_limit"),
    ),
    "unknown tokens limit nothing": (after(a_step(A, usage=Usage())), Limits(total_tokens=1), AskModel(0)),
    "money used up": (
        after(a_step(A, usage=Usage(cost_usd=0.3)), a_step(B, usage=Usage(cost_usd=0.2))),
        Limits(cost_usd=0.5),
        Stop("cost_limit"),
    ),
}


@pytest.mark.parametrize(("history", "limits", "expected"), IN_ONE_TURN.values(), ids=IN_ONE_TURN.keys())
def test_the_next_step_follows_from_history_and_limits(
    history: EpisodeHistory, limits: Limits, expected: NextStep
) -> None:
    assert next_step(history, limits) == expected


IN_SEVERAL_TURNS: dict[str, tuple[EpisodeHistory, Limits, NextStep]] = {
    "the user goes on after an answer": (after(a_step(text="hello"), turns=2), FREE, AskModel(1)),
    "limits count anew in each turn": (
        after(a_step(A), a_step(text="x"), a_step(B, turn=1), turns=2),
        Limits(rounds=2, tool_calls=1),
        AskModel(1),
    ),
    "a limit ends its turn only": (after(a_step(A), turns=2), Limits(rounds=1), AskModel(1)),
    "what cut a turn short is kept": (
        after(a_step(A), a_step(text="x", turn=1), turns=2),
        Limits(rounds=1),
        Stop("round_limit"),
    ),
    "the first cut counts": (
        after(a_step(A), cut_step(B, turn=1), turns=2),
        Limits(rounds=1, tool_calls=0),
        Stop("round_limit"),
    ),
    "the same call in another turn is no repetition": (
        after(a_step(A), a_step(text="x"), turns=2).with_reply(1, Reply(calls=(A,))),
        Limits(repeats=1),
        CallTools((A,)),
    ),
    "all answered": (after(a_step(text="x"), a_step(text="y", turn=1), turns=2), FREE, Stop("answered")),
    "time ends the attempt": (after(a_step(text="x"), turns=2, seconds=2), Limits(seconds=1), Stop("time_limit")),
}


@pytest.mark.parametrize(("history", "limits", "expected"), IN_SEVERAL_TURNS.values(), ids=IN_SEVERAL_TURNS.keys())
def test_turns_follow_each_other(history: EpisodeHistory, limits: Limits, expected: NextStep) -> None:
    assert next_step(history, limits) == expected


def test_a_step_keeps_what_the_reply_cost() -> None:
    usage = Usage(input_tokens=1, output_tokens=2)
    reply = Reply(text="So", calls=(A,), usage=usage, seconds=1.5, retries=2, finish_reason="tool_calls")
    history = EpisodeHistory().with_reply(0, reply).with_records([made(A)])
    expected = Step(text="So", calls=(made(A),), usage=usage, seconds=1.5, retries=2, finish_reason="tool_calls")
    assert history == EpisodeHistory(steps=(expected,))


def test_calls_without_a_reply_are_refused() -> None:
    with pytest.raises(ValueError, match="no reply"):
        EpisodeHistory().with_records([])


calls = st.builds(call, st.sampled_from("ab"), st.integers(1, 2))
replies = st.builds(
    Reply,
    text=st.sampled_from(["", "text"]),
    calls=st.lists(calls, max_size=3).map(tuple),
    finish_reason=st.sampled_from([None, "stop", "length"]),
    usage=st.builds(Usage, input_tokens=st.none() | st.integers(0, 9), cost_usd=st.none() | st.floats(0, 1)),
)
limits = st.builds(
    Limits,
    rounds=st.integers(1, 4),
    tool_calls=st.none() | st.integers(0, 5),
    repeats=st.none() | st.integers(1, 3),
    total_tokens=st.none() | st.integers(1, 20),
)


@given(st.lists(replies, min_size=12, max_size=12), limits, st.integers(1, 3))
def test_every_episode_ends_within_its_limits(said: list[Reply], limits: Limits, turns: int) -> None:
    history = EpisodeHistory(is_open=True)
    waiting = list(said)
    while not isinstance(step := next_step(history, limits), Stop):
        if isinstance(step, AskModel):
            history = history.with_reply(step.turn, waiting.pop(0))
        elif isinstance(step, AskUser):
            is_last = history.turns == turns
            history = replace(history, turns=history.turns + (not is_last), is_open=not is_last)
        else:
            history = history.with_records([*map(made, step.calls), *map(unsent_record, step.unsent)])
    used = said[: len(said) - len(waiting)]
    assert [(step.text, len(step.calls)) for step in history.steps] == [(one.text, len(one.calls)) for one in used]
    for turn in range(turns):
        steps = history.steps_of_turn(turn)
        assert len(steps) <= (limits.rounds or 0)
        sent = [call for step in steps for call in step.calls if call.result is not None]
        assert limits.tool_calls is None or len(sent) <= limits.tool_calls
