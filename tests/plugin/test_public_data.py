"""``--mcpbench-data``: a suite on a benchmark's own files, with servers replayed from what they record."""

import json
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from pytest_mcpbench.suite_files.discovery import shipped_directory
from tests.shared_data import shared_file

TOOLBENCH = """
[data]
recorded = true
servers = {}
floors = { ast = 1.0 }
[[data.files]]
path = "**/*_single*.json"
loader = "toolbench"
"""
ATLAS = """
[data]
recorded = true
tool_names = "prefixed"
exposure = "listed"
[[data.files]]
path = "sample_tasks.csv"
loader = "atlas"
options = { results = true }
"""
FINMCP = """
[data]
recorded = true
floors = { emr = 1.0, tool_f1 = 1.0 }
[[data.files]]
path = "*.jsonl"
loader = "finmcp"
options = { server = "qieman" }
"""
RADAR = """
[data]
recorded = true
[[data.files]]
path = "email*.json"
loader = "radar"
options = { server = "mail" }
"""
PERSONA = """
[data]
recorded = true
floors = { sr = 1.0 }
[[data.files]]
path = "persona_tasks*.json"
loader = "persona"
"""
OWN = """
files = ["tasks.yaml"]
[servers]
notes = { factory = "fixtures.notes_server:server" }
"""
RADAR_EXAMPLES = [
    {"unique_id": "1", "Prompt": "Send a mail to Bo.", "Toolname": "send_email", "Toolargs": {"to": "bo@example.org"}},
    {"unique_id": "2", "Prompt": "List my labels.", "Toolname": "list_email_labels", "Toolargs": {}},
]


def _run(pytester: pytest.Pytester, suite: str, data: Path, *options: str) -> pytest.RunResult:
    directory = pytester.mkdir("suite")
    (directory / "suite.toml").write_text(OWN + suite, encoding="utf-8")
    (directory / "tasks.yaml").write_text("[{id: own, ask: Nothing., answer: nothing}]", encoding="utf-8")
    pytester.makeini("[pytest]\nfilterwarnings = default\n")
    return pytester.runpytest_inprocess(f"--suite={directory}", f"--mcpbench-data={data}", *options)


@pytest.mark.parametrize(
    ("suite", "directory", "tasks"),
    [
        pytest.param(TOOLBENCH, "toolbench", 337, id="toolbench", marks=pytest.mark.long),
        pytest.param(FINMCP, "finmcp", 6, id="finmcp"),
    ],
)
def test_the_oracle_passes_the_public_tasks_on_recorded_servers(
    pytester: pytest.Pytester, suite: str, directory: str, tasks: int
) -> None:
    result = _run(pytester, suite, shared_file(directory), "--model=oracle", "-q")
    outcomes = result.parseoutcomes()
    assert (outcomes["passed"], outcomes.get("failed", 0), outcomes.get("errors", 0)) == (tasks, 0, 0)


def test_checkpoints_of_persona_are_unscored_without_a_model_judge(pytester: pytest.Pytester) -> None:
    result = _run(pytester, PERSONA, shared_file("persona"), "--model=oracle", "-q")
    assert result.parseoutcomes()["unscored"] == 3


@pytest.mark.long
def test_what_a_demonstration_repeats_is_run_once_with_a_warning(pytester: pytest.Pytester) -> None:
    data = shared_file("toolbench/file_system")
    result = _run(pytester, TOOLBENCH, data, "--model=noop", "-q", "-W", "default")
    assert result.parseoutcomes()["failed"] == 241
    result.stdout.fnmatch_lines(
        [
            "suite/suite.toml:0",
            "  *suite/suite.toml:0: TaskWarning: 15 warnings about tasks of * in *toolbench/file_system",
            "    filesystem_0723_single.json:*: 8cac45c6-* is also at filesystem_single_demo.json*",
            "    and 10 more, which -v shows",
        ]
    )


