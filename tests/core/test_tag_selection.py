"""Selection of tasks by their tags."""

import pytest

from pytest_mcpbench.core.selection import TagSelection

EMAIL = {"category": "email", "keyless": "keyless"}
MAPS = {"category": "maps", "keyless-gt": "keyless-gt"}


@pytest.mark.parametrize(
    ("texts", "selected"),
    [
        (["keyless"], [True, False]),
        (["keyless-gt"], [False, True]),
        (["keyl"], [False, False]),
        (["Keyless"], [False, False]),
        (["category"], [True, True]),
        (["email"], [True, False]),
        (["category=email"], [True, False]),
        (["category=email,maps"], [True, True]),
        (["keyless=email"], [False, False]),
        (["keyless,keyless-gt"], [True, True]),
        (["keyless", "keyless-gt"], [False, False]),
        (["keyless", "category=email"], [True, False]),
    ],
)
def test_names_and_values_are_compared_exactly(texts: list[str], selected: list[bool]) -> None:
    selection = TagSelection.parse(texts)
    assert [selection.selects(tags) for tags in (EMAIL, MAPS)] == selected


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("keyless", None),
        ("category=email,maps", None),
        ("keyles", "no task has the tag 'keyles'. Did you mean 'keyless'?"),
        ("category=emial", "no task has the tag 'category=emial'. Did you mean 'category=email'?"),
        ("email,zzz", "no task has the tag 'zzz'. There are: category, keyless, keyless-gt."),
    ],
)
def test_a_tag_that_no_task_has_is_a_problem(text: str, problem: str | None) -> None:
    assert TagSelection.parse([text]).find_problem([EMAIL, MAPS]) == problem
