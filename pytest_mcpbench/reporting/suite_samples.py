"""Sentences about the suites of which a run made a sample only."""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import JsonValue


def sample_sentences(facts: Mapping[str, JsonValue]) -> Iterator[str]:
    """Yield ``radar is a sample, 20/domain: 120 of 515 tasks. --suite=radar:full runs all.`` for each such suite."""
    suites, contents = _mapping(facts.get("suites")), _mapping(facts.get("contents"))
    for name, about in suites.items():
        rule, content = _mapping(about).get("sample"), _mapping(contents.get(name))
        if rule is not None and "suite_tasks" in content:
            size, total = len(content.get("tasks", ())), content["suite_tasks"]
            yield f"{name} is a sample, {rule}: {size:,} of {total:,} tasks. --suite={name}:full runs all."


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
