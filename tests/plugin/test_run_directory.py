"""Records and their directory: one run at a time writes there, and nothing from outside costs a record."""

import pytest

from fixtures.chat_server import chat_server, completion, fails, says
from pytest_mcpbench.runtime.records import read_records, read_report
from tests.runtime.test_run_lock import holder


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["one process", "a worker"])
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


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["one process", "a worker"])
def test_a_run_that_writes_no_record_leaves_no_directory(project: pytest.Pytester, workers: tuple[str, ...]) -> None:
    project.runpytest_inprocess("--mcpbench-out=out", "-k", "no-such-task", *workers)
    project.runpytest_inprocess("--mcpbench-out=out", "--collect-only", *workers)
    assert not (project.path / "out").exists()


def test_resumed_into_the_same_directory_with_workers_new_results_replace_old_errors(project: pytest.Pytester) -> None:
    answers = [fails(401), fails(401), says("Milk."), says("Milk.")]
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
