"""A panel of judges in a run: its verdicts, its cost, its agreement, and a judge of the agent's family."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from fixtures.chat_server import Answer, chat_server, says
from pytest_mcpbench.cli.command_line import main

LABELS = {"qwen-yes": "fulfilled", "llama-no": "not_fulfilled", "mistral-no": "not_fulfilled"}
TASKS = """
tasks:
  - {id: price, ask: What is the price?, claims: [The price is 42 dollars.]}
"""
PRICES = "input_price = 1.0, output_price = 1.0"


def _answer(body: dict[str, Any]) -> Answer:
    model = body["model"]
    if model == "qwen-agent":
        return says("It is 17 dollars.")
    label = LABELS.get(model)
    return says(json.dumps({"reason": f"{model} read it", "label": label}) if label else "Hm.")


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makefile(".mcpbench.yaml", shop=TASKS)
    pytester.makeini("[pytest]\nfilterwarnings = default\n")
    return pytester


def _run(project: pytest.Pytester, judges: str, *options: str) -> pytest.RunResult:
    with chat_server(_answer) as server:
        lines = [
            f'{name} = {{url = "{server.url}", model = "{name}", {PRICES}}}'
            for name in ("qwen-agent", *LABELS, "granite-mute")
        ]
        Path("pyproject.toml").write_text("\n".join(["[tool.mcpbench.models]", *lines, ""]), encoding="utf-8")
        return project.runpytest_inprocess(
            "--model=qwen-agent", f"--mcpbench-judge={judges}", "--mcpbench-json=report.json", *options
        )


def _verdict(directory: str) -> dict[str, Any]:
    (verdict,) = _verdicts(directory).values()
    return verdict


def _verdicts(directory: str) -> dict[str, dict[str, Any]]:
    (path,) = Path(directory).glob("records-*.jsonl")
    found: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["run"]["verdicts"]
    return found


def test_two_of_three_judges_fail_a_wrong_answer_and_the_run_says_who_said_what(project: pytest.Pytester) -> None:
    result = _run(project, "qwen-yes,llama-no,mistral-no", "--mcpbench-out=out", "--mcpbench-page=page.html")
    result.assert_outcomes(failed=1)
    verdict = _verdict("out")
    assert verdict["label"] == "not_fulfilled"
    assert [(vote["judge"], vote["label"]) for vote in verdict["votes"]] == [*LABELS.items()]
    assert [vote["reason"] for vote in verdict["votes"]] == [f"{judge} read it" for judge in LABELS]
    report = json.loads(Path("report.json").read_text(encoding="utf-8"))
    (panel,) = report["judge_panels"]
    assert panel["agreement"] == {"items": 1, "unanimous": 0, "alpha": 0.0}
    costs = [member["usage"]["cost_usd"]["known"] for member in panel["members"]]
    assert min(costs) > 0
    assert report["summaries"][0]["judge_usage"]["cost_usd"] == pytest.approx(sum(costs))
    assert report["facts"]["same_family"] == [{"judge": "qwen-yes", "agent": "qwen-agent", "family": "alibaba"}]
    sentence = "The judge qwen-yes is of the same family as the agent qwen-agent (alibaba), which it may favour."
    assert sentence in " ".join(result.outlines)
    assert sentence in Path("page.html").read_text(encoding="utf-8")
    result.stdout.fnmatch_lines(["Judges of the panel:*", "*llama-no * 1 * 1 * 1 of 1*"])


@pytest.mark.extra
def test_a_panel_decides_for_workers(project: pytest.Pytester) -> None:
    _run(project, "qwen-yes,llama-no,mistral-no", "-n1", "--mcpbench-out=out").assert_outcomes(failed=1)
    assert [vote["judge"] for vote in _verdict("out")["votes"]] == [*LABELS]


def test_a_finished_run_is_judged_again_by_a_panel(
    project: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("suite.toml").write_text('title = "Shop"\n[[files]]\npath = "shop.mcpbench.yaml"\n', encoding="utf-8")
    _run(project, "none", "--suite=suite.toml", "--mcpbench-out=out")
    with chat_server(_answer) as server:
        lines = [f'{name} = {{url = "{server.url}", model = "{name}"}}' for name in LABELS]
        Path("pyproject.toml").write_text("\n".join(["[tool.mcpbench.models]", *lines, ""]), encoding="utf-8")
        assert main(["rescore", "out", "--suite", "suite.toml", "--judge", ",".join(LABELS), "--out", "again"]) == 0
    verdict = _verdict("again")
    assert (verdict["label"], [vote["judge"] for vote in verdict["votes"]]) == ("not_fulfilled", [*LABELS])
    assert "Agreement of the judges:" in capsys.readouterr().out


def test_judges_that_cannot_be_read_leave_one_that_always_agrees_without_a_verdict(project: pytest.Pytester) -> None:
    _run(project, "qwen-yes,granite-mute", "--mcpbench-out=out")
    assert _verdict("out")["label"] is None
    (entry,) = json.loads(Path("report.json").read_text(encoding="utf-8"))["entries"]
    assert entry["outcome"] == "unscored"
    assert "no label has a majority of 2 judges: qwen-yes: fulfilled; granite-mute: no verdict" in re.sub(
        r"\s+", " ", entry["unscored"]["coverage"]
    )


def test_a_panel_is_recorded_and_replayed_with_all_votes(project: pytest.Pytester) -> None:
    judges = "qwen-yes,llama-no,mistral-no"
    _run(project, judges, "--mcpbench-record=cassette", "--mcpbench-out=recorded").assert_outcomes(failed=1)
    replay = (f"--mcpbench-judge={judges}", "--mcpbench-replay=cassette", "--mcpbench-out=replayed")
    project.runpytest_inprocess("--model=qwen-agent", *replay).assert_outcomes(failed=1)
    assert _verdict("replayed") == _verdict("recorded")


CASCADE_TASKS = """
tasks:
  - {id: price, ask: What is the price?, claims: [It is 17 dollars., The price is 17 dollars.]}
