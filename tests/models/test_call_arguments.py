from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mcpbench.core.chat import Reply
from pytest_mcpbench.core.tool import Call
from pytest_mcpbench.models.chat_reply import parse_arguments

WRITTEN: dict[str, tuple[Any, dict[str, Any], str | None]] = {
    "a JSON object": ('{"a": [1, 2.5, null]}', {"a": [1, 2.5, None]}, None),
    "an object that is not encoded": ({"a": 1}, {"a": 1}, None),
    "nothing": (None, {}, None),
    "an empty text": (" \n", {}, None),
    "JSON but no object": ("[1]", {}, "[1]"),
    "a JSON text": ('"a"', {}, '"a"'),
    "an object encoded twice": ('"{}"', {}, '"{}"'),
    "cut off": ('{"a": ', {}, '{"a": '),
    "no JSON": ("a=1", {}, "a=1"),
    "not a number": ('{"a": NaN}', {}, '{"a": NaN}'),
    "too large a number": ('{"a": [1e999]}', {}, '{"a": [1e999]}'),
    "endless digits": ('{"a": ' + "1" * 5000 + "}", {}, '{"a": ' + "1" * 5000 + "}"),
    "too deep": ("[" * 100_000, {}, "[" * 100_000),
    "another type": (7, {}, "7"),
    "half of a surrogate pair": ('{"a": "x\\ud83d", "\\ude00": 1}', {"a": "x\ufffd", "\ufffd": 1}, None),
    "a whole surrogate pair": ('{"a": "\\ud83d\\ude00"}', {"a": "😀"}, None),
}


@pytest.mark.parametrize(("written", "arguments", "raw"), WRITTEN.values(), ids=WRITTEN.keys())
def test_arguments_are_an_object_or_the_text_as_it_was_written(
    written: Any, arguments: dict[str, Any], raw: str | None
) -> None:
    assert parse_arguments(written) == (arguments, raw)


@given(st.text() | st.characters(categories=["Cs"]).map(lambda half: f'{{"a": "{half}"}}'))
def test_whatever_was_written_can_be_kept_in_a_record(written: str) -> None:
    arguments, raw = parse_arguments(written)
    reply = Reply(calls=(Call(id="1", name="a", arguments=arguments, raw_arguments=raw),))
    assert Reply.model_validate_json(reply.model_dump_json()) == reply
