"""Conversations of an agent with a model that has no native tool calls."""

from collections.abc import Sequence
from typing import Any, Literal

import anyio
import pytest

from pytest_mcpbench.core.chat import ChatMessage, ModelSettings, Reply
from pytest_mcpbench.core.errors import ModelError
from pytest_mcpbench.core.prompt import assistant_message
from pytest_mcpbench.core.tool import Call, Content, ToolSpec
from pytest_mcpbench.core.trajectory import ParsedText
from pytest_mcpbench.models.tool_formats.catalogue import TEXT_FORMATS
from pytest_mcpbench.models.tool_formats.json_format import reply_schema
from pytest_mcpbench.models.tool_formats.text_model import MOST_OUTPUT_TOKENS, TextToolModel
from tests.builders import a_tool

READ = a_tool("mail.read", {"id": {"type": "integer"}}, ("id",))
CALL = '{"name": "mail_read", "arguments": {"id": 1}}'
USER = ChatMessage("user", "Read it.")
SYSTEM = ChatMessage("system", "Be brief.")


class _Server:
    """Model that replies with texts, and rejects requests with fields that it does not know."""

    name = "a server"

    def __init__(self, *texts: str, rejects: frozenset[str] = frozenset()) -> None:
        self.texts = [*texts]
        self.rejects = rejects
        self.asked: list[tuple[list[ChatMessage], Sequence[ToolSpec], ModelSettings]] = []

    async def complete(
        self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec], settings: ModelSettings
    ) -> Reply:
        self.asked.append(([*messages], tools, settings))
        if self.rejects & settings.extra.keys():
            raise ModelError("unknown field", self.name, 400)
        return Reply(text=self.texts.pop(0))


def ask(server: _Server, *messages: ChatMessage, form: str = "json", **settings: Any) -> Reply:
    model = TextToolModel(server, TEXT_FORMATS[form])
    return anyio.run(model.complete, messages, (READ,), ModelSettings(**settings))


def parsed(raw: str, problem: str = "", form: Literal["json", "react"] = "json") -> ParsedText:
    return ParsedText(format=form, raw=raw, problem=problem)


def test_a_call_is_parsed_and_the_text_is_kept() -> None:
    call = Call(id="call_1", name="mail.read", arguments={"id": 1})
    assert ask(_Server(CALL), USER) == Reply(calls=(call,), parsed=parsed(CALL))


def test_tools_are_described_in_the_instructions_and_not_sent() -> None:
    server = _Server(CALL)
    ask(server, SYSTEM, USER)
    [(messages, tools, settings)] = server.asked
    assert tools == ()
    assert [message.role for message in messages] == ["system", "user"]
    assert messages[0].text.startswith("Be brief.\n\nYou can call tools.")
    assert '{"name": "mail.read", "description": "", "parameters": {"type": "object"' in messages[0].text
    assert settings.max_output_tokens == MOST_OUTPUT_TOKENS


def test_results_are_messages_of_the_user_and_ids_go_on() -> None:
    server = _Server(CALL, CALL)
    first = ask(server, USER)
    picture = Content(type="image", data="aGk=")
    said = [USER, assistant_message(first), ChatMessage("tool", "Hi.", call_id="call_1", content=(picture,))]
    second = ask(server, *said, ChatMessage("user", "And now?"))
    [_, *written] = server.asked[1][0]
    result = (
        'Result of mail.read:\nHi.\n\nIf the request is now complete, reply with "respond"; '
        "otherwise call the next tool.\n\nAnd now?"
    )
    assert written == [USER, ChatMessage("assistant", CALL), ChatMessage("user", result, content=(picture,))]
    assert [call.id for call in second.calls] == ["call_2"]


def test_a_reply_that_cannot_be_read_has_no_text_and_the_model_is_told() -> None:
    server = _Server('{"name": "mail_read", "arg', CALL)
    first = ask(server, USER)
    problem = "the JSON of the call is not complete or not valid"
    assert first == Reply(parsed=parsed('{"name": "mail_read", "arg', problem))
    ask(server, USER, assistant_message(first))
    assert server.asked[1][0][-1].text.startswith(
        f"Your reply could not be read: {problem}. Reply with one JSON object"
    )


