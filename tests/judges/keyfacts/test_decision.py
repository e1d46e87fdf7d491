import ast
import csv
import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mcpbench.judges.keyfacts.decision import decide
from tests.shared_data import shared_file

CASES = [
    ("all facts", "Ann Lee owns 12 shops.", "There are twelve shops owned by Ann Lee.", "fulfilled"),
    ("another notation", "The share of women is 48.39%.", "The share of women is 0.484.", "fulfilled"),
    ("a fall in words", "The change was -18.4%.", "The change was a fall of 18.4%.", "fulfilled"),
    ("a rise for a fall", "The change in May was -18.4%.", "The change in May was 18.4%.", "not_fulfilled"),
    ("the subject alone", "Ann Lee owns 12 shops.", "Ann Lee owns some shops.", "not_fulfilled"),
    ("one of two values", "Ann Lee owns 12 shops and 300 cars.", "Ann Lee owns 12 shops.", "partially_fulfilled"),
    ("another value", "Ann Lee owns 12 shops and 300 cars.", "Ann Lee owns 12 shops and 30 cars.", "not_fulfilled"),
    ("a date", "It began on April 3, 2024 in Boom.", "In Boom it began on 2024-04-03.", "fulfilled"),
    ("another date", "It began on April 3, 2024 in Boom.", "In Boom it began on 2024-04-04.", "not_fulfilled"),
    ("a hash", "The commit is 0865ef487b81.", "Commit: `0865ef487b81`.", "fulfilled"),
    ("a negated answer", "Ann Lee owns 12 shops.", "Ann Lee does not own 12 shops.", "not_fulfilled"),
    ("a negated claim", "Ann Lee has no shop in Boom.", "In Boom, Ann Lee has no shop.", "fulfilled"),
    ("another unit", "The trip takes 2 hours.", "The trip takes 2 minutes.", "not_fulfilled"),
    ("the same in another unit", "The trip takes 2 hours.", "The trip takes 120 minutes.", "fulfilled"),
    ("another currency", "It costs 500 EUR.", "It costs 500 USD.", "not_fulfilled"),
    ("rounded", "The mean age is 31.33 years.", "The mean age is 31.3 years.", "fulfilled"),
    ("close, but not rounded", "The mean age is 31.33 years.", "The mean age is 31.9 years.", None),
    ("about", "The mean age is 31.33 years.", "The mean age is about 32 years.", "fulfilled"),
    ("other words", "The mean age is 31.3 years.", "The typical member lives for 31.3 years.", None),
    ("an added name", "Ann Lee owns 12 shops.", "Ann Lee and Bo owns 12 shops.", None),
    ("a correction", "Ann Lee owns 12 shops.", "Ann Lee owns 12 shops. Ann Lee owns 15 shops.", None),
    ("a denial behind it", "Ann Lee owns 12 shops.", "Ann Lee owns 12 shops. That is wrong.", "not_fulfilled"),
    ("a version", "Version 2.1 fixed the bug.", "The bug was fixed by version 2.1.", "fulfilled"),
    ("another version", "Version 2.1 fixed the bug.", "Version 2.10 fixed the bug.", "not_fulfilled"),
    ("a seat", "The seat is 38A.", "Seat: 38A.", "fulfilled"),
    ("another seat", "The seat is 38A.", "The seat is 39A.", "not_fulfilled"),
    ("another flat", "Bo lives in flat 12B.", "Bo lives in flat 12C.", "not_fulfilled"),
    ("another telephone number", "Bo has +8613800000005.", "Bo has +8613800000006.", "not_fulfilled"),
    ("a unit without a space", "The path is 5km long.", "The path is 5 km long.", "fulfilled"),
    ("Chinese", "张伟的会议在3月5日。", "张伟的会议安排在3月5日。", "fulfilled"),
    ("an empty answer", "Ann Lee owns 12 shops.", "", "not_fulfilled"),
    ("an empty claim", "", "Anything.", None),
]  # fmt: skip


