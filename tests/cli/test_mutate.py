"""``mcpbench mutate``: fates of mutants with ``lexical`` and with models, budgets, and mistakes of the user."""

import json
import random
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fixtures.chat_server import Answer, chat_server, says
from pytest_mcpbench.cli import main
from pytest_mcpbench.definitions.mutation import MUTATORS

WORDS = ("todo", "fixme", "apple", "pear")
HEAD = 'servers: {files: {factory: "fixtures.servers.defined:server"}}\ntasks:\n'
NEEDED = "Find the files whose text contains a word."
NEEDLESS = "The order of the rows is stable."
TEXTS = {"op1": f"{NEEDED} {NEEDLESS}", "op2": "Delete a file for ever.", "op3": "Show the weather forecast of a city."}
PARAMETERS = {"op1": "word", "op2": "file", "op3": "city"}
FIND = [
    {
        "id": f"find-{word}",
        "ask": f'Find the files whose text contains the word "{word}"',
        "tool": "op1",
        "arguments": {"word": word},
    }
    for word in WORDS
]
WEATHER = {
    "id": "oslo",
    "ask": 'Show the weather forecast of the city "Oslo"',
    "tool": "op3",
    "arguments": {"city": "Oslo"},
}
Reply = Callable[[dict[str, Any]], Answer]


def define(**texts: str) -> None:
    """Write the tools of the server, whose names say nothing."""
    tools = [
        {
            "name": name,
            "description": text,
            "inputSchema": {
                "type": "object",
                "properties": {PARAMETERS[name]: {"type": "string"}},
                "required": [PARAMETERS[name]],
            },
        }
        for name, text in (TEXTS | texts).items()
    ]
    Path("tools.json").write_text(json.dumps({"tools": tools}), encoding="utf-8")


def write_tasks(*tasks: dict[str, Any]) -> None:
    lines = "\n".join(f"  - {json.dumps(task)}" for task in tasks)
    Path("files.mcpbench.yaml").write_text(f"{HEAD}{lines}\n", encoding="utf-8")


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    define()
    write_tasks(*FIND, WEATHER)
    return pytester


def mutate(*arguments: str, exit_code: int = 0) -> dict[str, Any]:
    assert main(["mutate", "files.mcpbench.yaml", "--json", "out.json", *arguments]) == exit_code
    (suite,) = json.loads(Path("out.json").read_text(encoding="utf-8"))["suites"]
    report: dict[str, Any] = suite
    return report


def fates(report: dict[str, Any]) -> dict[str, str]:
    return {mutant["id"]: mutant["fate"] for mutant in report["mutants"]}


def quoted(body: dict[str, Any]) -> str:
    """Return the word in quotation marks of a request."""
    return str(body["messages"][-1]["content"].split('"')[1])


def reading(word_of: str, *, noise: float = 0.0, seed: int = 0) -> Reply:
    """A model that calls the tool with these words in its description, and with some probability nothing at all."""
    random_, lock = random.Random(seed), threading.Lock()

    def reply(body: dict[str, Any]) -> Answer:
        with lock:
            fails = random_.random() < noise
        found = [each["function"] for each in body["tools"] if word_of in each["function"].get("description", "")]
        if fails or not found:
            return says("I do not know.")
        (parameter,) = found[0]["parameters"]["properties"]
        return says(None, (found[0]["name"], {parameter: quoted(body)}))

    return reply


