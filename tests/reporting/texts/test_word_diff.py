"""Word diffs of two texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mcpbench.reporting.texts.explanation import word_diff


def test_only_changed_words_are_marked() -> None:
    parts = word_diff("Find files by name.", "Find folders by name, quickly.")
    assert [(part.change, part.text) for part in parts] == [
        ("same", "Find "),
        ("removed", "files"),
        ("added", "folders"),
        ("same", " by name"),
        ("added", ", quickly"),
        ("same", "."),
    ]


@pytest.mark.parametrize(("before", "after"), [("", ""), ("", "new"), ("old", "")])
def test_an_empty_text_has_no_same_part(before: str, after: str) -> None:
    assert all(part.change != "same" for part in word_diff(before, after))


@given(st.text(max_size=40), st.text(max_size=40))
def test_the_parts_make_up_both_texts(before: str, after: str) -> None:
    parts = word_diff(before, after)
    assert "".join(part.text for part in parts if part.change != "added") == before
    assert "".join(part.text for part in parts if part.change != "removed") == after
