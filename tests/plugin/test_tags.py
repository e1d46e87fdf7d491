"""``--mcpbench-tag`` runs the tasks that have a tag, and only these."""

import json

import pytest


def test_only_tasks_with_the_tag_run(project: pytest.Pytester) -> None:
    result = project.runpytest_inprocess("--model=oracle", "--mcpbench-tag=kind=reading", "-v")
    result.assert_outcomes(passed=1, deselected=1)
    result.stdout.fnmatch_lines(["*read-shopping*PASSED*"])


def test_part_of_a_tag_is_a_usage_error_with_the_nearest_tag(project: pytest.Pytester) -> None:
    result = project.runpytest_inprocess("--model=oracle", "--mcpbench-tag=readin")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--mcpbench-tag: no task has the tag 'readin'. Did you mean 'reading'?"])


def test_a_tag_of_a_task_that_k_leaves_out_is_known(project: pytest.Pytester) -> None:
    result = project.runpytest_inprocess("--model=oracle", "--mcpbench-tag=reading", "-k", "add-idea")
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    result.assert_outcomes(deselected=2)


def test_a_broken_record_is_not_deselected(project: pytest.Pytester) -> None:
    project.makefile(".mcpbench.yaml", broken="tasks: [{id: broken, asks: Nothing.}]")
    result = project.runpytest_inprocess("--model=oracle", "--mcpbench-tag=reading")
    result.assert_outcomes(passed=1, errors=1, deselected=1)


def test_tests_without_a_task_run(project: pytest.Pytester) -> None:
    project.makepyfile("def test_plain(): pass")
    result = project.runpytest_inprocess("--model=oracle", "--mcpbench-tag=reading")
    result.assert_outcomes(passed=2, deselected=1)


@pytest.mark.long
def test_a_worker_reports_an_unknown_tag_to_the_controller(project: pytest.Pytester) -> None:
    result = project.runpytest_inprocess("--model=oracle", "--mcpbench-tag=readin", "-n", "2")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*no task has the tag 'readin'*"])


def test_records_and_the_json_report_have_every_tag(project: pytest.Pytester) -> None:
    project.runpytest_inprocess(
        "--model=oracle", "--mcpbench-tag=kind", "-k", "read", "--mcpbench-json=report.json", "--mcpbench-out=out"
    )
    report = json.loads((project.path / "report.json").read_text(encoding="utf-8"))
    assert {tag: list(values) for tag, values in report["tags"].items()} == {"kind": ["reading"]}
    assert [entry["tags"] for entry in report["entries"]] == [{"kind": "reading"}]
    (records,) = (project.path / "out").glob("records-*.jsonl")
    assert json.loads(records.read_text(encoding="utf-8"))["tags"] == {"kind": "reading"}
    run = json.loads((project.path / "out" / "run.json").read_text(encoding="utf-8"))
    assert "kind" in json.dumps(run["settings"]["tags"])


def test_a_table_of_metrics_by_tags_is_in_every_report_of_the_run(project: pytest.Pytester) -> None:
    table_of = ["--mcpbench-by=kind", "--mcpbench-by-metric=calls,steps"]
    out = ["--mcpbench-json=report.json", "--mcpbench-out=out"]
    result = project.runpytest_inprocess("--model=oracle", *table_of, *out)
    result.stdout.fnmatch_lines(["*: calls, steps by kind:", "reading*1.0*"])
    (table,) = json.loads((project.path / "report.json").read_text(encoding="utf-8"))["breakdowns"]
    assert table["by"] == ["kind"]
    assert {cell["metric"]: cell["value"] for cell in table["cells"] if cell["tags"] == {"kind": "reading"}} == {
        "calls": 1.0,
        "steps": 2.0,
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--mcpbench-by=kidn"], "--mcpbench-by: no task has the tag 'kidn'. Did you mean 'kind'?"),
        (["--mcpbench-by=kind", "--mcpbench-by-metric=calls,asst"], "by-metric: no metric is called 'asst'."),
    ],
)
def test_a_table_by_an_unknown_name_ends_the_run_before_the_first_task(
    project: pytest.Pytester, options: list[str], message: str
) -> None:
    result = project.runpytest_inprocess("--model=oracle", *options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{message}*"])
