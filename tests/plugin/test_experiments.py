"""The experiments of the papers as options: what they change, what ``run.json`` says, what resuming compares."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from fixtures.chat_server import Answer, chat_server, says, sends
from pytest_mcpbench import cli
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.runs.records import read_facts, read_records

SUITE = """\
name = "notes"
system = "You keep notes."
files = ["tasks.yaml"]
floors = { ast = 1.0 }

[prompts]
react = "Think, then act."

[servers]
notes = { factory = "fixtures.notes_server:server" }
calendar = { factory = "pytest_mcpbench.simulated.calendar.server:server" }
"""
TASKS = """\
- id: read-shopping
  ask: What does the note "Shopping" say?
  tool: read_note
  arguments: {title: Shopping}
  servers: [notes]
- id: say-hello
  ask: Say hello.
  servers: [notes]
  answer: hello
  floors: {answer: 1.0}
"""


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    """A suite with two servers, of which its tasks use one."""
    pytester.makeini("[pytest]\nfilterwarnings = default\n")
    (pytester.path / "suite.toml").write_text(SUITE)
    (pytester.path / "tasks.yaml").write_text(TASKS)
    return pytester


def run(suite: pytest.Pytester, *options: str, model: str = "oracle") -> dict[str, RunRecord]:
    """The records of a run, by task."""
    out = suite.path / f"out-{len(list(suite.path.glob('out-*')))}"
    suite.runpytest_inprocess("--suite=suite.toml", f"--model={model}", f"--mcpbench-out={out}", *options)
    return {record.task_id: record for _, record in read_records(out)}


def tools_of(record: RunRecord) -> list[str]:
    assert record.evidence is not None
    return [tool.name for tool in record.evidence.tools]


def facts(suite: pytest.Pytester, number: int = 0) -> Any:
    return read_facts(suite.path / f"out-{number}")["suites"]["notes"]


NOTES = ["add_note", "read_note"]


def test_exposure_and_distractors_choose_the_tools(suite: pytest.Pytester) -> None:
    plain = run(suite)["read-shopping"]
    everything = run(suite, "--mcpbench-exposure=all")["read-shopping"]
    needed = run(suite, "--mcpbench-exposure=needed", "--mcpbench-distractors=2")["read-shopping"]
    assert tools_of(plain) == NOTES
    assert set(tools_of(plain)) < set(tools_of(everything))
    assert len(tools_of(needed)) == 3
    assert "read_note" in tools_of(needed)
    assert {record.outcome for record in (plain, everything, needed)} == {"passed"}


def test_what_a_task_lacks_for_an_exposure_is_an_error_of_it_alone(suite: pytest.Pytester) -> None:
    records = run(suite, "--mcpbench-exposure=needed")
    assert {name: record.outcome for name, record in records.items()} == {
        "read-shopping": "passed",
        "say-hello": "error",
    }


def test_run_json_says_under_which_conditions_the_suite_was_run(suite: pytest.Pytester) -> None:
    run(suite, "--mcpbench-distractors=2", "--mcpbench-hint=tools", "--mcpbench-rounds=3", "--trials=2")
    said = facts(suite)
    assert said["conditions"] == {
        "exposure": "selected",
        "distractors": 2,
        "distractor_choice": "random",
        "dispatcher": "none",
        "top_k": 10,
        "presentation": None,
        "deferred_tools": "names",
        "search_from": None,
        "tool_search": "bm25",
        "search_results": 5,
        "client": None,
        "instruction_characters": None,
        "description_characters": None,
        "name_form": None,
        "longest_name": None,
        "most_tools": None,
        "result_form": "content",
        "result_limit": None,
        "result_preview": None,
        "capabilities": None,
        "sampling": None,
        "route": False,
        "prompt": None,
        "server_instructions": "shown",
        "skills": [],
        "skill_presentation": None,
        "server_resources": None,
        "server_prompts": "none",
        "context": "full",
        "context_distractors": 0,
        "context_pool": None,
        "hint": "tools",
        "seed": 0,
    }
    assert (said["limits"]["rounds"], said["limits"]["tool_calls"], said["trials"]) == (3, 100, 2)


def test_a_suite_says_its_own_conditions_and_the_command_line_others(suite: pytest.Pytester) -> None:
    (suite.path / "suite.toml").write_text(
        'hint = "tools"\ncontext_distractors = 2\ntrials = 2\nprompt = "react"\n' + SUITE
    )
    own, other = run(suite), run(suite, "--mcpbench-hint=none", "--mcpbench-context-distractors=0", "--trials=1")
    assert own["read-shopping"].prompt.endswith("(Hint: this takes at least 1 tool call.)")
    assert not other["read-shopping"].prompt.endswith(")")
    assert [facts(suite, number)["trials"] for number in (0, 1)] == [2, 1]
    assert [facts(suite, number)["conditions"]["context_distractors"] for number in (0, 1)] == [2, 0]


def test_a_dispatcher_leaves_the_tools_that_the_request_is_about_and_its_recall_is_scored(
    suite: pytest.Pytester,
) -> None:
    options = ("--mcpbench-exposure=all", "--mcpbench-dispatcher=bm25")
    found = run(suite, *options, "--mcpbench-top-k=2")
    missed = run(suite, *options, "--mcpbench-top-k=1")
    record = found["read-shopping"]
    assert "read_note" in tools_of(record)
    assert len(tools_of(record)) == 2
    assert record.scorecard["dispatch_recall"] == 1.0
    assert not found["say-hello"].scorecard["dispatch_recall"].applies
    assert len(tools_of(missed["read-shopping"])) == 1


@pytest.mark.long
def test_workers_ask_a_model_of_embeddings(suite: pytest.Pytester) -> None:
    def vectors(body: dict[str, Any]) -> Answer:
        data = [{"index": at, "embedding": [float("read" in text), 1.0]} for at, text in enumerate(body["input"])]
        return sends({"data": data})

    (suite.path / "tasks.yaml").write_text(TASKS.replace("What does", "I want to read what"))
    with chat_server(vectors) as server:
        url = server.url.replace("://", "://user:k3yword@")
        record = run(suite, f"--mcpbench-dispatcher={url}#m", "--mcpbench-top-k=1", "-n", "1")["read-shopping"]
    assert "k3yword" not in "".join(path.read_text() for path in (suite.path / "out-0").iterdir())
    assert tools_of(record) == ["read_note"]
    assert record.scorecard["dispatch_recall"] == 1.0


def test_a_comparison_says_which_conditions_differ(suite: pytest.Pytester, capsys: pytest.CaptureFixture[str]) -> None:
    run(suite)
    run(suite, "--mcpbench-hint=tools", "--mcpbench-rounds=5")
    capsys.readouterr()
    assert cli.main(["compare", "out-0", "out-1"]) == 0
    assert capsys.readouterr().out.endswith(
        "notes, hint: none before, tools after\nnotes, rounds: 20 before, 5 after\n"
    )
    assert cli.main(["report", "out-1", "-v"]) == 0
    assert "Conditions:\nsuite  condition  value\nnotes  hint       tools\n" in capsys.readouterr().out


def test_a_run_is_rescored_under_its_own_conditions(suite: pytest.Pytester, capsys: pytest.CaptureFixture[str]) -> None:
    (suite.path / "how.md").write_text("Be brief.")
    run(suite, "--mcpbench-hint=tools", "--mcpbench-skill=how.md", "--mcpbench-context-distractors=3")
    assert cli.main(["rescore", "out-0", "--suite", "suite.toml"]) == 0
    assert capsys.readouterr().out.endswith("same outcome and the same scores as before\nrecords: out-0-rescored\n")


def test_the_call_of_a_tool_that_was_not_picked_is_refused_as_not_exposed(suite: pytest.Pytester) -> None:
    (suite.path / "tasks.yaml").write_text(TASKS.replace('What does the note "Shopping" say?', "Write an idea down."))
    record = run(suite, "--mcpbench-dispatcher=bm25", "--mcpbench-top-k=1")["read-shopping"]
    assert record.evidence is not None
    assert (tools_of(record), record.evidence.calls[0].problem) == (["add_note"], "not_exposed")
    assert record.scorecard["dispatch_recall"].reasons == ("read_note was not picked: rank 2 of 2",)


HEAD = """\
servers: {notes: {factory: "fixtures.notes_server:server"}}
exposure: needed
hint: tools
trials: 2
tasks:
  - {id: read-shopping, ask: What does the note say?, tool: read_note, arguments: {title: Shopping}}
