"""Pipeline ``chains``: from recorded calls to chains of tools that depend on each other."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import pytest

from pytest_mcpbench.cli.command_line import main
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.tool import CallRecord, ToolResult
from pytest_mcpbench.core.trajectory import Step, Trajectory
from pytest_mcpbench.generation.pipeline.paths import with_value
from pytest_mcpbench.generation.pipelines.chains.candidates import (
    EdgeCandidate,
    Flow,
    SampleCall,
    SampleCandidate,
    Tool,
)
from pytest_mcpbench.generation.pipelines.chains.flows import flow_into
from pytest_mcpbench.generation.pipelines.chains.samples import read_turns
from pytest_mcpbench.generation.pipelines.chains.stages import candidate_edges, follows, paths, with_references


def call(tool: str, arguments: Mapping[str, Any] | None = None, result: Any = None) -> SampleCall:
    return SampleCall(server="shop", tool=tool, arguments=dict(arguments or {}), result=result)


def sample(request: str, *steps: Sequence[SampleCall], scenario: str = "orders") -> SampleCandidate:
    return SampleCandidate(id="s", scenario=scenario, request=request, steps=tuple(map(tuple, steps)))


FOUND = call("find_customer", {"name": "Ann Lee"}, {"customers": [{"id": "c-17", "town": "Rome", "orders": 12}]})
ORDERS = call("list_orders", {"customer": "c-17", "limit": 12}, [{"order": 4711}])


@pytest.mark.parametrize(
    ("value", "request_text", "source"),
    [
        ("c-17", "orders of Ann Lee", (0, ".customers.0.id")),
        (12, "orders of Ann Lee", (0, ".customers.0.orders")),
        ("c-17", "orders of customer c-17", None),  # stated by the request
        (12, "the last 12 orders", None),
        ("12", "orders of Ann Lee", None),  # of another type
        ("c-18", "orders of Ann Lee", None),  # in no result
        (True, "orders of Ann Lee", None),
        (5, "orders of Ann Lee", None),  # equal by chance too often
        ("Ann Lee", "my orders", None),  # the call repeats its own argument
    ],
)
def test_a_value_comes_from_a_result_unless_the_request_has_it(
    value: Any, request_text: str, source: tuple[int, str] | None
) -> None:
    result = {"customers": [{"id": "c-17", "orders": 12}], "open": True, "count": 5, "name": "Ann Lee"}
    results = [call("find_customer", {"name": "Ann Lee"}, result)]
    assert flow_into(value, results, request_text) == source


def test_the_latest_result_with_the_value_counts() -> None:
    assert flow_into("c-17", [FOUND, call("find_customer", result="c-17")], "orders") == (1, "")


@pytest.mark.parametrize(
    ("path", "expected"),
    [("order", {"order": "x", "limit": 1}), ("codes.1", {"order": 1, "limit": 1, "codes": [None, "x"]})],
)
def test_a_value_is_put_at_its_path(path: str, expected: dict[str, Any]) -> None:
    assert with_value({"order": 1, "limit": 1}, path, "x") == expected


def test_edges_are_of_neighbouring_steps_and_of_flows_and_never_within_a_step() -> None:
    weather = call("weather", {"town": "Rome"}, "rain")
    edges = candidate_edges(
        [
            sample("orders of Ann Lee", [FOUND], [ORDERS, call("clock")], [weather]),
            sample("who is Ann Lee?", [FOUND], scenario="people"),
        ]
    ).kept
    found = {(edge.first.tool, edge.second.tool): edge for edge in edges if isinstance(edge, EdgeCandidate)}
    # The town flows into the call of the weather, although a step lies between them.
    assert {pair: [flow.parameter for flow in edge.flows] for pair, edge in found.items()} == {
        ("find_customer", "list_orders"): ["customer", "limit"],
        ("find_customer", "clock"): [],
        ("find_customer", "weather"): ["town"],
        ("list_orders", "weather"): [],
        ("clock", "weather"): [],
    }
    # The request that needed the tool alone is the first example.
    assert found["find_customer", "clock"].first.examples[0].request == "who is Ann Lee?"


def _graph(*pairs: str) -> dict[tuple[str, str], dict[tuple[str, str], EdgeCandidate]]:
    graph: dict[tuple[str, str], dict[tuple[str, str], EdgeCandidate]] = {}
    for first, second in map(str.split, pairs):
        tools = [Tool(server="s", tool=name) for name in (first, second)]
        edge = EdgeCandidate(id="e", first=tools[0], second=tools[1], scenarios=("x",), samples=1)
        graph.setdefault(("s", first), {})["s", second] = edge
    return graph


def test_paths_visit_each_tool_once_also_in_a_graph_with_circles() -> None:
    graph = _graph("a b", "b c", "c a", "a c", "c b")
    found = ["".join(tool for _, tool in path) for path in paths(graph, ("s", "a"), ("s", "c"))]
    assert sorted(found) == ["abc", "ac"]


@pytest.mark.parametrize(
    ("made", "is_followed"),
    [
        ("a|b|c", True),
        ("a|x|b|y|c", True),
        ("a|a|b|c", True),
        ("b|a|b|c", True),
        ("a b|c", False),
        ("a|c|b", False),
        ("a|b", False),
    ],
)
def test_a_trajectory_follows_a_chain_if_each_tool_is_called_in_a_later_step(made: str, *, is_followed: bool) -> None:
    steps = [[call(tool) for tool in step.split()] for step in made.split("|")]
    assert follows(steps, [Tool(server="shop", tool=tool) for tool in "abc"]) is is_followed


def test_references_refer_to_results_and_keep_what_the_request_states() -> None:
    detail = call("order", {"id": 4711, "fields": ["Rome", "Oslo"]})
    steps = with_references([[FOUND], [ORDERS], [detail]], "the first order of Ann Lee, at most 12, with Oslo")
    assert [one.arguments for step in steps for one in step] == [
        {"name": "Ann Lee"},
        {"customer": "<1_result.customers.0.id>", "limit": 12},
        {"id": "<2_result.0.order>", "fields": ["<1_result.customers.0.town>", "Oslo"]},
    ]


def test_the_most_frequent_flow_of_an_argument_counts() -> None:
    found = [FOUND, FOUND, call("find_customer", {"name": "Bo"}, {"best": "c-17"})]
    (edge,) = candidate_edges(
        [sample("orders", [each], [call("list_orders", {"customer": "c-17"})]) for each in found]
    ).kept
    assert isinstance(edge, EdgeCandidate)
    assert (edge.samples, edge.flows) == (3, (Flow(path=".customers.0.id", parameter="customer"),))


SHOP = ("--server", "shop=fixtures.shop_server:server")


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Records of one passed attempt, in which the id of an order flows into a call, and of one that failed."""
    monkeypatch.chdir(tmp_path)
    orders = [{"order_id": "A17", "item": "lamp"}]
    steps = (
        _step("list_orders", {}, orders),
        _step("get_order", {"order_id": "A17"}, orders[0]),
        Step(text="Shipped."),
    )
    wrong = (_step("get_order", {"order_id": "A17"}, orders[0]), _step("cancel_order", {"order_id": "A17"}, "A17"))
    file = tmp_path / "records-main.jsonl"
    lines = [_record("where is my lamp?", steps, "passed"), _record("is my lamp here?", wrong, "failed")]
    file.write_text("".join(f"{line.model_dump_json(by_alias=True)}\n" for line in lines))
    return file


