import time

import pytest

from pytest_mcpbench.models.tool_formats.react_format import parse_react_reply
from pytest_mcpbench.models.tool_formats.tool_format import ParsedReply, WrittenCall

READ = WrittenCall("read", {"id": 1})
ACTION = 'Thought: I must look.\nAction: read\nAction Input: {"id": 1}'
RADAR = 'Thought: Look.\nAction:\n```json\n{"server_name": "mail", "tool_name": "read", "inputs": {"id": 1}}\n```'

READABLE: dict[str, tuple[str, ParsedReply]] = {
    "an action": (ACTION, ParsedReply("I must look.", (READ,))),
    "Markdown": ('**Thought:** Look.\n**Action**: `read`\n**Action Input:** {"id": 1}', ParsedReply("Look.", (READ,))),
    "a fenced input": ('Action: read\nAction Input:\n```json\n{"id": 1}\n```', ParsedReply(calls=(READ,))),
    "an input in backticks": ('Action: `read`\nAction Input: `{"id": 1}`', ParsedReply(calls=(READ,))),
    "a fence around all": (f"```\n{ACTION}\n```", ParsedReply("I must look.", (READ,))),
    "the form of MCP-RADAR": (RADAR, ParsedReply("Look.", (READ,))),
    "two actions": (
        f'{ACTION}\nAction: list\nAction Input: {{"n": 2}}',
        ParsedReply("I must look.", (READ, WrittenCall("list", {"n": 2}))),
    ),
    "an empty input": ("Action: list\nAction Input:", ParsedReply(calls=(WrittenCall("list", ""),))),
    "an input that is no object": ("Action: read\nAction Input: one", ParsedReply(calls=(WrittenCall("read", "one"),))),
    "half an input": (
        'Action: read\nAction Input: {"id": ',
        ParsedReply(calls=(WrittenCall("read", '{"id":'),)),
    ),
    "a name that no tool has": ("Action: reed\nAction Input: {}", ParsedReply(calls=(WrittenCall("reed", {}),))),
    "an invented observation": (
        f"{ACTION}\nObservation: 3 mails\nThought: I know.\nFinal Answer: 3",
        ParsedReply("I must look.", (READ,), kept=ACTION),
    ),
    "an observation within a string": (
        'Action: read\nAction Input: {"id": "a\nObservation: b"}',
        ParsedReply(calls=(WrittenCall("read", {"id": "a\nObservation: b"}),)),
    ),
    "an answer": ("Thought: I know.\nFinal Answer: 3 mails\nin all", ParsedReply("3 mails\nin all")),
    "no action but an answer": ("Action: None\nFinal Answer: 3", ParsedReply("3")),
    "an answer with an example": (
        f"Final Answer: Write this:\n{ACTION}\nObservation: …",
        ParsedReply(f"Write this:\n{ACTION}\nObservation: …"),
    ),
    "an example in a thought": (
        f"Thought: the form is\n```\n{ACTION}\n```\nFinal Answer: 3",
        ParsedReply("3"),
    ),
    "an action in a fence at the end": (f"I will read it.\n```\n{ACTION}\n```", ParsedReply("I must look.", (READ,))),
    "an action in an example only": (f"```\n{ACTION}\n```\nDone.", ParsedReply(f"```\n{ACTION}\n```\nDone.")),
    "a block of code at the end": ("So:\n```\nx = 1\n```", ParsedReply("So:\n```\nx = 1\n```")),
    "an answer in JSON": ('Final Answer: {"name": "Ada"}', ParsedReply('{"name": "Ada"}')),
    "an answer without a mark": ("You have 3 mails.", ParsedReply("You have 3 mails.")),
    "JSON that is no call": ('{"name": "Ada"}', ParsedReply('{"name": "Ada"}')),
    "thoughts before": (f"<think>Action: x</think>{ACTION}", ParsedReply("I must look.", (READ,))),
}


@pytest.mark.parametrize(("text", "expected"), READABLE.values(), ids=READABLE.keys())
def test_actions_and_answers_are_read_from_text(text: str, expected: ParsedReply) -> None:
    assert parse_react_reply(text, ["read"]) == expected


REAL: dict[str, tuple[str, ParsedReply]] = {
    "asked to delete after a confirmation": (
        'Thought: I need to confirm the deletion before proceeding.\nAction: read_mail\nAction Input: {"id": 3}',
        ParsedReply("I need to confirm the deletion before proceeding.", (WrittenCall("read_mail", {"id": 3}),)),
    ),
    "asked to explain first": (
        "Thought: I will first list all the mails in the inbox.\n"
        'Action: {"name": "list_mails", "parameters": {}}\nAction Input: {}',
        ParsedReply("I will first list all the mails in the inbox.", (WrittenCall("list_mails", {}),)),
    ),
    "after a result": (
        "Thought: I know the final answer\nFinal Answer: The mails from Ada are with IDs 3 and 5, and you can read "
        "them by calling the read_mail function with the corresponding IDs.",
        ParsedReply(
            "The mails from Ada are with IDs 3 and 5, and you can read them by calling the read_mail function with "
            "the corresponding IDs."
        ),
    ),
    "asked for an example of a call": (
        '{"name": "read_mail", "parameters": {"id": 123}}',
        ParsedReply(problem="it has JSON in place of 'Action:' and 'Action Input:'"),
    ),
}
"""Replies of Qwen2.5-Coder-1.5B-Instruct, temperature 0."""


@pytest.mark.parametrize(("text", "expected"), REAL.values(), ids=REAL.keys())
def test_replies_of_a_small_model_are_read(text: str, expected: ParsedReply) -> None:
    assert parse_react_reply(text, ["list_mails", "read_mail"]) == expected


UNREADABLE: dict[str, tuple[str, str]] = {
    "an action and an answer": (f"{ACTION}\nFinal Answer: 3", "it has an action and a final answer"),
    "a thought alone": ("Thought: I must look.", "it has neither 'Action:' nor 'Final Answer:'"),
    "an action without input": ("Action: read", "no 'Action Input:' follows the action 'read'"),
    "an observation alone": ("Observation: 3 mails\nFinal Answer: 3", "it has neither 'Action:' nor 'Final Answer:'"),
    "JSON": ('{"name": "read", "arguments": {"id": 1}}', "it has JSON in place of 'Action:'"),
    "JSON in a tag": ('<tool_call>{"name": "read", "arguments": {}}', "it has JSON in place of 'Action:'"),
    "an object that is no action": ('Action: {"id": 1}', "no 'Action Input:' follows the action"),
}


@pytest.mark.parametrize(("text", "problem"), UNREADABLE.values(), ids=UNREADABLE.keys())
def test_a_reply_that_may_mean_two_things_is_not_guessed_at(text: str, problem: str) -> None:
    parsed = parse_react_reply(text, ["read"])
    assert parsed.problem.startswith(problem)
    assert (parsed.calls, parsed.text) == ((), "")


@pytest.mark.parametrize("part", ["Action: a\n", "Action Input: {\n", "```\n", "Thought:", "**Action", "\n \n\t"])
def test_hostile_text_takes_linear_time(part: str) -> None:
    began = time.process_time()
    parse_react_reply(part * 30_000, ["read"])
    assert time.process_time() - began < 2
