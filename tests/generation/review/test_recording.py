"""Decisions are stored as lines about the version that a reviewer saw, and no line is ever lost."""

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.core.errors import StorageError, UsageError
from pytest_mcpbench.generation.review.documents import review_document
from pytest_mcpbench.generation.review.recording import NewDecision, Review
from pytest_mcpbench.generation.review.task_rows import TaskEdit, edit_of, edited_row
from tests.builders import expected_call
from tests.generation.review.suites import FIVE, ROWS, decide, review_of, write_suite


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return write_suite(tmp_path / "mine")


def new_decision(review: Review, task: str = "add", decision: str = "accept", **fields: Any) -> NewDecision:
    version = review.task(task).version.hash
    return NewDecision.model_validate({"task": task, "hash": version, "decision": decision, **fields})


def lines_of(suite: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (suite / "review.jsonl").read_text(encoding="utf-8").splitlines()]


def test_a_decision_is_a_line_with_reviewer_hash_and_time(suite: Path) -> None:
    review = review_of(suite)
    review.store(new_decision(review, scores=FIVE, reason="  fine  "), "Ada")
    (line,) = lines_of(suite)
    assert line.pop("time").endswith("+00:00")
    assert line == {
        "task": "add",
        "hash": review.suite.versions["add"].hash,
        "reviewer": "Ada",
        "decision": "accept",
        "scores": FIVE,
        "reason": "fine",
    }
    assert review.task("add").verdict == "accepted"


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"scores": {**FIVE, "data_freshness": 6}}, "less than or equal to 5"),
        ({"decision": "reject"}, "a rejection has a reason"),
        ({"decision": "edit"}, "cannot be edited here"),
        ({"task": "none", "hash": "x"}, "there is no task 'none'"),
        ({"hash": "x"}, "has changed"),
        ({"decision": "edit", "edit": {"requests": [], "arguments": [{}]}}, "requests: has 0 entries"),
        ({"decision": "edit", "edit": {"requests": ["What is 1 + 2?"], "arguments": [{"a": 1, "b": 2}]}}, "nothing"),
        ({"decision": "edit", "edit": {"requests": ["x"], "arguments": [{"a": {"regex": "("}}]}}, "loader refuses"),
    ],
)
def test_a_wrong_decision_is_refused_and_leaves_no_line(suite: Path, fields: dict[str, Any], problem: str) -> None:
    review = review_of(suite)
    new = NewDecision.model_validate({**new_decision(review).model_dump(exclude={"edit"}), **fields})
    with pytest.raises(UsageError, match=problem.replace("+", r"\+")):
        review.store(new, "Ada")
    assert not (suite / "review.jsonl").exists()


def test_with_two_reviewers_an_acceptance_has_scores(suite: Path) -> None:
    review = review_of(suite, reviewers=2)
    with pytest.raises(UsageError, match="with 2 reviewers an acceptance has scores"):
        review.store(new_decision(review), "Ada")
    assert not (suite / "review.jsonl").exists()
    review.store(new_decision(review, scores=FIVE), "Ada")
    review.store(new_decision(review, task="pick", decision="reject", reason="odd"), "Ada")


def test_an_edit_makes_decisions_about_the_task_before_it_stale(suite: Path) -> None:
    decide(suite, "add", "Bob")
    review = review_of(suite)
    edit = TaskEdit(requests=("What is 4 + 5?",), arguments=({"a": 4, "b": 5},))
    review.store(new_decision(review, decision="edit", edit=edit), "Ada")
    task = review_of(suite, 1).task("add")
    assert (task.is_edited, task.verdict, [each.reviewer for each in task.fresh]) == (True, "accepted", ["Ada"])
    assert task.version.task.turns[0].user == "What is 4 + 5?"
    document = review_document(review, "bob", {})
    (shown,) = (each for each in document["tasks"] if each["id"] == "add")
    assert [(each["reviewer"], each["is_stale"], each["is_own"]) for each in shown["decisions"]] == [
        ("Bob", True, True),
        ("Ada", False, False),
    ]


def test_a_decision_about_a_task_that_changed_on_disk_is_stale(suite: Path) -> None:
    decide(suite, "add")
    assert review_of(suite).task("add").verdict == "accepted"
    write_suite(suite, {**ROWS[0], "ask": "What is 2 + 1?"}, *ROWS[1:])
    task = review_of(suite).task("add")
    assert (task.verdict, len(task.decisions), task.fresh) == ("open", 1, ())