def _step(tool: str, arguments: dict[str, Any], result: Any) -> Step:
    made = CallRecord(id="1", name=tool, arguments=arguments, tool=tool, server="shop")
    return Step(calls=(made.model_copy(update={"result": ToolResult(structured=result)}),))


def _record(prompt: str, steps: tuple[Step, ...], outcome: Literal["passed", "failed"]) -> RunRecord:
    evidence = AttemptEvidence(task_id="t", model="m", trajectory=Trajectory(steps=steps))
    return RunRecord(
        suite="shop", task_id="t", task_hash="", model="m", outcome=outcome, prompt=prompt, evidence=evidence
    )


def _generated(*arguments: str) -> list[dict[str, Any]]:
    options = ["generate", *SHOP, "--pipeline", "chains", "--tasks", "3", "--out", "mine", "--yes", *arguments]
    assert main(options) == 0
    return [json.loads(line) for line in Path("mine/tasks.jsonl").read_text().splitlines()]


CHAIN = [
    [{"server": "shop", "tool": "list_orders", "arguments": {}, "id": "1"}],
    [{"server": "shop", "tool": "get_order", "arguments": {"order_id": "<1_result.0.order_id>"}, "id": "2"}],
]


def test_rules_make_a_task_of_a_recorded_flow_and_take_nothing_from_failed_attempts(recorded: Path) -> None:
    (task,) = _generated("--input", str(recorded))
    assert task["calls"] == CHAIN
    assert task["ask"] == "Please list the orders of the shop. After that, show me the details of the first order."


