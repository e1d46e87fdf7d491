"""Conditions of runs: a swept condition has no value that holds for the run, and each attempt has its own."""

from typing import Any

from pytest_mcpbench.reporting.aggregates.conditions import (
    conditions_of_suite,
    differing_conditions,
    real_servers,
    unusual_conditions,
    varying_conditions,
)


def facts(*sweeps: str, **conditions: Any) -> dict[str, Any]:
    about = {"conditions": conditions, "limits": {"rounds": 20}}
    return {"settings": {"sweep": list(sweeps)}, "suites": {"notes": about}}


SWEPT = facts("top-k=3,5", "rounds=5,10", top_k=10)


def test_a_run_does_not_claim_the_value_of_its_suite_for_a_swept_condition() -> None:
    assert list(unusual_conditions(SWEPT)) == [("notes", "top_k", "swept: 3, 5")]
    assert list(differing_conditions(SWEPT, facts(top_k=10))) == [
        "notes, top_k: swept: 3, 5 before, 10 after",
        "notes, rounds: swept: 5, 10 before, 20 after",
    ]
    assert varying_conditions([SWEPT, facts()]) == [{"notes": "top_k swept: 3, 5"}, {"notes": "top_k 10"}]


def test_an_attempt_has_the_swept_values_with_the_types_of_other_runs() -> None:
    of_attempt = conditions_of_suite(SWEPT, "notes", {"top-k": "3", "rounds": "5", "temperature": "0.5"})
    assert (of_attempt["top_k"], of_attempt["rounds"], of_attempt["temperature"]) == (3, 5, 0.5)
    assert conditions_of_suite(SWEPT, "notes", {"route": "true", "prompt": "system"})["route"] is True
    assert conditions_of_suite(facts(prompt="react"), "notes", {"prompt": "system"})["prompt"] is None


def test_another_version_of_a_real_server_is_told() -> None:
    runs: list[dict[str, Any]] = [
        {"suites": {"notes": {"servers": [f"git: mcp-server-git=={year}.1.14"]}}} for year in (2025, 2026)
    ]
    assert list(real_servers(runs[0])) == [("notes", "git", "mcp-server-git==2025.1.14")]
    assert list(differing_conditions(*runs)) == [
        "notes, servers: git: mcp-server-git==2025.1.14 before, git: mcp-server-git==2026.1.14 after"
    ]


def test_differences_are_in_the_natural_order_of_suites() -> None:
    runs: list[dict[str, Any]] = [
        {"suites": {f"level {n}": {"conditions": {"top_k": k}} for n in (10, 9)}} for k in (3, 5)
    ]
    assert [each.partition(",")[0] for each in differing_conditions(*runs)] == ["level 9", "level 10"]


def test_what_an_older_version_did_not_store_is_no_difference() -> None:
    about = {"servers": ["git: npx"], "categories": {"email": ["mail"], "servers": ["web"]}, "pass_rates": {"noop": 0}}
    runs: list[dict[str, Any]] = [{"suites": {"notes": {"trials": 1}}}, {"suites": {"notes": {"trials": 2, **about}}}]
    assert list(differing_conditions(*runs)) == ["notes, trials: 1 before, 2 after"]
    assert list(real_servers(runs[1])) == [("notes", "git", "npx")]
