from pathlib import Path
from typing import Any

import anyio
import pytest

from pytest_mcpbench.core.chat import ChatMessage, ModelSettings, Reply
from pytest_mcpbench.core.errors import ModelError, UsageError
from pytest_mcpbench.core.tool import Call
from pytest_mcpbench.core.usage import Usage
from pytest_mcpbench.models.scripted import ScriptedModel

SPOKEN = ChatMessage("assistant", "…")


def user(text: str) -> ChatMessage:
    return ChatMessage("user", text)


def reply_to(model: ScriptedModel, *messages: ChatMessage) -> str:
    reply: Reply = anyio.run(model.complete, messages, (), ModelSettings())
    return reply.text


def test_replies_are_played_in_order_to_each_conversation() -> None:
    model = ScriptedModel([Reply(text="one"), Reply(text="two")])
    assert [reply_to(model, user("a")), reply_to(model, user("b")), reply_to(model, user("a"), SPOKEN)] == [
        "one",
        "one",
        "two",
    ]


def test_replies_can_depend_on_the_last_user_message() -> None:
    model = ScriptedModel([Reply(text="other")], {"mail": [Reply(text="one"), Reply(text="two")]})
    assert reply_to(model, user("x"), SPOKEN, user("Read my mail.")) == "one"
    assert reply_to(model, user("x"), SPOKEN, user("Read my mail."), SPOKEN) == "two"
    assert reply_to(model, user("Hello")) == "other"


def test_a_script_that_is_over_is_an_error() -> None:
    with pytest.raises(ModelError, match=r"^model 'scripted': the script has 1 replies to 'a', reply 2 is missing$"):
        reply_to(ScriptedModel([Reply(text="one")]), user("a"), SPOKEN)


def test_a_file_holds_replies_in_short_form(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    path.write_text(
        """["Hi.", {"text": "So", "calls": [{"name": "a", "arguments": {"n": 1}}, {"name": "b", "arguments": "{"}],
            "usage": {"input_tokens": 3}, "finish_reason": "tool_calls"}]"""
    )
    model = ScriptedModel.from_file(path)
    second = anyio.run(model.complete, [user("x"), SPOKEN], (), ModelSettings())
    calls = (Call(id="call_1", name="a", arguments={"n": 1}), Call(id="call_2", name="b", raw_arguments="{"))
    assert second == Reply(text="So", calls=calls, usage=Usage(input_tokens=3), finish_reason="tool_calls")
    assert reply_to(model, user("x")) == "Hi."


BROKEN: dict[str, tuple[Any, str]] = {
    "no JSON": ("[", "JSONDecodeError"),
    "a number": ("3", "is not a valid script"),
    "an unknown key": ('[{"txt": "Hi"}]', "txt: Extra inputs are not permitted"),
    "a call without a name": ('[{"calls": [{}]}]', "KeyError: 'name'"),
}


@pytest.mark.parametrize(("content", "message"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_script_names_its_file(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "script.json"
    path.write_text(content)
    with pytest.raises(UsageError, match=rf"script\.json: is not a valid script: .*{message}|{message}"):
        ScriptedModel.from_file(path)
