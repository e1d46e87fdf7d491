"""Conditions of runs, as stored in their facts, and the differences between them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import JsonValue

from pytest_mcpbench.core.conditions import Conditions
from pytest_mcpbench.core.suite import qualified_name
from pytest_mcpbench.core.variant import field_of, typed_values
from pytest_mcpbench.text.natural_order import natural_key

_DEFAULTS: dict[str, Any] = Conditions().model_dump(mode="json")
_SERVERS = "servers"
_NO_SWEEP: Mapping[str, str] = {}


def conditions_of(
    facts: Mapping[str, Any], suite: str, file: str = "", swept: Mapping[str, str] = _NO_SWEEP
) -> dict[str, str | int | bool | None]:
    """Return the conditions of an attempt at a suite, with lists as text; only swept ones if the run stored none."""
    suites = _conditions(facts)
    stored = dict(suites.get(qualified_name(suite, file)) or suites.get(suite) or {})
    stored |= {name: value for name, value in typed_values(swept).items() if name in _DEFAULTS}
    return {name: ", ".join(map(str, value)) if isinstance(value, list) else value for name, value in stored.items()}


def unusual_conditions(facts: Mapping[str, JsonValue]) -> Iterator[tuple[str, str, str]]:
    """Yield suite, name and value of each condition that differs from its default, and the sample that was drawn."""
    for suite, conditions in _by_suite(facts).items():
        for name, usual in _DEFAULTS.items():
            value = conditions.get(name, usual)
            if value != usual:
                yield suite, name, format_value(value)
        if "sample" in conditions:
            yield suite, "sample", conditions["sample"]


def real_servers(facts: Mapping[str, JsonValue]) -> Iterator[tuple[str, str, str]]:
    """Yield suite, server and program or address of each server that is neither simulated nor replayed."""
    for suite, conditions in _by_suite(facts).items():
        for server in conditions.get(_SERVERS, ()):
            name, _, program = server.partition(": ")
            yield suite, name, program


def condition_of_all(facts: Mapping[str, JsonValue], name: str) -> str | None:
    """Return the value of a condition that differs from its default and is the same for all attempts of a run."""
    values = {value for _, each, value in unusual_conditions(facts) if each == name}
    return values.pop() if len(values) == 1 and name not in _swept(facts) else None


def client_differences(facts: Mapping[str, JsonValue]) -> list[str]:
    """Return the conditions that counted over the profile of a run's client, each with its value."""
    suites = facts.get("suites")
    stored: dict[str, Any] = suites if isinstance(suites, dict) else {}
    return list(dict.fromkeys(each for about in stored.values() for each in about.get("client_differences", ())))


def differing_conditions(before: Mapping[str, JsonValue], after: Mapping[str, JsonValue]) -> Iterator[str]:
    """Yield a sentence for each condition, limit, number of trials and list of real servers that differs.

    The suites are those of both runs. A run may have stored no real servers because its version stored none.
    """
    first, second = _by_suite(before), _by_suite(after)
    for suite in sorted(first.keys() & second.keys(), key=natural_key):
        for name in dict.fromkeys((*first[suite], *second[suite])):
            ours, theirs = first[suite].get(name), second[suite].get(name)
            is_known = name != _SERVERS or None not in (ours, theirs)
            if ours != theirs and is_known:
                yield f"{suite}, {name}: {format_value(ours)} before, {format_value(theirs)} after"


def conditions_of_suite(
    facts: Mapping[str, JsonValue], suite: str, swept: Mapping[str, str] = _NO_SWEEP
) -> dict[str, Any]:
    """Return the conditions and limits of an attempt at a suite, with defaults for those that the run did not store."""
    suites = facts.get("suites")
    about = suites.get(suite) if isinstance(suites, dict) else None
    stored: dict[str, Any] = about if isinstance(about, dict) else {}
    return {**_DEFAULTS, **stored.get("limits", {}), **stored.get("conditions", {}), **typed_values(swept)}


def tasks_of_suite(facts: Mapping[str, JsonValue], suite: str) -> frozenset[str] | None:
    """Return the ids of all tasks of a suite or of its sample, run or not; ``None`` if the run did not store them."""
    contents = facts.get("contents")
    about = contents.get(suite) if isinstance(contents, Mapping) else None
    tasks = about.get("tasks") if isinstance(about, Mapping) else None
    return frozenset(map(str, tasks)) if isinstance(tasks, list) else None


def categories_of_suite(facts: Mapping[str, JsonValue], suite: str) -> dict[str, frozenset[str]]:
    """Return the servers of each category of a suite; empty if it has none, or if the run did not store them."""
    suites = facts.get("suites")
    about = suites.get(suite) if isinstance(suites, dict) else None
    stored = about.get("categories") if isinstance(about, dict) else None
    if not isinstance(stored, dict):
        return {}
    return {name: frozenset(map(str, servers)) for name, servers in stored.items() if isinstance(servers, list)}


def varying_conditions(runs: Sequence[Mapping[str, JsonValue]]) -> list[dict[str, str]]:
    """Return for each run its suites' conditions that differ between the runs: ``{"radar": "top_k 5"}``.

    A run is represented by its facts; suites that all runs attempted under the same conditions are left out.
    """
    conditions = [_conditions(facts) for facts in runs]
    results: list[dict[str, str]] = []
    for own in conditions:
        texts: dict[str, str] = {}
        for suite, values in own.items():
            others = [run[suite] for run in conditions if suite in run]
            differing = [name for name in _DEFAULTS if any(run.get(name) != values.get(name) for run in others)]
            if differing:
                texts[suite] = ", ".join(f"{name} {format_value(values.get(name))}" for name in differing)
        results.append(texts)
    return results


def _conditions(facts: Mapping[str, JsonValue]) -> dict[str, dict[str, Any]]:
    """Return the conditions of each suite of a run, with defaults for those that the run did not store."""
    suites = facts.get("suites")
    stored: dict[str, Any] = suites if isinstance(suites, dict) else {}
    swept = {name: text for name, text in _swept(facts).items() if name in _DEFAULTS}
    return {suite: {**_DEFAULTS, **about.get("conditions", {}), **swept} for suite, about in stored.items()}


def _by_suite(facts: Mapping[str, JsonValue]) -> dict[str, dict[str, Any]]:
    """Return each suite's conditions, limits, trials, sample and real servers in one mapping."""
    suites = facts.get("suites")
    stored: dict[str, Any] = suites if isinstance(suites, dict) else {}
    swept = _swept(facts)
    return {
        name: {
            **settings.get("conditions", {}),
            **settings.get("limits", {}),
            **{each: settings[each] for each in ("trials", "sample", _SERVERS) if each in settings},
            **swept,
        }
        for name, settings in stored.items()
        if isinstance(settings, dict)
    }


def _swept(facts: Mapping[str, Any]) -> dict[str, str]:
    """Return the text of each condition that the run sweeps: it has no value that holds for all attempts."""
    settings = facts.get("settings")
    sweeps = settings.get("sweep", ()) if isinstance(settings, Mapping) else ()
    parts = (str(sweep).partition("=") for sweep in sweeps)
    return {field_of(name.strip()): f"swept: {', '.join(values.split(','))}" for name, _, values in parts}


def format_value(value: Any) -> str:
    """Return the text of a condition's value."""
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return "as usual" if value is None else str(value)
