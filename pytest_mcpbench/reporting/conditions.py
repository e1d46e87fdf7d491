"""Under which conditions runs were made, as their facts say."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import JsonValue

from pytest_mcpbench.core.conditions import Conditions

_AS_USUAL: dict[str, Any] = Conditions().model_dump(mode="json")


def unusual(facts: Mapping[str, JsonValue]) -> Iterator[tuple[str, str, str]]:
    """Suite, condition and value of each that is not the default."""
    for suite, conditions in _by_suite(facts).items():
        for name, usual in _AS_USUAL.items():
            value = conditions.get(name, usual)
            if value != usual:
                yield suite, name, _shown(value)


def differing(before: Mapping[str, JsonValue], after: Mapping[str, JsonValue]) -> Iterator[str]:
    """A sentence for each condition, limit and number of trials of a suite that is another in the second run."""
    first, second = _by_suite(before), _by_suite(after)
    for suite in first.keys() & second.keys():
        for name in dict.fromkeys((*first[suite], *second[suite])):
            ours, theirs = first[suite].get(name), second[suite].get(name)
            if ours != theirs:
                yield f"{suite}, {name}: {_shown(ours)} before, {_shown(theirs)} after"


def varying_conditions(runs: Sequence[Mapping[str, JsonValue]]) -> list[dict[str, str]]:
    """Return for each run its suites' conditions that differ between the runs: ``{"radar": "top_k 5"}``.

    A run is represented by its facts; suites that all runs attempted under the same conditions are left out.
    """
    conditions = [_conditions(facts) for facts in runs]
    return [
        {suite: text for suite in own if (text := _differences_to_others(suite, own, conditions))} for own in conditions
    ]


def _differences_to_others(
    suite: str, own: Mapping[str, Mapping[str, Any]], runs: Sequence[Mapping[str, Mapping[str, Any]]]
) -> str:
    others = [run[suite] for run in runs if suite in run]
    names = [name for name in _AS_USUAL if any(run.get(name) != own[suite].get(name) for run in others)]
    return ", ".join(f"{name} {_shown(own[suite].get(name))}" for name in names)


def _conditions(facts: Mapping[str, JsonValue]) -> dict[str, dict[str, Any]]:
    """Return the conditions of each suite of a run, with the usual ones where the run did not store them."""
    suites = facts.get("suites")
    stored: dict[str, Any] = suites if isinstance(suites, dict) else {}
    return {suite: {**_AS_USUAL, **about.get("conditions", {})} for suite, about in stored.items()}


def _by_suite(facts: Mapping[str, JsonValue]) -> dict[str, dict[str, Any]]:
    """Suite -> everything that it says of how its tasks were attempted, by name."""
    suites = facts.get("suites")
    if not isinstance(suites, dict):
        return {}
    return {name: _flat(said) for name, said in suites.items() if isinstance(said, dict)}


def _flat(said: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in said.items():
        flat |= value if isinstance(value, dict) else {name: value}
    return flat


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return "as usual" if value is None else str(value)
