"""Precision and recall of the rules on pairs of a claim and an answer that were written by hand."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_mcpbench.judges.keyfacts.decision import decide

ROOT = Path(__file__).parents[3]
TUNED = ("tuned", "held_out")
UNSEEN = ("unseen_1", "unseen_2", "unseen_3")
"""Written after the rules were finished but for what each set made us mend; see the page on coverage."""
FILES = (*TUNED, *UNSEEN)


def _entries(name: str) -> list[dict[str, Any]]:
    path = Path(__file__).parent / "pairs" / f"{name}.yaml"
    entries: list[dict[str, Any]] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return entries


def _long(key: str) -> list[tuple[str, str]]:
    """Return claims with the long answers that state or lack them."""
    entries = _entries("long_answers")
    claims = [(claim, entry["answer"]) for entry in entries for claim in entry[key]]
    return [(claim if isinstance(claim, str) else next(iter(claim.values())), answer) for claim, answer in claims]


def _right(*names: str) -> Iterator[tuple[str, str]]:
    return ((entry["claim"], answer) for name in names for entry in _entries(name) for answer in entry["right"])


def _wrong(*names: str) -> Iterator[tuple[str, str]]:
    return (
        (entry["claim"], answer)
        for name in names
        for entry in _entries(name)
        for wrong in entry["wrong"]
        for answer in wrong.values()
    )


def _labels(pairs: Iterable[tuple[str, str]]) -> Counter[str | None]:
    return Counter(decide(claim, answer).label for claim, answer in pairs)


def test_there_are_enough_pairs_and_a_fifth_is_held_out() -> None:
    counts = {name: (len([*_right(name)]), len([*_wrong(name)])) for name in FILES}
    assert sum(right for right, _ in counts.values()) >= 250
    assert sum(wrong for _, wrong in counts.values()) >= 250
    assert 5 * sum(counts["held_out"]) >= sum(sum(counts[name]) for name in TUNED)
    assert all(sum(counts[name]) >= 200 for name in UNSEEN)


def test_nearly_every_answer_that_is_fulfilled_is_right() -> None:
    right, wrong = _labels(_right(*FILES)), _labels(_wrong(*FILES))
    assert right["fulfilled"] / (right["fulfilled"] + wrong["fulfilled"]) >= 0.99


def test_most_right_answers_are_fulfilled_and_hardly_any_is_refused() -> None:
    labels = _labels(_right(*FILES))
    assert labels["fulfilled"] / labels.total() >= 0.75
    assert labels["not_fulfilled"] / labels.total() <= 0.05


def test_most_wrong_answers_are_recognised_as_wrong() -> None:
    labels = _labels(_wrong(*FILES))
    assert labels["not_fulfilled"] / labels.total() >= 0.55


@pytest.mark.parametrize("kind", ["withdrawn", "doubt", "question", "answerless"])
def test_answers_without_an_assertion_are_never_fulfilled(kind: str) -> None:
    answers = [
        (entry["claim"], wrong[kind])
        for name in FILES
        for entry in _entries(name)
        for wrong in entry["wrong"]
        if kind in wrong
    ]
    assert [pair for pair in answers if decide(*pair).label == "fulfilled"] == []


def test_of_long_answers_no_claim_that_they_lack_is_fulfilled_and_hardly_any_that_they_state_is_refused() -> None:
    stated, lacking = _labels(_long("states")), _labels(_long("lacks"))
    assert stated.total() + lacking.total() >= 150
    assert lacking["fulfilled"] == 0
    assert stated["fulfilled"] / stated.total() >= 0.5
    assert stated["not_fulfilled"] / stated.total() <= 0.02


@pytest.mark.parametrize("page", ["README.md", "docs/reference/metrics/coverage.md"])
def test_the_pages_say_how_many_claims_of_long_answers_stay_open(page: str) -> None:
    text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
    stated = _labels(_long("states"))
    share = f"({stated[None] / stated.total():.0%})".replace("%", " %")
    assert [part for part in (f" {stated[None]} ", f" {stated.total()} claims", share) if part not in text] == []
