from typing import Any

import anyio
import pytest

from fixtures.chat_server import HOLDS, Answer, ChatServer, chat_server, fails, says
from pytest_mcpbench.agents.llm import LlmAgent
from pytest_mcpbench.core.chat import CONTEXT_FULL, ChatMessage, ModelSettings, Reply
from pytest_mcpbench.core.errors import McpBenchError, ModelError, ServerError
from pytest_mcpbench.core.task import Limits, Message, Task, Turn
from pytest_mcpbench.core.tool import Call, CallRecord, ToolResult
from pytest_mcpbench.core.trajectory import Step, Trajectory
from pytest_mcpbench.core.usage import Usage
from pytest_mcpbench.models.factory import Models
from pytest_mcpbench.models.model import Model
from pytest_mcpbench.models.rate_limited_model import RetryPolicy
from pytest_mcpbench.models.scripted import ScriptedModel
from tests.agents.workplaces import Workshop, echo
from tests.builders import a_task, expected_call

UNUSED = Usage()


def calls(*made: Call, **fields: Any) -> Reply:
    return Reply(calls=made, **fields)


def attempt(replies: list[Reply], task: Task, workshop: Workshop, **agent: Any) -> Trajectory:
    """The trajectory, without the seconds that it took."""
    trajectory = anyio.run(LlmAgent(ScriptedModel(replies), **agent).attempt, task, workshop)
    return trajectory.model_copy(update={"seconds": 0.0})


def done(call: Call, text: str) -> CallRecord:
    return CallRecord(**call.model_dump(), tool=call.name, server="server", result=ToolResult.of_text(text))


def left(call: Call) -> CallRecord:
    return CallRecord(**call.model_dump())


ONE, TWO, THREE = (Call(id=f"call_{n}", name="echo", arguments={"n": n}) for n in (1, 2, 3))


def test_the_agent_calls_tools_until_it_answers() -> None:
    replies = [calls(ONE, text="Look.", usage=Usage(input_tokens=5)), Reply(text="42", finish_reason="stop")]
    expected = Trajectory(
        steps=(
            Step(text="Look.", calls=(done(ONE, "{'n': 1}"),), usage=Usage(input_tokens=5)),
            Step(text="42", usage=UNUSED, finish_reason="stop"),
        ),
        stop="answered",
    )
    assert attempt(replies, a_task(), Workshop({"echo": echo})) == expected


def test_calls_of_one_message_overlap_and_come_back_in_order() -> None:
    order: list[str] = []

    async def play() -> Trajectory:
        second_is_done = anyio.Event()

        async def slow(_arguments: dict[str, Any]) -> str:
            await second_is_done.wait()
            order.append("slow")
            return "slow"

        async def quick(_arguments: dict[str, Any]) -> str:
            order.append("quick")
            second_is_done.set()
            return "quick"

        slow_call, quick_call = Call(id="1", name="slow"), Call(id="2", name="quick")
        model = ScriptedModel([calls(slow_call, quick_call), Reply(text="done")])
        return await LlmAgent(model).attempt(a_task(), Workshop({"slow": slow, "quick": quick}))

    trajectory = anyio.run(play)
    assert order == ["quick", "slow"]
    assert [call.result.text for call in trajectory.calls if call.result] == ["slow", "quick"]


def test_bad_calls_go_back_to_the_model_and_are_counted() -> None:
    malformed = Call(id="1", name="echo", raw_arguments='{"n": ')
    unknown, hidden = Call(id="2", name="ecco"), Call(id="3", name="secret")
    workshop = Workshop({"echo": echo}, hidden=("secret",))
    trajectory = attempt([calls(malformed, unknown, hidden), Reply(text="Sorry.")], a_task(), workshop)
    assert [call.problem for call in trajectory.calls] == ["malformed_arguments", "unknown_tool", "not_exposed"]
    assert (trajectory.stop, trajectory.answer) == ("answered", "Sorry.")


def test_calls_beyond_the_limit_are_not_made() -> None:
    workshop = Workshop({"echo": echo})
    task = a_task(limits=Limits(tool_calls=2))
    trajectory = attempt([calls(ONE), calls(TWO, THREE)], task, workshop)
    assert workshop.calls == [ONE, TWO]
    assert trajectory.calls == (done(ONE, "{'n': 1}"), done(TWO, "{'n': 2}"), left(THREE))
    assert trajectory.stop == "call_limit"


