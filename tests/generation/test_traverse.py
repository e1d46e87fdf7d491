"""Pipeline ``traverse``: calls of a real server with its answers, and a simulation that a model writes and repairs."""

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest

from fixtures.chat_server import Answer, chat_server, says
from pytest_mcpbench.cli.command_line import main
from pytest_mcpbench.core.fidelity.comparison import Pair, fidelity
from pytest_mcpbench.core.fidelity.trace import Trace
from pytest_mcpbench.core.tool import ToolResult
from pytest_mcpbench.generation.pipeline.candidates import Drop
from pytest_mcpbench.generation.pipelines.traverse.candidates import TraceCandidate
from pytest_mcpbench.generation.pipelines.traverse.invalid_calls import invalid_objects
from pytest_mcpbench.generation.pipelines.traverse.recording import discriminate
from pytest_mcpbench.generation.pipelines.traverse.simulating import Code, SimulationVersion, differences_of, measure
from pytest_mcpbench.loaders.traces import read_traces

SHOP = ("--server", "shop=fixtures.shop_server:server", "--call", "all", "--pipeline", "traverse", "--yes")

WORLD = """
from typing import Any
from pytest_mcpbench import ToolFailure, World

ORDERS = {"A17": ("lamp", "shipped"), "B20": ("desk", "open"), "C03": ("chair", "open")}
PRICES = {"TSLA": "180.20", "MSFT": "420.10", "KO": "61.00"}

class Shop:
    def __init__(self, world: World) -> None:
        orders = {name: {"order_id": name, "item": item, "status": status} for name, (item, status) in ORDERS.items()}
        self.tree = world.tree(lambda: {"orders": orders})

    def order(self, order_id: str) -> dict[str, Any]:
        for order in self.tree.list("orders"):
            if order["order_id"] == order_id:
                return dict(order)
        raise ToolFailure(f"no order {order_id!r}")
"""
SERVER = '''
from typing import Any
from world import PRICES, Shop
from pytest_mcpbench import Simulation, ToolFailure
from pytest_mcpbench.simulated.engine import PYTHON_SDK

def list_orders(shop: Shop) -> list[dict[str, Any]]:
    """List the orders of the shop."""
    return [dict(order) for order in shop.tree.list("orders")]

def get_order(shop: Shop, order_id: str) -> dict[str, Any]:
    """Get the details of a specific order."""
    return shop.order(order_id)

def show_order(shop: Shop, order_id: str) -> dict[str, Any]:
    """Show everything about a specific order."""
    return shop.order(order_id)

def get_share_price(shop: Shop, symbol: str) -> str:
    """Get the share price of a company by its ticker symbol."""
    if symbol not in PRICES:
        raise ToolFailure(f"no share is called {symbol!r}")
    return f"{PRICES[symbol]} USD"

def cancel_order(shop: Shop, order_id: str) -> str:
    """Cancel a specific order."""
    shop.order(order_id)
    return f"{order_id} is cancelled"

def cancel_all_orders(shop: Shop) -> str:
    """Cancel every order."""
    return "every order is cancelled"

server = Simulation(
    name="shop",
    state=Shop,
    tools=(list_orders, get_order, show_order, get_share_price, cancel_order, cancel_all_orders),
    failure=lambda failure: f"Error executing tool: {failure}",
    structured=lambda tool, value: value if isinstance(value, dict) else {"result": value},
    dialect=PYTHON_SDK,
).server
'''
ANY = """
from typing import Any
from mcp.server.lowlevel import Server
import mcp.types as types

def server(world):
    async def listed(_context, _request):
        tools = [types.Tool(name=name, input_schema={"type": "object"}) for name in NAMES]
        return types.ListToolsResult(tools=tools)
    async def called(_context, request):
        text, is_error = answer(request.name, dict(request.arguments or {}))
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=is_error)
    return Server("shop", on_list_tools=listed, on_call_tool=called)

NAMES = ["list_orders", "get_order", "show_order", "get_share_price", "cancel_order", "cancel_all_orders"]
"""
ACCEPTS_EVERYTHING = ANY + '\ndef answer(name, arguments):\n    return "done", False\n'
REFUSES_EVERYTHING = ANY + '\ndef answer(name, arguments):\n    return "no", True\n'


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "seeds.yaml").write_text("- get_share_price: {symbol: TSLA}\n- cancel_order: {order_id: B20}\n")
    return tmp_path


def generate(*arguments: str, out: str = "traced") -> int:
    return main(["generate", *SHOP, "--input", "seeds.yaml", "--out", out, *arguments])