@pytest.mark.parametrize(
    "workers",
    [pytest.param((), id="one process"), pytest.param(("-n", "2"), id="workers", marks=pytest.mark.long)],
)
def test_remarks_on_tasks_are_one_warning(pytester: pytest.Pytester, workers: tuple[str, ...]) -> None:
    options = ("--model=noop", "-q", "-W", "default", "-k", "8cac45c6", *workers)
    result = _run(pytester, TOOLBENCH, shared_file("toolbench/file_system"), *options)
    assert (result.parseoutcomes()["failed"], result.stdout.str().count("TaskWarning")) == (1, 1)


@pytest.mark.long
def test_where_warnings_are_errors_a_remark_is_an_error_of_its_task(pytester: pytest.Pytester) -> None:
    options = ("--model=oracle", "-q", "-W", "error::pytest.PytestWarning")
    result = _run(pytester, TOOLBENCH, shared_file("toolbench/file_system"), *options)
    assert (result.parseoutcomes()["passed"], result.parseoutcomes()["errors"]) == (226, 15)


def test_recorded_answers_are_what_the_agent_reads(pytester: pytest.Pytester) -> None:
    result = _run(pytester, FINMCP, shared_file("finmcp"), "--model=oracle", "--mcpbench-out=out")
    assert result.parseoutcomes()["passed"] == 6
    (records,) = [path.read_text(encoding="utf-8") for path in (pytester.path / "out").glob("records-*.jsonl")]
    assert "No answer to this call was recorded" not in records


def test_the_suites_own_tasks_run_without_data(pytester: pytest.Pytester) -> None:
    directory = pytester.mkdir("own")
    (directory / "suite.toml").write_text(OWN + TOOLBENCH, encoding="utf-8")
    (directory / "tasks.yaml").write_text("[{id: own, ask: Nothing., answer: nothing}]", encoding="utf-8")
    pytester.runpytest_inprocess(f"--suite={directory}", "--model=oracle").assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("suite", "tasks"),
    [pytest.param("toolbench", 337, marks=pytest.mark.long), ("finmcp", 6)],
)
def test_the_shipped_suites_read_the_public_files(pytester: pytest.Pytester, suite: str, tasks: int) -> None:
    pytester.makeini("[pytest]\nfilterwarnings = default\n")
    path = shipped_directory() / suite / "suite.toml"
    copy = pytester.mkdir(suite) / "suite.toml"
    copy.write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    data = f"--mcpbench-data={shared_file(suite)}"
    result = pytester.runpytest_inprocess(f"--suite={copy}", data, "--model=oracle", "-q")
    assert result.parseoutcomes()["passed"] == tasks


@pytest.mark.extra
@pytest.mark.parametrize("model", ["noop", "oracle", "lexical"])
def test_no_agent_passes_or_fails_public_tasks_of_atlas_whose_tools_have_no_description(
    pytester: pytest.Pytester, model: str
) -> None:
    pytester.makeini("[pytest]\nfilterwarnings = default\n")
    data = f"--mcpbench-data={shared_file('atlas')}"
    result = pytester.runpytest_inprocess("--suite=atlas", data, f"--model={model}", "-q", "-ra")
    assert result.parseoutcomes()["unscored"] == 10
    assert result.parseoutcomes().keys().isdisjoint({"passed", "failed", "errors"})
    result.stdout.fnmatch_lines(
        ["UNSCORED *688ba1b3e95696e72dd93e8d*tools_described: the agent saw tools without a description*"]
    )


def test_a_suite_without_tasks_of_its_own_asks_for_the_public_files(pytester: pytest.Pytester) -> None:
    suite = pytester.mkdir("finmcp") / "suite.toml"
    suite.write_text(FINMCP, encoding="utf-8")
    result = pytester.runpytest_inprocess(f"--suite={suite}")
    result.stdout.fnmatch_lines(["*data: the suite contains no task files. Pass the directory*--mcpbench-data=DIR.*"])


def test_a_directory_without_such_files_is_an_error_that_says_what_was_looked_for(pytester: pytest.Pytester) -> None:
    result = _run(pytester, TOOLBENCH, pytester.mkdir("empty"))
    result.stdout.fnmatch_lines(["*suite.toml:*data.files: no file in * matches '**/?_single?.json'.*"])