ORDERS_TEXT = json.dumps([{"order_id": "A17", "item": "lamp"}])
ORDER_TEXT = json.dumps({"order_id": "A17", "item": "lamp"})
ASKED = "where is my lamp?"


def claude_code() -> str:
    def line(role: str, content: Any, **more: Any) -> dict[str, Any]:
        return {"type": role, "sessionId": "s", "message": {"role": role, "content": content, **more}}

    def used(call_id: str, tool: str, arguments: dict[str, Any], message: str) -> dict[str, Any]:
        use = {"type": "tool_use", "id": call_id, "name": f"mcp__shop__{tool}", "input": arguments}
        return line("assistant", [use], id=message)

    def result(call_id: str, text: str, **more: Any) -> dict[str, Any]:
        content = [{"type": "text", "text": text}]
        return line("user", [{"type": "tool_result", "tool_use_id": call_id, "content": content, **more}])

    lines = [
        {"type": "summary", "summary": "A lamp"},
        {**line("user", "Caveat: local commands"), "isMeta": True},
        line("user", ASKED),
        used("a", "list_orders", {}, "m1"),
        result("a", ORDERS_TEXT),
        used("b", "cancel_order", {"order_id": "A17"}, "m2"),
        result("b", "not allowed", is_error=True),
        used("c", "get_order", {"order_id": "A17"}, "m3"),
        result("c", ORDER_TEXT),
        line("assistant", [{"type": "text", "text": "Shipped."}], id="m4"),
    ]
    return "\n".join(map(json.dumps, lines))


def codex() -> str:
    def message(text: str) -> dict[str, Any]:
        return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}

    def called(call_id: str, tool: str, arguments: dict[str, Any], output: Any) -> list[dict[str, Any]]:
        name = f"mcp__shop__{tool}"
        call = {"type": "function_call", "name": name, "arguments": json.dumps(arguments), "call_id": call_id}
        return [call, {"type": "function_call_output", "call_id": call_id, "output": output}]

    items = [
        message("<environment_context>/home</environment_context>"),
        message(ASKED),
        *called("a", "list_orders", {}, ORDERS_TEXT),
        *called("b", "cancel_order", {"order_id": "A17"}, {"content": "not allowed", "success": False}),
        *called("c", "get_order", {"order_id": "A17"}, {"content": ORDER_TEXT, "success": True}),
    ]
    head = json.dumps({"type": "session_meta", "payload": {"id": "s"}})
    return "\n".join([head, *(json.dumps({"type": "response_item", "payload": item}) for item in items)])


def inspect() -> str:
    def called(call_id: str, tool: str, arguments: dict[str, Any], text: str, **more: Any) -> list[dict[str, Any]]:
        call = {"id": call_id, "function": tool, "arguments": arguments, "type": "function"}
        answer = {"role": "tool", "content": text, "tool_call_id": call_id, "function": tool, **more}
        return [{"role": "assistant", "content": "", "tool_calls": [call]}, answer]

    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": ASKED},
        *called("a", "list_orders", {}, ORDERS_TEXT),
        *called("b", "cancel_order", {"order_id": "A17"}, "", error={"type": "unknown", "message": "not allowed"}),
        *called("c", "get_order", {"order_id": "A17"}, ORDER_TEXT),
    ]
    return json.dumps({"version": 2, "eval": {"task": "shop"}, "samples": [{"id": 1, "messages": messages}]}, indent=1)