def traces(out: str = "traced") -> tuple[Trace, ...]:
    return read_traces(Path(out, "traces.jsonl").read_text(), out)


def kinds(out: str = "traced") -> Counter[str]:
    names = (re.sub(r"^\w+[.]|-?\d+$", "", each.id) or "valid" for each in traces(out))
    return Counter(names)


def dropped(stage: str, out: str = "traced") -> Counter[str]:
    lines = Path(f"{out}.work", f"{stage}.dropped.jsonl").read_text().splitlines()
    return Counter(json.loads(line)["reason"] for line in lines)


def test_calls_of_people_and_rules_are_recorded_with_three_kinds_of_invalid_ones() -> None:
    assert generate() == 0
    assert {"valid", "type", "schema"} <= kinds().keys()
    answers = {each.id: each.calls[0].result for each in traces()}
    price = answers["get_share_price.1"]
    assert price is not None
    assert (price.text, price.is_error) == ("180.20 USD", False)
    missing = next(each for each in traces() if each.id.startswith("get_share_price.schema"))
    assert missing.calls[0].result is not None
    assert missing.calls[0].result.is_error
    assert "symbol" in missing.calls[0].result.text
    assert not Path("traced.work", "07-discriminate.dropped.jsonl").exists()


@pytest.mark.extra
def test_the_same_seed_leads_to_the_same_bytes_and_a_stopped_run_goes_on() -> None:
    assert generate("--tasks", "10") == 0
    assert generate("--tasks", "10", out="again") == 0
    first, second = (Path(out, "traces.jsonl").read_bytes() for out in ("traced", "again"))
    assert first == second
    assert len(traces()) == 10
    assert kinds()["valid"] == 5
    kept = Path("traced.work", "06-execute.jsonl")
    kept.write_text("".join(kept.read_text().splitlines(keepends=True)[:4]))
    state = Path("traced.work", "06-execute.state.json")
    state.write_text(json.dumps(json.loads(state.read_text()) | {"output": None}))
    Path("traced", "traces.jsonl").unlink()
    assert generate("--tasks", "10") == 0
    assert Path("traced", "traces.jsonl").read_bytes() == first