def test_a_suite_that_does_not_say_how_to_read_public_files_says_so(pytester: pytest.Pytester) -> None:
    result = _run(pytester, "", pytester.mkdir("empty"))
    result.stdout.fnmatch_lines(["*data: the suite has no [[]data] table that describes the public files in*"])


def test_radar_has_tasks_in_files_of_ones_own(pytester: pytest.Pytester) -> None:
    data = pytester.mkdir("data")
    (data / "email_public.json").write_text(json.dumps(RADAR_EXAMPLES), encoding="utf-8")
    result = _run(pytester, RADAR, data, "--model=oracle", "--model=noop")
    result.assert_outcomes(passed=2, failed=2)


def test_the_public_records_of_persona_run_in_the_simulated_apps(pytester: pytest.Pytester) -> None:
    """Two references leave values open in the shortened file, and one record has no checkpoint."""
    pytester.makeini("[pytest]\nfilterwarnings = default\n")
    suite, data = shipped_directory() / "persona" / "suite.toml", shared_file("persona")
    result = pytester.runpytest_inprocess(
        f"--suite={suite}", f"--mcpbench-data={data}", "--model=oracle", "--model=lexical", "--mcpbench-out=out"
    )
    assert result.parseoutcomes()["unscored"] >= 3
    result.stdout.fnmatch_lines(["*its call 3", "*(calendar_v4_calendarEvent_create) leaves {…} open"])
    (records,) = [path.read_text(encoding="utf-8") for path in (pytester.path / "out").glob("records-*.jsonl")]
    lines = [line for line in map(json.loads, records.splitlines()) if line["model"] == "lexical"]
    runs = {line["task_id"][-3:]: line["run"] for line in lines}
    worlds = {task: sorted(world["name"] for world in run["worlds"]) for task, run in runs.items()}
    assert {"slack", "wecome", "obsidian", "notion"} <= set(worlds["173"])


def test_a_complete_public_record_runs_from_its_own_world_and_date(pytester: pytest.Pytester) -> None:
    """The reference finds its calendar and creates its event; whether it is the right one is the judge's to say."""
    pytester.makeini("[pytest]\nfilterwarnings = default\n")
    (record,) = json.loads(shared_file("persona/persona_record_1.json").read_text(encoding="utf-8"))
    calls = record["gt_annotation"]["tool_calling_sequence"].replace(
        "path={…}, data={…}",
        'path={"calendar_id": "feishu.cn_v7jy192knrj7zflo8ol3dh@group.calendar.feishu.cn"}, data={"summary": "Review", '
        '"start_time": {"timestamp": <timestamp_for_next_monday_10am>}, '
        '"end_time": {"timestamp": <timestamp_for_next_monday_12pm>}}',
    )
    record["gt_annotation"]["tool_calling_sequence"] = calls
    (pytester.mkdir("data") / "tasks.json").write_text(json.dumps([record]), encoding="utf-8")
    suite = shipped_directory() / "persona" / "suite.toml"
    result = pytester.runpytest_inprocess(
        f"--suite={suite}", "--mcpbench-data=data", "--model=oracle", "--model=noop", "--mcpbench-out=out"
    )
    assert result.parseoutcomes() == {"failed": 1, "unscored": 1, "warnings": 2}
    result.stdout.fnmatch_lines(["*does not read these fields of its seed: avatar.avatar_640, *status.is_exited, *"])
    (records,) = [path.read_text(encoding="utf-8") for path in (pytester.path / "out").glob("records-*.jsonl")]
    oracle = next(line for line in map(json.loads, records.splitlines()) if line["model"] == "oracle")
    (created,) = [change for world in oracle["run"]["worlds"] for change in world["changes"]]
    monday = int(datetime(2026, 3, 16, 10, tzinfo=ZoneInfo("Asia/Shanghai")).timestamp())
    assert created["after"]["start_time.timestamp"] == str(monday)
    assert "only the checkpoint's text says what is right" in oracle["scorecard"]["scores"]["exec"]["unscored"]
    assert "It is now 2026-03-09T09:00:00+08:00." in oracle["system_prompt"]
