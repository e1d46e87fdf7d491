"""Agents that find tools by searching: what the model sees, what it may call, what is recorded."""

from collections.abc import Sequence
from typing import Any

import anyio
import pytest

from pytest_mcpbench.agents.dispatchers import PATTERN, Dispatcher
from pytest_mcpbench.agents.llm import LlmAgent
from pytest_mcpbench.agents.tool_search import WORDS, ToolSearcher
from pytest_mcpbench.agents.word_dispatchers import Bm25Dispatcher, PatternDispatcher
from pytest_mcpbench.core.chat import ChatMessage, ModelSettings, Reply
from pytest_mcpbench.core.conditions import DeferredTools
from pytest_mcpbench.core.errors import ModelError
from pytest_mcpbench.core.task import Limits
from pytest_mcpbench.core.tool import Call, ToolSearch, ToolSpec
from pytest_mcpbench.core.trajectory import SearchOffer, Trajectory
from pytest_mcpbench.models.scripted import ScriptedModel
from tests.agents.arenas import TinyArena
from tests.builders import a_task, a_tool

TOOLS = (
    a_tool("send_mail", {"recipient": {"type": "string"}}, description="Send a letter. It cannot be unsent."),
    a_tool("list_events", {"day": {"type": "string", "description": "Date of the calendar"}}),
    a_tool("getWeather", description="Forecast for a city."),
)


class Listener(ScriptedModel):
    """Scripted model that keeps the messages and tools that it was sent."""

    def __init__(self, replies: Sequence[Reply]) -> None:
        super().__init__(replies)
        self.shown: list[tuple[str, ...]] = []
        self.read: list[str] = []

    async def complete(
        self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec], settings: ModelSettings
    ) -> Reply:
        self.shown.append(tuple(tool.name for tool in tools))
        self.read.append(messages[-1].text)
        return await super().complete(messages, tools, settings)


def a_search(query: Any, number: int = 1) -> Call:
    return Call(id=f"s{number}", name="search_tools", arguments={} if query is None else {"query": query})


SEND = Call(id="c1", name="send_mail")
LIST = Call(id="c2", name="list_events")
DONE = Reply(text="Done.")


def play(
    *messages: tuple[Call, ...],
    dispatcher: Dispatcher | None = None,
    results: int = 1,
    limits: Limits | None = None,
    tools: tuple[ToolSpec, ...] = TOOLS,
) -> tuple[Trajectory, Listener, TinyArena]:
    query = PATTERN if isinstance(dispatcher, PatternDispatcher) else WORDS
    arena = TinyArena(tools, searcher=ToolSearcher(tools, dispatcher or Bm25Dispatcher(), results, query))
    model = Listener([*(Reply(calls=calls) for calls in messages), DONE])
    trajectory = anyio.run(LlmAgent(model, limits=limits or Limits()).attempt, a_task(), arena)
    return trajectory, model, arena


def test_a_tool_is_shown_and_callable_from_the_message_after_its_search() -> None:
    trajectory, model, arena = play((a_search("letter"),), (SEND,))
    assert model.shown == [("search_tools",), ("search_tools", "send_mail"), ("search_tools", "send_mail")]
    assert model.read[1] == "These tools can be called from your next message on:\n- send_mail: Send a letter"
    assert arena.made == [SEND]
    assert [call.problem for call in trajectory.calls] == [None]
    assert [search.found for search in trajectory.searches] == [("send_mail",)]
    assert (trajectory.answer, trajectory.stop) == ("Done.", "answered")


def test_a_search_is_no_call_of_the_task() -> None:
    trajectory, _, arena = play((a_search("letter"),))
    assert (trajectory.calls, trajectory.rounds, arena.made) == ((), (), [])
    assert len(trajectory.steps) == 2


@pytest.mark.parametrize(
    ("shown", "end"),
    [
        ("names", "at a time.\nNames of all tools: send_mail, getWeather"),
        ("lines", "at a time.\nAll tools:\n- send_mail: Send a letter\n- getWeather: Forecast for a city."),
        ("none", "At most 2 are found at a time."),
    ],
)
def test_the_model_reads_of_tools_what_the_conditions_say_and_no_definition_first(
    shown: DeferredTools, end: str
) -> None:
    search = ToolSearcher(TOOLS[::2], Bm25Dispatcher(), 2, deferred_tools=shown)
    assert search.tool.description.endswith(end)
    search.relist(TOOLS[:1])
    assert ("send_mail" in search.tool.description, "getWeather" in search.tool.description) == (shown != "none", False)


