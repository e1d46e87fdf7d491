"""Texts of models that repeat themselves, or want to keep the judge busy, are read in bounded time."""

import time

import pytest

from pytest_mcpbench.judges.keyfacts.decision import decide
from pytest_mcpbench.judges.keyfacts.wording import decide_wording

CLAIM = "Ann Lee has 12 shops in Rome."


@pytest.mark.parametrize(
    "shape", ["1.", "1.000", "a1", "1e", "é", "中", "but ", "\n", "a_", "\u0301\u0327", f"{CLAIM} "]
)
def test_16_000_characters_take_less_than_three_seconds(shape: str) -> None:
    started = time.process_time()
    text = (shape * 16_000)[:16_000]
    decide(CLAIM, text)
    decide_wording(CLAIM, f"{CLAIM} {text}")
    assert time.process_time() - started < 3  # most took far longer


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1." * 600, "the answer has a word of more than 1000 characters"),
        ("7" * 300, "the answer has a number of 300 digits or more"),
        ("and then " * 500, "the answer has a sentence of more than 4000 characters"),
        (f"{CLAIM}\n" * 201, "more than 200 passages of the answer have all words of the claim"),
    ],
)
def test_what_is_too_long_is_undecided_and_never_fulfilled(text: str, reason: str) -> None:
    decision = decide(CLAIM, f"{CLAIM}\n{text}")
    assert (decision.label, decision.reason) == (None, reason)