def test_an_invented_observation_is_in_the_record_and_not_shown_to_the_model_again() -> None:
    action = 'Thought: Look.\nAction: mail.read\nAction Input: {"id": 1}'
    raw = f"{action}\nObservation: 3 mails\nFinal Answer: 3"
    server = _Server(raw, "Final Answer: Hi.")
    first = ask(server, USER, form="react")
    assert first.parsed == parsed(raw, form="react")
    assert first.text == "Look."
    second = ask(server, USER, assistant_message(first), ChatMessage("tool", "Hi.", call_id="call_1"), form="react")
    assert server.asked[1][0][-2:] == [ChatMessage("assistant", action), ChatMessage("user", "Observation: Hi.")]
    assert second.text == "Hi."


def test_recorded_replies_of_earlier_turns_are_written_in_the_format() -> None:
    server = _Server("Final Answer: ok")
    gold = ChatMessage("assistant", "Look.", calls=(Call(id="gold", name="mail.read", arguments={"id": 2}),))
    result = ChatMessage("tool", "Hi.", call_id="gold")
    ask(server, USER, gold, result, ChatMessage("assistant", "It says Hi."), USER, form="react")
    assert [message.text for message in server.asked[0][0][2:5]] == [
        'Thought: Look.\nAction: mail.read\nAction Input: {"id": 2}',
        "Observation: Hi.",
        "Final Answer: It says Hi.",
    ]


@pytest.mark.parametrize(("form", "field"), [("json", "response_format"), ("react", "stop")])
def test_a_constraint_that_the_server_rejects_is_left_out_from_then_on(form: str, field: str) -> None:
    server = _Server("Hi.", "Hi.", rejects=frozenset({field}))
    model = TextToolModel(server, TEXT_FORMATS[form])

    async def twice() -> None:
        for _ in range(2):
            await model.complete([USER], (READ,), ModelSettings())

    anyio.run(twice)
    assert [[*settings.extra] for *_, settings in server.asked] == [[field], [], []]


def test_other_errors_are_the_provider_s() -> None:
    with pytest.raises(ModelError, match="unknown field"):
        ask(_Server(rejects=frozenset({"stop", "seed"})), USER, form="react", extra={"seed": 1})


def test_a_request_without_tools_is_passed_on() -> None:
    server = _Server(CALL)
    model = TextToolModel(server, TEXT_FORMATS["json"])
    assert anyio.run(model.complete, [USER], (), ModelSettings()) == Reply(text=CALL)
    assert server.asked == [([USER], (), ModelSettings())]


def test_the_schema_of_a_reply_keeps_references_and_drops_what_grammars_do_not_know() -> None:
    schema = {
        "type": "object",
        "properties": {"to": {"$ref": "#/$defs/Who"}, "pattern": {"type": "string", "pattern": "^a$"}},
        "$defs": {"Who": {"type": "string", "format": "email"}},
    }
    tool = ToolSpec(name="send", server="mail", tool="send", input_schema=schema)
    written = reply_schema([tool], ModelSettings())["json_schema"]["schema"]
    assert written["$defs"]["tool_0"] == {
        "type": "object",
        "properties": {"to": {"$ref": "#/$defs/tool_0/$defs/Who"}, "pattern": {"type": "string"}},
        "$defs": {"Who": {"type": "string"}},
    }
    names = [each["properties"]["name"]["const"] for each in written["anyOf"] if "properties" in each]
    assert names == ["send", "respond"]
    assert [each["type"] for each in written["anyOf"]] == ["object", "array", "object"]


@pytest.mark.parametrize(
    ("settings", "types"),
    [
        (ModelSettings(tool_choice="required"), ["object", "array"]),
        (ModelSettings(parallel_calls=False), ["object", "object"]),
        (ModelSettings(tool_choice="mail.read", parallel_calls=False), ["object"]),
    ],
    ids=["a call is required", "one call", "one tool"],
)
def test_the_schema_of_a_reply_follows_the_settings(settings: ModelSettings, types: list[str]) -> None:
    written = reply_schema([READ], settings)["json_schema"]["schema"]
    assert [each["type"] for each in written["anyOf"]] == types
