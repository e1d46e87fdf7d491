"""``mcpbench show`` prints the attempt that was asked for."""

from pathlib import Path

import pytest

from pytest_mcpbench.cli import main
from tests.cli.test_command_line import run_of, write
from tests.reporting.samples import one_of_each


@pytest.fixture
def run(tmp_path: Path) -> str:
    return str(write(tmp_path / "run", [*one_of_each(), *one_of_each("other")]))


def test_the_attempt_of_the_model_is_printed(run: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", run, "pass", "--model", "other", "--trial", "1"]) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("s · pass · other · trial 1\noutcome:  passed\n")
    assert "  milk, eggs\n" in shown.out
    assert shown.err == "mcpbench: other attempts: s m trial 1 (passed); choose with --model, --trial\n"


@pytest.mark.parametrize("task", ["689bd255c0422b257e7dfcc5", "t" + "5" * 5000])
def test_the_name_of_a_task_that_looks_like_a_key_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], task: str
) -> None:
    assert main(["show", str(write(tmp_path / "run", run_of({task: "failed"}))), task]) == 0
    assert task in capsys.readouterr().out


def test_no_line_is_a_command_to_a_ci_system(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = [record.model_copy(update={"prompt": "x\n::stop-commands::x", "turns": ()}) for record in one_of_each()]
    assert main(["show", str(write(tmp_path / "run", records)), "pass"]) == 0
    shown = capsys.readouterr().out
    assert ":stop-commands::x" in shown
    assert "::stop-commands" not in shown


def test_the_first_attempt_that_failed_is_printed_unless_one_is_chosen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = [
        record.model_copy(update={"trial": trial})
        for trial, outcome in enumerate(("passed", "error", "failed"), 1)
        for record in run_of({"t": outcome})
    ]
    directory = write(tmp_path / "run", records)
    assert main(["show", str(directory), "t"]) == 0
    assert "trial 3\noutcome:  failed\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["pas"], "has no attempt of a task 'pas'."),
        (["pass", "--trial", "7"], "has no such attempt of pass; there are: s m trial 1, s other trial 1."),
    ],
)
def test_an_attempt_that_does_not_exist_is_a_mistake(
    arguments: list[str], problem: str, run: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", run, *arguments]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert problem in shown.err
