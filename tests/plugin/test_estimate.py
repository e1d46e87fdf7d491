"""The estimate of a run asks no model, leaves nothing behind, and is near what the run then costs."""

import json
from pathlib import Path
from typing import Any

import pytest

from fixtures.chat_server import Answer, chat_server, completion
from pytest_mcpbench.core.token_estimate import estimate_tokens
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
