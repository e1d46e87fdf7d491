"""``mcpbench findability``."""

import json
import math
import re
from pathlib import Path

import pytest

from pytest_mcpbench.audit.findability import recall_at
from pytest_mcpbench.cli import main

TASKS = """\
servers: {office: {factory: "fixtures.servers.defined:server"}}
tasks:
  - {id: rain, ask: Weather forecast Oslo, tool: get_weather}
  - {id: mail, ask: Mail Ann that the weather forecast changed, tool: send_mail}
  - {id: plan, ask: What did I promise Ann?, tool: list_events}
"""
TEXTS = {
    "get_weather": "Weather forecast.",
    "send_mail": "Mail somebody.",
    "warn": "Warn of weather forecast change.",
    "list_events": "Calendar of events.",
}


def define(**texts: str) -> None:
    tools = [{"name": name, "description": text, "inputSchema": {"type": "object"}} for name, text in texts.items()]
    Path("tools.json").write_text(json.dumps({"tools": tools}), encoding="utf-8")


@pytest.fixture(autouse=True)
def project(pytester: pytest.Pytester) -> None:
    pytester.makefile(".mcpbench.yaml", office=TASKS)
    define(**TEXTS)


def measure(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, dict[tuple[str, int], list[float]]]:
    """Return tool -> way of searching and number of foreign tools -> recall@1, @5 and @10."""
    assert main(["findability", "--json", *arguments]) == 0
    (server,) = json.loads(capsys.readouterr().out)["servers"]
    return {
        tool["tool"]: {
            (each["search"], each["foreign"]): [each[k] for k in ("1", "5", "10")] for each in tool["recall"]
        }
        for tool in server["tools"]
    }


def plain_bm25(request: str) -> dict[str, float]:
    """Textbook BM25 over names, counted three times, and descriptions, whose one sentence counts 2.5 times."""
    documents = {
        name: [(word, 3.0) for word in name.split("_")] + [(word, 2.5) for word in text.lower().strip(".").split()]
        for name, text in TEXTS.items()
    }
    documents = {name: [pair for pair in each if pair[0] != "of"] for name, each in documents.items()}
    mean = sum(weight for each in documents.values() for _, weight in each) / len(documents)
    scores = dict.fromkeys(documents, 0.0)
    for word in set(request.lower().split()):
        containing = sum(any(term == word for term, _ in each) for each in documents.values())
        idf = math.log(1 + (len(documents) - containing + 0.5) / (containing + 0.5))
        for name, each in documents.items():
            tf = sum(weight for term, weight in each if term == word)
            length = sum(weight for _, weight in each)
            scores[name] += idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * length / mean))
    return scores


def test_recall_is_that_of_a_bm25_of_our_own(capsys: pytest.CaptureFixture[str]) -> None:
    found = measure(capsys, "--foreign=0", "--search=bm25")
    requests = {"get_weather": "Weather forecast Oslo", "send_mail": "Mail Ann that the weather forecast changed"}
    for tool, request in requests.items():
        scores = plain_bm25(request)
        rank = sorted(scores, key=lambda name: -scores[name]).index(tool)
        assert found[tool] == {("bm25", 0): [float(rank < k) for k in (1, 5, 10)]}
    assert found["list_events"] == {("bm25", 0): [0.0, 0.0, 0.0]}  # no common word: in no list of results
    assert found["warn"] == {}  # no task needs it


def test_foreign_tools_are_drawn_with_a_seed_and_take_places(capsys: pytest.CaptureFixture[str]) -> None:
    found = measure(capsys, "--foreign=0", "--foreign=300", "--search=regex")
    assert found == measure(capsys, "--foreign=300", "--foreign=0", "--search=regex")
    alone, beside = (found["send_mail"]["regex", size] for size in (0, 300))
    # "weather", "forecast" and "change" find the tool `warn` first; "mail" alone finds the mail tools of other servers.
    assert alone == [0.0, 1.0, 1.0]
    assert beside[0] == 0.0
    assert 0 < beside[2] < 1


def test_the_gate_names_the_tools_that_no_search_finds(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["findability", "--foreign=0", "--least=0.9"]) == 1
    shown = capsys.readouterr()
    assert shown.err.splitlines() == [
        "office/list_events: recall@5 beside 0 foreign tools is at most 0.00 under bm25 and regex, below 0.9"
    ]
    assert "  list_events         1  bm25    0.00 0.00 0.00" in shown.out.splitlines()
    assert "  not measured, in no task: warn" in shown.out.splitlines()
    define(**{**TEXTS, "list_events": "Calendar: events, and what was promised to whom."})
    assert main(["findability", "--foreign=0", "--least=0.9"]) == 0