"""


def test_the_model_of_a_cascade_gets_what_the_rules_leave_open_and_the_run_says_who_decided(
    project: pytest.Pytester,
) -> None:
    project.makefile(".mcpbench.yaml", shop=CASCADE_TASKS)
    result = _run(project, "keyfacts+qwen-yes", "--mcpbench-out=out", "--mcpbench-record=tape")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        [
            "Judges of the cascade:",
            "suite *judge *asked *decided *share *",
            "shop *keyfacts *2 *1 *50.0 % *$0",
            "*qwen-yes *1 *1 *50.0 % *",
        ]
    )
    # The server of the models is gone.
    arguments = ("--model=qwen-agent", "--mcpbench-judge=keyfacts+qwen-yes", "--mcpbench-replay=tape")
    replayed = project.runpytest_inprocess(*arguments)
    replayed.assert_outcomes(passed=1)
    replayed.stdout.fnmatch_lines(["*qwen-yes *1 *1 *50.0 % *"])


OPEN_TASKS = """
tasks:
  - {id: price, ask: What is the price?, claims: [The seller greets us kindly., The shop smells of cedar.]}
"""


def _write_models(url: str) -> None:
    lines = [f'{name} = {{url = "{url}", model = "{name}", {PRICES}}}' for name in ("qwen-agent", "qwen-yes")]
    Path("pyproject.toml").write_text("\n".join(["[tool.mcpbench.models]", *lines, ""]), encoding="utf-8")


@pytest.mark.long
def test_the_model_of_a_cascade_is_asked_once_an_attempt_with_the_request(project: pytest.Pytester) -> None:
    prompts: list[str] = []

    def answer(body: dict[str, Any]) -> Answer:
        if body["model"] == "qwen-agent":
            return says("It is 17 dollars.")
        prompts.append(body["messages"][1]["content"])
        entries = [{"number": number, "reason": "read", "label": "fulfilled"} for number in (1, 2)]
        return says(json.dumps({"verdicts": entries}))

    project.makefile(".mcpbench.yaml", shop=OPEN_TASKS)
    with chat_server(answer) as server:
        _write_models(server.url)
        options = ("--model=qwen-agent", "--mcpbench-judge=keyfacts+qwen-yes", "--mcpbench-out=out")
        result = project.runpytest_inprocess(*options, "-n", "1")
    result.assert_outcomes(passed=1)
    (prompt,) = prompts
    assert [prompt.count(text) for text in ("What is the price?", "smells of cedar")] == [1, 1]
    result.stdout.fnmatch_lines(["shop *keyfacts *2 *0 *", "*qwen-yes *2 *2 *100.0 % *"])


def test_the_verdicts_of_one_request_of_a_cascade_are_replayed_each_for_its_question(project: pytest.Pytester) -> None:
    requests: list[str] = []

    def answer(body: dict[str, Any]) -> Answer:
        if body["model"] == "qwen-agent":
            return says("It is 17 dollars.")
        requests.append(body["messages"][1]["content"])
        labels = enumerate(("not_fulfilled", "fulfilled"), 1)
        return says(
            json.dumps({"verdicts": [{"number": n, "reason": f"read {n}", "label": label} for n, label in labels]})
        )

    project.makefile(".mcpbench.yaml", shop=OPEN_TASKS)
    options = ("--model=qwen-agent", "--mcpbench-judge=keyfacts+qwen-yes")
    with chat_server(answer) as server:
        _write_models(server.url)
        recording = (*options, "--mcpbench-record=tape", "--mcpbench-out=recorded")
        project.runpytest_inprocess(*recording).assert_outcomes(failed=1)
    assert len(requests) == 1
    recorded = _verdicts("recorded")
    assert [(each["label"], each["stages"][-1]["reason"]) for each in recorded.values()] == [
        ("not_fulfilled", "read 1"),
        ("fulfilled", "read 2"),
    ]
    # The server of the models is gone.
    replaying = (*options, "--mcpbench-replay=tape", "--mcpbench-out=replayed")
    project.runpytest_inprocess(*replaying).assert_outcomes(failed=1)
    assert _verdicts("replayed") == recorded
