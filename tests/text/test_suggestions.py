"""Suggestions for misspelt names: one wording."""

from pytest_mcpbench.text.suggestions import did_you_mean, hint

NAMES = ("gmail", "calendar", "mail")


def test_the_nearest_names_are_suggested() -> None:
    assert did_you_mean("gmial", NAMES) == "Did you mean 'gmail'?"
    assert did_you_mean("gmial", NAMES, most=3) == "Did you mean 'gmail' or 'mail'?"
    assert did_you_mean("slack", NAMES) is None


def test_a_hint_lists_all_names_if_none_is_near() -> None:
    assert hint("calender", NAMES) == "Did you mean 'calendar'?"
    assert hint("slack", NAMES) == "There are: calendar, gmail, mail."
    assert hint("slack", (), none="It takes none.") == "It takes none."