@pytest.mark.parametrize(
    ("tasks", "message"),
    [
        pytest.param(TASKS.split("  - ")[0] + "  - {id: any, ask: Hello, answer: hi}", "no task expects", id="no-call"),
        pytest.param(TASKS + "  - {id: rain, aks: Weather}\n", "office.mcpbench.yaml:6", id="broken-task"),
    ],
)
def test_a_gate_without_what_it_measures_is_an_error(
    tasks: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("office.mcpbench.yaml").write_text(tasks, encoding="utf-8")
    assert main(["findability", "--foreign=0", "--least=0.9"]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    "proposals",
    [
        pytest.param(re.sub(r"\{id: (\w+),", r"{id: \1, proposal: write the request,", TASKS), id="proposals"),
        pytest.param(f"{TASKS.split('tasks:')[0]}tasks: []\n", id="comments"),
    ],
)
def test_a_gate_passes_while_there_are_no_tasks_but_proposals(
    proposals: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("office.mcpbench.yaml").write_text(proposals, encoding="utf-8")
    assert main(["findability", "--foreign=0", "--least=0.9"]) == 0
    assert "--least: nothing is measured yet, because office has no tasks" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("scores", "recall"),
    [
        pytest.param([3.0, 2.0, 1.0], 1.0, id="best"),
        pytest.param([3.0, 3.0, 3.0], 1 / 3, id="equal-scores-share-the-place"),
        pytest.param([1.0, 2.0, 0.0], 0.0, id="second"),
        pytest.param([0.0, 0.0, 0.0], 0.0, id="nothing-in-common"),
    ],
)
def test_recall_at_1(scores: list[float], recall: float) -> None:
    assert recall_at(1, 0, scores) == pytest.approx(recall)


# The gate of a run, and the lock.


@pytest.fixture
def locked(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makeini("[pytest]\nfilterwarnings = default\n")
    assert main(["lock"]) == 0
    return pytester


def test_a_run_fails_for_a_lock_with_a_tool_that_no_search_finds(locked: pytest.Pytester) -> None:
    options = ("tools.lock.json", "-k", "findability", "--mcpbench-findability=0.9")
    result = locked.runpytest_inprocess(*options)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "office/list_events: recall@5 beside 300 foreign tools is at most 0.00 under bm25 and regex, below 0.9",
            "Use the words of the requests in the description; *",
        ]
    )
    result.stdout.no_fnmatch_line("*get_weather*")
    define(**{**TEXTS, "list_events": "Calendar: what did I promise Ann?", "send_mail": "Mail: change of forecast."})
    locked.runpytest_inprocess(*options).assert_outcomes(passed=1)


def test_a_run_that_is_not_asked_measures_no_search(locked: pytest.Pytester) -> None:
    locked.runpytest_inprocess("tools.lock.json", "--collect-only").stdout.no_fnmatch_line("*findability*")


@pytest.mark.parametrize(
    ("tasks", "message"),
    [
        pytest.param(
            TASKS.split("  - ")[0] + "  - {id: any, ask: Hello, answer: hi}", "*no task expects*", id="no-call"
        ),
        pytest.param(TASKS + "  - {id: rain, aks: Weather}\n", "*office.mcpbench.yaml:6*", id="broken-task"),
    ],
)
def test_a_gate_of_a_run_without_what_it_measures_is_an_error(
    locked: pytest.Pytester, tasks: str, message: str
) -> None:
    Path("office.mcpbench.yaml").write_text(tasks, encoding="utf-8")
    result = locked.runpytest_inprocess("tools.lock.json", "-k", "findability", "--mcpbench-findability=0.9")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([message])


def test_a_gate_without_a_lock_is_a_usage_error(locked: pytest.Pytester) -> None:
    result = locked.runpytest_inprocess("office.mcpbench.yaml", "--mcpbench-findability=0.9")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--mcpbench-findability: no lock file in this run; name one*"])


def test_a_changed_lock_says_how_search_finds_the_tools_now(
    locked: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    define(**{**TEXTS, "get_weather": "Rain and sun."})
    capsys.readouterr()
    assert main(["lock"]) == 1
    said = [line for line in capsys.readouterr().err.splitlines() if "recall" in line]
    assert said == [
        "  get_weather: recall@1 of tool search was 1.00, now 0.00 (bm25)",
        "  get_weather: recall@1 of tool search was 0.50, now 0.00 (regex)",
    ]
    result = locked.runpytest_inprocess("tools.lock.json", "-k", "lock[")
    result.stdout.fnmatch_lines(said)
    Path("office.mcpbench.yaml").write_text(TASKS + "  - {id: rain, aks: Weather}\n", encoding="utf-8")
    assert main(["lock"]) == 1
    assert "  tool search was not compared: " in capsys.readouterr().err