@pytest.mark.parametrize("calls", [(SEND,), (a_search("letter"), SEND)], ids=["never searched", "in the same message"])
def test_a_tool_that_was_not_found_before_is_refused(calls: tuple[Call, ...]) -> None:
    trajectory, _, arena = play(calls)
    (record,) = trajectory.calls
    assert (record.problem, record.tool, record.server, arena.made) == ("not_loaded", "send_mail", "server", [])
    assert record.result is not None
    assert record.result.text == "The tool 'send_mail' is not loaded. Find it with search_tools first, then call it."


def test_a_name_that_no_tool_has_is_unknown_and_not_unloaded() -> None:
    trajectory, _, _ = play((Call(id="1", name="fly"),))
    assert [call.problem for call in trajectory.calls] == ["unknown_tool"]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("^send_", ("send_mail",)),
        ("WEATHER", ("getWeather",)),
        ("calendar|city", ("list_events", "getWeather")),
        ("mail|recipient|day", ("send_mail", "list_events")),
        ("nothing", ()),
    ],
)
def test_patterns_are_looked_for_in_names_descriptions_and_parameters(pattern: str, found: tuple[str, ...]) -> None:
    trajectory, _, _ = play((a_search(pattern),), dispatcher=PatternDispatcher(), results=5)
    assert trajectory.searches[0].found == found


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("(", "'(' is not a regular expression: missing ) at position 1"),
        (None, "`query` is missing: a Python regular expression"),
        (5, "`query` is missing"),
    ],
    ids=["no pattern", "none", "a number"],
)
def test_a_query_that_cannot_be_searched_for_is_told_to_the_model(query: Any, problem: str) -> None:
    trajectory, model, _ = play((a_search(query),), dispatcher=PatternDispatcher())
    assert trajectory.searches[0].found is None
    assert trajectory.searches[0].problem.startswith(problem)
    assert model.read[1].startswith(problem)


def test_the_model_hears_that_nothing_was_found() -> None:
    trajectory, model, _ = play((a_search("submarine"),))
    assert trajectory.searches[0].found == ()
    assert model.read[1] == "No tool matches. Search for something else."


def test_a_server_may_have_a_tool_of_the_searchs_name() -> None:
    own = a_tool("search_tools", description="Search the workshop for hammers.")
    trajectory, model, arena = play(
        (Call(id="1", name="search_tools_", arguments={"query": "hammers"}),),
        (Call(id="2", name="search_tools"),),
        tools=(own,),
    )
    assert model.shown[1] == ("search_tools_", "search_tools")
    assert ([call.name for call in arena.made], len(trajectory.searches)) == (["search_tools"], 1)


def test_searches_do_not_use_up_the_limit_of_calls() -> None:
    limits = Limits(tool_calls=1)
    trajectory, _, arena = play((a_search("letter"), a_search("day", 2)), (SEND, LIST), limits=limits)
    assert arena.made == [SEND]
    assert [call.result is None for call in trajectory.calls] == [False, True]
    assert (len(trajectory.searches), trajectory.stop) == (2, "call_limit")


def test_searches_use_up_rounds_and_the_same_search_again_and_again_ends_the_turn() -> None:
    trajectory, _, _ = play(*[(a_search("letter"),)] * 5, limits=Limits(rounds=2))
    assert (trajectory.stop, len(trajectory.searches)) == ("round_limit", 2)
    trajectory, _, _ = play(*[(a_search("letter"),)] * 5, limits=Limits(repeats=2))
    assert (trajectory.stop, [search.found for search in trajectory.searches]) == (
        "repetition",
        [("send_mail",), ("send_mail",), None],
    )


class Unreachable:
    name = "embeddings"

    async def scores(self, request: str, tools: Sequence[ToolSpec]) -> Sequence[float]:  # noqa: ARG002
        raise ModelError("nothing listens", self.name)


def test_a_ranking_that_cannot_be_reached_is_an_error_with_the_steps_up_to_it() -> None:
    with pytest.raises(ModelError, match="nothing listens") as raised:
        play((a_search("letter"),), dispatcher=Unreachable())
    assert raised.value.trajectory is not None
    assert raised.value.trajectory.searches == (ToolSearch(**a_search("letter").model_dump()),)


def test_a_search_of_the_provider_is_recorded_and_does_not_keep_the_turn_open() -> None:
    search = ToolSearch(
        id="s1", name="tool_search", arguments={"query": "mail"}, found=("send_mail",), by_provider=True
    )
    deferred = tuple(tool.model_copy(update={"is_deferred": True}) for tool in TOOLS)
    model = Listener([Reply(calls=(SEND,), searches=(search,)), Reply(text="Done.", searches=(search,))])
    trajectory = anyio.run(LlmAgent(model).attempt, a_task(), TinyArena(deferred))
    assert trajectory.search_offer == SearchOffer(ranking="provider", results=3, tokens=0)
    assert (trajectory.stop, trajectory.answer, trajectory.searches) == ("answered", "Done.", (search, search))
