"""The estimate of a run asks no model, leaves nothing behind, and is near what the run then costs."""

import json
from pathlib import Path
from typing import Any

import pytest

from fixtures.chat_server import Answer, chat_server, completion
from fixtures.model_servers import model_server
from pytest_mcpbench.core.speed import Speed
from pytest_mcpbench.models.local.running_servers import SERVER_KINDS
from pytest_mcpbench.text.token_estimate import estimate_tokens
from tests.plugin.conftest import usage_error
from tests.plugin.test_sweep import TASKS

ESTIMATE = "--mcpbench-estimate"


def answer(body: dict[str, Any]) -> Answer:
    """Read both notes one after the other, then answer; tokens are counted with a tokenizer of the provider's own."""
    results = sum(message["role"] == "tool" for message in body["messages"])
    function = {"name": "read_note", "arguments": json.dumps({"title": "Shopping"})}
    call = {"id": f"call_{results}", "type": "function", "function": function}
    message = {"role": "assistant", "content": "Milk.", **({"tool_calls": [call]} if results < 2 else {})}
    read = round(1.3 * estimate_tokens(json.dumps([body["messages"], body["tools"]])))
    return completion(message, usage={"prompt_tokens": read, "completion_tokens": 40, "total_tokens": read + 40})


def project(pytester: pytest.Pytester, url: str) -> None:
    pytester.makefile(".mcpbench.yaml", notes=TASKS)
    pytester.makeini("[pytest]\nfilterwarnings = default\n")
    priced = f'{{url = "{url}", model = "m", input_price = 3, output_price = 15}}'
    pytester.makepyprojecttoml(f'[tool.mcpbench.models]\nloop = {priced}\nfree = {{url = "{url}", model = "f"}}\n')


def estimate_of(pytester: pytest.Pytester, *options: str) -> dict[str, Any]:
    result = pytester.runpytest_inprocess(ESTIMATE, "--mcpbench-json=estimate.json", *options)
    result.assert_outcomes()
    result.stdout.fnmatch_lines(["*mcpbench: estimate*", "suite*model*attempts*requests*"])
    made: dict[str, Any] = json.loads(Path("estimate.json").read_text(encoding="utf-8"))["estimate"]
    return made


@pytest.mark.extra
def test_the_estimate_is_near_the_run_and_asks_no_model(pytester: pytest.Pytester) -> None:
    with chat_server(answer) as server:
        project(pytester, server.url)
        without_history = estimate_of(pytester, "--model=loop", "--model=oracle", "--mcpbench-out=out")
        assert (server.requests, Path("out").exists(), Path(".mcpbench").exists()) == ([], False, False)
        pytester.runpytest_inprocess("--model=loop", "--trials=2", "-k", "one-step")
        made = estimate_of(pytester, "--model=loop", "--trials=3")
        asked = len(server.requests)
        pytester.runpytest_inprocess("--model=loop", "--trials=3", "--mcpbench-out=out")
        (records,) = Path("out").glob("records-*.jsonl")
        lines = records.read_text(encoding="utf-8").splitlines()
    read = [json.loads(line)["run"]["trajectory"] for line in lines]
    steps = [step["usage"] for trajectory in read for step in trajectory["steps"]]
    assert asked == 6
    assert made["series"][0]["requests"] == len(steps) == 18
    assert made["series"][0]["input_tokens"] == pytest.approx(sum(step["input_tokens"] for step in steps), rel=0.2)
    assert made["cost_usd"] == pytest.approx(sum(step["cost_usd"] for step in steps), rel=0.2)
    assert made["most_cost_usd"] > 5 * made["cost_usd"]
    assert [(each["model"], each["requests"]) for each in without_history["series"]] == [("loop", 5.0), ("oracle", 0.0)]


def test_an_unknown_price_is_shown_as_such_and_a_judge_is_counted(pytester: pytest.Pytester) -> None:
    with chat_server(answer) as server:
        project(pytester, server.url)
        pytester.makefile(
            ".mcpbench.yaml", notes=f"{TASKS}  - {{id: asked, ask: Milk?, claims: [It is milk, It is white]}}\n"
        )
        made = estimate_of(pytester, "--model=free", "--mcpbench-judge=loop")
        assert server.requests == []
    judge = next(each for each in made["series"] if each["is_judge"])
    assert (made["cost_usd"], judge["requests"]) == (None, 2.0)
    assert judge["cost_usd"] == pytest.approx(2 * (900 * 3 + 100 * 15) / 1e6)


def test_a_program_is_unknown_until_it_has_run_and_then_takes_as_long_as_before(pytester: pytest.Pytester) -> None:
    pytester.makefile(".mcpbench.yaml", notes=TASKS)
    pytester.makeini("[pytest]\nfilterwarnings = default\n")
    report = json.dumps({"answer": "Milk.", "input_tokens": 70, "output_tokens": 7, "cost_usd": 0.25})
    Path("agent.sh").write_text(f"echo '{report}'\n", encoding="utf-8")
    pytester.makepyprojecttoml(
        f'[tool.mcpbench.agents.echo]\ncommand = "sh {Path("agent.sh").resolve()}"\n'
        'output = "json"\nmay_skip_servers = true\n'
    )
    (new,) = estimate_of(pytester, "--model=agent:echo")["series"]
    assert (new["attempts"], new["cost_usd"], new["seconds"]) == (0, None, None)
    assert set(new["unknown"]) == {
        "it decides itself what it asks its model, and no earlier attempt of it at this suite is known"
    }
    pytester.runpytest_inprocess("--model=agent:echo", "-k", "one-step")
    made = estimate_of(pytester, "--model=agent:echo", "--trials=2")
    (known,) = made["series"]
    assert (known["attempts"], known["input_tokens"], known["output_tokens"]) == (4, 280, 28)
    assert (made["cost_usd"], made["most_cost_usd"]) == (1.0, None)
    assert 0 < made["seconds"] < 60


