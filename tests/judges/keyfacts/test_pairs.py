"""Precision of both decisions, and the share without one, on pairs that were written by hand."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_mcpbench.judges.keyfacts.decision import TextDecision, decide_claim, decide_text
from pytest_mcpbench.judges.keyfacts.known import Known

ROOT = Path(__file__).parents[3]
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@cache
def _entries(name: str) -> list[dict[str, Any]]:
    text = (Path(__file__).parent / "pairs" / f"{name}.yaml").read_text(encoding="utf-8")
    entries: list[dict[str, Any]] = yaml.load(text, LOADER)
    return entries


def _decided(entry: dict[str, Any], text: str) -> TextDecision:
    known = Known(entry.get("request", ""), tuple(entry.get("results", ())))
    if entry.get("kind") == "text":
        return decide_text(entry["reference"], text, known)
    return decide_claim(entry.get("reference") or entry["claim"], text, known)


def _wrong(entry: dict[str, Any]) -> Iterator[tuple[str, str]]:
    groups = entry["wrong"] if isinstance(entry["wrong"], list) else [entry["wrong"]]
    return (item for group in groups for item in group.items())


@cache
def _labels(name: str) -> tuple[Counter[str | None], Counter[str | None]]:
    """Return how often each label was given to right and to wrong texts."""
    entries = _entries(name)
    right = (_decided(entry, text).label for entry in entries for text in entry["right"])
    wrong = (_decided(entry, text).label for entry in entries for _, text in _wrong(entry))
    return Counter[str | None](right), Counter[str | None](wrong)


@pytest.mark.extra
def test_of_pairs_that_the_rules_were_tried_on_none_is_decided_falsely() -> None:
    right, wrong = _labels("development")
    assert (right["not_fulfilled"], wrong["fulfilled"]) == (0, 0)
    assert right["fulfilled"] / right.total() >= 0.45
    assert wrong["not_fulfilled"] / wrong.total() >= 0.35


def test_of_held_out_pairs_at_most_two_in_a_hundred_are_decided_falsely() -> None:
    right, wrong = _labels("held_out")
    assert right.total() + wrong.total() >= 120
    assert right["not_fulfilled"] / right.total() <= 0.02
    assert wrong["fulfilled"] / wrong.total() <= 0.02


@pytest.mark.parametrize("page", ["README.md", "docs/reference/metrics/coverage.md"])
def test_the_pages_say_how_many_right_texts_stay_undecided(page: str) -> None:
    right, _ = _labels("held_out")
    share = f"{right[None]} of {right.total()} right texts ({right[None] / right.total():.0%})".replace("%)", " %)")
    assert share in " ".join((ROOT / page).read_text(encoding="utf-8").split())
