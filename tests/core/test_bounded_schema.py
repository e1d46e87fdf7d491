"""Validation with schemas of strangers ends, and is otherwise that of jsonschema."""

import time
from typing import Any

import pytest
from jsonschema import Draft7Validator, Draft202012Validator

from pytest_mcpbench.core import bounded_schema
from pytest_mcpbench.core.bounded_schema import BoundedValidator

SLOW = "^(a|aa)+$"
TEXT = "a" * 60 + "b"


def _messages(schema: dict[str, Any], instance: Any) -> list[str]:
    return [error.message for error in BoundedValidator(schema).iter_errors(instance)]


@pytest.mark.parametrize(
    ("schema", "instance"),
    [
        ({"pattern": SLOW}, TEXT),
        ({"items": {"pattern": SLOW}}, [TEXT] * 50),
        ({"patternProperties": {SLOW: {}}}, {TEXT: 1}),
        ({"patternProperties": {SLOW: {}}, "additionalProperties": False}, {TEXT: 1}),
        ({"patternProperties": {f"{SLOW}|{number}": {} for number in range(50)}}, {TEXT: 1}),
        ({"anyOf": [{"patternProperties": {SLOW: {}}}], "unevaluatedProperties": False}, {TEXT: 1}),
        ({"allOf": [{"propertyNames": {"pattern": SLOW}}]}, {TEXT: 1}),
    ],
)
def test_all_patterns_of_a_schema_share_one_limit_of_time(
    schema: dict[str, Any], instance: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounded_schema, "MATCH_SECONDS", 0.1)
    started = time.process_time()
    with pytest.raises(ValueError, match=r"too long|take longer"):
        _messages(schema, instance)
    assert time.process_time() - started < 4


@pytest.mark.parametrize("pattern", ["a{99999999999}", "(" * 9000 + ")" * 9000, "(((("])
def test_an_invalid_pattern_is_a_value_error(pattern: str) -> None:
    with pytest.raises(ValueError, match="is not a regular expression"):
        _messages({"pattern": pattern}, "a")


@pytest.mark.parametrize("dialect", [Draft202012Validator, Draft7Validator])
@pytest.mark.parametrize(
    "schema",
    [
        {"pattern": "^a"},
        {"patternProperties": {"^a": {"type": "string"}}},
        {"patternProperties": {"^a": {}}, "properties": {"b": {}}, "additionalProperties": False},
        {"patternProperties": {"^a": {}}, "additionalProperties": {"type": "string"}},
        {"additionalProperties": False},
    ],
)
def test_harmless_patterns_mean_what_they_mean_to_jsonschema(dialect: Any, schema: dict[str, Any]) -> None:
    for instance in ("a", "b", 1, {}, {"a": 1}, {"b": 1}, {"ab": "x"}, {"c": 1}, {"c": "x"}):
        found = {(*error.absolute_path,) for error in BoundedValidator(schema, dialect).iter_errors(instance)}
        assert found == {(*error.absolute_path,) for error in dialect(schema).iter_errors(instance)}
