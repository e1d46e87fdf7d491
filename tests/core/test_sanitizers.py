"""Sanitizers of responses."""

from typing import Any

import pytest

from pytest_mcpbench.core.sanitizers import Sanitizer, sanitize


@pytest.mark.parametrize(
    ("sanitizers", "before", "after"),
    [
        (["uuid"], "id 2b1c9c3e-6f0e-4f0a-9b39-0d6d4f1f0a11.", "id <uuid>."),
        (["datetime"], "at 2026-03-02T09:00:00.123Z, not 2026-03-02", "at <datetime>, not 2026-03-02"),
        (["epoch"], {"at": 1767225600, "n": 3}, {"at": "<epoch>", "n": 3}),
        ([r"order-\d+"], ["order-17", True, None], ["<sanitized>", True, None]),
        ([(r"\d+ ms", "N ms")], "took 12 ms", "took N ms"),
        ([], "2026-03-02T09:00:00Z", "2026-03-02T09:00:00Z"),
    ],
)
def test_only_matches_are_replaced(sanitizers: list[Sanitizer], before: Any, after: Any) -> None:
    assert sanitize(before, sanitizers) == after


def test_a_wrong_pattern_lists_the_built_in_sanitizers() -> None:
    with pytest.raises(ValueError, match=r"neither one of uuid, datetime, .* nor a regular expression"):
        sanitize("x", ["("])
