"""Texts of models that repeat themselves, or want to keep the judge busy, are read in bounded time."""

import time

import pytest

from pytest_mcpbench.judges.keyfacts.decision import decide_claim, decide_text

CLAIM = "Ann Lee has 12 shops in Rome."


@pytest.mark.parametrize(
    "shape", ["1.", "1.000", "a1", "1e", "é", "中", "but ", "\n", "a_", "\u0301\u0327", f"{CLAIM} "]
)
def test_12_000_characters_take_seconds_and_not_hours(shape: str) -> None:
    started = time.process_time()
    text = (shape * 12_000)[:11_900]
    decide_claim(CLAIM, text)
    decide_text(CLAIM, f"{CLAIM} {text}")
    assert time.process_time() - started < 30


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1." * 600, "the answer has a word or number that is too long to be read"),
        ("7" * 40, "the answer has a word or number that is too long to be read"),
        ("and then " * 200, "the answer has a sentence of more than 1,000 characters"),
        (f"{CLAIM}\n" * 500, "the answer has more than 12,000 characters"),
    ],
)
def test_what_is_too_long_is_undecided_and_never_fulfilled(text: str, reason: str) -> None:
    decision = decide_claim(CLAIM, f"{CLAIM}\n{text}")
    assert (decision.label, decision.reason) == (None, reason)
