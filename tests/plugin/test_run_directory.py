"""Records and their directory: one run at a time writes there, and nothing from outside costs a record."""

import os
import resource

import pytest

from fixtures.chat_server import chat_server, completion, fails, says
from pytest_mcpbench.runs.lookup import find_run
from pytest_mcpbench.runs.records import read_facts_now, read_records, read_report
from tests.runs.test_run_lock import holder

LARGEST = 2**21
"""Largest size of a file, in bytes, as if the disk were full."""


in_each_way = pytest.mark.parametrize(
    "workers", [(), pytest.param(("-n", "1"), marks=pytest.mark.extra)], ids=["one process", "a worker"]
)


@in_each_way
def test_a_second_run_in_the_directory_ends_before_its_first_attempt(
    project: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    with holder(project.path / "out") as first:
        try:
            result = project.runpytest_inprocess("--model=oracle", "--mcpbench-out=out", *workers)
        finally:
            first.communicate()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: *out: another run writes its records there: process {first.pid} on *"])
    assert not (project.path / "out").exists()


@in_each_way
def test_a_run_that_writes_no_record_leaves_no_directory(project: pytest.Pytester, workers: tuple[str, ...]) -> None:
    project.runpytest_inprocess("--mcpbench-out=out", "-k", "no-such-task", *workers)
    project.runpytest_inprocess("--mcpbench-out=out", "--collect-only", *workers)
    assert not (project.path / "out").exists()


@pytest.mark.extra
def test_a_run_that_is_interrupted_before_its_first_item_stores_its_end(project: pytest.Pytester) -> None:
    project.makeconftest("""
        import pytest

        @pytest.hookimpl(tryfirst=True)
        def pytest_runtest_protocol(item):
            raise KeyboardInterrupt("SIGTERM")
    """)
    project.runpytest_inprocess("--model=oracle", "--mcpbench-out=out", no_reraise_ctrlc=True)
    end = {"cause": "interrupted", "reason": "SIGTERM", "selected": 2, "tests_left": 2}
    assert read_facts_now(project.path / "out")["end"] == end
    project.runpytest_inprocess("--model=oracle", "--mcpbench-out=out", "-k", "no-such-task")
    assert read_facts_now(project.path / "out")["end"] == end


@pytest.mark.long
def test_resumed_into_the_same_directory_with_workers_new_results_replace_old_errors(project: pytest.Pytester) -> None:
    answers = [fails(402), fails(402), says("Milk."), says("Milk.")]
    with chat_server(answers) as server:
        run = (f"--model={server.url}", "--mcpbench-out=out")
        project.runpytest_inprocess(*run).assert_outcomes(errors=2)
        project.runpytest_inprocess(*run, "--mcpbench-resume=out", "-n", "1").assert_outcomes(failed=2)
    assert len(list(read_records(project.path / "out"))) == 4
    assert [entry.outcome for entry in read_report(project.path / "out").entries] == ["failed"] * 2


def test_a_provider_that_writes_lone_surrogates_costs_no_record(project: pytest.Pytester) -> None:
    message = {"role": "assistant", "content": "Milk\ud800."}
    answer = completion(message, model="a\udc00", finish_reason="stop\ud800")
    with chat_server([answer, answer]) as server:
        project.runpytest_inprocess(f"--model={server.url}", "--mcpbench-out=out").assert_outcomes(failed=2)
    records = [record for _, record in read_records(project.path / "out")]
    assert [record.evidence and record.evidence.answer for record in records] == ["Milk\ufffd."] * 2


@pytest.mark.parametrize("file", ["records-main.jsonl", "evidence-main.jsonl"])
def test_a_disk_that_fills_up_ends_the_run_in_order(project: pytest.Pytester, file: str) -> None:
    project.mkdir("out")
    (project.path / "out" / file).touch()
    os.truncate(project.path / "out" / file, LARGEST)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST, hard))
    try:
        result = project.runpytest_inprocess("--model=oracle", "--mcpbench-out=out", "--mcpbench-concurrency=1")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines([f"*{file}: cannot be written: File too large. Free some space, *"])
    assert "Traceback" not in result.stdout.str() + result.stderr.str()


def test_a_directory_that_cannot_be_written_ends_the_run_before_its_first_attempt(project: pytest.Pytester) -> None:
    (project.path / "out").write_text("a file")
    result = project.runpytest_inprocess("--model=oracle", "--mcpbench-out=out")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *out: records cannot be written there: File exists"])


