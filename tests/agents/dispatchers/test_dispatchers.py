"""Which tools a dispatcher finds for a request."""

import socket
from collections.abc import Sequence
from typing import Any

import anyio
import pytest

from fixtures.chat_server import Answer, chat_server, fails, sends
from pytest_mcpbench.agents.dispatchers import Dispatchers
from pytest_mcpbench.core.errors import ModelError, UsageError
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.models.factory import Models
from pytest_mcpbench.models.rate_limited_model import RetryPolicy
from tests.builders import a_tool

TOOLS = (
    a_tool("send_message", {"recipient": {"type": "string"}}, description="Send a text message to somebody."),
    a_tool("get_weather", {"city": {"type": "string"}}, description="The weather forecast of a city."),
    a_tool("list_events", description="List the events of the calendar."),
)


@pytest.fixture
def unused_tcp_port() -> int:
    """Where nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def scores_of(name: str, request: str, tools: Sequence[ToolSpec], models: Models | None = None) -> list[float]:
    async def ask() -> Sequence[float]:
        async with models or Models({}) as opened:
            return await Dispatchers(opened).get(name).scores(request, tools)

    return list(anyio.run(ask))


def best(name: str, request: str, models: Models | None = None) -> str:
    """The tool with the highest score."""
    scores = scores_of(name, request, TOOLS, models)
    return TOOLS[max(range(len(TOOLS)), key=lambda index: scores[index])].name


@pytest.mark.parametrize(
    ("asked", "tool"),
    [
        pytest.param("What is the weather like in Oslo?", "get_weather", id="description"),
        pytest.param("Which events are there on Monday?", "list_events", id="name"),
        pytest.param("Write to the recipient that I am late.", "send_message", id="parameter"),
    ],
)
def test_bm25_finds_the_tool_by_its_words(asked: str, tool: str) -> None:
    assert best("bm25", asked) == tool


def test_bm25_gives_nothing_to_tools_that_no_word_points_to() -> None:
    assert scores_of("bm25", "Quux?", TOOLS) == [0.0, 0.0, 0.0]


WORDS = ("message", "weather", "events")


def vectors(body: dict[str, Any]) -> Answer:
    """Embeddings of which each number is how often a word occurs, not in the order of the texts."""
    data = [
        {"index": index, "embedding": [float(text.lower().count(word)) for word in WORDS], "object": "embedding"}
        for index, text in enumerate(body["input"])
    ]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return sends({"object": "list", "data": data[::-1], "model": "m", "usage": usage})


def test_embeddings_come_from_a_server_that_is_asked_once_for_each_tool() -> None:
    found: list[Sequence[float]] = []

    async def ask(models: Models) -> None:
        async with models:
            dispatchers = Dispatchers(models)
            async with anyio.create_task_group() as group:
                for request in ("weather", "events and weather"):
                    group.start_soon(one, dispatchers, request)

    async def one(dispatchers: Dispatchers, request: str) -> None:
        found.append(await dispatchers.get("vectors").scores(request, TOOLS))

    with chat_server(vectors) as server:
        anyio.run(ask, Models({"vectors": {"url": server.url, "model": "m"}}))
        asked = [body["input"] for body in server.bodies]
    assert sorted(map(list, found)) == [pytest.approx([0.0, 0.5**0.5, 0.5**0.5]), pytest.approx([0.0, 1.0, 0.0])]
    assert sorted(asked, key=len)[-1] == [
        "server send_message: Send a text message to somebody.",
        "server get_weather: The weather forecast of a city.",
        "server list_events: List the events of the calendar.",
    ]
    assert sorted(len(texts) for texts in asked) == [1, 1, 3]
    assert {request.path for request in server.requests} == {"/v1/embeddings"}


@pytest.mark.parametrize("name", ["{url}#m", "{url}/embeddings#m"])
def test_a_model_of_embeddings_can_be_named_by_its_url(name: str) -> None:
    with chat_server(vectors) as server:
        assert best(name.format(url=server.url), "Any weather?") == "get_weather"


@pytest.mark.long
def test_litellm_asks_whom_it_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    with chat_server(vectors) as server:
        monkeypatch.setenv("HOSTED_VLLM_API_BASE", server.url)
        assert best("hosted_vllm/m", "Any weather?") == "get_weather"


def test_many_tools_are_asked_for_in_batches() -> None:
    many = [a_tool(f"tool-{number}", description="weather") for number in range(70)]
    with chat_server(vectors) as server:
        scores = scores_of(f"{server.url}#m", "weather", many)
        assert [len(body["input"]) for body in server.bodies] == [32, 32, 6, 1]
    assert scores == pytest.approx([1.0] * 70)


FAULTS = {
    "refused": (fails(400, "no embeddings here"), "no embeddings here"),
    "garbage": (
        sends({"data": "none"}),
        "the response does not contain embeddings: data: Input should be a valid list",
    ),
    "too few": (sends({"data": []}), "the response contains 0 vectors with lengths [] for 3 texts"),
}


@pytest.mark.parametrize(("answer", "message"), FAULTS.values(), ids=FAULTS.keys())
def test_a_model_that_makes_no_embeddings_is_an_error_that_says_so(answer: Answer, message: str) -> None:
    with chat_server(lambda _body: answer) as server:
        models = Models({}, retries=RetryPolicy(attempts=1))
        with pytest.raises(ModelError) as caught:
            best(f"{server.url}#m", "Any weather?", models)
    assert message in str(caught.value)


def test_the_pattern_of_a_request_counts_the_words_that_begin_in_names_texts_and_parameters() -> None:
    tools = (*TOOLS, a_tool("getWeatherOf", {"at": {"type": "string", "description": "A city."}}))
    assert scores_of("regex", "What is the weather in this city (Oslo)?", tools) == [0.0, 2.0, 0.0, 2.0]


def test_a_name_that_means_no_dispatcher_is_a_usage_error() -> None:
    with pytest.raises(
        UsageError, match=r"^the dispatcher 'bm52' is neither bm25 nor regex nor a model: no model is called 'bm52'"
    ):
        Dispatchers().get("bm52")


def test_whoever_names_the_same_gets_the_same() -> None:
    dispatchers = Dispatchers()
    assert dispatchers.get("bm25") is dispatchers.get("bm25")