def test_limits_of_the_agent_are_for_tasks_that_have_none() -> None:
    replies = [calls(ONE), calls(ONE), calls(ONE), Reply(text="done")]
    workshop = Workshop({"echo": echo})
    assert attempt(replies, a_task(), workshop, limits=Limits(repeats=2)).stop == "repetition"
    assert attempt(replies, a_task(limits=Limits()), workshop, limits=Limits(repeats=2)).stop == "answered"


def test_the_time_limit_keeps_what_was_done_and_marks_what_was_cut_short() -> None:
    async def hang(_arguments: dict[str, Any]) -> str:
        await anyio.sleep_forever()
        return ""

    hanging = Call(id="2", name="hang")
    workshop = Workshop({"echo": echo, "hang": hang})
    trajectory = attempt([calls(ONE, hanging)], a_task(limits=Limits(seconds=0.05)), workshop)
    finished, cut = trajectory.calls
    assert trajectory.stop == "time_limit"
    assert finished == done(ONE, "{'n': 1}")
    assert cut.result == ToolResult.failure(
        "The call was interrupted: the attempt ended before it returned a result.", "timeout"
    )
    assert cut.seconds >= 0.04


def test_the_time_limit_cuts_a_model_that_is_slow_at_every_reply() -> None:
    replies = [calls(ONE).model_copy(update={"seconds": 0.04}), Reply(text="late", seconds=60)]
    trajectory = attempt(replies, a_task(limits=Limits(seconds=0.06)), Workshop({"echo": echo}))
    assert (trajectory.stop, trajectory.answer, len(trajectory.steps)) == ("time_limit", "", 1)


def test_a_provider_that_answers_no_more_until_the_time_limit_is_an_error_with_what_was_done() -> None:
    replies = [calls(ONE), Reply(text="late", seconds=60)]
    with pytest.raises(ModelError, match=r"until the attempt's time limit of 0\.05 s") as raised:
        attempt(replies, a_task(limits=Limits(seconds=0.05)), Workshop({"echo": echo}))
    assert raised.value.trajectory is not None
    assert len(raised.value.trajectory.steps) == 1


def test_a_cost_limit_that_cannot_be_kept_is_said() -> None:
    task = a_task(limits=Limits(cost_usd=1))
    assert attempt([Reply(text="42")], task, Workshop({})).notes == {
        "cost_limit": "not enforced: the cost of the model is unknown"
    }
    assert attempt([Reply(text="42", usage=Usage(cost_usd=0.1))], task, Workshop({})).notes == {}


CALL_TEXT = '{"name": "echo", "arguments": {"n": 1}}'


@pytest.mark.parametrize(
    ("replies", "tool"),
    [
        ([Reply(text=CALL_TEXT)], "echo"),
        ([Reply(text=f"I call it.\n```json\n{CALL_TEXT}\n```")], "echo"),
        ([calls(ONE), Reply(text=CALL_TEXT)], None),
        ([Reply(text=CALL_TEXT.replace("echo", "other"))], None),
        ([Reply(text='{"name": "Ada", "born": 1815}')], None),
        ([Reply(text=f"{CALL_TEXT}\nis how one would call it.")], None),
        ([Reply(text="42")], None),
    ],
    ids=["alone", "fenced", "after a call", "no such tool", "an object", "an example", "an answer"],
)
def test_a_call_written_as_text_is_noted(replies: list[Reply], tool: str | None) -> None:
    assert attempt(replies, a_task(), Workshop({"echo": echo})).notes.get("call_in_text") == tool


def error_of(replies: list[Reply], workshop: Workshop) -> McpBenchError:
    with pytest.raises(McpBenchError) as raised:
        anyio.run(LlmAgent(ScriptedModel(replies)).attempt, a_task(), workshop)
    return raised.value


def test_an_error_of_the_model_carries_what_was_done() -> None:
    error = error_of([calls(ONE)], Workshop({"echo": echo}))
    assert isinstance(error, ModelError)
    assert error.trajectory is not None
    assert error.trajectory.steps == (Step(calls=(done(ONE, "{'n': 1}"),), usage=UNUSED),)


