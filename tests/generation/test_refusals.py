"""Values that servers name when they refuse a call."""

from typing import Any

import pytest

from pytest_mcpbench.generation.offered_values import offered_values


@pytest.mark.parametrize(
    ("arguments", "said", "offered"),
    [
        ({"sheet": "Ann"}, "Sheet 'Ann' not found. Available sheets: 'Sheet1', 'Plan'.", {"sheet": ["Sheet1", "Plan"]}),
        ({"unit": "kg"}, "unknown unit kg; supported units: pound, stone", {"unit": ["pound", "stone"]}),
        ({"cell": "Ann"}, "Invalid range 'Ann'. Use A1 notation such as 'B2'.", {"cell": ["B2"]}),
        ({"source": "Data!A1"}, "Sheet 'Data' not found. Available sheets: 'One'.", {"source": ["One!A1"]}),
        ({"path": "a.txt"}, "a.txt must point to a CSV file (.csv, .tsv).", {"path": ["a.csv", "a.tsv"]}),
        ({"path": "a.txt"}, "a.txt does not exist (a .txt or .md file)", {}),
        ({"at": {"sheet": "Ann"}}, "Sheet 'Ann' not found. Available sheets: 'One'.", {"sheet": ["One"]}),
        ({"mode": "Ann"}, "mode must be one of: 'fast', 'slow'", {"mode": ["fast", "slow"]}),
        ({"name": "Ann"}, "no table 'Ann'. Available: none.", {}),
        ({"name": "Ann"}, "Internal error", {}),
        ({"name": "Summer special"}, "Invalid parameter: Summer special", {"name": ["summer-special"]}),
        ({"name": "ann"}, "Invalid parameter: ann", {}),
        ({"name": "Summer special"}, "Summer special does not exist", {}),
    ],
    ids=[
        "listed",
        "without quotes",
        "example",
        "part of a value",
        "endings",
        "right ending",
        "nested",
        "named",
        "none",
        "nothing",
        "plain name",
        "already plain",
        "absent name",
    ],
)
def test_a_refusal_offers_values(arguments: dict[str, Any], said: str, offered: dict[str, list[str]]) -> None:
    assert offered_values(arguments, said) == offered
