"""Comparisons of descriptions: arms as items, gates that decide, and what cannot be compared."""

import json
import random
import re
import shutil
import subprocess
import threading
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fixtures.chat_server import Answer, chat_server, says
from pytest_mcpbench.cli import main
from pytest_mcpbench.core.gate.result import GateResult
from pytest_mcpbench.plugin.execution.budget import BUDGET_USED_UP
from pytest_mcpbench.runs.records import read_gates, read_records

WORDS = ("todo", "fixme", "apple", "pear")
CITIES = ("Oslo", "Rome", "Paris", "Lima")
HEAD = 'servers: {files: {factory: "fixtures.servers.defined:server"}}\ntasks:\n'
FIND = "Find the files whose text contains a word."
DELETE = "Delete a file for ever."
WEATHER = "Show the weather forecast of a city."
GIT = "--mcpbench-baseline=git:HEAD"


def tool(name: str, description: str, parameter: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": {parameter: {"type": "string"}}, "required": [parameter]}
    return {"name": name, "description": description, "inputSchema": schema}


def define(
    find: str = FIND, delete: str = DELETE, weather: str = WEATHER, *, parameter: str = "word", instructions: str = ""
) -> None:
    """Write the tools of the server, whose names say nothing."""
    tools = [tool("op1", find, parameter), tool("op2", delete, parameter), tool("op3", weather, "city")]
    content = {"tools": tools, "instructions": instructions}
    Path("tools.json").write_text(json.dumps(content), encoding="utf-8")


def write_tasks(words: tuple[str, ...] = WORDS, cities: tuple[str, ...] = CITIES) -> None:
    tasks = [
        f'  - {{id: find-{word}, ask: Find the files whose text contains the word "{word}", tool: op1, '
        f"arguments: {{word: {word}}}}}"
        for word in words
    ]
    tasks += [
        f"  - {{id: rain-{city}, ask: What is the weather forecast of the city {city}?, tool: op3, "
        f"arguments: {{city: {city}}}}}"
        for city in cities
    ]
    Path("files.mcpbench.yaml").write_text(HEAD + "\n".join(tasks) + "\n", encoding="utf-8")


def git(*arguments: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *identity, *arguments], check=True, capture_output=True)


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """A repository whose last commit has the tasks and the lock of the server."""
    pytester.makeini("[pytest]\nfilterwarnings = default\naddopts = --ignore=tools.lock.json\n")
    define()
    write_tasks()
    assert main(["lock"]) == 0
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "baseline")
    return pytester


def run(project: pytest.Pytester, *arguments: str, out: str = "run") -> tuple[pytest.RunResult, GateResult]:
    shutil.rmtree(out, ignore_errors=True)
    result = project.runpytest_inprocess(f"--mcpbench-out={out}", *arguments)
    (gate,) = read_gates(Path(out))
    return result, gate


def test_a_broken_description_fails_the_run_and_its_tasks_are_named(project: pytest.Pytester) -> None:
    define(find="Internal.", delete=FIND)

    result, gate = run(project, GIT, "--junitxml=junit.xml", "--mcpbench-markdown=report.md", "--mcpbench-json=r.json")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert (gate.verdict, {each.task for each in gate.confirmed}) == ("REGRESSED", {f"find-{word}" for word in WORDS})
    assert (gate.tasks, gate.attempts) == (8, 2 * 8 + 2 * 8 * 4)
    result.assert_outcomes(passed=12, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*= mcpbench =*",
            "REGRESSED: files, lexical: 4 of 8 tasks got worse (*), confirmed by fresh trials",
            "*Results:",
        ]
    )
    result.stdout.fnmatch_lines(["*1 failed, 12 passed, 4 missed*"])
    cases = {case.attrib["name"]: case for case in ET.parse("junit.xml").iter("testcase")}
    assert len(cases) == 17
    assert [child.tag for child in cases["gate[lexical]"]] == ["properties", "failure"]
    lines = Path("report.md").read_text(encoding="utf-8").splitlines()
    (verdict,) = (line for line in lines if line.startswith("* **REGRESSED: files, lexical: 4 of 8 tasks got worse"))
    assert "100.0 → 50.0 % (−50.0, interval" in verdict
    assert json.loads(Path("r.json").read_text(encoding="utf-8"))["gates"][0]["verdict"] == "REGRESSED"

    explanation = gate.explanation
    assert [(text.tool, text.place, text.before, text.after) for text in explanation.texts] == [
        ("op1", "description", FIND, "Internal."),
        ("op2", "description", DELETE, FIND),
    ]
    cells = {(cell.expected, cell.called): (cell.before, cell.after) for cell in explanation.cells}
    assert cells == {("op1", "op1"): (4.0, 0.0), ("op1", "op2"): (0.0, 4.0)}
    first = next(traces for traces in explanation.traces if traces.task == "find-todo")
    assert (first.baseline[0], first.candidate[0]) == ("op1(word='todo')", "op2(word='todo')")
    result.stdout.fnmatch_lines(["*called: op2 for op1 0 → 4*"])
    report = Path("report.md").read_text(encoding="utf-8")
    assert all(title in report for title in ("Changed texts", "Confusion of tools", "Changed tasks"))


