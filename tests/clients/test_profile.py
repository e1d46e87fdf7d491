"""Profiles of clients: what they say, and what is refused."""

from datetime import date, timedelta
from pathlib import Path

import pytest

from pytest_mcpbench.clients.profile import NAMES, load_profile
from pytest_mcpbench.core.errors import UsageError

VALUE = 'title = "Mine"\n[values.{}]\nvalue = {}\nsource = "here"\ndate = 2026-01-01\n'


@pytest.mark.parametrize("name", NAMES)
def test_each_profile_of_the_package_has_a_source_and_a_past_date_beside_each_value(name: str) -> None:
    profile = load_profile(name, Path())
    assert all(each.source and each.date <= date(2026, 11, 28) for each in profile.values.values())
    assert profile.conditions.keys() <= profile.values.keys()
    assert bool(profile.conditions) == (name != "plain")


def test_a_profile_warns_of_the_values_that_are_older_than_a_year(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(VALUE.format("most_tools", 3))
    profile = load_profile("mine.toml", tmp_path)
    assert profile.age_warning(date(2026, 1, 1) + timedelta(days=365)) == ""
    warning = profile.age_warning(date(2026, 1, 1) + timedelta(days=366))
    assert warning.endswith("Mine may show something else by now: most_tools (2026-01-01)")


@pytest.mark.parametrize(
    ("client", "conditions", "differences"),
    [
        ("claude-code", {"presentation": "search", "seed": 3, "server_instructions": "shown", "search_from": None}, []),
        (
            "claude-code",
            {"presentation": "listed", "server_instructions": "hidden", "capabilities": ("roots", "sampling")},
            ["capabilities roots and sampling", "presentation listed", "server_instructions hidden"],
        ),
        ("plain", {"presentation": "listed", "most_tools": 9}, ["most_tools 9"]),
    ],
)
def test_conditions_that_count_over_a_profile_are_named(
    client: str, conditions: dict[str, object], differences: list[str]
) -> None:
    assert sorted(load_profile(client, Path()).differences(conditions)) == differences


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        pytest.param(
            "claud-code", None, "no profile of a client is called 'claud-code'. Did you mean 'claude-code'?", id="near"
        ),
        pytest.param("gone.toml", None, "gone.toml cannot be read: No such file or directory", id="missing"),
        pytest.param("mine.toml", "title = ", "mine.toml: not valid TOML: ", id="not-toml"),
        pytest.param("mine.toml", VALUE.format("most_tool", 3), "Did you mean 'most_tools'?", id="unknown-value"),
        pytest.param("mine.toml", VALUE.format("most_tools", 0), "most_tools: Input should be greater", id="range"),
        pytest.param("mine.toml", VALUE.format("name_form", '"x"'), "write {tool} where the name", id="no-tool"),
        pytest.param(
            "mine.toml",
            VALUE.format("most_tools", 3).replace('source = "here"\n', ""),
            "most_tools.source",
            id="no-source",
        ),
    ],
)
def test_a_wrong_profile_says_what_is_wrong(tmp_path: Path, name: str, content: str | None, message: str) -> None:
    if content is not None:
        (tmp_path / name).write_text(content)
    with pytest.raises(UsageError) as raised:
        load_profile(name, tmp_path)
    assert message in str(raised.value)
