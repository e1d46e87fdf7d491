"""Applied reviews change the lines of edited and rejected tasks, and no other byte."""

import json
from pathlib import Path

import pytest

from pytest_mcpbench.cli import main
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.generation.review.applying import apply_review
from pytest_mcpbench.generation.review.recording import NewDecision
from pytest_mcpbench.generation.review.task_rows import Edit
from tests.generation.review.suites import FIVE, decide, review_of, write_suite


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return write_suite(tmp_path / "mine")


def edit(suite: Path) -> None:
    review = review_of(suite)
    parts = Edit(requests=("What is 4 + 5?",), arguments=({"a": 4, "b": 5},))
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
    assert "Ada and Bob: 100.0 % of 1 tasks agree, kappa n/a" in shown.out
    assert "review.jsonl:4" in shown.err
    assert "not in the suite: gone" in shown.err


@pytest.mark.parametrize("arguments", [("--reviewers", "0"), ("--apply", "--agreement")])
def test_a_wrong_command_line_is_refused(suite: Path, arguments: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit):
        main(["review", str(suite), *arguments])