@pytest.mark.parametrize(("_name", "claim", "answer", "label"), CASES, ids=[case[0] for case in CASES])
def test_a_claim_is_decided_by_facts_words_and_polarity(_name: str, claim: str, answer: str, label: str | None) -> None:
    assert decide(claim, answer).label == label


def test_the_reason_names_what_is_missing() -> None:
    assert decide("Ann Lee owns 12 shops and 300 cars.", "Ann Lee owns 12 shops.").reason == (
        "a part of it is stated; not in the answer: '300'"
    )
    assert decide("It is mounted on silk.", "It hangs on silk.").reason == (
        "some words of the claim are not in the answer: 'mounted'"
    )
    assert decide("It is 7 degrees.", "The temperature is 7 degrees Celsius.").reason == (
        "'7' has a unit in the claim or in the answer only"
    )


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_is_decided_and_always_alike(claim: str, answer: str) -> None:
    assert decide(claim, answer) == decide(claim, answer)


def _claims() -> list[tuple[str, ...]]:
    csv.field_size_limit(sys.maxsize)
    with shared_file("atlas/sample_tasks.csv").open(newline="", encoding="utf-8") as file:
        return [_decoded(row["GTFA_CLAIMS"]) for row in csv.DictReader(file)]


def _decoded(cell: str) -> tuple[str, ...]:
    try:
        return tuple(json.loads(cell))
    except ValueError:
        return tuple(ast.literal_eval(cell))


def test_every_claim_of_ten_real_tasks_is_fulfilled_by_itself_and_by_all_of_its_tasks_claims() -> None:
    for claims in _claims():
        for claim in claims:
            assert decide(claim, claim).label == "fulfilled"
            assert decide(claim, "\n".join(f"- **{other}**" for other in claims)).label == "fulfilled"


def test_a_claim_of_ten_real_tasks_is_never_fulfilled_by_one_of_another_task() -> None:
    tasks = _claims()
    labels = [
        decide(claim, other).label
        for task in tasks
        for claim in task
        for others in tasks
        if others is not task
        for other in others
    ]
    assert labels.count("fulfilled") == 0
    assert labels.count("not_fulfilled") / len(labels) > 0.99


@pytest.mark.parametrize(
    "frame",
    [
        "In a hypothetical example one could write: {}",
        "Option A: {}\nOption B: something else.",
        "Still to be verified:\n{}",
        "{}\nThese figures are unverified.",
        "{}\nI have not verified this.",
        "{}\nHowever, that page is outdated.",
    ],
)
def test_a_frame_that_discredits_its_statement_is_never_fulfilled(frame: str) -> None:
    assert decide("The crane is planned for 4 May.", "The crane is planned for 4 May.").label == "fulfilled"
    assert (
        decide("The crane is planned for 4 May.", frame.format("The crane is planned for 4 May.")).label != "fulfilled"
    )


def test_a_fact_about_verification_discredits_nothing() -> None:
    assert decide("Nina's number is 4477.", "Nina's number is 4477. She is not verified.").label == "fulfilled"


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ("This account is not verified.", "fulfilled"),
        ("Her account is not verified. This is not verified.", None),
        ("Her account is not verified. It is not verified that her account is not verified.", None),
        ("Her account is not verified. These figures are not verified.", None),
        ("This account is verified.", "not_fulfilled"),
    ],
)
def test_a_claim_that_something_is_not_verified_is_compared_as_a_statement(answer: str, label: str | None) -> None:
    assert decide("Her account is not verified.", answer).label == label


@pytest.mark.parametrize(
    "frame", ["It is not verified that {}", "{}; this is not verified.", "{}, which is not verified."]
)
def test_a_claim_about_verification_may_be_doubted_itself(frame: str) -> None:
    claim = "The account has 12 followers and is not verified."
    assert decide(claim, frame.format("the account has 12 followers")).label is None