def test_the_last_run_is_resumed_by_its_name(project: pytest.Pytester) -> None:
    project.runpytest_inprocess("--model=oracle", "-k", "read-shopping")
    result = project.runpytest_inprocess("--model=oracle", "--mcpbench-resume=last", "--mcpbench-out=out")
    result.assert_outcomes(passed=2)
    before = {entry.seconds for entry in read_report(find_run(str(project.path / "out"))).entries}
    (earlier,) = {path.parent for path in project.path.glob(".mcpbench/runs/*/run.json")}
    assert {entry.seconds for entry in read_report(earlier).entries} < before


def test_a_resumed_run_asks_the_judge_that_failed_and_not_the_agent(project: pytest.Pytester) -> None:
    project.path.joinpath("notes.mcpbench.yaml").write_text("tasks:\n  - {id: a, ask: Hello, claims: [It is milk.]}\n")
    answers = [fails(401)]
    with chat_server([says("Milk.")]) as agent, chat_server(lambda _: answers[0]) as judge:
        run = (f"--model={agent.url}", "--mcpbench-out=out", f"--mcpbench-judge={judge.url}")
        project.runpytest_inprocess(*run)
        assert [entry.outcome for entry in read_report(project.path / "out").entries] == ["unscored"]
        answers[0] = says('{"label": "fulfilled", "reason": "so"}')
        project.runpytest_inprocess(*run, "--mcpbench-resume=out").assert_outcomes(passed=1)
        assert len(agent.requests) == 1


@pytest.mark.parametrize("judge", ["a", "none"])
def test_a_resumed_run_has_no_verdict_of_a_judge_that_is_not_its_own(project: pytest.Pytester, judge: str) -> None:
    project.path.joinpath("notes.mcpbench.yaml").write_text("tasks:\n  - {id: a, ask: Hello, claims: [It is milk.]}\n")
    denies = says('{"label": "not_fulfilled", "reason": "so"}')
    confirms = says('{"label": "fulfilled", "reason": "so"}')
    with (
        chat_server([says("Milk.")]) as agent,
        chat_server(lambda _: denies) as before,
        chat_server(lambda _: confirms) as after,
    ):
        for server, name, expected in ((before, "a", "failed"), (after, judge, {"a": "passed"}.get(judge, "unscored"))):
            alias = f'[tool.mcpbench.models]\na = {{ url = "{server.url}" }}\n'
            project.path.joinpath("pyproject.toml").write_text(alias)
            run = (f"--model={agent.url}", "--mcpbench-out=out", "--mcpbench-resume=out", f"--mcpbench-judge={name}")
            project.mkdir("out") if expected == "failed" else None
            project.runpytest_inprocess(*run)
            assert [entry.outcome for entry in read_report(project.path / "out").entries] == [expected]
        assert len(agent.requests) == 1


def test_a_resumed_run_asks_the_model_that_an_alias_now_stands_for(project: pytest.Pytester) -> None:
    with chat_server([says("Milk.")] * 4) as first, chat_server([says("Milk.")] * 4) as second:
        project.mkdir("out")
        for server in (first, second):
            alias = f'[tool.mcpbench.models]\nmine = {{ url = "{server.url}" }}\n'
            project.path.joinpath("pyproject.toml").write_text(alias)
            project.runpytest_inprocess("--model=mine", "--mcpbench-out=out", "--mcpbench-resume=out")
        assert len(first.requests) == len(second.requests) == 2


def test_a_task_whose_id_contains_a_secret_is_an_error_with_its_place(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTES_API_KEY", "Pl4ntedX7f9c2e4")
    project.makefile(".mcpbench.yaml", keys="tasks: [{id: a-Pl4ntedX7f9c2e4, ask: Say 1., answer: '1'}]")
    result = project.runpytest_inprocess("--model=oracle", "--mcpbench-out=out", "keys.mcpbench.yaml")
    result.assert_outcomes(errors=1)
    problem = "id: it contains the value of a secret, which is removed from records. Choose another id."
    assert [entry.error for entry in read_report(project.path / "out").entries] == [f"keys.mcpbench.yaml:1: {problem}"]
    assert "Pl4ntedX7f9c2e4" not in result.stdout.str() + result.stderr.str()