@pytest.mark.parametrize(
    ("seeds", "arguments", "message"),
    [
        ("- get_price: {symbol: TSLA}\n", (), "seeds.yaml:1: the server has no tool 'get_price'. Did you mean"),
        ("- get_share_price: {symbol: KO}\n", ("--server", "notes"), "--pipeline traverse records one server"),
    ],
)
def test_a_wrong_seed_and_a_second_server_are_usage_errors(
    seeds: str, arguments: Sequence[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("seeds.yaml").write_text(seeds)
    arguments = ["memory" if each == "notes" else each for each in arguments]
    assert generate(*arguments) == 2
    assert message in capsys.readouterr().err


def test_calls_of_people_are_recorded_on_a_server_that_their_other_calls_have_filled() -> None:
    Path("seeds.yaml").write_text(
        "- create_entities: {entities: [{name: Ann, entityType: person, observations: [likes tea]}]}\n"
        "- search_nodes: {query: tea}\n"
        "- delete_entities: {entityNames: [Ann]}\n"
    )
    filled = ("--server", "memory", "--call", "all", "--pipeline", "traverse", "--input", "seeds.yaml", "--tasks", "60")
    assert main(["generate", *filled, "--out", "traced"]) == 0
    valid = {each.calls[0].tool: each for each in traces() if re.fullmatch(r"\w+[.]1", each.id)}
    assert {"create_entities", "search_nodes", "delete_entities", "read_graph"} <= valid.keys()
    assert [each.tool for each in valid["delete_entities"].given] == [
        "create_entities",
        "create_relations",
        "add_observations",
    ]
    found = valid["search_nodes"].calls[0].result
    assert found is not None
    assert "Ann" in found.text
    # A call that contradicts the server's data by what somebody says is made on the filled server, too.
    file = Path("traced.work/05-invalid.jsonl")
    calls = {each["id"]: each for each in map(json.loads, file.read_text().splitlines())}
    known = {"observations": [{"entityName": "Ann", "contents": ["likes chess"]}]}
    claimed = {"id": "claim", "tool": "add_observations", "arguments": known, "kind": "semantic", "is_seed": False}
    file.write_text("".join(json.dumps(each) + "\n" for each in (calls["search_nodes.1"] | claimed, *calls.values())))
    assert main(["generate", *filled, "--out", "traced"]) == 0
    assert dropped("07-discriminate")["the server accepts an invalid call"] >= 1
    assert '"claim"' in Path("traced.work/07-discriminate.dropped.jsonl").read_text()


def test_files_without_text_are_a_usage_error_before_the_first_call(capsys: pytest.CaptureFixture[str]) -> None:
    Path("state/.git").mkdir(parents=True)
    Path("state/.git/index").write_bytes(b"DIRC\xff\xfe")
    assert generate("--files", "state") == 2
    assert "--files: .git/index is not a text in UTF-8" in capsys.readouterr().err


@pytest.mark.parametrize("make", [lambda path: path.symlink_to("gone"), os.mkfifo], ids=["broken link", "named pipe"])
def test_what_is_neither_a_file_nor_a_directory_is_a_usage_error(
    make: Callable[[Path], None], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("state/notes").mkdir(parents=True)
    make(Path("state/notes/odd"))
    assert generate("--files", "state") == 2
    assert "--files: state/notes/odd is a broken link or a special file" in capsys.readouterr().err


def test_objects_inside_arguments_are_made_invalid_too() -> None:
    item = {"type": "object", "properties": {"name": {"type": "string"}, "size": {"type": "integer", "maximum": 9}}}
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {"items": {"type": "array", "items": {"$ref": "#/$defs/item"}}},
        "$defs": {"item": {**item, "required": ["name"]}},
    }
    valid: dict[str, Any] = {"items": [{"name": "lamp", "size": 3}, {"name": "desk"}]}
    found = {violation: arguments for _, _, violation, arguments in invalid_objects(schema, schema, valid)}
    assert found["in items, name is missing"] == {"items": [{"size": 3}, {"name": "desk"}]}
    assert found["in items, name is a number"] == {"items": [{"name": 12345, "size": 3}, {"name": "desk"}]}
    assert found["in items, size is above its maximum"] == {"items": [{"name": "lamp", "size": 10}, {"name": "desk"}]}
    assert found["items is a text"] == {"items": "not a value"}


INVALID = {"id": "x.type-1", "server": "shop", "tool": "x", "arguments": {"size": 12345}, "kind": "type"}


@pytest.mark.parametrize(
    ("fields", "text", "is_error", "reason"),
    [
        ({}, "size: expected a string", True, None),
        ({}, "12345 is no size", True, None),
        ({}, "invalid argument", True, None),
        ({}, "Internal error (500)", True, "the error does not say what is wrong"),
        ({}, "Traceback: KeyError", True, "the error does not say what is wrong"),
        ({}, "an unexpected error, try again", True, "the error does not say what is wrong"),
        ({"parameter": "id"}, "the provider is busy", True, "the error does not say what is wrong"),
        ({"parameter": "id"}, "'NoneType' has no len()", True, "the error does not say what is wrong"),
        ({}, "done", False, "the server accepts an invalid call"),
        ({}, '{"status": 400, "error": "size"}', False, None),
        ({"kind": "valid"}, "done", False, None),
        ({"kind": "valid"}, "size is missing", True, "the server refuses a valid call"),
    ],
)
def test_a_trace_is_kept_if_the_server_recognises_what_is_wrong(
    fields: dict[str, str], text: str, reason: str | None, *, is_error: bool
) -> None:
    result = {"content": [{"type": "text", "text": text}], "isError": is_error}
    trace = Trace.model_validate({"calls": [{"tool": "x", "arguments": {"size": 12345}, "result": result}]})
    candidate = TraceCandidate.model_validate({**INVALID, "parameter": "size", "trace": trace, **fields})
    outcome = anyio.run(discriminate, None, candidate)
    assert outcome == ([candidate] if reason is None else outcome)
    assert reason is None or (isinstance(outcome, Drop) and outcome.reason == reason)


def model(body: dict[str, Any]) -> Answer:
    """Answer as a model whose documentation-only simulation accepts all, and that repairs one which refuses all."""
    instructions, prompt = (message["content"] for message in body["messages"][:2])
    if "extend a pool" in instructions:
        return says(json.dumps({"arguments": [{"symbol": "KO"}, {"order_id": "A17"}]}))
    if "contradictions" in instructions:
        unknown = {"arguments": {"order_id": "Z99"}, "contradiction": "there is no such order"}
        return says(json.dumps({"calls": [unknown]}))
    if "wrong on purpose" in instructions:
        return says(json.dumps({"recognises_what_is_wrong": "KeyError" not in prompt}))
    if "answer these calls differently" in prompt:
        return says(json.dumps({"world_py": WORLD, "server_py": SERVER}))
    code = REFUSES_EVERYTHING if "Calls of the real server" in prompt else ACCEPTS_EVERYTHING
    return says(json.dumps({"world_py": "", "server_py": code}))


@pytest.mark.long
def test_a_model_repairs_its_simulation_until_it_answers_like_the_server(capsys: pytest.CaptureFixture[str]) -> None:
    with chat_server(model) as server:
        assert generate("--model", f"{server.url}#m", "--tasks", "6") == 0
    assert "there is no such order" in Path("traced.work", "06-execute.jsonl").read_text()
    shown = capsys.readouterr().out
    cells = {
        line.strip("| ").split("|")[0].strip(): [cell.strip() for cell in line.strip("| ").split("|")][1:]
        for line in shown.splitlines()
        if line.startswith("| ")
    }
    headings = cells["method"]
    rows = {name: dict(zip(headings, row, strict=True)) for name, row in cells.items()}
    itself, vanilla, written, seen, *versions = (row for name, row in rows.items() if name not in ("method", ":---"))
    assert itself["identical"].split("/")[0] == itself["calls"] == vanilla["calls"]
    assert [row["accuracy"] == "100.0 %" for row in versions] == [False, True]
    assert (
        "Version 2 is kept, but none of 2 answers like the server. There is no further one: the model repeats an"
        in shown
    )
    assert (vanilla["TN"], vanilla["FN"]) == ("0", "0")
    assert int(vanilla["FP"]) > 0
    assert (written["FP"], written["FN"], written["F1"]) == ("0", "0", "100.0 %")
    assert (seen["FP"], seen["FN"], seen["no answer"]) == ("0", "0", "0")
    assert Path("traced", "simulation", "world.py").read_text() == WORLD


@pytest.mark.extra
def test_the_traces_are_kept_if_the_model_writes_no_simulation_that_can_be_read(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def without_code(body: dict[str, Any]) -> Answer:
        writes = "You simulate an MCP server" in body["messages"][0]["content"]
        return says("I would rather not.") if writes else model(body)

    with chat_server(without_code) as server:
        assert generate("--model", f"{server.url}#m", "--tasks", "6") == 0
    assert len(traces()) == 6
    assert dropped("09-simulation") == {"the reply of the model could not be read": 2}
    assert "the reply of the model could not be read (2)" in capsys.readouterr().out


def test_the_model_reads_why_its_simulation_does_not_answer_once() -> None:
    done, refused = ToolResult.of_text("done"), ToolResult.failure("no", "tool")
    results: list[tuple[ToolResult, ToolResult | None]] = [(done, None), (done, None), (done, refused), (done, done)]
    pairs = [
        Pair(
            trace=str(at),
            tool=f"t{at}",
            arguments={},
            real=real,
            simulated=own,
            error="SyntaxError",
            real_success=True,
            simulated_success=own is done,
        )
        for at, (real, own) in enumerate(results)
    ]
    first, second = differences_of(fidelity("s", pairs, traces=4))
    assert first == "2 calls without your answer, such as t0({}): SyntaxError"
    assert second.startswith("t2({}): real ")


def result_pair(real: str, simulated: str) -> Pair:
    results = {name: ToolResult.of_text(text) for name, text in (("real", real), ("simulated", simulated))}
    return Pair(trace="1", tool="now", arguments={}, real_success=True, simulated_success=True, **results)


@pytest.mark.parametrize(("said_again", "is_enough"), [("12:01", True), ("12:00", False)])
def test_a_simulation_need_not_repeat_a_result_that_the_server_does_not_repeat(
    said_again: str, *, is_enough: bool
) -> None:
    simulation = SimulationVersion(
        Code(world_py="", server_py=""), fidelity("s", [result_pair("12:00", "12:03")], traces=1)
    )
    again = fidelity("real", [result_pair("12:00", said_again)], traces=1)
    assert simulation.is_good_enough(again) is is_enough


@pytest.mark.long
def test_a_simulation_that_recites_its_traces_is_wrong_on_others() -> None:
    assert generate("--tasks", "6") == 0
    known = {f"{call.tool} {call.arguments}": call.result for call in (each.calls[0] for each in traces()[:3])}
    recited = {key: (result.text, result.is_error) for key, result in known.items() if result is not None}
    code = f"{ANY}\nKNOWN = {recited!r}\ndef answer(name, arguments):\n"
    code += '    return KNOWN.get(f"{name} {arguments}", ("unknown", True))\n'
    seen, unseen = (
        anyio.run(measure, Code(world_py="", server_py=code), part, 4) for part in (traces()[:3], traces()[3:])
    )
    assert seen.confusion.accuracy == 1
    assert unseen.confusion.fn
    assert sum(unseen.identical.values()) == 0
