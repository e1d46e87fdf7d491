"""Regular expressions that are compiled when they are first used."""

import re

import pytest

from pytest_mcpbench.text.late_pattern import late_pattern


def test_it_behaves_like_the_compiled_expression() -> None:
    pattern = late_pattern(r"(?P<word>[a-z]+)", re.IGNORECASE)
    expected = re.compile(r"(?P<word>[a-z]+)", re.IGNORECASE)
    assert [match["word"] for match in pattern.finditer("One 2 three")] == ["One", "three"]
    assert pattern.sub("x", "One 2 three") == expected.sub("x", "One 2 three")
    assert (pattern.pattern, pattern.flags, pattern.groupindex) == (
        expected.pattern,
        expected.flags,
        expected.groupindex,
    )


def test_a_wrong_expression_is_refused_at_its_first_use() -> None:
    pattern = late_pattern("(")
    with pytest.raises(re.error, match="missing"):
        pattern.search("text")
