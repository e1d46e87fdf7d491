"""JSON of strangers: every text that cannot be read is one error."""

import pytest

from pytest_mcpbench.text.json_reading import DEEPEST, read_json


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[" * 100_000, "more than 150 levels"),
        ("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1), "more than 150 levels"),
        ('{"a":' * 500 + "1" + "}" * 500, "more than 150 levels"),
        ("9" * 5_000, "more digits than can be read"),
        ("{", "Expecting property name"),
    ],
    ids=["cut off", "one level too many", "objects", "digits", "no JSON"],
)
def test_a_text_that_cannot_be_read_is_a_value_error(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        read_json(text)


def test_as_many_levels_as_are_allowed_are_read() -> None:
    assert read_json("[" * DEEPEST + "]" * DEEPEST)
