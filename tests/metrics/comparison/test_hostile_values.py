"""Values at the edges never turn a comparison into an error: they are different."""

from typing import Any

import pytest

from pytest_mcpbench.metrics.comparison.comparators import COMPARATORS


@pytest.mark.parametrize("comparator", COMPARATORS)
@pytest.mark.parametrize(
    "value",
    ["http://[", "http://[::1", "inf" + "(" * 2_000, 10**400, -(10**400), "T1" + "0" * 30 + "20 " + "1" * 60, "2" * 60],
    ids=lambda value: str(value)[:12],
)
def test_a_value_at_the_edge_is_different(comparator: str, value: Any) -> None:
    assert not COMPARATORS[comparator](value, "2026-03-05")
