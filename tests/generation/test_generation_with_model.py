"""``mcpbench generate --server --model``: a provider on loopback, its replies, costs and faults."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from fixtures.chat_server import HOLDS, Answer, chat_server, fails, says
from pytest_mcpbench.cli.command_line import main

SHOP = ("--server", "shop=fixtures.shop_server:server", "--tasks", "4")
REPOSITORY = Path(__file__).parents[2]

REQUESTS = {
    "list_orders": "which orders are on the list",
    "get_order": "what became of <order>",
    "show_order": "all there is to know about <shown>",
    "get_share_price": "what one <share> share costs",
}
SLOTS = {
    "get_order": ("order_id", "order"),
    "show_order": ("order_id", "shown"),
    "get_share_price": ("symbol", "share"),
}
VALUES = {"order": ["A17", "B20"], "shown": ["C03"], "share": ["TSLA", "MSFT"]}


def model(body: dict[str, Any]) -> Answer:
    """Answer as a good model does."""
    instructions, prompt = (message["content"] for message in body["messages"][:2])
    return says(json.dumps(reply(kind_of(instructions), prompt)))


def kind_of(instructions: str) -> str:
    kinds = {
        "parameters of tools": "propose",
        "kinds of tools": "categories",
        "belong together": "filter",
        "examples of requests": "template",
    }
    return next((kind for text, kind in kinds.items() if text in instructions), "rewrite")


def reply(kind: str, prompt: str) -> dict[str, Any]:
    if kind == "rewrite":
        query = prompt.removeprefix("Query: ").partition("\n")[0]
        spoken = query.replace("TSLA", "Tesla").replace("MSFT", "Microsoft")
        return {"query_rewritten": spoken, "reason": "", "is_reasonable": "list" not in query or len(query) > 60}
    names = [tool["name"] for tool in json.JSONDecoder().raw_decode(prompt)[0]]
    if kind == "propose":
        return {
            "arguments": [{"symbol": "TSLA"}, {"symbol": "NONE"}, {"order_id": "A17", "symbol": "KO"}, {"order_id": 5}]
        }
    if kind == "filter":
        return {"reason": "prices and orders", "is_reasonable": not {"get_share_price", "show_order"} <= set(names)}
    query = f"Tell me, please, {' and '.join(REQUESTS[name] for name in names)}."
    calls = [
        {
            "id": number,
            "tool": name,
            "step": 1,
            "arguments": {SLOTS[name][0]: f"<{SLOTS[name][1]}>"} if name in SLOTS else {},
        }
        for number, name in enumerate(names, 1)
    ]
    return {"query": query, "calls": calls, "values": VALUES}


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a dictionary of symbols, as the working directory."""
    (tmp_path / "symbols.json").write_text('{"TSLA": "Tesla", "MSFT": "Microsoft"}')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def arguments(url: str, *more: str, out: str = "mine") -> list[str]:
    named = ["--model", f"{url}#m", "--dictionary", "symbol=symbols.json", "--out", out, *more]
    return ["generate", *SHOP, *named]


