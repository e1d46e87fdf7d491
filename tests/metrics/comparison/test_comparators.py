from typing import Any

import pytest

from pytest_mcpbench.metrics.comparison.comparators import COMPARATORS

SAME = [
    ("path", "./a//b/", "a/b"),
    ("path", "a\\b", "a/b"),
    ("path", "//a", "/a"),
    ("path", "a/../b", "b"),
    ("url", "HTTPS://Example.org:443/a/", "example.org/a"),
    ("url", "http://x.org/?a=1&b=2", "http://x.org?b=2&a=1"),
    ("url", "http://x.org/%7Ea", "http://x.org/~a"),
    ("datetime", "2025-01-02T03:00:00Z", "2025-01-02 04:00 +01:00"),
    ("datetime", "2025-01-02", "Jan 2, 2025"),
    ("datetime", "2025-01-02T03:00", "2025-01-02T03:00:00Z"),
    ("datetime", 1735786800, "2025-01-02T03:00:00Z"),
    ("datetime", 1735786800000, 1735786800),
    ("email", "Ann <Ann@X.org>", "mailto:ann@x.org"),
    ("coordinates", "35.689487,139.691711", "35.70, 139.69"),
    ("coordinates", [35.6, 139.6], {"lat": 35.65, "lng": 139.65}),
    ("text", "Hello,  World!", "hello world"),
]
DIFFERENT = [
    ("path", "A/b", "a/b"),
    ("path", "a", "/a"),
    ("path", "a", 5),
    ("url", "http://x.org/a", "https://x.org/a"),
    ("url", "http://x.org/A", "http://x.org/a"),
    ("url", "http://x.org:8x/", "http://x.org/"),
    ("datetime", "2025-01-02", "2025-02-01"),
    ("datetime", "tomorrow", "tomorrow"),
    ("datetime", True, True),
    ("datetime", "2025-01-02 03:00 QQT", "2025-01-02 04:00"),
    ("email", "ann@x.org", "bob@x.org"),
    ("coordinates", "35.6,139.6", "35.8,139.6"),
    ("coordinates", "Tokyo", "Tokyo"),
    ("coordinates", "35.6", "35.6,139.6"),
    ("text", "hello world", "world hello"),
    ("text", 5, 5),
]


@pytest.mark.parametrize(("name", "left", "right"), SAME, ids=str)
def test_written_differently_and_the_same(name: Any, left: Any, right: Any) -> None:
    assert COMPARATORS[name](left, right)
    assert COMPARATORS[name](right, left)


@pytest.mark.parametrize(("name", "left", "right"), DIFFERENT, ids=str)
def test_not_the_same(name: Any, left: Any, right: Any) -> None:
    assert not COMPARATORS[name](left, right)
    assert not COMPARATORS[name](right, left)


@pytest.mark.parametrize("comparator", sorted(COMPARATORS))
@pytest.mark.parametrize("value", [10**400, "1" * 400, [10**400], "http://[", "9999-12-31T23:59:59-23:59", "\ud800"])
def test_a_value_that_cannot_be_read_equals_nothing(comparator: Any, value: Any) -> None:
    assert not COMPARATORS[comparator](value, "http://example.org/1")
    assert not COMPARATORS[comparator]("http://example.org/1", value)