def test_a_damaged_line_is_named_and_stays_and_the_others_count(suite: Path) -> None:
    decide(suite, "add")
    path = suite / "review.jsonl"
    made = json.loads(path.read_text())
    six = json.dumps({**made, "scores": {**FIVE, "data_freshness": 6}})
    path.write_text(path.read_text() + "{broken\n" + six + "\n" + '{"task": "add", "ha')
    before = path.read_bytes()
    review = review_of(suite)
    review.store(new_decision(review, "pick"), "Ada")
    assert path.read_bytes().startswith(before)
    read = review.file.read()
    assert [each.task for each in read.decisions] == ["add", "pick"]
    assert [problem.partition(": ")[0].rpartition(":")[2] for problem in read.damaged] == ["2", "3", "4"]


def test_downloaded_decisions_are_added_all_or_none(suite: Path, tmp_path: Path) -> None:
    made = decide(suite, "add", "Bob").model_dump(mode="json", exclude_defaults=True)
    downloaded = tmp_path / "decisions.jsonl"
    before = (suite / "review.jsonl").read_bytes()
    for wrong in ({"task": "none"}, {"hash": "x"}, {"scores": {"beauty": 5}}):
        downloaded.write_text("".join(json.dumps({**made, **more}) + "\n" for more in ({}, wrong)))
        with pytest.raises(UsageError, match="nothing is added"):
            review_of(suite).add(downloaded)
        assert (suite / "review.jsonl").read_bytes() == before
    downloaded.write_text(json.dumps({**made, "reviewer": "Eve"}) + "\n")
    assert review_of(suite).add(downloaded) == 1
    assert [line["reviewer"] for line in lines_of(suite)] == ["Bob", "Eve"]


def test_a_file_that_cannot_be_written_is_an_error(suite: Path) -> None:
    review = review_of(suite)
    (suite / "review.jsonl").mkdir()
    with pytest.raises(StorageError, match="cannot be written"):
        review.store(new_decision(review), "Ada")


def test_an_edit_changes_requests_and_arguments_and_nothing_else_of_a_row() -> None:
    for row in ROWS:
        edit = edit_of(row)
        changed = TaskEdit(
            requests=tuple(f"{text}!" for text in edit.requests),
            arguments=tuple({**each, "more": 1} for each in edit.arguments),
        )
        assert edit_of(edited_row(row, changed)) == changed
        assert edit_of(edited_row(edited_row(row, changed), edit)) == edit
    assert edit_of(ROWS[1]).arguments == ({}, {"id": {"any": True, "example": 7}})
    assert edited_row(ROWS[0], edit_of(ROWS[0])) == ROWS[0]


def test_the_hash_of_a_task_does_not_depend_on_the_order_of_a_set() -> None:
    names = [f"argument-{number}" for number in range(20)]
    call = expected_call("t", optional=frozenset(names))
    assert call.model_dump(mode="json")["optional"] == sorted(names)


def test_the_page_shows_what_an_agent_reads_first_and_what_it_must_reach(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "mine")
    manifest = suite / "suite.toml"
    settings = 'system = "You keep the books."\nfloors = { ast = 1.0 }\n'
    manifest.write_text(f"{settings}{manifest.read_text()}[metric_settings.ast]\nsets = ['to']\n")
    (shown, *_) = review_document(review_of(suite), "Ada", {})["tasks"]
    context = {part["title"]: part["text"] for part in shown["context"]}
    assert context["System prompt"] == "You keep the books."
    assert context["Passes if"].startswith("ast is at least 1 (Score of 1 if the calls equal the reference calls")
    assert context["Passes if"].endswith('settings: {"sets": ["to"]}')


def test_the_tools_that_are_as_right_stand_beside_a_reference_call(tmp_path: Path) -> None:
    similar = [{"tool": "google_search", "server": "google-search"}, {"tool": "look_up"}]
    row = {"id": "find", "ask": "Find it.", "calls": [{"tool": "tavily_search", "similar_tools": similar}]}
    (shown, *_) = review_document(review_of(write_suite(tmp_path / "mine", row)), "Ada", {})["tasks"]
    (call,) = shown["calls"]
    assert call["similar_tools"] == ["google_search (google-search)", "look_up"]


def test_a_model_that_reads_tasks_is_shown_as_a_model(suite: Path) -> None:
    decide(suite, "add", "Ada", is_model=True)
    (shown, *_) = review_document(review_of(suite), "Bob", {})["tasks"]
    assert shown["decisions"][0]["reviewer"] == "Ada (model)"
