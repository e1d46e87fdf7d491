from typing import Any

import pytest

from pytest_mcpbench.core.context.journal import ABSENT
from pytest_mcpbench.metrics.comparison.arguments import ArgumentDifference
from pytest_mcpbench.metrics.operation import OperationValues, rouge_l, same_operand

SAME = [
    ("Lucy@Gmail.com", "lucy@gmail.com"),
    ("Lucy <Lucy@Gmail.com>", "lucy@gmail.com"),
    ("./notes//a.txt", "notes/a.txt"),
    ("a\\b", "a/b"),
    ("2025-01-02T10:00:00", "2025-01-02 10:00"),
    ("2025-01-02T10:00:00Z", "2025-01-02T11:00:00+01:00"),
    ("Jan 2, 2025", "2025-01-02"),
    (" text ", "text"),
    (5, 5.0),
    (None, None),
    ("./2025-01-02/a", "2025-01-02/a"),
]
DIFFERENT = [
    ("Text", "text"),
    ("/a/B", "/a/b"),
    ("/a", "a"),
    ("http://x.org//a", "http://x.org/a"),
    ("5", 5),
    (True, 1),
    ("2025-01-02", "2025-01-03"),
    ("1.2.3", "1.2.03"),
    ("ls -a", "ls  -a"),
    ("", "."),
]


@pytest.mark.parametrize(("left", "right"), SAME, ids=str)
def test_values_that_do_the_same(left: Any, right: Any) -> None:
    assert same_operand(left, right)
    assert same_operand(right, left)


@pytest.mark.parametrize(("left", "right"), DIFFERENT, ids=str)
def test_values_that_do_not(left: Any, right: Any) -> None:
    assert not same_operand(left, right)
    assert not same_operand(right, left)


@pytest.mark.parametrize(
    ("reference", "given", "differences"),
    [
        pytest.param({"a": 1}, {"a": 1, "b": 2}, (), id="extra keys do not count"),
        pytest.param(
            {"a": 1}, {}, (ArgumentDifference("a", 1, ABSENT),), id="every key of the reference must be there"
        ),
        pytest.param({"opt": 1}, {}, (), id="but not an optional one"),
        pytest.param({"opt": 1}, {"opt": 2}, (ArgumentDifference("opt", 1, 2),), id="which must be right if given"),
        pytest.param({"to": "A@x.org"}, {"to": ["a@x.org"]}, (), id="one value is a list of one"),
        pytest.param({"to": ["a@x.org"]}, {"to": "a@x.org"}, (), id="and the other way round"),
        pytest.param(
            {"to": ["a", "b"]},
            {"to": ["b", "a"]},
            (ArgumentDifference("to[0]", "a", "b"), ArgumentDifference("to[1]", "b", "a")),
            id="lists have an order",
        ),
        pytest.param({"labels": ["a", "b"]}, {"labels": ["b", "a"]}, (), id="unless declared sets"),
        pytest.param(
            {"labels": ["a", "a"]},
            {"labels": ["a", "b"]},
            (ArgumentDifference("labels", ["a", "a"], ["a", "b"]),),
            id="with each item as often",
        ),
        pytest.param(
            {"e": {"title": "x", "notes": "y"}}, {"e": {"title": "x", "notes": "z", "more": 1}}, (), id="keys inside"
        ),
        pytest.param({"body": "Hello"}, {"body": "Dear Lucy"}, (), id="free text is free"),
        pytest.param({"body": "Hello"}, {"body": " "}, (ArgumentDifference("body", "Hello", " "),), id="but not empty"),
        pytest.param({"body": "Hello"}, {}, (ArgumentDifference("body", "Hello", ABSENT),), id="nor absent"),
        pytest.param({"body": ""}, {"body": ""}, (), id="unless the reference is empty too"),
        pytest.param({"body": "Hello"}, {"body": 5}, (ArgumentDifference("body", "Hello", 5),), id="and it is text"),
    ],
)
def test_arguments_against_the_reference(
    reference: dict[str, Any], given: dict[str, Any], differences: tuple[ArgumentDifference, ...]
) -> None:
    values = OperationValues(sets=frozenset({"labels"}))

    assert values.differences(reference, given, {"opt"}) == differences


@pytest.mark.parametrize(
    ("reference", "text", "score"),
    [
        ("the cat sat", "The cat sat!", 1.0),
        ("the cat sat", "sat the cat", 2 / 3),
        ("a b c d", "a c", 2 / 3),
        ("a", "b", 0.0),
        ("", "", 1.0),
        (".", "Dinner", 1.0),
        (".", " ", 0.0),
        ("a", "", 0.0),
    ],
)
def test_rouge_l_is_the_f1_of_the_longest_common_subsequence(reference: str, text: str, score: float) -> None:
    assert rouge_l(reference, text) == pytest.approx(score)


@pytest.mark.parametrize(
    ("given", "is_same"),
    [
        ("notes/a.txt", True),
        ("/home/ann/notes/a.txt", True),
        ("~/notes/a.txt", True),
        ("./notes//a.txt", True),
        ("/notes/a.txt", False),
        ("/home/bo/notes/a.txt", False),
        ("a.txt", False),
    ],
)
def test_with_a_root_a_relative_path_is_as_good_as_the_absolute_one(given: str, is_same: bool) -> None:
    values = OperationValues(root="/home/ann")
    assert (values.differences({"path": "notes/a.txt"}, {"path": given}) == ()) is is_same


@pytest.mark.parametrize(("reference", "given"), [("a", "b"), ("", "."), ("x\ny", "./x\ny"), ("5", 5)])
def test_with_a_root_other_values_are_compared_as_before(reference: str, given: object) -> None:
    assert OperationValues(root="/home/ann").differences({"key": reference}, {"key": given}) != ()
