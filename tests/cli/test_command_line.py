"""The command ``mcpbench``: results on stdout; what the user must mend is one line on stderr and exit code 2."""

import json
import re
import subprocess
import sys
from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench import __version__
from pytest_mcpbench.cli import main
from pytest_mcpbench.core.planning import Overrides, plan_task
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.score import Score, Scorecard
from pytest_mcpbench.runs.lookup import remember_run
from pytest_mcpbench.runs.records import RecordWriter, read_report, write_facts
from pytest_mcpbench.suite_files.loading import load_suite
from tests.builders import a_call, evidence_of
from tests.reporting.page.blocks import blocks
from tests.reporting.samples import one_of_each

SUITE = """\
servers: {notes: {factory: "fixtures.notes_server:server"}}
tasks:
  - {id: one, ask: Read a., tool: read, arguments: {path: a}}
  - {id: two, ask: Read b., tool: read, arguments: {path: b}}
  - {id: says, ask: Say it., claims: [The total is 42.]}
"""

PARTIAL_LIMITS = """\
servers: {notes: {factory: "fixtures.notes_server:server"}}
limits: {rounds: 7}
tasks:
  - {id: one, ask: Read a., tool: read, arguments: {path: a}, limits: {tool_calls: 3}}
"""


def write(directory: Path, records: Iterable[RunRecord], **facts: Any) -> Path:
    write_facts(directory, {"version": __version__, **facts})
    writer = RecordWriter(directory, worker="main")
    for record in records:
        writer.append(record)
    writer.close()
    return directory


def run_of(outcomes: dict[str, str], model: str = "m") -> list[RunRecord]:
    return [
        RunRecord.model_validate(
            {
                "suite": "s",
                "task_id": task,
                "task_hash": "",
                "model": model,
                "outcome": outcome,
                "scorecard": Scorecard(scores={"ast": Score.of(float(outcome == "passed"))}, floors={"ast": 1.0}),
            }
        )
        for task, outcome in outcomes.items()
    ]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return write(tmp_path / "out", one_of_each("m"))


