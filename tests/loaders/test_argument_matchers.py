"""Matchers in the arguments of task files."""

from typing import Any

import pytest

from pytest_mcpbench.core.loading import LoadOptions
from pytest_mcpbench.core.task import ArgumentMatcher, ExpectedCall
from pytest_mcpbench.loaders.native import load


def loaded(arguments: str) -> Any:
    text = f"tasks:\n  - ask: hi\n    tool: search\n    arguments: {arguments}\n"
    (record,) = load(text.encode(), LoadOptions("a.mcpbench.yaml", {}, None))
    return record


def reference(arguments: str) -> ExpectedCall:
    record = loaded(arguments)
    assert record.error is None, record.error
    (call,) = record.task.expected.flat_calls
    assert isinstance(call, ExpectedCall)
    return call


@pytest.mark.parametrize(
    ("arguments", "played", "matcher"),
    [
        ("{q: {regex: 'a+b', example: aab}}", {"q": "aab"}, {"at": ("q",), "regex": "a+b"}),
        ("{q: {near: 10, within: 0.5}}", {"q": 10}, {"at": ("q",), "near": 10, "within": 0.5}),
        ("{q: {one_of: [b, a]}}", {"q": "b"}, {"at": ("q",), "one_of": ("b", "a")}),
        ("{q: {any: true, example: [x]}}", {"q": ["x"]}, {"at": ("q",), "any": True}),
        ("{q: {ignore: true}}", {}, {"at": ("q",), "ignore": True}),
        ("{q: {ignore: true, example: 3}}", {"q": 3}, {"at": ("q",), "ignore": True}),
        (
            "{q: [{n: 1, t: {any: true, example: x}}]}",
            {"q": [{"n": 1, "t": "x"}]},
            {"at": ("q", 0, "t"), "any": True},
        ),
    ],
)
def test_a_matcher_leaves_the_example_that_oracle_plays(
    arguments: str, played: dict[str, Any], matcher: dict[str, Any]
) -> None:
    call = reference(arguments)
    assert (call.arguments, call.matchers) == (played, (ArgumentMatcher(**matcher),))


@pytest.mark.parametrize(
    ("arguments", "value"),
    [
        ("{q: {exact: {near: 10, within: 1}}}", {"near": 10, "within": 1}),
        ("{q: {near: 10, city: Oslo}}", {"near": 10, "city": "Oslo"}),
        ("{q: {within: 3}}", {"within": 3}),
    ],
)
def test_a_mapping_that_is_no_matcher_stays_a_value(arguments: str, value: Any) -> None:
    call = reference(arguments)
    assert (call.arguments, call.matchers) == ({"q": value}, ())


@pytest.mark.parametrize(
    ("matcher", "problem"),
    [
        ("{regex: a}", "regex needs `example`"),
        ("{regex: a, example: ab}", "the example 'ab' does not match 'a'"),
        ("{regex: '(', example: a}", "is not a regular expression"),
        ("{near: 10}", "near needs `within`"),
        ("{near: Oslo}", "near must be a number, not text"),
        ("{near: true, within: 1}", "near must be a number"),
        ("{one_of: []}", "one_of must be a list with at least one value"),
        ("{one_of: ['<1_result>']}", "one_of cannot refer to results"),
        ("{any: true}", "any needs `example`"),
        ("{any: [a]}", "any must be true"),
        ("{ignore: ['*.log']}", "ignore must be true"),
        ("[{ignore: true}]", "an element of a list cannot be ignored"),
    ],
)
def test_a_matcher_that_is_wrong_is_an_error_at_its_line(matcher: str, problem: str) -> None:
    error = str(loaded(f"{{q: {matcher}}}").error)
    assert error.startswith("a.mcpbench.yaml:4: arguments.q")
    assert problem in error


def test_matchers_are_part_of_the_digest_of_a_task_and_their_absence_is_not() -> None:
    plain = loaded("{q: 10}").task
    content = plain.model_dump(mode="json", exclude={"source"})
    assert content["expected"]["calls"][0]["calls"][0]["matchers"] == []
    assert plain.hash != loaded("{q: {near: 10, within: 1}}").task.hash
    assert loaded("{q: {near: 10, within: 2}}").task.hash != loaded("{q: {near: 10, within: 1}}").task.hash