def test_a_server_that_dies_ends_the_attempt_after_its_other_calls() -> None:
    async def die(_arguments: dict[str, Any]) -> str:
        raise ServerError("it exited", "server", "call", returncode=3)

    dying = Call(id="2", name="die")
    error = error_of([calls(dying, ONE)], Workshop({"echo": echo, "die": die}))
    assert isinstance(error, ServerError)
    assert error.trajectory is not None
    dead, other = error.trajectory.calls
    assert other == done(ONE, "{'n': 1}")
    assert dead.result == ToolResult.failure("server 'server' failed to call: it exited (exit code 3)", "transport")


class Listener:
    """A model that keeps what it is shown and plays a script."""

    def __init__(self, replies: list[Reply]) -> None:
        self._model = ScriptedModel(replies)
        self.seen: list[list[ChatMessage]] = []
        self.settings: list[ModelSettings] = []

    @property
    def name(self) -> str:
        return "listener"

    async def complete(self, messages: Any, tools: Any, settings: ModelSettings) -> Reply:
        self.seen.append(list(messages))
        self.settings.append(settings)
        return await self._model.complete(messages, tools, settings)


def shown(model: Listener, task: Task, **agent: Any) -> list[list[str]]:
    """The texts that the model saw at each question."""
    anyio.run(LlmAgent(model, **agent).attempt, task, Workshop({"echo": echo}))
    return [[f"{message.role}: {message.text}" for message in messages] for messages in model.seen]


def test_without_gold_a_turn_sees_what_was_said_before() -> None:
    task = a_task(turns=(Turn(user="one"), Turn(user="two")))
    model = Listener([calls(ONE), Reply(text="first"), Reply(text="second")])
    first = ["system: Be brief.", "user: one"]
    heard = [*first, "assistant: ", "tool: {'n': 1}"]
    assert shown(model, task, system="Be brief.") == [first, heard, [*heard, "assistant: first", "user: two"]]


def test_with_gold_a_turn_sees_the_recorded_reply_in_place_of_its_own() -> None:
    gold = (
        Message(role="assistant", calls=(expected_call("echo", {"n": 9}, id="g"),)),
        Message(role="tool", text="nine", call_id="g"),
        Message(role="assistant", text="gold"),
    )
    task = a_task(turns=(Turn(user="one", gold=gold), Turn(user="two", gold=gold)))
    model = Listener([Reply(text="mine"), Reply(), Reply(), Reply(text="last")])
    recorded = ["user: one", "assistant: ", "tool: nine", "assistant: gold", "user: two"]
    assert shown(model, task) == [["user: one"], recorded]


def test_results_are_cut_for_the_model_and_whole_in_the_record() -> None:
    model = Listener([calls(ONE), Reply(text="done")])
    task = a_task(limits=Limits(result_characters=3))
    assert shown(model, task)[1][-1] == "tool: {'n\n[cut: 3 of 8 characters are shown]"


@pytest.mark.parametrize(("own", "limit", "sent"), [(None, 9, 9), (5, 9, 5), (9, 5, 5), (9, None, 9)])
def test_the_shorter_limit_of_output_is_sent(own: int | None, limit: int | None, sent: int | None) -> None:
    model = Listener([Reply(text="done")])
    shown(model, a_task(limits=Limits(output_tokens=limit)), settings=ModelSettings(max_output_tokens=own))
    assert model.settings[0].max_output_tokens == sent


QUICK = RetryPolicy(first_seconds=0.001)


def over_http(server: ChatServer, workshop: Workshop, task: Task, retries: RetryPolicy = QUICK) -> Trajectory:
    async def run() -> Trajectory:
        aliases = {"mine": {"url": server.url, "model": "small", "input_price": 1.0, "output_price": 5.0}}
        async with Models(aliases, retries) as models:
            model: Model = models.get("mine")
            return await LlmAgent(model).attempt(task, workshop)

    return anyio.run(run)


