from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

from pytest_mcpbench.core.context.journal import ABSENT
from pytest_mcpbench.metrics.comparison.arguments import ArgumentDifference, Equality, has_placeholder

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)

SAME: list[tuple[Any, Any]] = [
    ("Straße", " STRASSE "),
    ("é", "e\u0301"),
    (5, 5.0),
    (0.1 + 0.2, 0.3),
    (10**400, 10**400),
    ([1, "A"], [1.0, "a"]),
    ({"a": [{"b": "X"}]}, {"a": [{"b": "x"}]}),
    (None, None),
    (float("nan"), float("nan")),
    ("ann@x.org", "Ann <Ann@X.org>"),
    ("2026-03-02T10:00:00Z", "2026-03-02T15:30:00+05:30"),
    ("2026-03-10T23:59:59", "2026-03-11T00:00"),
    ("1,234 EUR", "€1\u202f234"),
    ("2 hours", "120 min"),
    ("https://x.org/s?mail=a%40x.org&n=1", "https://X.org/s?n=1&mail=A%40x.org"),
    ("text", "text\n"),
    ("studio", "./studio/"),
    ("SELECT * FROM cups WHERE name = 'Mug'", "select *\nfrom cups where name='Mug' ;"),
    ("Select a cup", "select a Cup"),
]
DIFFERENT: list[tuple[Any, Any]] = [
    ("a.b", "ab"),
    ("DELETE FROM cups WHERE name = 'Mug'", "DELETE FROM cups WHERE name = 'mug'"),
    ("UPDATE cups SET price = 8 WHERE id = 1", "UPDATE cups SET price = 8"),
    ("2026-03-02T10:00:00", "2026-03-02T10:00:00+02:00"),
    ("2026-03-10T22:59:59", "2026-03-11T00:00"),
    ("1.10", "1.1"),
    ("studio", "studio/drafts"),
    ("0012", "12"),
    ("https://x.org/s?n=1", "https://x.org/s?n=2"),
    ("a b", "a  b"),
    ("5", 5),
    (True, 1),
    (0, False),
    (None, ""),
    (None, False),
    (1.0, 1.000001),
    (0, 1e-12),
    (10**400, 10**400 + 1),
    ([1, 2], [2, 1]),
    ([1], [1, 1]),
    ([1], 1),
    ({"a": 1}, {"a": 1, "b": None}),
    ({"a": 1}, [["a", 1]]),
]


@pytest.mark.parametrize(("left", "right"), SAME, ids=str)
def test_values_that_are_equal(left: Any, right: Any) -> None:
    assert Equality().same(left, right)
    assert Equality().same(right, left)


@pytest.mark.parametrize(("left", "right"), DIFFERENT, ids=str)
def test_values_that_are_not_equal(left: Any, right: Any) -> None:
    assert not Equality().same(left, right)
    assert not Equality().same(right, left)


@given(JSON)
def test_every_value_equals_itself(value: Any) -> None:
    assert Equality().same(value, value)


@given(JSON, JSON)
def test_equality_is_symmetric(left: Any, right: Any) -> None:
    assert Equality().same(left, right) == Equality().same(right, left)


def test_every_place_that_differs_is_named() -> None:
    found = Equality().differences("edits", [{"old": "a", "new": "b"}], [{"old": "x", "extra": 1}])

    assert found == (
        ArgumentDifference("edits[0].old", "a", "x"),
        ArgumentDifference("edits[0].new", "b", ABSENT),
        ArgumentDifference("edits[0].extra", ABSENT, 1),
    )
    assert str(found[1]) == "edits[0].new: expected 'b', got nothing"


def test_in_a_known_zone_an_offset_may_be_written_or_not() -> None:
    equality = Equality(zone="Asia/Shanghai")
    assert equality.same("2026-03-02T17:00", "2026-03-02T09:00:00Z")
    assert not equality.same("2026-03-02T17:00", "2026-03-02T17:00:00Z")


@pytest.mark.parametrize(
    ("expected", "actual", "is_same"),
    [
        ("what a tool returned", "what a tool returned\n", True),
        ("dictated", "dictated\n", False),
        ("Ann@x.org", "ann@x.org", True),
        ("Password", "password", False),
    ],
)
def test_an_exact_text_may_end_otherwise_only_where_the_request_does_not_dictate_it(
    expected: str, actual: str, is_same: bool
) -> None:
    equality = Equality(exact=frozenset({"content"}), request="Write 'dictated' into a file.")
    assert (not equality.differences("content", expected, actual)) == is_same


def test_in_a_set_neither_order_nor_repetition_counts() -> None:
    equality = Equality(sets=frozenset({"options.tags"}))

    assert equality.differences("options", {"tags": ["a", "b"]}, {"tags": ["B", "a", "b"]}) == ()
    assert equality.differences("options", {"tags": ["a", "b"]}, {"tags": ["a", "c"]}) != ()
    assert equality.differences("tags", ["a", "b"], ["b", "a"]) != ()


def test_a_comparator_reaches_the_items_of_a_list() -> None:
    equality = Equality(comparators={"paths": "path"})

    assert equality.differences("paths", ["./a", "b"], ["a", "./b"]) == ()
    assert equality.differences("paths", ["./a", "b"], ["a", "c"]) == (ArgumentDifference("paths[1]", "b", "c"),)


@pytest.mark.parametrize(
    ("actual", "is_fine"),
    [("anything", True), (5, True), (0, True), (False, True), (" ", False), (None, False), ([], False), ({}, False)],
    ids=str,
)
def test_a_placeholder_stands_for_anything_that_is_not_empty(actual: Any, is_fine: bool) -> None:
    assert Equality(placeholders=frozenset({"1"})).same("<1_result>", actual) is is_fine


@pytest.mark.parametrize(
    ("actual", "is_fine"),
    [
        ("price: 5 in USD", True),
        ("Price: a\nb IN usd", True),
        ("price:   in USD", False),
        ("price:  in USD", False),
        ("price: 5 in EUR", False),
        (5, False),
    ],
    ids=str,
)
def test_inside_a_text_a_placeholder_stands_for_some_words(actual: Any, is_fine: bool) -> None:
    assert Equality(placeholders=frozenset({"a"})).same("Price: <a_result.price> in USD", actual) is is_fine


def test_a_placeholder_of_no_call_is_text() -> None:
    equality = Equality(placeholders=frozenset({"1"}))

    assert not equality.same("<2_result>", "x")
    assert equality.same("<2_result>", "<2_RESULT>")
    assert not has_placeholder({"a": ["<2_result>"]}, frozenset({"1"}))
    assert has_placeholder({"a": ["<2_result>"]}, frozenset({"2"}))