def test_the_model_that_plays_the_user_is_counted(pytester: pytest.Pytester) -> None:
    def converse(body: dict[str, Any]) -> Answer:
        return completion(
            {"role": "assistant", "content": "Milk, please. ###DONE###" if body["model"] == "f" else "Which?"},
            usage={"prompt_tokens": 500, "completion_tokens": 9, "total_tokens": 509},
        )

    with chat_server(converse) as server:
        project(pytester, server.url)
        user = {"goal": "You want milk.", "turns": 4}
        task = {"id": "talk", "ask": "Buy it.", "server": "notes", "user": user, "conversation": [{"told": "milk"}]}
        pytester.makefile(".mcpbench.yaml", notes=f"{TASKS}  - {json.dumps(task)}\n")
        options = ("--model=loop", "--mcpbench-user=free", "-k", "talk")
        agent, user = estimate_of(pytester, *options)["series"]
        assert (agent["role"], user["role"], user["model"], user["requests"]) == ("agent", "user", "free", 2.0)
        pytester.runpytest_inprocess(*options)
        agent, user = estimate_of(pytester, *options, "--trials=3")["series"]
    assert (user["requests"], user["input_tokens"], user["output_tokens"], user["cost_usd"]) == (3.0, 1500, 27, None)
    assert [request.body["model"] for request in server.requests].count("f") == 1


@pytest.mark.extra
def test_a_local_model_is_free_and_takes_the_time_of_its_measured_speed(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    with model_server("ollama", ["qwen3:8b"]) as kind:
        monkeypatch.setitem(SERVER_KINDS, "ollama", kind)
        project(pytester, kind.address)
        pytester.makefile(".mcpbench.yaml", other=TASKS)
        new = estimate_of(pytester, "--model=local:ollama", "other.mcpbench.yaml")
        assert (new["cost_usd"], new["most_cost_usd"], new["seconds"]) == (0.0, 0.0, None)
        pytester.runpytest_inprocess("--model=local:ollama", "notes.mcpbench.yaml")
    made = estimate_of(pytester, "--model=local:ollama", "other.mcpbench.yaml")
    read, written = made["series"][0]["input_tokens"], made["series"][0]["output_tokens"]
    (run,) = Path(".mcpbench/runs").iterdir()
    speed = Speed(**json.loads((run / "run.json").read_text(encoding="utf-8"))["speeds"]["local:ollama"])
    assert speed.cached_share == 0.6
    expected = read * 0.4 * speed.read_seconds / speed.read_tokens
    expected += written * speed.written_seconds / speed.written_tokens
    assert made["seconds"] == pytest.approx(expected, rel=0.01)


def test_attempts_that_a_resumed_run_takes_over_are_not_counted(pytester: pytest.Pytester) -> None:
    with chat_server(answer) as server:
        project(pytester, server.url)
        pytester.runpytest_inprocess("--model=loop", "-k", "one-step", "--mcpbench-out=out")
        made = estimate_of(pytester, "--model=loop", "--mcpbench-resume=out")
    assert (made["reused"], made["series"][0]["attempts"]) == (1, 1)


def test_an_estimate_excludes_workers_and_comparisons(pytester: pytest.Pytester) -> None:
    project(pytester, "http://127.0.0.1:9/v1")
    assert "leave -n out" in usage_error(pytester, ESTIMATE, "-n2")
    assert "use --mcpbench-plan" in usage_error(pytester, ESTIMATE, "--mcpbench-aa")


@pytest.mark.parametrize(
    ("budget", "said"),
    [("0.001", "the estimate of $*exceeds this budget"), ("1000", "the estimate and the most keep to this budget")],
)
def test_an_estimate_says_whether_it_exceeds_the_budget(pytester: pytest.Pytester, budget: str, said: str) -> None:
    with chat_server(answer) as server:
        project(pytester, server.url)
        result = pytester.runpytest_inprocess(ESTIMATE, "--model=loop", f"--mcpbench-max-cost={budget}")
    result.stdout.fnmatch_lines([f"--mcpbench-max-cost={budget}: {said}*"])


def test_only_a_run_that_leaves_records_says_where(pytester: pytest.Pytester) -> None:
    pytester.makefile(".mcpbench.yaml", notes=TASKS)
    pytester.makefile(".toml", suite='name = "notes"\nfiles = ["notes.mcpbench.yaml"]\n')
    header = "mcpbench: suite suite.toml; model oracle"
    estimated = pytester.runpytest_inprocess(ESTIMATE, "--suite=suite.toml", "--model=oracle")
    assert header in estimated.outlines
    made = pytester.runpytest_inprocess("--suite=suite.toml", "--model=oracle", "--mcpbench-out=out")
    assert f"{header}; records in out" in made.outlines