def spans() -> str:
    def span(start: int, **attributes: str) -> dict[str, Any]:
        named = [{"key": key.replace("__", "."), "value": {"stringValue": value}} for key, value in attributes.items()]
        return {"traceId": "t", "startTimeUnixNano": str(start), "attributes": named}

    def called(start: int, tool: str, arguments: dict[str, Any], text: str, **more: str) -> dict[str, Any]:
        return span(
            start,
            gen_ai__operation__name="execute_tool",
            gen_ai__tool__name=tool,
            gen_ai__tool__call__arguments=json.dumps(arguments),
            gen_ai__tool__call__result=text,
            **more,
        )

    asked = json.dumps([{"role": "user", "parts": [{"type": "text", "content": ASKED}]}])
    found = [
        called(4, "get_order", {"order_id": "A17"}, ORDER_TEXT),
        called(3, "cancel_order", {"order_id": "A17"}, "not allowed", error__type="tool_error"),
        called(2, "list_orders", {}, ORDERS_TEXT),
        span(1, gen_ai__operation__name="invoke_agent", gen_ai__input__messages=asked),
    ]
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": found}]}]})


@pytest.mark.parametrize("write", [claude_code, codex, inspect, spans])
def test_logs_of_other_programs_are_read_without_the_calls_that_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[], str]
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "log"
    file.write_text(write(), encoding="utf-8")
    (turn,) = read_turns(file)
    kept = [(call.name.removeprefix("mcp__shop__"), call.is_answered) for step in turn.steps for call in step]
    assert (turn.request, len(turn.steps)) == (ASKED, 3)
    assert kept == [("list_orders", True), ("cancel_order", False), ("get_order", True)]
    (task,) = _generated("--input", str(file))
    assert task["calls"] == CHAIN


def test_calls_of_one_message_are_one_step(tmp_path: Path) -> None:
    first, second = ({"type": "tool_use", "id": each, "name": "f", "input": {}} for each in "ab")
    results = [{"type": "tool_result", "tool_use_id": each, "content": "1"} for each in "ab"]
    said = [("user", "Hi", "u"), ("assistant", [first], "m"), ("assistant", [second], "m"), ("user", results, "r")]
    lines = [{"sessionId": "s", "message": {"role": role, "content": text, "id": name}} for role, text, name in said]
    (tmp_path / "log").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    (turn,) = read_turns(tmp_path / "log")
    assert [[call.is_answered for call in step] for step in turn.steps] == [[True, True]]


def test_a_file_that_is_no_log_is_an_error_that_names_the_formats(tmp_path: Path) -> None:
    (tmp_path / "notes.json").write_text('{"a": 1}', encoding="utf-8")
    with pytest.raises(UsageError, match="sessions of Claude Code or Codex, logs of Inspect"):
        list(read_turns(tmp_path / "notes.json"))


@pytest.mark.parametrize(
    ("second_call", "reason"),
    [
        ({"name": "get_order", "arguments": {"order_id": "A17"}}, None),
        ({"name": "get_share_price", "arguments": {"symbol": "KO"}}, "the calls do not follow the chain"),
    ],
)
def test_a_model_writes_the_request_and_its_calls_are_the_reference_if_they_follow_the_chain(
    recorded: Path, second_call: dict[str, Any], reason: str | None
) -> None:
    script = {
        "First tool: list_orders": ['{"is_reasonable": true}'],
        "1. list_orders": ['{"request": "Is the lamp that I ordered on its way?"}'],
        "Is the lamp": [
            {"calls": [{"name": "list_orders", "arguments": {}}]},
            {"calls": [second_call]},
            "It is shipped.",
        ],
    }
    Path("model.json").write_text(json.dumps(script))
    arguments = ("--input", str(recorded), "--model", "scripted:model.json")
    if reason is None:
        (task,) = _generated(*arguments)
        assert (task["ask"], task["calls"]) == ("Is the lamp that I ordered on its way?", CHAIN)
    else:
        assert main(["generate", *SHOP, "--pipeline", "chains", "--out", "mine", "--yes", *arguments]) == 1
        assert reason in Path("mine.work/06-trajectory.dropped.jsonl").read_text()