"""


def test_a_task_file_of_its_own_says_conditions_in_its_head(suite: pytest.Pytester) -> None:
    (suite.path / "own.mcpbench.yaml").write_text(HEAD)
    out = suite.path / "out"
    suite.runpytest_inprocess("own.mcpbench.yaml", "--model=oracle", f"--mcpbench-out={out}").assert_outcomes(passed=2)
    records = [record for _, record in read_records(out)]
    assert [(record.trial, tools_of(record)) for record in records] == [(1, ["read_note"]), (2, ["read_note"])]
    assert records[0].prompt == "What does the note say? (Hint: this takes at least 1 tool call.)"


INI = """\
[pytest]
filterwarnings = default
mcpbench_distractors = 1
mcpbench_top_k = 4
mcpbench_skill =
    how.md
mcpbench_seed = 7
"""


def test_conditions_can_stand_in_the_ini_file(suite: pytest.Pytester) -> None:
    suite.makeini(INI)
    (suite.path / "how.md").write_text("Be brief.")
    run(suite)
    said = facts(suite)["conditions"]
    assert {name: said[name] for name in ("distractors", "top_k", "skills", "seed")} == {
        "distractors": 1,
        "top_k": 4,
        "skills": [str(suite.path / "how.md")],
        "seed": 7,
    }


OTHERS = {
    "exposure": ["--mcpbench-exposure=all"],
    "distractors": ["--mcpbench-distractors=1"],
    "another seed": ["--mcpbench-seed=1"],
    "prompt": ["--mcpbench-prompt=react"],
    "no prompt": ["--mcpbench-prompt=none"],
    "skill": ["--mcpbench-skill=how.md"],
    "context distractors": ["--mcpbench-context-distractors=1"],
    "necessary context": ["--mcpbench-context=necessary"],
    "another pool": ["--mcpbench-context-pool=how.md"],
    "hint": ["--mcpbench-hint=tools"],
    "dispatcher": ["--mcpbench-dispatcher=bm25"],
    "rounds": ["--mcpbench-rounds=3"],
}


@pytest.mark.extra
def test_attempts_are_resumed_from_a_run_under_the_same_conditions_only(suite: pytest.Pytester) -> None:
    (suite.path / "how.md").write_text("Be brief.")
    first = run(suite)["read-shopping"].evidence
    resume = f"--mcpbench-resume={suite.path / 'out-0'}"
    assert run(suite, resume)["read-shopping"].evidence == first
    others = {name: run(suite, resume, *options)["read-shopping"].evidence for name, options in OTHERS.items()}
    assert first is not None
    reused = {
        name: other is None or other.trajectory.seconds == first.trajectory.seconds for name, other in others.items()
    }
    assert reused == dict.fromkeys(OTHERS, False)


def seen_by_a_model(suite: pytest.Pytester, *options: str) -> list[dict[str, Any]]:
    """The messages of the first request to a model."""
    with chat_server(lambda _body: says("hello")) as server:
        run(suite, "-k", "read-shopping", *options, model=f"{server.url}#m")
        messages: list[dict[str, Any]] = server.requests[0].body["messages"]
        return messages


def test_the_model_reads_prompt_skill_context_and_hint(suite: pytest.Pytester) -> None:
    (suite.path / "how.md").write_text("Be brief.")
    options = ("--mcpbench-prompt=react", "--mcpbench-skill=how.md", "--mcpbench-hint=tools")
    system, user = seen_by_a_model(suite, *options, "--mcpbench-context-distractors=1")
    begin, known, statement = system["content"].rpartition("What is known about the user:\n")
    assert (begin, bool(known)) == ("Think, then act.\n\n# Skill: how\n\nBe brief.\n\n", True)
    assert statement.startswith("- ")
    assert user["content"] == 'What does the note "Shopping" say? (Hint: this takes at least 1 tool call.)'


def test_the_model_reads_distractors_of_the_users_own_pool_or_only_the_necessary_context(
    suite: pytest.Pytester,
) -> None:
    (suite.path / "pool.txt").write_text("Basalt is dark.")
    options = ("--mcpbench-context-distractors=5", "--mcpbench-context-pool=pool.txt")
    assert seen_by_a_model(suite, *options)[0]["content"].endswith("What is known about the user:\n- Basalt is dark.")
    assert "Basalt" not in str(seen_by_a_model(suite, *options, "--mcpbench-context=necessary"))


@pytest.mark.parametrize("own", ["react", "system", "none"])
def test_the_system_prompt_can_be_asked_for_by_name(suite: pytest.Pytester, own: str) -> None:
    (suite.path / "suite.toml").write_text(f'prompt = "{own}"\n' + SUITE)
    assert seen_by_a_model(suite, "--mcpbench-prompt=system")[0] == {"role": "system", "content": "You keep notes."}


def test_the_system_prompt_named_is_the_one_left_out(suite: pytest.Pytester) -> None:
    run(suite)
    run(suite, "--mcpbench-prompt=system")
    assert facts(suite, 0) == facts(suite, 1)


@pytest.mark.parametrize("name", ["system", "none"])
def test_no_prompt_takes_a_name_that_means_something_else(suite: pytest.Pytester, name: str) -> None:
    (suite.path / "suite.toml").write_text(SUITE.replace("react =", f"{name} ="))
    result = suite.runpytest_inprocess("--suite=suite.toml")
    result.stdout.fnmatch_lines([f"suite.toml:*: prompts*: *no prompt may be called '{name}'*"])


def test_the_model_can_be_asked_without_any_system_prompt(suite: pytest.Pytester) -> None:
    assert [message["role"] for message in seen_by_a_model(suite, "--mcpbench-prompt=none")] == ["user"]


WRONG = {
    "exposure": ("--mcpbench-exposure=some", "--mcpbench-exposure: Input should be 'all', 'selected', 'listed', *"),
    "distractors": ("--mcpbench-distractors=-1", "--mcpbench-distractors must be at least 0, not -1"),
    "top-k": ("--mcpbench-top-k=0", "--mcpbench-top-k must be at least 1, not 0"),
    "context": ("--mcpbench-context=some", "--mcpbench-context: Input should be 'full' or 'necessary', not 'some'"),
    "pool": ("--mcpbench-context-pool=gone.txt", "--mcpbench-context-pool: */gone.txt cannot be read: No such file *"),
    "presentation": ("--mcpbench-presentation=all", "--mcpbench-presentation: Input should be 'listed' or 'search', *"),
    "nobody reads": (
        "--model=oracle --mcpbench-presentation=search",
        "--mcpbench-presentation: oracle searches for no tools; name a model with --model, or lexical*",
    ),
    "no search": ("--mcpbench-tool-search=regex", "--mcpbench-tool-search: no model searches for tools in this run; *"),
    "hint": ("--mcpbench-hint=all", "--mcpbench-hint: Input should be 'none' or 'tools', not 'all'"),
}


@pytest.mark.extra
@pytest.mark.parametrize(("option", "message"), WRONG.values(), ids=WRONG.keys())
def test_a_condition_that_there_is_not_is_a_usage_error(suite: pytest.Pytester, option: str, message: str) -> None:
    result = suite.runpytest_inprocess("--suite=suite.toml", *shlex.split(option))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{message}*"])


@pytest.mark.parametrize(
    ("content", "why"), [(None, "No such file or directory"), (b"\xff", "it is not UTF-8")], ids=["missing", "binary"]
)
def test_a_skill_that_cannot_be_read_is_one_usage_error(
    suite: pytest.Pytester, content: bytes | None, why: str
) -> None:
    if content is not None:
        (suite.path / "nothere.md").write_bytes(content)
    result = suite.runpytest_inprocess("--suite=suite.toml", "--mcpbench-skill=nothere.md")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert result.errlines == [
        f"ERROR: --mcpbench-skill: {suite.path / 'nothere.md'} cannot be read: {why}; "
        "skills of the package: lark, openclaw-lark, openclaw-rednote, rednote",
        "",
    ]


def test_a_top_k_without_a_dispatcher_is_a_usage_error(suite: pytest.Pytester) -> None:
    result = suite.runpytest_inprocess("--suite=suite.toml", "--mcpbench-top-k=3")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["ERROR: --mcpbench-top-k: nothing picks tools in this run; name a dispatcher too, such as --mcpbench-d*=bm25"]
    )


def test_a_top_k_counts_with_the_dispatcher_of_the_suite_or_waits_for_one_in_the_ini_file(
    suite: pytest.Pytester,
) -> None:
    (suite.path / "suite.toml").write_text('dispatcher = "bm25"\n' + SUITE)
    assert len(tools_of(run(suite, "--mcpbench-top-k=1")["say-hello"])) == 1
    suite.makeini("[pytest]\nmcpbench_top_k = 1\nfilterwarnings = default\n")
    assert len(tools_of(run(suite, "--mcpbench-dispatcher=none")["say-hello"])) == 2


def test_a_prompt_that_the_suite_has_not_is_named_with_those_there_are(suite: pytest.Pytester) -> None:
    result = suite.runpytest_inprocess("--suite=suite.toml", "--mcpbench-prompt=raect")
    result.stdout.fnmatch_lines(["*suite 'notes': no prompt is called 'raect'; there are: react, system, none*"])
    assert result.ret == pytest.ExitCode.INTERRUPTED


def test_a_recorded_run_is_replayed_trial_by_trial(suite: pytest.Pytester) -> None:
    first = Path(suite.path / "out-0")
    run(suite, "--trials=2", "-k", "read-shopping")
    replayed = [record for _, record in read_records(first)]
    for record, text in zip(replayed, ("one", "two"), strict=True):
        assert record.evidence is not None
        steps = (
            *record.evidence.trajectory.steps[:-1],
            record.evidence.trajectory.steps[-1].model_copy(update={"text": text}),
        )
        trajectory = record.evidence.trajectory.model_copy(update={"steps": steps})
        changed = record.model_copy(update={"evidence": record.evidence.model_copy(update={"trajectory": trajectory})})
        with (first / "records-main.jsonl").open("a") as file:
            file.write(changed.model_dump_json() + "\n")
    out = suite.path / "replayed"
    arguments = ("--suite=suite.toml", f"--model=replay:{first}", "--trials=2", "-k", "read-shopping")
    suite.runpytest_inprocess(*arguments, f"--mcpbench-out={out}").assert_outcomes(passed=2, deselected=2)
    answers = {record.trial: record.evidence.answer for _, record in read_records(out) if record.evidence is not None}
    assert json.dumps(answers) == '{"1": "one", "2": "two"}'


def searching(body: dict[str, Any]) -> Answer:
    """A model that searches for a tool to read, calls what it finds, and answers."""
    done = sum(message["role"] == "tool" for message in body["messages"])
    if done == 0:
        return says(None, ("search_tools", {"query": "read a note"}))
    return says(None, ("read_note", {"title": "Shopping"})) if done == 1 else says("hello")


def test_a_model_searches_for_the_tools_that_it_calls(
    suite: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--mcpbench-presentation=search", "--mcpbench-search-results=1", "--mcpbench-concurrency=1")
    with chat_server(searching) as server:
        record = run(suite, *options, model=f"{server.url}#m")["read-shopping"]
        shown = [[tool["function"]["name"] for tool in body["tools"]] for body in server.bodies[:3]]
    assert shown == [["search_tools"], ["search_tools", "read_note"], ["search_tools", "read_note"]]
    assert (record.outcome, tools_of(record)) == ("passed", NOTES)
    assert record.evidence is not None
    assert [call.name for call in record.evidence.calls] == ["read_note"]
    assert record.scorecard["tool_search"] == 1.0
    assert facts(suite)["conditions"]["presentation"] == "search"
    capsys.readouterr()
    assert cli.main(["report", "out-0", "-v"]) == 0
    report = capsys.readouterr().out
    assert "notes  presentation    search\n" in report
    assert "1 of 1" in report.partition("Tool search:")[2]
    assert cli.main(["show", "out-0", "read-shopping"]) == 0
    assert "→ search for tools: read a note\n← found: read_note\n" in capsys.readouterr().out


def test_a_program_without_a_switch_cannot_be_told_how_to_show_tools(suite: pytest.Pytester) -> None:
    suite.makepyprojecttoml("[tool.mcpbench.agents.mine]\ncommand = ['true']\n")
    result = suite.runpytest_inprocess("--suite=suite.toml", "--model=agent:mine", "--mcpbench-presentation=search")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["*--mcpbench-presentation=search: agent:mine cannot be told how to show tools to its*"]
    )


def test_a_search_has_no_part_in_route_mode(suite: pytest.Pytester) -> None:
    result = suite.runpytest_inprocess("--suite=suite.toml", "--mcpbench-presentation=search", "--mcpbench-route")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["*--mcpbench-route: the first message of a model that searches for tools is a search*"]
    )


PROFILE = """\
title = "Mine"
"""
FACTS = {
    "instruction_characters": "4",
    "description_characters": "5",
    "name_form": '"mine__{server}__{tool}"',
    "result_form": '"structured"',
    "result_limit": "8",
    "result_preview": "3",
    "most_tools": "1",
    "presentation": '"listed"',
    "deferred_tools": '"none"',
}


@pytest.fixture
def client(suite: pytest.Pytester) -> pytest.Pytester:
    """A suite of a server with instructions, and a profile of a client."""
    values = (
        f'[values.{name}]\nvalue = {value}\nsource = "test"\ndate = 2026-11-01\n' for name, value in FACTS.items()
    )
    (suite.path / "mine.toml").write_text(PROFILE + "".join(values))
    (suite.path / "office.py").write_text(OFFICE)
    (suite.path / "suite.toml").write_text(
        'name = "notes"\nfiles = ["tasks.yaml"]\nfloors.ast = 1.0\n[servers]\noffice = { factory = "office:server" }\n'
    )
    (suite.path / "tasks.yaml").write_text("- {id: a, ask: Sum up., tool: total}\n")
    suite.syspathinsert()
    return suite


OFFICE = '''\
from mcp.server import MCPServer
from pydantic import BaseModel

server = MCPServer("office", instructions="Abcdefgh")


class Total(BaseModel):
    total: int


@server.tool()
def total() -> Total:
    """Add everything up."""
    return Total(total=1234567)


@server.tool()
def other() -> str:
    """Nothing."""
    return ""
'''


def calls_first_tool(body: dict[str, Any]) -> Answer:
    if any(message["role"] == "tool" for message in body["messages"]):
        return says("done")
    name = next(tool["function"]["name"] for tool in body["tools"] if "total" in tool["function"]["name"])
    return says(None, (name, {}))


def test_a_model_sees_a_server_as_the_client_shows_it(client: pytest.Pytester) -> None:
    with chat_server(calls_first_tool) as server:
        record = run(client, "--mcpbench-client=mine.toml", model=f"{server.url}#m")["a"]
        first, last = server.bodies[0], server.bodies[-1]
    assert [tool["function"]["name"] for tool in first["tools"]] == ["mine__office__total"]
    assert first["tools"][0]["function"]["description"] == "Add e… [truncated]"
    assert first["messages"][0]["content"].endswith("MCP server office:\nAbcd… [truncated]")
    assert last["messages"][-1]["content"] == '{"t\n[cut: 3 of 18 characters are shown]'
    assert record.outcome == "passed"
    assert record.evidence is not None
    assert record.evidence.notes.arena == ("left out: all but the first 1 of 2 tools",)
    assert record.evidence.calls[0].result is not None
    assert "1234567" in record.evidence.calls[0].result.text
    assert facts(client)["conditions"]["client"] == "mine.toml"


def test_an_option_counts_over_the_client(client: pytest.Pytester) -> None:
    options = ("--mcpbench-client=mine.toml", "--mcpbench-presentation=search", "--mcpbench-server-instructions=hidden")
    with chat_server(lambda _body: says("done")) as server:
        run(client, *options, model=f"{server.url}#m")
        body = server.bodies[0]
    assert [tool["function"]["name"] for tool in body["tools"]] == ["search_tools"]
    assert "total" not in str(body)
    assert "Abcd" not in str(body["messages"])


def test_several_clients_are_columns(client: pytest.Pytester, capsys: pytest.CaptureFixture[str]) -> None:
    with chat_server(calls_first_tool) as server:
        url = f"{server.url}#m"
        options = ("--mcpbench-client=mine.toml", "--mcpbench-client=plain", "--mcpbench-out=out")
        client.runpytest_inprocess("--suite=suite.toml", f"--model={url}", *options)
    seen = {record.model.rpartition("@")[2]: tools_of(record) for _, record in read_records(client.path / "out")}
    assert seen == {"client:mine.toml": ["mine__office__total"], "client:plain": ["total", "other"]}
    assert "@client:plain" in capsys.readouterr().out


CLIENTS = {
    "unknown": (
        ("--mcpbench-client=codx",),
        "--mcpbench-client: no profile of a client is called 'codx'. Did you mean 'codex'?*",
    ),
    "program": (
        ("--mcpbench-client=codex", "--model=agent:mine"),
        "--mcpbench-client=codex: agent:mine is a client itself*",
    ),
    "noop": (
        ("--mcpbench-client=codex", "--mcpbench-client=plain", "--model=noop"),
        "--mcpbench-client: noop looks at no server, however a client shows it; name another agent too*",
    ),
    "swept": (
        ("--mcpbench-sweep=client=codex,plain",),
        "--mcpbench-sweep: name each client with an option --mcpbench-client*",
    ),
    "arms": (
        ("--mcpbench-client=codex", "--mcpbench-client=plain", "--mcpbench-aa"),
        "--mcpbench-client: a run that compares definitions has no sweep*",
    ),
}


@pytest.mark.parametrize(("options", "message"), CLIENTS.values(), ids=CLIENTS.keys())
def test_a_client_that_cannot_be_is_a_usage_error(
    suite: pytest.Pytester, options: tuple[str, ...], message: str
) -> None:
    suite.makepyprojecttoml("[tool.mcpbench.agents.mine]\ncommand = ['true']\n")
    result = suite.runpytest_inprocess("--suite=suite.toml", *options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{message}"])


def test_a_run_names_its_client_and_says_that_it_may_have_changed(suite: pytest.Pytester) -> None:
    result = suite.runpytest_inprocess("--suite=suite.toml", "--model=oracle", "--mcpbench-client=cursor")
    result.stdout.fnmatch_lines(
        [
            "mcpbench: client cursor: models see servers as it shows them",
            "mcpbench: oracle has no model: only the names of tools, and which tools the client leaves out, *",
            "--mcpbench-client:0",
            "*client cursor: older than a year, so that Cursor may show something else by now: most_tools (2025-06-25)",
        ]
    )


def test_a_run_names_the_options_that_count_over_the_profile_of_its_client(suite: pytest.Pytester) -> None:
    options = ("--mcpbench-presentation=listed", "--mcpbench-server-instructions=hidden", "--mcpbench-out=out")
    client = ("--model=lexical", "--mcpbench-client=claude-code")
    result = suite.runpytest_inprocess("--suite=suite.toml", *client, *options)
    others = "presentation listed, server_instructions hidden"
    result.stdout.fnmatch_lines([f"*client claude-code: models see servers as it shows them, but for {others}"])
    assert read_facts(suite.path / "out")["suites"]["notes"]["client_differences"] == others.split(", ")


def test_a_directory_with_attempts_under_other_conditions_takes_no_more(suite: pytest.Pytester) -> None:
    options = ("--suite=suite.toml", "--model=oracle", "--mcpbench-out=out")
    suite.runpytest_inprocess(*options, "--mcpbench-hint=tools")
    assert suite.runpytest_inprocess(*options, "--mcpbench-hint=tools").ret == pytest.ExitCode.OK
    before = [record for _, record in read_records(suite.path / "out")]
    result = suite.runpytest_inprocess(*options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*out has attempts at notes with hint = tools, and in this run it is none; name *"])
    assert [record for _, record in read_records(suite.path / "out")] == before


def test_what_only_another_version_or_a_run_without_attempts_had_is_no_other_condition(suite: pytest.Pytester) -> None:
    options = ("--suite=suite.toml", "--model=oracle", "--mcpbench-out=out")
    facts = suite.path / "out" / "run.json"
    facts.parent.mkdir()
    suites = {"notes": {"conditions": {"hint": "tools", "renamed": 1}}}
    facts.write_text(json.dumps({"started_at": "2026-01-01T00:00:00+00:00", "suites": suites}))
    assert suite.runpytest_inprocess(*options).ret == pytest.ExitCode.OK
    written = json.loads(facts.read_text())
    conditions = written["suites"]["notes"]["conditions"]
    assert (conditions["hint"], "renamed" in conditions) == ("none", False)
    conditions["renamed"] = 1
    facts.write_text(json.dumps(written))
    assert suite.runpytest_inprocess(*options).ret == pytest.ExitCode.OK
