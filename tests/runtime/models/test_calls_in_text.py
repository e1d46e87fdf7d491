import pytest

from pytest_mcpbench.core.chat import Reply
from pytest_mcpbench.core.tool import Call
from pytest_mcpbench.runtime.models.calls_in_text import extract_calls_from_text
from pytest_mcpbench.runtime.models.tool_names import ToolNames

NAMES = ToolNames(["mail.read"])
ONE = '{"name": "mail_read", "arguments": {"id": 1}}'
CALL = Call(id="call_1", name="mail.read", arguments={"id": 1})
SECOND = Call(id="call_2", name="mail.read", arguments={"id": 1})

WRITTEN: dict[str, tuple[str, Reply]] = {
    "a fenced block": (f"Let me look.\n```json\n{ONE}\n```", Reply(text="Let me look.", calls=(CALL,))),
    "a fence without a language": (f"```\n{ONE}\n```", Reply(calls=(CALL,))),
    "two fenced blocks": (f"```json\n{ONE}\n```\n```json\n{ONE}\n```", Reply(calls=(CALL, SECOND))),
    "tags": (f"<tool_call>\n{ONE}\n</tool_call>", Reply(calls=(CALL,))),
    "an open tag": (f"<tool_call>{ONE}", Reply(calls=(CALL,))),
    "Mistral's marker": (f"[TOOL_CALLS] [{ONE}, {ONE}]", Reply(calls=(CALL, SECOND))),
    "bare": (ONE, Reply(calls=(CALL,))),
    "a bare list": (f"[{ONE}]", Reply(calls=(CALL,))),
    "other words": ('{"tool": "mail.read", "parameters": {"id": 1}}', Reply(calls=(CALL,))),
    "arguments as text": ('{"name": "mail.read", "arguments": "{\\"id\\": 1}"}', Reply(calls=(CALL,))),
    "malformed arguments": (
        '{"name": "mail.read", "arguments": [1]}',
        Reply(calls=(Call(id="call_1", name="mail.read", raw_arguments="[1]"),)),
    ),
    "an answer in JSON": ('{"name": "Ada", "age": 36}', Reply(text='{"name": "Ada", "age": 36}')),
    "a block of code": ("```json\n{1: 2}\n```", Reply(text="```json\n{1: 2}\n```")),
    "prose": ("I would call {name}.", Reply(text="I would call {name}.")),
}


@pytest.mark.parametrize(("text", "expected"), WRITTEN.values(), ids=WRITTEN.keys())
def test_calls_in_the_text_become_calls(text: str, expected: Reply) -> None:
    assert extract_calls_from_text(Reply(text=text), NAMES) == expected


def test_a_reply_that_has_calls_stays_as_it_is() -> None:
    reply = Reply(text=ONE, calls=(CALL,))
    assert extract_calls_from_text(reply, NAMES) == reply


def test_ids_go_on_from_earlier_calls() -> None:
    assert [call.id for call in extract_calls_from_text(Reply(text=ONE), NAMES, calls_before=4).calls] == ["call_5"]
