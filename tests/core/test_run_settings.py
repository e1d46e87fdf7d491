"""The settings in ``run.json``: JSON in new runs, the text of Python literals in old ones."""

import json
from pathlib import Path

from pytest_mcpbench.core.planning import Overrides
from pytest_mcpbench.core.run_settings import read_overrides, read_settings, stored_settings

VALUES = {
    "models": ("oracle", "http://me:secret@host/v1#m"),
    "rounds": 7,
    "seconds": 2.5,
    "judge": "none",
    "data": Path("/data"),
    "floors": {"ast": 0.0},
    "metrics": ("dtsr",),
    "conditions": {"skills": ("a.md",), "top_k": 3},
    "resume": None,
    "suites": (),
}
STORED = {
    "models": ["oracle", "http://host/v1#m"],
    "rounds": 7,
    "seconds": 2.5,
    "judge": "none",
    "data": "/data",
    "floors": {"ast": 0.0},
    "metrics": ["dtsr"],
    "conditions": {"skills": ["a.md"], "top_k": 3},
}
AS_IN_VERSION_0_1 = {
    "models": "('oracle',)",
    "rounds": "7",
    "judge": "none",
    "floors": "{'ast': 0.0}",
    "conditions": "{'top_k': 3}",
}


def test_settings_are_stored_as_json_without_credentials() -> None:
    stored = stored_settings(VALUES)
    assert json.loads(json.dumps(stored)) == STORED
    assert read_settings({"settings": stored}) == STORED


def test_settings_of_old_runs_can_still_be_read() -> None:
    assert read_settings({"settings": AS_IN_VERSION_0_1}) == {
        "models": ("oracle",),
        "rounds": 7,
        "judge": "none",
        "floors": {"ast": 0.0},
        "conditions": {"top_k": 3},
    }


def test_the_values_that_count_over_a_suites_are_read_from_the_facts() -> None:
    settings = {**STORED, "trials": 2}
    expected = Overrides(limits={"rounds": 7, "seconds": 2.5}, floors={"ast": 0.0}, metrics=("dtsr",), trials=2)
    assert read_overrides({"settings": settings}) == expected
    assert read_overrides({}) == Overrides()


def test_text_that_is_no_literal_is_left_out() -> None:
    facts = {"settings": {"models": "a.b", "floors": "(" * 3, "judge": "keyfacts", "rounds": "5"}}
    assert read_settings(facts) == {"judge": "keyfacts", "rounds": 5}