def test_a_load_bearing_sentence_is_killed_a_redundant_one_survives_and_an_unwatched_tool_is_named(
    project: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    report = mutate("--mutators", "drop-sentence,drop-description,drop-tool")
    assert fates(report) == {
        "op1/drop-description": "killed",
        "op1/drop-sentence[1]": "killed",
        "op1/drop-sentence[2]": "survived",
        "op1/drop-tool": "killed",
        "op2/drop-description": "unwatched",
        "op2/drop-tool": "unwatched",
        "op3/drop-description": "survived",  # the name of its parameter, city, is enough
        "op3/drop-tool": "killed",
    }
    assert report["unwatched_tools"] == [{"server": "files", "tool": "op2"}]
    assert (report["killed"], report["survived"], report["score"]) == (4, 2, pytest.approx(4 / 6))
    assert report["calls"] == 5 + 4 * 4 + 2, (
        "the baseline is shared, and each mutant is played on the tasks of its tool"
    )
    text = capsys.readouterr().out
    assert "no task watches: op2\n" in text
    assert f"removed: {NEEDLESS}" in text
    assert "most tokens in texts that may be wasted: op1/drop-sentence[2] (" in text


def test_a_renamed_tool_or_parameter_is_scored_under_its_original_name(project: pytest.Pytester) -> None:
    with chat_server(reading("Find")) as server:
        report = mutate(
            "--tool=op1", "--mutators=opaque-name,opaque-parameter", f"--model={server.url}#m", "--trials=4"
        )
        shown = {tool["function"]["name"] for body in server.bodies for tool in body["tools"]}
    assert "tool_1" in shown
    assert fates(report) == {"op1/opaque-name": "survived", "op1/opaque-parameter[word]": "survived"}


def test_a_model_that_keeps_to_the_old_names_does_not_pass(project: pytest.Pytester) -> None:
    """Its calls would fail, although the tasks name the tool and the parameter like this."""

    def stubborn(body: dict[str, Any]) -> Answer:
        return says(None, ("op1", {"word": quoted(body)}))

    write_tasks(*FIND)
    with chat_server(stubborn) as server:
        report = mutate("--tool=op1", "--mutators=opaque-name,opaque-parameter,drop-tool", f"--model={server.url}#m")
    assert set(fates(report).values()) == {"killed"}


def test_a_near_duplicate_that_takes_the_calls_is_killed(project: pytest.Pytester) -> None:
    def newest(body: dict[str, Any]) -> Answer:
        names = sorted(tool["function"]["name"] for tool in body["tools"] if tool["function"]["name"].startswith("op1"))
        return says(None, (names[-1], {"word": quoted(body)}))

    write_tasks(*FIND)
    with chat_server(newest) as server:
        report = mutate("--tool=op1", "--mutators=add-distractor", f"--model={server.url}#m")
    (mutant,) = report["mutants"]
    assert (mutant["fate"], mutant["called_instead"]) == ("killed", {"op1_v2": 4})


def test_assertive_text_is_tried_on_the_tasks_of_the_other_tools(
    project: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    def obedient(body: dict[str, Any]) -> Answer:
        tools = [tool["function"] for tool in body["tools"]]
        asked = next((tool for tool in tools if "ALWAYS" in tool["description"]), None)
        word = quoted(body)
        tool = asked or next(tool for tool in tools if tool["name"] == ("op3" if word == "Oslo" else "op1"))
        return says(None, (tool["name"], {next(iter(tool["parameters"]["properties"])): word}))

    with chat_server(obedient) as server:
        report = mutate("--tool=op2", "--mutators=assertive", f"--model={server.url}#m")
    (mutant,) = report["mutants"]
    assert mutant["fate"] == "killed"
    assert mutant["called_instead"] == {"op2": 5}
    assert (report["lures"]["killed"], report["score"]) == (1, None), "a lure is no part of the score"
    assert "lures, which draw calls to a tool: 1/1 made tasks worse" in capsys.readouterr().out


def test_noise_of_a_model_kills_no_mutant_without_effect_and_hides_no_broken_one(project: pytest.Pytester) -> None:
    with chat_server(reading("Find", noise=0.2)) as server:
        report = mutate(
            "--tool=op1", f"--model={server.url}#m", "--mutators=drop-sentence,drop-description", "--concurrency=1"
        )
    found = fates(report)
    assert found["op1/drop-sentence[2]"] in ("survived", "undecided")
    assert found["op1/drop-sentence[1]"] == found["op1/drop-description"] == "killed"
    killed = next(mutant for mutant in report["mutants"] if mutant["fate"] == "killed")
    assert {task["fresh"]["mutant"]["made"] for task in killed["trials"] if task["fresh"]} == {8}


def test_few_trials_of_a_model_decide_nothing_but_say_how_many_would(
    project: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("--tool=op1", "--mutators=opaque-name")
    with chat_server(reading("Find")) as server:
        report = mutate(*arguments, f"--model={server.url}#m")
        assert (report["undecided"], report["score"]) == (1, None)
        assert "--trials 4 would decide" in capsys.readouterr().out
        assert mutate(*arguments, f"--model={server.url}#m", "--trials=4")["survived"] == 1


def test_the_plan_is_printed_before_any_call_and_the_calls_never_exceed_their_limit(
    project: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    with chat_server(reading("Find")) as server:
        model = f"--model={server.url}#m"
        assert main(["mutate", "files.mcpbench.yaml", model, "--plan"]) == 0
        assert not server.requests
        assert "baseline: 5 calls, shared by all mutants" in capsys.readouterr().out
        report = mutate(model, "--max-calls=60")
        assert report["calls"] == len(server.requests) <= 60
        assert report["not_run"] > 0
        assert main(["mutate", "files.mcpbench.yaml", model, "--max-calls=5"]) == 2
        assert "--max-calls 5: the baseline alone takes 5 calls." in capsys.readouterr().err


def test_tasks_that_fail_anyway_show_nothing_and_are_named(
    project: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    write_tasks(*FIND, {**WEATHER, "arguments": {"city": "Rome"}}, {"id": "open", "ask": "Hello", "answer": "Hi"})
    report = mutate("--mutators=drop-description")
    assert fates(report)["op3/drop-description"] == "unwatched"
    assert report["never_passed_tools"] == [{"server": "files", "tool": "op3"}]
    assert [each["task"] for each in report["dropped"]] == ["open"]
    assert "no task passes, so a loss cannot show: op3 (1)" in capsys.readouterr().out


def test_the_settings_of_the_metric_are_those_of_a_run(project: pytest.Pytester) -> None:
    def talkative(body: dict[str, Any]) -> Answer:
        return says(None, ("op1", {"word": quoted(body)}), ("op2", {"file": "a"}))

    arguments = ("--tool=op1", "--mutators=drop-enum,shuffle-order")
    with chat_server(talkative) as server:
        assert mutate(*arguments, f"--model={server.url}#m")["passing_tasks"] == 0
        file = Path("files.mcpbench.yaml")
        file.write_text("metric_settings: {ast: {extra_calls: ignore}}\n" + file.read_text("utf-8"), "utf-8")
        assert mutate(*arguments, f"--model={server.url}#m")["passing_tasks"] == len(FIND)


def test_a_tool_of_later_messages_only_is_not_called_unwatched(project: pytest.Pytester) -> None:
    calls = [{"tool": "op1", "arguments": {"word": "todo"}}, {"tool": "op2", "arguments": {"file": "a"}}]
    write_tasks(*FIND, {"id": "two", "ask": FIND[0]["ask"], "calls": calls})
    report = mutate("--mutators=drop-description")
    assert report["later_tools"] == [{"server": "files", "tool": "op2"}]
    assert report["unwatched_tools"] == [{"server": "files", "tool": "op3"}]


def test_a_provider_that_does_not_answer_is_an_error_and_no_fate(
    project: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    with chat_server(lambda _body: Answer(401, b"{}")) as server:
        assert main(["mutate", "files.mcpbench.yaml", f"--model={server.url}#m"]) == 2
    assert "no task could be attempted: find-todo: model error: " in capsys.readouterr().err


def test_the_page_explains_every_mutator() -> None:
    page = (Path(__file__).parents[2] / "docs/how-to/mutate-descriptions.md").read_text(encoding="utf-8")
    table = page.partition("## Mutators")[2].partition("\n## ")[0]
    explained = {name for row in table.splitlines() for name in re.findall("`([a-z][a-z-]+)`", row.partition(" | ")[0])}
    assert explained == set(MUTATORS)


def test_too_few_kills_fail_the_command(project: pytest.Pytester) -> None:
    mutate("--mutators=drop-sentence", "--least=0.6", exit_code=1)
    mutate("--mutators=drop-sentence", "--least=0.5")


def test_a_record_that_cannot_be_read_fails_the_command(
    project: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    write_tasks(*FIND, WEATHER, {"id": "broken", "ask": "Find it.", "wrong": 1})
    mutate("--mutators=drop-sentence", exit_code=1)
    shown = capsys.readouterr()
    assert "5 of 6 tasks pass with the unchanged definitions" in shown.out
    assert shown.err.startswith("mcpbench: files.mcpbench.yaml:8: wrong: there is no such field.")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--tool=op"], "--tool: there is no tool 'op'. Did you mean 'op"),
        (["--mutators=drop-sentense"], "There is no mutator 'drop-sentense'. Did you mean 'drop-sentence'?"),
        (["--model=oracle"], "--model oracle: its calls do not depend on descriptions; use lexical or a model."),
        (["--confirm=4"], "--confirm 4: fewer than 5 fresh trials cannot confirm the loss of one task."),
        (["--model=no-such-model"], "no model is called 'no-such-model'"),
    ],
)
def test_a_wrong_name_is_one_sentence(
    project: pytest.Pytester, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main(["mutate", "files.mcpbench.yaml", *arguments]) == 2
    assert message in capsys.readouterr().err
