"""Requests that repeat one shape are read in a time that grows with their length."""

import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from pytest_mcpbench.agents.lexical import value_mentions
from pytest_mcpbench.agents.lexical.agent import split_request
from pytest_mcpbench.agents.lexical.argument_filling import parse_day, parse_duration
from pytest_mcpbench.agents.lexical.value_mentions import find_mentions
from pytest_mcpbench.agents.oracle import words_of
from pytest_mcpbench.definitions.mutation import sentences_of
from pytest_mcpbench.metrics.comparison.standing_answer import standing_answer
from pytest_mcpbench.reporting.tables.failures import message_pattern

NOW = datetime(2026, 5, 4)


@pytest.mark.parametrize(
    ("read", "shape"),
    [
        pytest.param(lambda text: split_request(text, (), frozenset()), " ", id="segments"),
        pytest.param(parse_duration, "0", id="duration"),
        pytest.param(words_of, "@", id="words of a result"),
        pytest.param(message_pattern, "é", id="message of an error"),
        pytest.param(lambda text: standing_answer(f"<answer>5</answer>{text}"), "\n", id="text behind an answer"),
        pytest.param(sentences_of, "!", id="end of a sentence"),
        pytest.param(sentences_of, "A. ", id="initials"),
    ],
)
def test_20_000_characters_take_no_quadratic_time(read: Callable[[str], Any], shape: str) -> None:
    text = (shape * 20_000)[:20_000]
    started = time.process_time()
    read(text)
    assert time.process_time() - started < 1.5  # quadratic patterns take 2 s to hours


def test_a_long_request_is_searched_in_pieces_of_bounded_length(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[str] = []

    def record(text: str, _labels: frozenset[str]) -> tuple[()]:
        searched.append(text)
        return ()

    monkeypatch.setattr(value_mentions, "_mentions_in_piece", record)
    text = "one two\n" * 1000 + "x" * 5000
    find_mentions(text)
    assert "".join(searched) == text
    assert max(map(len, searched)) == 2000


def test_mentions_of_a_long_request_have_their_positions_in_it() -> None:
    text = "word " * 1000 + "Mail ann@example.com."
    (found,) = [mention for mention in find_mentions(text) if mention.kind == "email"]
    assert text[found.start : found.end] == "ann@example.com"


@pytest.mark.parametrize("text", ["", " \n", "in 99999999999 days", "in 99999999999 months", "in 9 day\0s"])
def test_a_day_that_no_calendar_has_is_none(text: str) -> None:
    assert parse_day(text, NOW) is None


def test_a_duration_that_is_too_long_is_none() -> None:
    assert parse_duration("9" * 300 + " hours") is None
