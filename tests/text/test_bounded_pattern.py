"""Searches of foreign patterns end."""

import time

import pytest

from pytest_mcpbench.text.bounded_pattern import BoundedPattern, PatternTimeoutError


def test_a_pattern_with_exponentially_many_ways_to_match_is_given_up() -> None:
    started = time.process_time()
    pattern = BoundedPattern("(a+)+b", seconds=0.05)
    for _ in range(3):
        with pytest.raises(PatternTimeoutError, match=r"the pattern '\(a\+\)\+b' takes too long"):
            pattern.is_found("a" * 5000)
    assert time.process_time() - started < 2


def test_other_patterns_mean_what_they_mean_to_re() -> None:
    pattern = BoundedPattern("[a-c]+", ignores_case=True)
    assert (pattern.is_found("xA"), pattern.matches_all_of("xA"), pattern.matches_all_of("AbC")) == (True, False, True)
    assert pattern.found("ab x CA") == ["ab", "CA"]


def test_a_text_that_is_no_pattern_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"'\(' is not a regular expression"):
        BoundedPattern("(")
