from typing import Any

import pytest

from pytest_mcpbench.core.context import Collection, Shape
from pytest_mcpbench.core.context.shape import shape_violations, unknown_names

SHAPE = Shape((Collection("books", id_field="id"), Collection("loans", id_field="id", references={"book_id": "books"})))
USUAL = {"books": {}, "loans": {}, "house": "Main"}
BOOKS = {"b1": {"id": "b1"}}


@pytest.mark.parametrize(
    "tree",
    [
        pytest.param({}, id="empty"),
        pytest.param({"books": BOOKS, "loans": {"l1": {"book_id": "b1"}}, "house": "Side"}, id="whole"),
        pytest.param({"books": BOOKS, "weather": {}}, id="with more than the server reads"),
        pytest.param({**USUAL, "housed": True}, id="with a name that is near to one that is there too"),
    ],
)
def test_a_tree_that_the_shape_can_hold_has_no_faults(tree: dict[str, Any]) -> None:
    assert list(shape_violations(tree, SHAPE, USUAL)) == []


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        ({"boks": BOOKS, "loans": {}}, ["it holds no 'boks'. Did you mean 'books'?"]),
        ({"a": 1}, ["it holds no 'a'; it holds: books, loans, house."]),
        (
            {"books": BOOKS, "loans": {"l1": {"id": "l9", "book_id": "zz"}}},
            [
                "loans[l1]: id is 'l9'; it must be the key, 'l1'.",
                "loans[l1]: book_id: nothing in books has the id 'zz'.",
            ],
        ),
    ],
)
def test_each_fault_is_named_with_what_would_be_right(tree: dict[str, Any], expected: list[str]) -> None:
    assert list(shape_violations(tree, SHAPE, USUAL)) == expected


def test_a_shape_that_declares_nothing_takes_any_tree() -> None:
    assert list(shape_violations({"boks": {}}, Shape(), USUAL)) == []


@pytest.mark.parametrize(
    ("tree", "names"),
    [({"books": {}, "housed": 1, "x": 2}, ("housed", "x")), (USUAL, ()), ({"x": 1}, ())],
    ids=["some are unknown", "all are known", "none is known, which is a fault"],
)
def test_names_that_a_server_does_not_read_are_told_apart(tree: dict[str, Any], names: tuple[str, ...]) -> None:
    assert unknown_names(tree, SHAPE, USUAL) == names
