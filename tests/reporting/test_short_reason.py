"""Reasons on one line of the terminal, whose long values are cut so that the rest can be read."""

import pytest

from pytest_mcpbench.reporting.forms.display_text import short_reason

LONG = "x" * 5_000


@pytest.mark.parametrize(
    ("reason", "shown"),
    [
        ("path: expected 'a', got 'b'", "path: expected 'a', got 'b'"),
        (f"body: expected '{LONG}', got nothing", f"body: expected '{'x' * 57}…', got nothing"),
        (f'body is "{LONG}", expected 1', f'body is "{"x" * 57}…", expected 1'),
        (f"body is '{LONG}\\'s', expected 1", f"body is '{'x' * 57}…', expected 1"),
        (
            "the world's notes and the user's notes" + " differ" * 20,
            "the world's notes and the user's notes" + " differ" * 20,
        ),
        (f"ids: expected [{'1, ' * 1000}1], got [2]", f"ids: expected [{'1, ' * 19}…], got [2]"),
        ("a" * 700, "a" * 599 + "…"),
    ],
    ids=["short", "single quotes", "double quotes", "escaped quote", "apostrophes", "list", "no value"],
)
def test_long_values_of_a_reason_are_cut_and_the_rest_stays(reason: str, shown: str) -> None:
    assert short_reason(reason) == shown


@pytest.mark.parametrize("text", ["'" * 200_000, "\\'" * 100_000, "[" * 200_000, "' a" * 70_000, '"\\' * 100_000])
def test_a_hostile_reason_takes_no_time(text: str) -> None:
    assert len(short_reason(text)) <= 600