@pytest.mark.extra
def test_a_model_writes_the_requests_of_a_proven_suite(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with chat_server(model) as server:
        assert main(arguments(server.url, "--yes")) == 0
        kinds = Counter(kind_of(body["messages"][0]["content"]) for body in server.bodies)
        assert main(arguments(server.url, "--yes")) == 0
        assert sum(kinds.values()) == len(server.bodies)
    tasks = [json.loads(line) for line in (project / "mine/tasks.jsonl").read_text().splitlines()]
    assert all(task["ask"].startswith("Tell me, please, ") for task in tasks)
    assert not any("TSLA" in task["ask"] or "MSFT" in task["ask"] for task in tasks)
    assert (kinds["propose"], set(kinds)) == (3, {"propose", "filter", "template", "rewrite"})
    proposed = (project / "mine.work/02-propose.jsonl").read_text().splitlines()
    assert {each["tool"]: each["proposed_arguments"] for each in map(json.loads, proposed)} == {
        "list_orders": [],
        "get_order": [],
        "show_order": [],
        "get_share_price": [{"symbol": "TSLA"}, {"symbol": "NONE"}],
    }
    shown = capsys.readouterr()
    assert "no user would want these tools together" in shown.out
    assert "the request is unreasonable" in shown.out
    assert f"{sum(kinds.values())} questions now; in all" in shown.out
    assert "#m: about 28 questions" in shown.err


@pytest.mark.extra
def test_tools_of_two_categories_meet_only_where_one_user_could_want_both(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[str] = []

    def answer(body: dict[str, Any]) -> Answer:
        kind, prompt = kind_of(body["messages"][0]["content"]), body["messages"][1]["content"]
        if kind != "categories":
            return says(json.dumps(reply(kind, prompt)))
        asked.append(prompt)
        is_reasonable = "Category third" not in prompt
        return says(json.dumps({"reason": "nothing in common", "is_reasonable": is_reasonable}))

    more = [part for name in ("second", "third") for part in ("--server", f"{name}=fixtures.shop_server:server")]
    with chat_server(answer) as server:
        main(arguments(server.url, "--yes", *more, "--tasks", "12"))
    assert len(asked) == 3
    assert all("* list_orders: List the orders of the shop" in prompt for prompt in asked)
    chains = [
        json.loads(line) for line in next((project / "mine.work").glob("*-sample.jsonl")).read_text().splitlines()
    ]
    assert {tuple(sorted(each["categories"])) for each in chains if len(each["categories"]) > 1} == {("second", "shop")}
    assert "no user would want tools of both categories (2)" in capsys.readouterr().out


def test_nothing_is_asked_without_leave_where_nobody_can_give_it(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with chat_server(model) as server:
        assert main(arguments(server.url)) == 2
        assert server.bodies == []
    assert "nobody can confirm this: add --yes" in capsys.readouterr().err


@pytest.mark.extra
@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ({"query": "How is <order>?", "calls": []}, "the template does not call the tools of its chain once each"),
        ({"query": "How is <other>?", "values": {}}, "a slot of the template has no value"),
        (
            {"query": "How is <order> in <city>?", "values": {"order": ["A17"], "city": ["Oslo"]}},
            "a variable of the request is not used by any call",
        ),
        ({"query": "How is the lamp, please?"}, "a value in the reference cannot be known"),
        ({"query": "Call get_order for <order>."}, "the request names a tool or a parameter"),
    ],
)
def test_a_template_that_does_not_fit_is_dropped(
    project: Path, capsys: pytest.CaptureFixture[str], template: dict[str, Any], reason: str
) -> None:
    call = {"id": "1", "tool": "get_order", "step": 1, "arguments": {"order_id": "<order>"}}

    def answer(body: dict[str, Any]) -> Answer:
        kind = kind_of(body["messages"][0]["content"])
        if kind == "template":
            return says(json.dumps({"calls": [call], "values": {"order": ["A17"]}, **template}))
        return says(
            json.dumps(
                {
                    "reason": "",
                    "is_reasonable": True,
                    "query_rewritten": body["messages"][1]["content"].removeprefix("Query: ").partition("\n")[0],
                    "arguments": [],
                }
            )
        )

    with chat_server(answer) as server:
        main(arguments(server.url, "--yes", "--tasks", "20"))
    assert reason in capsys.readouterr().out


@pytest.mark.extra
def test_a_provider_that_fails_ends_the_run_and_the_next_one_goes_on(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = Counter[str]()

    def fail_once(body: dict[str, Any]) -> Answer:
        asked[body["messages"][1]["content"]] += 1
        return fails(401, "no credit left") if sum(asked.values()) == 6 else model(body)

    with chat_server(fail_once) as server:
        assert main(arguments(server.url, "--yes", "--concurrency", "1")) == 2
        shown = capsys.readouterr().err
        assert "no credit left" in shown
        assert "everything so far is in mine.work; repeat the command to go on from there" in shown
        assert main(arguments(server.url, "--yes", "--concurrency", "1")) == 0
    assert sorted(asked.values())[-2:] == [1, 2]


def test_ctrl_c_says_how_to_go_on(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupt(_body: dict[str, Any]) -> Answer:
        os.kill(os.getpid(), signal.SIGINT)
        return HOLDS

    with chat_server(interrupt) as server:
        assert main(arguments(server.url, "--yes", "--concurrency", "1")) == 130
    assert "everything so far is in mine.work; repeat the command to go on from there" in capsys.readouterr().err


@pytest.mark.long
def test_a_run_that_was_killed_goes_on_without_paying_twice_and_makes_the_same_bytes(project: Path) -> None:
    with chat_server(model) as server:
        assert main(arguments(server.url, "--yes", out="whole")) == 0
    held, killed = threading.Event(), threading.Event()

    def hold(body: dict[str, Any]) -> Answer:
        if kind_of(body["messages"][0]["content"]) == "template" and not killed.is_set():
            held.set()
            return HOLDS
        return model(body)

    with chat_server(hold) as server:
        code = "import sys; from pytest_mcpbench.cli import main; sys.exit(main())"
        process = subprocess.Popen(
            [sys.executable, "-c", code, *arguments(server.url, "--yes", out="broken")],
            env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
            stderr=subprocess.DEVNULL,
        )
        assert held.wait(60)
        process.send_signal(signal.SIGKILL)
        process.wait()
        killed.set()
        assert main(arguments(server.url, "--yes", out="broken")) == 0
        messages = [body["messages"] for body in server.bodies]
        answered = Counter(each[1]["content"] for each in messages if kind_of(each[0]["content"]) != "template")
        assert set(answered.values()) == {1}
    assert (project / "broken/tasks.jsonl").read_bytes() == (project / "whole/tasks.jsonl").read_bytes()