def test_an_episode_over_http_with_faults_malformed_arguments_and_parallel_calls() -> None:
    script: list[Answer] = [
        fails(429, Retry_After="0.01"),
        says(None, ("echo", '{"n": ')),
        fails(500),
        says("Again.", ("echo", {"n": 1}), ("echo", {"n": 2})),
        says("42"),
    ]
    with chat_server(script) as server:
        trajectory = over_http(server, Workshop({"echo": echo}), a_task(ask="Echo."))
        last = server.bodies[-1]["messages"]
    assert [step.retries for step in trajectory.steps] == [1, 1, 0]
    assert [call.problem for call in trajectory.calls] == ["malformed_arguments", None, None]
    usage = trajectory.usage
    assert (usage.input_tokens, usage.output_tokens, round(usage.cost_usd or 0, 9)) == (300, 60, 0.0006)
    assert [message["role"] for message in last] == [
        *("user", "assistant", "tool"),
        *("assistant", "tool", "tool"),
    ]
    assert last[2]["content"].startswith("The arguments of the call of 'echo' are not a JSON object: Expecting value")
    assert [message["content"] for message in last[4:]] == ["{'n': 1}", "{'n': 2}"]
    assert (trajectory.answer, trajectory.notes) == ("42", {"answered_by": "fixture"})


@pytest.mark.parametrize(
    ("script", "problem"),
    [
        pytest.param([fails(500)] * 9, "answered 500: try again (an_error)", id="it fails again and again"),
        pytest.param([fails(500), HOLDS], "answered 500: try again (an_error)", id="it fails, then never answers"),
        pytest.param([fails(429, Retry_After="30")], "answered 429: try again (an_error)", id="it asks for a wait"),
    ],
)
def test_a_provider_that_fails_until_the_time_limit_is_an_error(script: list[Answer], problem: str) -> None:
    with chat_server(script) as server, pytest.raises(ModelError) as raised:
        over_http(server, Workshop({"echo": echo}), a_task(limits=Limits(seconds=0.3)), RetryPolicy(first_seconds=0.02))
    assert str(raised.value).startswith(f"model 'mine': {problem}")
    assert raised.value.trajectory is not None


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        pytest.param(HOLDS, "did not answer within the attempt's time limit of 0.3 s", id="it never answers"),
        pytest.param(fails(400, "context_length_exceeded"), "the first request exceeds", id="its context is too short"),
        pytest.param(says(" "), "its first reply has neither text nor a call", id="it answers nothing"),
    ],
)
def test_a_provider_without_any_reply_is_an_error(answer: Answer, problem: str) -> None:
    task = a_task(turns=(Turn(user="one"), Turn(user="two")), limits=Limits(seconds=0.3))
    with chat_server([answer] * 2) as server, pytest.raises(ModelError) as raised:
        over_http(server, Workshop({"echo": echo}), task)
    assert str(raised.value).startswith(f"model 'mine': {problem}")
    assert raised.value.trajectory is not None


@pytest.mark.parametrize(
    ("replies", "stop"),
    [
        pytest.param([calls(ONE), Reply()], "declined", id="empty after a call"),
        pytest.param([calls(ONE), Reply(finish_reason="content_filter")], "declined", id="refused after a call"),
        pytest.param([calls(ONE), Reply(finish_reason="length")], "output_too_long", id="cut off after a call"),
        pytest.param([Reply(text="I can", finish_reason="length")], "output_too_long", id="cut off in a text"),
        pytest.param([calls(ONE), Reply(finish_reason=CONTEXT_FULL)], "token_limit", id="full after a call"),
    ],
)
def test_a_model_that_replied_is_scored(replies: list[Reply], stop: str) -> None:
    assert attempt(replies, a_task(), Workshop({"echo": echo})).stop == stop


def test_a_pause_that_the_provider_asked_of_others_is_its_error_too() -> None:
    async def run(url: str) -> None:
        async with Models({"mine": {"url": url, "model": "small"}}) as models:
            model = models.get("mine")
            limits = Limits(seconds=0.2)
            for _ in range(2):
                with pytest.raises(ModelError, match="answered 429"):
                    await LlmAgent(model, limits=limits).attempt(a_task(), Workshop({"echo": echo}))

    with chat_server([fails(429, Retry_After="30")]) as server:
        anyio.run(run, server.url)
        assert len(server.requests) == 1