def test_a_comparison_of_two_runs_is_explained_in_the_same_way(
    project: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    project.runpytest_inprocess("--mcpbench-out=before")
    define(find="Internal.", delete=FIND)
    project.runpytest_inprocess("--mcpbench-out=after", "-k", "not lock")
    capsys.readouterr()

    assert main(["compare", "before", "after"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "  called: op2 for op1 0 → 4" in lines
    assert any(line.startswith("  changed: op1: description, -7 tokens: ") for line in lines)
    assert main(["compare", "before", "after", "--format=markdown"]) == 0
    report = capsys.readouterr().out
    assert "files, lexical: Changed tasks" in report
    assert "op2(word='todo')" in report


def test_the_agent_reads_the_baseline_and_its_calls_go_to_the_server_as_it_is_now(project: pytest.Pytester) -> None:
    define(find="Internal.")

    run(project, GIT, "-k", "todo")

    records = [record for _, record in read_records(Path("run"))]
    seen = {record.arm: record.evidence.tools[0].description for record in records if record.evidence}
    assert (seen["baseline"], seen["candidate"]) == (FIND, "Internal.")
    called = [
        call for record in records if record.arm == "baseline" and record.evidence for call in record.evidence.calls
    ]
    assert [(call.tool, call.result and call.result.text) for call in called] == [("op1", "done")]


@pytest.mark.extra
def test_a_better_description_is_an_improvement(project: pytest.Pytester) -> None:
    define(find="Internal.")
    assert main(["lock", "--accept"]) == 0
    git("commit", "-qam", "worse")
    define()

    result, gate = run(project, GIT)

    assert (gate.verdict, len(gate.confirmed)) == ("IMPROVED", 4)
    assert result.ret == pytest.ExitCode.OK


def test_a_harmless_change_passes_with_fresh_trials_of_two_tasks_of_its_tool(project: pytest.Pytester) -> None:
    define(weather=WEATHER + " In English.")

    result, gate = run(project, GIT)

    assert (gate.verdict, gate.attempts, result.ret) == ("UNDECIDED", 16 + 2 * 2 * 8, pytest.ExitCode.OK)
    result.stdout.fnmatch_lines(["*would be decided by 65 more tasks (130 attempts), or --mcpbench-margin=0.*"])
    assert run(project, GIT, "--mcpbench-margin=0.5")[1].verdict == "NOT WORSE"
    assert run(project, GIT, "--mcpbench-undecided=fail")[0].ret == pytest.ExitCode.TESTS_FAILED


def test_an_unchanged_server_costs_nothing(project: pytest.Pytester) -> None:
    result, gate = run(project, GIT)

    assert (gate.verdict, gate.attempts, result.ret) == ("NOT WORSE", 0, pytest.ExitCode.OK)
    result.assert_outcomes(passed=1, skipped=16)


@pytest.mark.long
def test_workers_attempt_the_arms_and_the_controller_decides(project: pytest.Pytester) -> None:
    define(find="Internal.", delete=FIND)

    result, gate = run(project, GIT, "-n1", "--junitxml=junit.xml")

    assert (result.ret, gate.verdict, gate.attempts) == (pytest.ExitCode.TESTS_FAILED, "REGRESSED", 80)
    assert sum(case.attrib["name"].startswith("gate") for case in ET.parse("junit.xml").iter("testcase")) == 1
    result.stdout.fnmatch_lines(["*1 failed, 12 passed, 4 missed*"])


@pytest.mark.extra
def test_arms_are_selected_like_any_parameter(project: pytest.Pytester) -> None:
    define(find="Internal.", delete=FIND)

    only_baseline = project.runpytest_inprocess(GIT, "-k", "baseline")
    one_task = project.runpytest_inprocess(GIT, "-k", "todo", "-v")

    only_baseline.assert_outcomes(passed=8, deselected=8)
    one_task.stdout.fnmatch_lines(
        [
            "*::find-todo[[]baseline-lexical[]] PASSED*",
            "*::find-todo[[]candidate-lexical[]] MISSED*",
            "*::gate[[]lexical[]] FAILED*",
        ]
    )


@pytest.mark.extra
def test_the_last_failure_is_compared_again(project: pytest.Pytester) -> None:
    define(find="Internal.", delete=FIND)
    project.runpytest_inprocess("-p", "cacheprovider", GIT)
    define(weather=WEATHER + " In English.")

    again = project.runpytest_inprocess("-p", "cacheprovider", GIT, "--lf")

    # The four tasks in both arms; the gate fails, because none of them names the tool for weather.
    again.assert_outcomes(passed=8, failed=1)
    again.stdout.fnmatch_lines(["NOT MEASURED: *names 1 changed tool (op3)"])


@pytest.mark.extra
def test_route_mode_compares_what_calls_could_not(project: pytest.Pytester) -> None:
    define(find="Internal.", delete=FIND, parameter="query")

    refused = project.runpytest_inprocess(GIT)
    _, gate = run(project, GIT, "--mcpbench-route")

    assert refused.ret == pytest.ExitCode.USAGE_ERROR
    refused.stderr.fnmatch_lines(
        ["ERROR: --mcpbench-baseline=git:HEAD: calls that follow the earlier definitions would fail*"]
    )
    assert gate.verdict == "REGRESSED"


def test_a_tool_that_is_gone_is_a_loss(project: pytest.Pytester) -> None:
    tools = json.loads(Path("tools.json").read_text(encoding="utf-8"))["tools"]
    Path("tools.json").write_text(json.dumps({"tools": tools[1:]}), encoding="utf-8")

    result, gate = run(project, GIT, "--mcpbench-route")

    assert (gate.verdict, gate.tasks) == ("REGRESSED", 8)
    assert {each.task for each in gate.confirmed} == {f"find-{word}" for word in WORDS}
    assert result.ret == pytest.ExitCode.TESTS_FAILED


@pytest.mark.extra
def test_a_server_that_no_longer_starts_is_a_loss(project: pytest.Pytester) -> None:
    Path("tools.json").unlink()

    result, gate = run(project, GIT, "--mcpbench-route")

    assert (gate.verdict, gate.tasks, len(gate.confirmed)) == ("REGRESSED", 8, 8)
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_the_command_reports_the_verdict_again(project: pytest.Pytester, capsys: pytest.CaptureFixture[str]) -> None:
    define(find="Internal.", delete=FIND)
    run(project, GIT)
    capsys.readouterr()

    for form in ("terminal", "markdown", "html"):
        assert main(["report", "run", "--format", form]) == 0
        assert "REGRESSED: files, lexical: 4 of 8 tasks got worse" in capsys.readouterr().out


def test_an_earlier_server_can_be_the_baseline(project: pytest.Pytester) -> None:
    Path("old.py").write_text("from fixtures.servers.defined import server\n\ndef old(): return server('old.json')\n")
    shutil.copy("tools.json", "old.json")
    define(find="Internal.", delete=FIND, parameter="query")

    _, gate = run(
        project, "--mcpbench-baseline=server:old:old", "-k", "todo or fixme or Oslo", "-p", "no:cacheprovider"
    )

    assert gate.verdict == "REGRESSED"


@pytest.mark.extra
def test_an_earlier_run_is_the_baseline_and_is_not_repeated(project: pytest.Pytester) -> None:
    project.runpytest_inprocess("--mcpbench-out=before").assert_outcomes(passed=8)
    define(find="Internal.", delete=FIND)

    _, gate = run(project, "--mcpbench-baseline=before")

    assert (gate.verdict, gate.recorded, gate.attempts) == ("REGRESSED", 8, 8 + 2 * 8 * 4)


@pytest.mark.extra
@pytest.mark.parametrize("route", [[], ["--mcpbench-route"]], ids=["executed", "route"])
def test_a_server_that_names_its_directory_is_compared_as_each_attempt_sees_it(
    project: pytest.Pytester, route: list[str]
) -> None:
    project.makepyfile(
        placed_desk="""
        from pathlib import Path
        from fixtures.servers.defined import server

        def make(world):
            file = Path(f"tools-of-{world.path.name}.json")
            file.write_text(Path("tools.json").read_text().replace("HERE", str(world.path)))
            return server(str(file))
        """
    )
    tasks = Path("files.mcpbench.yaml")
    tasks.write_text(tasks.read_text(encoding="utf-8").replace("fixtures.servers.defined:server", "placed_desk:make"))
    define(find=f"{FIND} All are in HERE.", instructions="Work in HERE.")
    assert main(["lock", "--accept"]) == 0
    assert "Work in {sandbox}." in Path("tools.lock.json").read_text(encoding="utf-8")
    git("commit", "-qam", "directory")
    assert run(project, GIT, *route)[1].attempts == 0

    seen: list[tuple[str, str]] = []

    def model(body: dict[str, Any]) -> Answer:
        described = body["tools"][0]["function"]["description"]
        read = "".join(each["content"] for each in body["messages"] if each["role"] == "system")
        seen.append((described, read))
        return says("Done.")

    define(find="Look into HERE.", instructions="Work in HERE.")
    with chat_server(model) as chat:
        _, gate = run(project, GIT, f"--model={chat.url}#m", "-k", "todo", *route)
    assert [(text.tool, text.after) for text in gate.explanation.texts] == [("op1", "Look into {sandbox}.")]
    directories = [re.search(r"(?:All are in|Look into) (/.*)[.]$", text) for text, _ in seen]
    assert all(directories)
    assert [f"Work in {found[1]}." in read for found, (_, read) in zip(directories, seen, strict=True) if found]
    assert {text.partition("/")[0] for text, _ in seen} == {f"{FIND} All are in ", "Look into "}

    baseline = ("--mcpbench-baseline=run", f"--model={chat.url}#m", "-k", "todo")
    assert run(project, *baseline, *route, out="again")[1].attempts == 0


@pytest.mark.extra
def test_changed_and_removed_tasks_are_dropped_and_listed(project: pytest.Pytester) -> None:
    project.runpytest_inprocess("--mcpbench-out=before").assert_outcomes(passed=8)
    define(weather=WEATHER + " In English.")
    text = Path("files.mcpbench.yaml").read_text(encoding="utf-8")
    Path("files.mcpbench.yaml").write_text(text.replace("city Oslo?", "town Oslo?"), encoding="utf-8")

    result, gate = run(project, "--mcpbench-baseline=before")

    assert [(each.task, each.reason) for each in gate.dropped] == [
        ("rain-Oslo", "the task has changed since the baseline")
    ]
    assert (gate.verdict, result.ret) == ("NOT COMPARABLE", pytest.ExitCode.TESTS_FAILED)
    result.stdout.fnmatch_lines(
        ["*1 of 8 tasks cannot be compared*", "*not compared: rain-Oslo: the task has changed*"]
    )


@pytest.mark.extra
def test_further_wordings_are_arms_with_gates_of_their_own(project: pytest.Pytester) -> None:
    shutil.copy("tools.lock.json", "good.json")
    define(find="Internal.")

    result = project.runpytest_inprocess("--mcpbench-arm=ideal=good.json", "--mcpbench-out=run", "-v")

    (gate,) = read_gates(Path("run"))
    assert (gate.baseline, gate.candidate, gate.verdict) == ("candidate", "ideal", "IMPROVED")
    assert [(text.before, text.after) for text in gate.explanation.texts] == [("Internal.", FIND)]
    result.stdout.fnmatch_lines(
        [
            "*::find-todo[[]candidate-lexical[]] MISSED*",
            "*::find-todo[[]ideal-lexical[]] PASSED*",
            "*candidate (now) against ideal (good.json); *",
        ]
    )


@pytest.mark.extra
def test_each_gate_shows_the_texts_of_its_own_arm(project: pytest.Pytester) -> None:
    define(find="Other words.")
    assert main(["lock", "--accept"]) == 0
    Path("tools.lock.json").rename("other.json")
    define(find="Internal.")

    project.runpytest_inprocess(GIT, "--mcpbench-arm=other=other.json", "--mcpbench-out=run")

    texts = {gate.candidate: [text.after for text in gate.explanation.texts] for gate in read_gates(Path("run"))}
    assert texts == {"candidate": ["Internal."], "other": ["Other words."]}


@pytest.mark.extra
def test_a_suite_that_nothing_passes_does_not_pass_the_gate(project: pytest.Pytester) -> None:
    define(find="Internal.")

    result, gate = run(project, GIT, "--model=noop")

    assert (gate.verdict, result.ret) == ("NOT COMPARABLE", pytest.ExitCode.TESTS_FAILED)
    result.stdout.fnmatch_lines(["*none of 8 tasks passes in the baseline, so that none can get worse"])


def test_the_server_against_itself_shows_the_noise_and_never_fails(project: pytest.Pytester) -> None:
    result, gate = run(project, "--mcpbench-aa")

    assert (gate.is_noise_check, gate.attempts, gate.changed) == (True, 16, ())
    result.stdout.fnmatch_lines(["*the server against itself: 0 of 8 tasks changed by chance*"])


@pytest.mark.extra
def test_the_plan_says_what_a_comparison_takes_and_sees_and_runs_nothing(project: pytest.Pytester) -> None:
    define(find="Internal.")

    result = project.runpytest_inprocess(GIT, "--mcpbench-plan", "--mcpbench-out=run")

    result.assert_outcomes()
    result.stdout.fnmatch_lines(
        [
            "files.mcpbench.yaml::gate[[]lexical[]]:",
            "  changed: op1: description: text-changed (*)",
            "  8 tasks; first trials: 16 attempts",
            "  fresh trials of tasks that change: 8 in each arm; about * in all if nothing changed, at most 144",
            "  cost: $0",
            "  false alarms: at most 1 %",
            "  sees 1 task that no longer passes: * %",
        ]
    )
    assert not Path("run").exists()
    assert project.runpytest_inprocess("--mcpbench-plan").ret == pytest.ExitCode.USAGE_ERROR


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["git:nowhere"], "*git has no reference 'nowhere' in *. A CI job may have to fetch it first*"),
        (["git:"], "*nothing follows the colon; write for example git:origin/main"),
        (["nothing.json"], "*there is no file or directory *nothing.json; a commit is written git:REF*"),
        (["tools.json"], "*tools.json: * `mcpbench lock` writes a new one."),
        (["empty"], "*empty holds no run and no [*]tools.lock.json. `mcpbench lock` writes one*"),
        (["foreign.json"], "*the definitions are of another server: 'files' has none of their tools (send)."),
        (["other"], "*it has no task of suite 'files'; its suites are others, with other tasks"),
        (["git:HEAD", "--mcpbench-aa"], "--mcpbench-aa compares the server with itself*"),
        (["git:HEAD", "--mcpbench-arm=x"], "--mcpbench-arm=x: write NAME=FILE with a new name*"),
        (["git:HEAD", "--mcpbench-resume=empty"], "--mcpbench-resume cannot tell whether*"),
        (["twice"], "*=twice: several locks are of 'files': *one*, *two*; name one of them"),
        (["server:python nothing.py"], "*=server:python nothing.py: server 'files' failed to start: *"),
        pytest.param(
            ["foreign.json", "-n1"],
            "*the definitions are of another server: 'files' has none of their tools (send).",
            marks=pytest.mark.extra,
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_what_cannot_be_compared_is_a_usage_error_before_anything_runs(
    project: pytest.Pytester, arguments: list[str], message: str
) -> None:
    Path("empty").mkdir()
    lock = json.loads(Path("tools.lock.json").read_text(encoding="utf-8"))
    foreign = {**lock, "tools": [{**lock["tools"][0], "definition": tool("send", "Send a mail.", "to")}]}
    Path("foreign.json").write_text(json.dumps(foreign), encoding="utf-8")
    for directory in ("twice/one", "twice/two"):
        Path(directory).mkdir(parents=True)
        shutil.copy("tools.lock.json", directory)
    if arguments == ["other"]:
        Path("others.mcpbench.yaml").write_text(HEAD + "  - {ask: Hi, tool: null}\n", encoding="utf-8")
        project.runpytest_inprocess("others.mcpbench.yaml", "--mcpbench-out=other", "--model=noop")
        Path("others.mcpbench.yaml").unlink()

    result = project.runpytest_inprocess(f"--mcpbench-baseline={arguments[0]}", *arguments[1:], "--mcpbench-out=run")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{message.lstrip('*')}"])
    assert not list(Path().glob("run/records-*"))


def test_a_comparison_that_is_interrupted_after_its_attempts_says_what_is_missing(project: pytest.Pytester) -> None:
    define(find="Internal.", delete=FIND)
    project.makeconftest(
        "def pytest_runtest_call(item):\n"
        "    if item.name.startswith('gate['):\n"
        "        raise KeyboardInterrupt('SIGTERM')\n"
    )
    result = project.runpytest_inprocess(GIT, no_reraise_ctrlc=True)
    result.stdout.fnmatch_lines(
        [
            "interrupted after the last attempt: 16 attempts ran, 1 test did not end (SIGTERM); "
            "no verdict on the changed texts of files, lexical"
        ]
    )


@pytest.mark.extra
@pytest.mark.parametrize(
    ("budget", "attempts"),
    [("--mcpbench-max-seconds=0.000001", 1), ("--mcpbench-max-cost=1.6", 16)],
    ids=["during the first trials", "before the fresh trials"],
)
def test_a_comparison_that_the_budget_ends_is_undecided(project: pytest.Pytester, budget: str, attempts: int) -> None:
    define(find="Internal.", delete=FIND)
    with chat_server(noisy_model(0, seed=1)) as server:
        price = "input_price = 1000, output_price = 0"
        Path("pyproject.toml").write_text(f'[tool.mcpbench.models]\nm = {{url = "{server.url}", {price}}}\n')
        result, gate = run(project, GIT, "--model=m", "--mcpbench-route", "--mcpbench-concurrency=1", budget)
        assert len(server.requests) == attempts
    assert result.ret == BUDGET_USED_UP
    assert gate.verdict == "UNDECIDED"
    assert gate.note.startswith(f"the budget is used up: {budget.partition('=')[0]}=")


def noisy_model(noise: float, seed: int) -> Callable[[dict[str, Any]], Answer]:
    """A model that calls the tool whose description shares most words with the request, or sometimes any other."""
    draw, lock = random.Random(seed), threading.Lock()

    def answer(body: dict[str, Any]) -> Answer:
        request = body["messages"][-1]["content"]
        functions = [each["function"] for each in body["tools"]]
        words = set(re.findall(r"\w+", request.lower()))
        best = max(functions, key=lambda each: len(words & set(re.findall(r"\w+", each["description"].lower()))))
        with lock:
            chosen = draw.choice(functions) if draw.random() < noise else best
        value = re.search(r'"(\w+)"|city (\w+)', request)
        assert value is not None
        (parameter,) = chosen["parameters"]["properties"]
        return says(None, (chosen["name"], {parameter: value[1] or value[2]}))

    return answer


@pytest.mark.extra
def test_a_changed_tool_that_no_passing_task_names_is_not_measured_until_a_task_does_or_it_is_accepted(
    project: pytest.Pytester,
) -> None:
    define(delete="Internal. Do not use.")
    result, gate = run(project, GIT, "--mcpbench-undecided=pass")
    assert (result.ret, gate.verdict, gate.unmeasured) == (pytest.ExitCode.TESTS_FAILED, "NOT MEASURED", ("op2",))
    result.stdout.fnmatch_lines(["NOT MEASURED: *no task that passes in either arm names 1 changed tool (op2)"])

    with Path("files.mcpbench.yaml").open("a", encoding="utf-8") as file:
        file.write('  - {id: gone, ask: Delete the file "old" for ever., tool: op2, arguments: {word: old}}\n')
    _, gate = run(project, GIT)
    assert (gate.verdict, gate.unmeasured) == ("REGRESSED", ())

    write_tasks()
    assert main(["lock", "--accept"]) == 0
    _, gate = run(project, GIT)
    assert (gate.verdict, gate.unmeasured) == ("UNDECIDED", ())


@pytest.mark.extra
def test_a_changed_tool_is_measured_by_a_task_of_any_suite_with_its_server(project: pytest.Pytester) -> None:
    write_tasks(cities=())
    Path("files.mcpbench.yaml").rename("find.mcpbench.yaml")
    write_tasks(words=())
    define(weather=WEATHER + " In English.")

    result = project.runpytest_inprocess("--mcpbench-out=run", GIT)
    gates = {gate.suite: (gate.verdict, gate.unmeasured) for gate in read_gates(Path("run"))}
    assert gates == {"files": ("UNDECIDED", ()), "find": ("UNDECIDED", ())}
    assert result.ret == pytest.ExitCode.OK

    define(weather="Internal.", delete=WEATHER)
    result = project.runpytest_inprocess("--mcpbench-out=run2", GIT)
    gates = {gate.suite: (gate.verdict, gate.unmeasured) for gate in read_gates(Path("run2"))}
    assert gates == {"files": ("REGRESSED", ("op2",)), "find": ("NOT MEASURED", ("op2",))}
    # Alone, the suite measures none of the changes.
    project.runpytest_inprocess("--mcpbench-out=run3", GIT, "find.mcpbench.yaml")
    assert read_gates(Path("run3"))[0].unmeasured == ("op2", "op3")


@pytest.mark.extra
@pytest.mark.parametrize("route", [[], ["--mcpbench-route"]], ids=["executed", "route"])
def test_changed_instructions_are_read_measured_and_named(project: pytest.Pytester, route: list[str]) -> None:
    seen: set[str] = set()

    def obedient(body: dict[str, Any]) -> Answer:
        """Call the tool for weather for each request, if the instructions say so."""
        read = "".join(each["content"] for each in body["messages"] if each["role"] == "system")
        seen.add(read)
        if body["messages"][-1]["role"] == "tool":
            return says("Done.")
        return says(None, ("op3", {"city": "Rome"})) if "only op3" in read else noisy_model(0, seed=1)(body)

    define(instructions="Use only op3.")
    with chat_server(obedient) as server:
        _, gate = run(project, GIT, f"--model={server.url}#m", *route)
    assert gate.verdict == "REGRESSED"
    (text,) = gate.explanation.texts
    assert (text.place, text.before, text.after) == ("instructions", "", "Use only op3.")
    assert seen == {"", "Instructions of the MCP server files:\nUse only op3."}
    prompts = {record.arm: record.system_prompt for _, record in read_records(Path("run"))}
    assert prompts["candidate"] == "Instructions of the MCP server files:\nUse only op3."
    assert prompts["baseline"] == ""

    if route:
        return
    with chat_server(obedient) as server:
        seen.clear()
        hidden = "--mcpbench-server-instructions=hidden"
        project.runpytest_inprocess(f"--model={server.url}#m", hidden, "--mcpbench-out=hidden", "-k", "Rome")
    assert seen == {""}


@pytest.mark.long
@pytest.mark.parametrize(
    ("find", "verdicts"),
    [("Internal.", {"REGRESSED"}), (FIND + " Now.", {"UNDECIDED", "NOT WORSE"})],
    ids=["broken", "harmless"],
)
def test_a_model_with_noise_is_told_from_a_broken_description(
    project: pytest.Pytester, find: str, verdicts: set[str]
) -> None:
    write_tasks(words=tuple(f"word{index}" for index in range(12)), cities=tuple(f"city{index}" for index in range(12)))
    define(find=find)

    with chat_server(noisy_model(0.12, seed=3)) as server:
        _, gate = run(project, GIT, "--mcpbench-route", f"--model={server.url}#noisy")

    assert gate.verdict in verdicts
    assert gate.attempts == len(server.requests)