def test_a_report_is_shown_in_every_form(
    out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    begins = {
        "terminal": "Results:",
        "markdown": "<!-- pytest-mcpbench report -->",
        "json": "{",
        "html": "<!DOCTYPE html>",
    }
    for form, begin in begins.items():
        assert main(["report", str(out), "--format", form]) == 0
        shown = capsys.readouterr().out
        assert shown.startswith(begin)
        assert main(["report", str(out), "--format", form, "--out", str(tmp_path / "new" / form)]) == 0
        assert (tmp_path / "new" / form).read_text(encoding="utf-8") == shown


@pytest.mark.parametrize(
    "command",
    [
        ["show", "last", "pass"],
        ["report", "last"],
        ["compare", "last", "last"],
        ["merge", "last", "--out", "merged"],
        ["rescore", "last", "--suite", "notes.mcpbench.yaml"],
        ["export", "last"],
    ],
    ids=" ".join,
)
def test_every_command_that_takes_a_run_knows_the_last_one(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("notes.mcpbench.yaml").write_text(
        'servers: {notes: {factory: "fixtures.notes_server:server"}}\ntasks: [{ask: Hello., answer: Hi}]\n',
        encoding="utf-8",
    )
    with pytest.raises(SystemExit, match="2") if command[0] not in ("show", "export") else nullcontext():
        assert main(command) == 2
    assert "no run is stored in .mcpbench of" in capsys.readouterr().err
    remember_run(write(tmp_path / "out", one_of_each("m")), tmp_path)
    assert main(command) == 0, capsys.readouterr().err


def test_nothing_of_radar_can_be_fetched_and_the_command_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fetch", "radar"]) == 2
    said = capsys.readouterr().err
    assert "the authors of MCP-RADAR have not published its tasks. `pytest --suite=radar` runs" in said


def test_verbose_shows_what_explains_the_results(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["report", str(out), "-v"])
    assert "What went wrong:" in capsys.readouterr().out


def test_runs_of_several_directories_are_shown_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = write(tmp_path / "one", one_of_each("small"))
    second = write(tmp_path / "two", one_of_each("large"))
    assert main(["report", str(first), str(second), "--format", "html"]) == 0
    (index,) = blocks(capsys.readouterr().out, "index")
    assert len(index["rows"]) == 14
    assert main(["report", str(first), str(second), "--format", "json"]) == 0
    made = json.loads(capsys.readouterr().out)["summaries"]
    assert {"small", "large"} <= {summary["model"] for summary in made}


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["report", "nowhere"], "nowhere: no such directory of records. Use the directory that --mcpbench-out named."),
        (["report", "."], ".: there are no records in it. Use the directory that --mcpbench-out named."),
        (["compare", "nowhere", "nowhere"], "nowhere: no such directory of records."),
        (["rescore", "nowhere", "--suite", "radar"], "nowhere: no such directory of records."),
        (["judge-agreement", "nowhere.jsonl"], "nowhere.jsonl: No such file or directory"),
        (["judge-agreement", "bad.jsonl"], "bad.jsonl:1: not JSON"),
        (["judge-agreement", "empty.jsonl"], "empty.jsonl: the file has no labelled question."),
        (["judge-agreement", "label.jsonl"], "label.jsonl:1: label: 'maybe' is not a label."),
        (["judge-agreement", "good.jsonl", "--judge", "no-such-model"], "no-such-model"),
        (["serve", "gmial"], "no simulated server is called 'gmial'. Did you mean 'gmail'?"),
        (["serve", "lark"], "no simulated server is called 'lark'. Did you mean 'lark_mcp'?"),
        (["new-server", "class"], "'class' is no name for a server: it is a keyword of Python"),
        (["new-server", "sub/x"], "'sub/x' is no name for a server: it is a path; give a name, as 'shop', and"),
        (["serve", "mail", "--seed", "bad.jsonl"], "the seed bad.jsonl cannot be read as JSON"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_mistake_is_one_line_and_exit_code_2(
    arguments: list[str],
    problem: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.jsonl").write_text("not json\n")
    Path("empty.jsonl").write_text("\n")
    Path("label.jsonl").write_text('{"claim": "c", "answer": "a", "label": "maybe"}\n')
    Path("good.jsonl").write_text('{"claim": "c", "answer": "a", "label": 1}\n')
    assert main(arguments) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("mcpbench: ")
    assert problem in shown.err
    assert "Traceback" not in shown.err
    assert not [path for path in tmp_path.iterdir() if path.is_dir()]


def test_a_comparison_says_whether_a_loss_is_more_than_chance(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tasks = [f"t{number:02}" for number in range(20)]
    before = write(tmp_path / "before", run_of(dict.fromkeys(tasks, "passed")))
    worse = {task: "failed" if number < 10 else "passed" for number, task in enumerate(tasks)}
    after = write(tmp_path / "after", run_of(worse))
    assert main(["compare", str(before), str(after)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "✗ worse: s, m: significantly fewer passes" in lines
    assert f"  worse: {', '.join(tasks[:10])}" in lines
    assert main(["compare", str(before), str(after), "--fail-if-worse"]) == 1
    assert main(["compare", str(after), str(before), "--fail-if-worse"]) == 0


def test_a_comparison_of_few_tasks_says_what_they_could_have_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tasks = [f"t{number:02}" for number in range(20)]
    before = write(tmp_path / "before", run_of(dict.fromkeys(tasks, "passed")))
    after = write(tmp_path / "after", run_of({**dict.fromkeys(tasks, "passed"), "t00": "failed", "t19": "error"}))
    assert main(["compare", str(before), str(after), "--format", "markdown", "--fail-if-worse"]) == 0
    shown = capsys.readouterr().out
    assert "no significant difference" in shown
    assert "lost, counts as worse (error: unknown): t19" in shown


@pytest.mark.parametrize(("most", "code"), [("2", 0), ("1", 1), ("0", 1)])
def test_a_gate_counts_tasks_that_fail_or_are_lost(
    most: str, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = write(tmp_path / "before", run_of(dict.fromkeys("abcd", "passed")))
    after = write(tmp_path / "after", run_of({"a": "passed", "b": "failed", "c": "error", "d": "passed"}))
    assert main(["compare", str(before), str(after), "--max-worse", most]) == code
    shown = capsys.readouterr()
    assert shown.err == (f"mcpbench: 2 tasks are worse, more than --max-worse {most}\n" if code else "")


def test_a_run_in_which_nothing_could_be_attempted_is_a_regression(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = write(tmp_path / "before", run_of(dict.fromkeys("abcdefgh", "passed")))
    after = write(tmp_path / "after", run_of(dict.fromkeys("abcdefgh", "error")))
    assert main(["compare", str(before), str(after), "--fail-if-worse", "--format", "json"]) == 1
    compared = json.loads(capsys.readouterr().out)
    assert (compared["comparisons"], compared["worse_tasks"], compared["has_regression"]) == ([], 8, True)
    assert compared["lost"][0] == {"suite": "s", "model": "m", "task": "a", "reason": "error: unknown"}


def test_two_runs_of_one_model_are_both_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = write(tmp_path / "monday", run_of({"a": "passed", "b": "passed"}))
    second = write(tmp_path / "tuesday", run_of({"a": "failed", "b": "failed"}))
    for form in ("terminal", "html"):
        assert main(["report", str(first), str(second), str(first), "--format", form]) == 0
        shown = capsys.readouterr().out
        assert "m [monday]" in shown
        assert "m [tuesday]" in shown
    assert main(["report", str(first), str(second), "--format", "json"]) == 0
    summaries = json.loads(capsys.readouterr().out)["summaries"]
    assert {each["model"]: (each["passed"], each["failed"]) for each in summaries} == {
        "m [monday]": (2, 0),
        "m [tuesday]": (0, 2),
    }


def test_shards_of_one_model_are_one_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shards = [write(tmp_path / task, run_of({task: "passed"})) for task in "ab"]
    assert main(["report", *map(str, shards), "--format", "json"]) == 0
    assert [each["tasks"] for each in json.loads(capsys.readouterr().out)["summaries"]] == [2]


def test_runs_of_one_directory_name_are_told_apart_by_their_paths(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = [write(tmp_path / parent / "out", run_of({"a": "passed"})) for parent in ("x", "y")]
    assert main(["report", *map(str, runs), "--format", "json"]) == 0
    models = [each["model"] for each in json.loads(capsys.readouterr().out)["summaries"]]
    assert models == [f"m [{run}]" for run in runs]


def test_runs_under_different_conditions_are_both_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, passed in {"5": "passed", "10": "failed"}.items():
        write(tmp_path / name, run_of({"a": passed}))
        facts = {"suites": {"s": {"conditions": {"top_k": int(name), "dispatcher": "bm25"}}}}
        (tmp_path / name / "run.json").write_text(json.dumps(facts))
    assert main(["report", str(tmp_path / "5"), str(tmp_path / "10"), "--format", "json"]) == 0
    summaries = json.loads(capsys.readouterr().out)["summaries"]
    assert {each["suite"]: each["passed"] for each in summaries} == {"s (top_k 5)": 1, "s (top_k 10)": 0}


def test_a_comparison_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = write(tmp_path / "before", run_of({"a": "passed", "b": "passed"}))
    after = write(tmp_path / "after", run_of({"a": "passed", "b": "failed"}))
    main(["compare", str(before), str(after), "--format", "json"])
    passed = json.loads(capsys.readouterr().out)["comparisons"][0]
    assert (passed["metric"], passed["difference"], passed["p_value"]) == ("passed", -0.5, None)
    assert passed["changed"] == [{"task": "b", "left": 1.0, "right": 0.0}]


def test_runs_with_nothing_in_common_are_a_mistake(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, after = write(tmp_path / "a", run_of({"a": "passed"})), write(tmp_path / "b", run_of({"b": "passed"}))
    assert main(["compare", str(before), str(after)]) == 2
    assert "no suite with a task and a model in common" in capsys.readouterr().err


@pytest.fixture
def scored_wrongly(tmp_path: Path) -> Path:
    """A run of the suite whose scores are all wrong, with an error and a task that is no longer there."""
    (tmp_path / "notes.mcpbench.yaml").write_text(SUITE)
    runs = {
        "one": evidence_of((a_call("read", {"path": "a"}),)),
        "two": evidence_of((a_call("read", {"path": "a"}),)),
        "says": evidence_of(answer="The total is 42."),
        "gone": evidence_of(),
    }
    wrong = Scorecard(scores={"ast": Score.of(0.5), "own": Score.of(0.25)}, floors={"ast": 1.0})
    records = [
        RunRecord(suite="notes", task_id=task, task_hash="", model="m", outcome="failed", evidence=run, scorecard=wrong)
        for task, run in runs.items()
    ]
    return write(tmp_path / "out", records)


def test_rescoring_computes_scores_and_outcomes_again(
    scored_wrongly: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["rescore", str(scored_wrongly), "--suite", str(tmp_path / "notes.mcpbench.yaml")]
    assert main([*arguments, "--judge", "keyfacts"]) == 0
    shown = capsys.readouterr().out
    entries = {entry.task_id: entry for entry in read_report(tmp_path / "out-rescored").entries}
    assert {task: entry.outcome for task, entry in entries.items()} == {
        "one": "passed",
        "two": "failed",
        "says": "passed",
        "gone": "failed",
    }
    assert entries["one"].scores == {"ast": 1.0, "own": 0.25}
    assert entries["says"].scores["coverage"] == 1.0
    assert "outcomes changed: 2 failed -> passed (of 3 attempts)" in shown
    assert "left as they were, for they are not in the suite: gone" in shown
    assert main(arguments) == 2
    assert "already contains records" in capsys.readouterr().err


def test_rescoring_lists_what_changed_by_metric_and_task(
    scored_wrongly: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = str(tmp_path / "notes.mcpbench.yaml")
    arguments = ["--suite", suite, "--judge", "keyfacts", "--format", "json"]
    assert main(["rescore", str(scored_wrongly), *arguments]) == 0
    changes = json.loads(capsys.readouterr().out)
    assert (changes["attempts"], changes["changed"], changes["gone"], changes["errors"]) == (3, 3, ["gone"], 0)
    assert changes["outcomes"] == [{"before": "failed", "after": "passed", "attempts": 2}]
    by_metric = {row["metric"]: row for row in changes["metrics"]}
    assert {name: (by_metric[name]["attempts"], by_metric[name]["changed"]) for name in ("ast", "coverage", "own")} == {
        "ast": (3, 3),
        "coverage": (1, 1),
        "own": (3, 0),
    }
    tasks = {each["task_id"]: each for each in changes["tasks"]}
    two = {change["metric"]: change for change in tasks["two"]["scores"]}
    assert (tasks["two"]["outcome"], two["ast"]["before"], two["ast"]["after"]) == (
        {"before": "failed", "after": "failed"},
        0.5,
        0.0,
    )
    assert "path" in two["ast"]["reason"]


def test_rescoring_shows_old_and_new_scores_with_the_reason(
    scored_wrongly: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = str(tmp_path / "notes.mcpbench.yaml")
    assert main(["rescore", str(scored_wrongly), "--suite", suite, "--judge", "keyfacts"]) == 0
    shown = capsys.readouterr().out
    assert "changed: outcome or a score of 3 of 3 attempts" in shown
    assert re.search(r"^ast +3 +3 +1 +1 +0 +1$", shown, re.MULTILINE)
    assert re.search(r"^two +m +1 +failed +ast +0\.500 -> 0\.000 +1 +\S", shown, re.MULTILINE)


@pytest.mark.parametrize("format_", ["terminal", "json"])
def test_rescoring_twice_changes_nothing_and_says_so(
    format_: str, scored_wrongly: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--suite", str(tmp_path / "notes.mcpbench.yaml"), "--judge", "keyfacts"]
    assert main(["rescore", str(scored_wrongly), *arguments]) == 0
    capsys.readouterr()
    assert main(["rescore", f"{scored_wrongly}-rescored", *arguments, "--format", format_]) == 0
    shown = capsys.readouterr().out
    if format_ == "json":
        assert (json.loads(shown)["changed"], json.loads(shown)["tasks"]) == (0, [])
    else:
        assert "nothing changed: all 3 attempts have the same outcome and the same scores as before" in shown


def test_rescoring_keeps_to_the_limits_and_floors_of_the_command_line(scored_wrongly: Path, tmp_path: Path) -> None:
    (scored_wrongly / "run.json").write_text('{"settings": {"floors": "{\'ast\': 0.0}", "rounds": "7"}}')
    suite = str(tmp_path / "notes.mcpbench.yaml")
    assert main(["rescore", str(scored_wrongly), "--suite", suite, "--out", str(tmp_path / "new")]) == 0
    entries = {entry.task_id: entry for entry in read_report(tmp_path / "new").entries}
    assert (entries["two"].outcome, entries["two"].floors) == ("passed", {"ast": 0.0})


def test_rescoring_knows_an_unchanged_task_whose_limits_are_partial(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "notes.mcpbench.yaml").write_text(PARTIAL_LIMITS)
    suite = load_suite(tmp_path / "notes.mcpbench.yaml", {})
    task = suite.attempts[0].task
    assert task is not None
    run_hash = plan_task(suite.manifest, task, Overrides()).task.hash
    record = RunRecord(
        suite="notes", task_id="one", task_hash=run_hash, model="m", outcome="failed", evidence=evidence_of()
    )
    write(tmp_path / "out", [record])
    assert main(["rescore", str(tmp_path / "out"), "--suite", str(tmp_path / "notes.mcpbench.yaml")]) == 0
    assert "another version of the task" not in capsys.readouterr().out


@pytest.mark.parametrize("settings", [{"metrics": ["dtsr"]}, {}], ids=["in the settings", "only in the record"])
def test_rescoring_computes_metrics_again_that_the_command_line_added(settings: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "notes.mcpbench.yaml").write_text(SUITE)
    stale = Scorecard(scores={"dtsr": Score.of(0.25)})
    evidence = evidence_of((a_call("read", {"path": "a"}),))
    record = RunRecord(
        suite="notes", task_id="one", task_hash="", model="m", outcome="failed", evidence=evidence, scorecard=stale
    )
    write(tmp_path / "out", [record])
    (tmp_path / "out" / "run.json").write_text(json.dumps({"settings": settings}))
    assert main(["rescore", str(tmp_path / "out"), "--suite", str(tmp_path / "notes.mcpbench.yaml")]) == 0
    (entry,) = read_report(tmp_path / "out-rescored").entries
    assert entry.scores["dtsr"] == 1.0


def test_rescoring_keeps_the_outcome_of_a_test_that_a_user_wrote(tmp_path: Path) -> None:
    (tmp_path / "notes.mcpbench.yaml").write_text(SUITE)
    evidence = evidence_of((a_call("read", {"path": "a"}),))
    record = RunRecord(
        suite="notes",
        task_id="one",
        task_hash="",
        model="m",
        outcome="failed",
        evidence=evidence,
        test="checks::test_it",
    )
    write(tmp_path / "out", [record])
    assert main(["rescore", str(tmp_path / "out"), "--suite", str(tmp_path / "notes.mcpbench.yaml")]) == 0
    (entry,) = read_report(tmp_path / "out-rescored").entries
    assert entry.outcome == "failed"


def test_rescoring_without_a_judge_leaves_claims_unscored(scored_wrongly: Path, tmp_path: Path) -> None:
    suite = str(tmp_path / "notes.mcpbench.yaml")
    assert main(["rescore", str(scored_wrongly), "--suite", suite, "--out", str(tmp_path / "new")]) == 0
    entries = {entry.task_id: entry for entry in read_report(tmp_path / "new").entries}
    assert entries["says"].outcome == "unscored"
    assert entries["says"].unscored["coverage"] == "no judge is configured"


def test_a_judge_is_measured_against_people(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        ("The total is 42.", "The total is 42.", 1),
        ("The total is 42.", "I do not know.", 0),
        ("It costs 5.", "It costs 6.", 1),
    ]
    labels = tmp_path / "labels.jsonl"
    labels.write_text("".join(json.dumps({"claim": c, "answer": a, "label": one}) + "\n" for c, a, one in rows))
    assert main(["judge-agreement", str(labels), "-v"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("judge keyfacts: 66.7 % of 3 labels agree, kappa 0.400")
    assert "statement: It costs 5." in shown


@pytest.mark.parametrize("named", [["adversarial"], ["--suite", "adversarial"]], ids=" ".join)
def test_generate_writes_the_suites_files(tmp_path: Path, capsys: pytest.CaptureFixture[str], named: list[str]) -> None:
    assert main(["generate", *named, "--to", str(tmp_path)]) == 0
    written = capsys.readouterr().out.split()
    assert written
    assert all(Path(path).is_file() for path in written)


def test_the_version_and_a_missing_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--version"])
    assert capsys.readouterr().out.strip() == __version__
    with pytest.raises(SystemExit, match="2"):
        main([])


def test_help_imports_neither_mcp_nor_litellm_nor_pytest() -> None:
    code = (
        "import sys; from pytest_mcpbench.cli import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "assert not {'mcp', 'litellm', 'pytest', 'numpy', 'jinja2'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


TRACE = {"id": "t", "world": "empty", "calls": [{"tool": "read_graph"}, {"tool": "no_such_tool"}]}


@pytest.fixture
def traces(tmp_path: Path) -> Path:
    """Traces of the memory server, recorded from our own simulation of it."""
    (tmp_path / "calls.jsonl").write_text(json.dumps(TRACE))
    arguments = ["record-traces", str(tmp_path / "calls.jsonl"), "--server", "memory"]
    assert main([*arguments, "--out", str(tmp_path / "traces.jsonl")]) == 0
    return tmp_path / "traces.jsonl"


def test_fidelity_is_shown_in_every_form(traces: Path, capsys: pytest.CaptureFixture[str]) -> None:
    begins = {"terminal": "Behavioural alignment of memory:", "markdown": "## Fidelity of memory", "json": "{"}
    for form, begin in begins.items():
        assert main(["fidelity", str(traces), "--server", "memory", "--format", form]) == 0
        assert capsys.readouterr().out.startswith(begin)


def test_fidelity_says_what_each_number_is_of(traces: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["fidelity", str(traces), "--server", "memory", "--format", "json"])
    told = json.loads(capsys.readouterr().out)
    names = ("traces", "calls", "errors", "compared", "tp", "tn", "fp", "fn", "accuracy", "precision", "identical")
    assert [told[name] for name in names] == [1, 2, 0, 2, 1, 1, 0, 0, 1.0, 1.0, 2]
    assert (told["similarity"] or {"pairs": 2})["pairs"] == 2


def test_fidelity_shows_where_the_servers_differ(traces: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = json.loads(traces.read_text())
    trace["calls"][0]["result"] = {"content": [{"type": "text", "text": "no graph"}], "isError": True}
    traces.write_text(json.dumps(trace))
    main(["fidelity", str(traces), "--server", "memory"])
    assert (
        "Accepted only by the simulation:\nt, call 1: read_graph({}): real: no graph | sim" in capsys.readouterr().out
    )


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (
            ["--server", "memmory"],
            "no simulated server is called 'memmory'. Did you mean 'memory'? There are: amap-maps, ",
        ),
        (["--server", "memory", "--mask", "("], "--mask '(' is not a regular expression"),
    ],
)
def test_a_mistake_in_fidelity_is_one_line(
    arguments: list[str], complaint: str, traces: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fidelity", str(traces), *arguments]) == 2
    assert capsys.readouterr().err.startswith(f"mcpbench: {complaint}")


def test_a_run_whose_agents_never_called_the_server_has_no_traces(
    out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["record-traces", str(out), "--server", "nobody"]) == 2
    assert "called a server 'nobody'" in capsys.readouterr().err


def test_fidelity_takes_a_file_as_serve_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    main(["new-server", "kiosk"])
    call = {"tool": "no_such", "arguments": {}, "result": {"content": [], "isError": True}}
    Path("t.jsonl").write_text(json.dumps({"id": "a", "calls": [call]}), encoding="utf-8")
    main(["fidelity", "t.jsonl", "--server", "kiosk/kiosk_server.py"])
    assert "Behavioural alignment of kiosk" in capsys.readouterr().out


def test_official_drop_leaves_attempts_with_an_error_out_and_counts_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = write(tmp_path / "out", run_of({"a": "passed", "b": "error", "c": "failed"}))

    assert main(["report", str(out), "--format", "json", "--official-drop"]) == 0
    text, notes = capsys.readouterr()
    (summary,) = json.loads(text)["summaries"]
    assert (summary["attempts"], summary["errors"], summary["pass_rate"]) == (2, 0, 0.5)
    assert notes == "official-drop: 1 attempts that ended with an error are left out\n"
