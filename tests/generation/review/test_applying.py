"""Applied reviews change the lines of edited and rejected tasks, and no other byte."""

import json
import os
from pathlib import Path

import pytest

from pytest_mcpbench.cli import main
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.generation.review.applying import apply_review
from pytest_mcpbench.generation.review.recording import NewDecision
from pytest_mcpbench.generation.review.task_rows import TaskEdit
from tests.generation.review.suites import FIVE, MANIFEST, decide, review_of, write_suite


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return write_suite(tmp_path / "mine")


def edit(suite: Path) -> None:
    review = review_of(suite)
    parts = TaskEdit(requests=("What is 4 + 5?",), arguments=({"a": 4, "b": 5},))
    version = review.task("add").version.hash
    review.store(NewDecision(task="add", hash=version, decision="edit", edit=parts), "Ada")


def test_edits_are_written_rejected_tasks_move_and_undecided_ones_stay(
    suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edit(suite)
    decide(suite, "pick", decision="reject", reason="no one asks this")
    before = (suite / "tasks.jsonl").read_bytes().split(b"\n")
    assert main(["review", str(suite), "--apply"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "1 accepted, 1 of them edited; 1 rejected",
        "rejected: pick: Ada: no one asks this",
        "1 not decided, which stay: talk",
    ]
    after = (suite / "tasks.jsonl").read_bytes().split(b"\n")
    assert json.loads(after[0])["ask"] == "What is 4 + 5?"
    assert after[1:] == before[2:]
    (rejected,) = (suite / "rejected.jsonl").read_text().splitlines()
    assert json.loads(rejected)["original"] == json.loads(before[1])
    # The decisions are still about the tasks as they are now, so that a second time changes nothing.
    assert review_of(suite).task("add").verdict == "accepted"
    assert main(["review", str(suite), "--apply"]) == 0
    assert (suite / "tasks.jsonl").read_bytes().split(b"\n") == after
    assert len((suite / "rejected.jsonl").read_text().splitlines()) == 1


def test_nothing_is_applied_where_a_rejected_task_cannot_be_stored(
    suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    decide(suite, "pick", decision="reject", reason="no")
    before = (suite / "tasks.jsonl").read_bytes()
    (suite / "rejected.jsonl").symlink_to(suite / "nowhere" / "file")
    (suite / "nowhere").write_text("")
    assert main(["review", str(suite), "--apply"]) == 2
    message = capsys.readouterr().err
    assert "rejected.jsonl: cannot be written" in message
    assert "then run the command again" in message
    assert (suite / "tasks.jsonl").read_bytes() == before


def test_nothing_is_applied_while_a_line_is_damaged(suite: Path) -> None:
    decide(suite, "pick", decision="reject", reason="no")
    before = (suite / "tasks.jsonl").read_bytes()
    with (suite / "review.jsonl").open("a") as file:
        file.write("{broken\n")
    with pytest.raises(UsageError, match=r"review\.jsonl:2"):
        apply_review(review_of(suite))
    assert (suite / "tasks.jsonl").read_bytes() == before


def test_a_task_whose_line_has_changed_meanwhile_is_not_overwritten(suite: Path) -> None:
    decide(suite, "pick", decision="reject", reason="no")
    review = review_of(suite)
    write_suite(suite, {"id": "new", "ask": "x"}, {"id": "other", "ask": "y"})
    before = (suite / "tasks.jsonl").read_bytes()
    with pytest.raises(UsageError, match="the line has changed"):
        apply_review(review)
    assert (suite / "tasks.jsonl").read_bytes() == before


def test_one_person_under_two_spellings_accepts_nothing_for_two(
    suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("Ada", " ada"):
        decide(suite, "add", name, scores=FIVE)
        decide(suite, "pick", name, "reject", reason="no")
    assert main(["review", str(suite), "--apply", "--reviewers", "2"]) == 0
    assert "0 accepted, 0 of them edited; 0 rejected" in capsys.readouterr().out
    assert main(["review", str(suite), "--agreement", "--reviewers", "2"]) == 0
    assert "agreement needs two reviewers" in capsys.readouterr().out


def test_agreement_names_damaged_lines_and_unknown_tasks(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("Ada", "Bob"):
        decide(suite, "add", name, scores=FIVE)
    with (suite / "review.jsonl").open("a") as file:
        file.write('{"task": "gone", "hash": "x", "reviewer": "Ada", "decision": "accept"}\n{broken\n')
    assert main(["review", str(suite), "--agreement", "--reviewers", "2"]) == 2
    shown = capsys.readouterr()
    assert shown.out.startswith("3 tasks: 1 accepted, 0 rejected, 0 disputed, 2 open; 0 stale decisions")
    assert "Ada and Bob: 100.0 % of 1 task agree, kappa n/a" in shown.out
    assert "review.jsonl:4" in shown.err
    assert "not in the suite: gone" in shown.err


def test_effects_of_rejected_tasks_are_forgotten(suite: Path) -> None:
    (suite / "suite.toml").write_text(f'{MANIFEST}\n[effects]\nfile = "effects.jsonl"\n')
    (suite / "effects.jsonl").write_text('{"id":"add","effects":[]}\n{"id":"pick","effects":[]}\n')
    decide(suite, "add", decision="reject", reason="unclear")
    assert main(["review", str(suite), "--apply"]) == 0
    assert (suite / "effects.jsonl").read_text() == '{"id":"pick","effects":[]}\n'


def test_decisions_that_cannot_be_written_are_refused_before_anyone_decides(
    suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (suite / "review.jsonl").mkdir()
    assert main(["review", str(suite), "--no-browser"]) == 2
    assert "review.jsonl cannot be written; name another file with --decisions" in capsys.readouterr().err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_decisions_in_a_directory_that_is_read_only_are_refused(
    suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suite.chmod(0o555)
    assert main(["review", str(suite), "--no-browser"]) == 2
    assert "review.jsonl cannot be written" in capsys.readouterr().err


def test_decisions_about_a_suite_of_the_package_stay_out_of_it(
    suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    found = suite / "suite.toml"
    monkeypatch.setattr("pytest_mcpbench.cli.review.find_suites", lambda _name, _directory: [found])
    decisions = tmp_path / "decisions.jsonl"
    version = review_of(suite).task("add").version.hash
    decisions.write_text(f'{{"task": "add", "hash": "{version}", "reviewer": "Ada", "decision": "accept"}}\n')
    assert main(["review", "shipped", "--add", str(decisions)]) == 0
    assert [file.name for file in project.iterdir()] == [f"{suite.name}.review.jsonl"]
    assert not (suite / "review.jsonl").exists()
    assert main(["review", "shipped", "--apply"]) == 2
    assert "not below the working directory" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [("--reviewers", "0"), ("--apply", "--agreement")])
def test_a_wrong_command_line_is_refused(suite: Path, arguments: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit):
        main(["review", str(suite), *arguments])
