"""A run of one shard makes its tasks only, says so, and is joined with the others afterwards."""

import pytest

from pytest_mcpbench.cli import main
from pytest_mcpbench.runs.records import read_facts, read_records
from tests.plugin.conftest import TASKS

ONE, OTHER = "mcpbench: shard 1/2 has 1 of 2 attempts; *", "mcpbench: shard 2/2 has 1 of 2 attempts; *"


def test_a_shard_runs_its_tasks_and_says_how_many_it_left_out(project: pytest.Pytester) -> None:
    result = project.runpytest_inprocess("--model=oracle", "--mcpbench-shard=1/2")
    result.assert_outcomes(passed=1, deselected=1)
    result.stdout.fnmatch_lines([ONE + "1 were deselected, they belong to other shards"])


def test_all_shards_together_run_every_task_once(project: pytest.Pytester) -> None:
    for index in (1, 2):
        project.runpytest_inprocess(
            "--model=oracle", "--model=noop", f"--mcpbench-shard={index}/2", f"--mcpbench-out=s{index}"
        )
    made = [
        (record.task_id, record.model) for index in (1, 2) for _, record in read_records(project.path / f"s{index}")
    ]
    assert sorted(made) == [(task, model) for task in ("add-idea", "read-shopping") for model in ("noop", "oracle")]


@pytest.mark.long
def test_workers_share_the_tasks_of_one_shard(project: pytest.Pytester) -> None:
    result = project.runpytest_inprocess("--model=oracle", "--mcpbench-shard=2/2", "-n", "2")
    assert result.parseoutcomes()["passed"] == 1
    result.stdout.fnmatch_lines([OTHER])


def test_further_selection_is_within_the_shard(project: pytest.Pytester) -> None:
    arguments = ("--model=oracle", "-k", "add-idea or shopping", "--mcpbench-shard=1/2")
    project.runpytest_inprocess(*arguments).assert_outcomes(passed=1, deselected=1)


def test_the_last_failures_of_a_shard_can_be_run_alone(project: pytest.Pytester) -> None:
    arguments = ("-p", "cacheprovider", "--model=noop", "--mcpbench-shard=1/2")
    project.runpytest_inprocess(*arguments).assert_outcomes(failed=1, deselected=1)
    assert project.runpytest_inprocess(*arguments, "--lf").parseoutcomes()["failed"] == 1


def test_tests_that_are_no_tasks_run_in_every_shard(project: pytest.Pytester) -> None:
    project.makepyfile("def test_plain(): pass")
    for index in (1, 2):
        project.runpytest_inprocess("--model=oracle", f"--mcpbench-shard={index}/2").assert_outcomes(
            passed=2, deselected=1
        )


def test_tests_of_ones_own_are_shared_by_their_tasks(project: pytest.Pytester) -> None:
    project.makepyfile(
        """
        import pytest
        @pytest.mark.mcpbench(suite="notes.mcpbench.yaml")
        def test_own(mcp_scorecard): pass
        """
    )
    result = project.runpytest_inprocess(
        "--model=noop", "--mcpbench-shard=1/2", project.path / "test_tests_of_ones_own_are_shared_by_their_tasks.py"
    )
    result.assert_outcomes(passed=1, deselected=1)


def test_a_shard_without_tasks_is_no_failure_and_says_on_disk_that_it_was_run(project: pytest.Pytester) -> None:
    empty = next(
        index
        for index in range(1, 9)
        if f"shard {index}/8 has 0"
        in project.runpytest_inprocess("--model=noop", "--co", f"--mcpbench-shard={index}/8").stdout.str()
    )
    result = project.runpytest_inprocess("--model=oracle", f"--mcpbench-shard={empty}/8", "--mcpbench-out=empty")
    assert result.ret == pytest.ExitCode.OK
    assert read_facts(project.path / "empty")["contents"]["notes"]["tasks"] == ["read-shopping", "add-idea"]


@pytest.mark.parametrize("shard", ["3/2", "0/2", "half"])
def test_a_shard_that_cannot_be_is_a_usage_error(project: pytest.Pytester, shard: str) -> None:
    result = project.runpytest_inprocess(f"--mcpbench-shard={shard}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*--mcpbench-shard: a shard is i/n*'{shard}'*"])


def test_merge_joins_shards_and_names_what_is_missing(
    project: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    for index in (1, 2):
        project.runpytest_inprocess("--model=oracle", f"--mcpbench-shard={index}/2", f"--mcpbench-out=s{index}")
    capsys.readouterr()
    assert main(["merge", "s1", "s2", "--out", "both", "--fail-if-missing"]) == 0
    assert capsys.readouterr().err == "mcpbench: 2 records are in both\n"
    assert main(["merge", "s1", "--out", "half", "--fail-if-missing", "--format", "markdown"]) == 1
    written, said = capsys.readouterr()
    assert "shards that are not among the directories: 2/2" in said
    assert "suite notes, model oracle: without a record (1): " in said
    assert written.startswith("<!-- pytest-mcpbench report -->")


def test_merge_refuses_shards_of_different_suites(project: pytest.Pytester, capsys: pytest.CaptureFixture[str]) -> None:
    project.runpytest_inprocess("--model=oracle", "--mcpbench-shard=1/2", "--mcpbench-out=s1")
    project.makefile(".mcpbench.yaml", notes=TASKS.replace("Idea", "Thought"))
    project.runpytest_inprocess("--model=oracle", "--mcpbench-shard=2/2", "--mcpbench-out=s2")
    capsys.readouterr()
    assert main(["merge", "s1", "s2", "--out", "both"]) == 2
    said = capsys.readouterr().err
    hashes = [read_facts(project.path / name)["contents"]["notes"]["hash"] for name in ("s1", "s2")]
    assert all(part in said for part in ("suite 'notes' is not the same", *hashes, "s1", "s2"))
