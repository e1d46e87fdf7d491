import time

import pytest

from pytest_mcpbench.models.tool_formats.json_format import parse_json_reply
from pytest_mcpbench.models.tool_formats.tool_format import ParsedReply, WrittenCall

READ = WrittenCall("read", {"id": 1})
ONE = '{"name": "read", "arguments": {"id": 1}}'
ANSWER = '{"name": "respond", "arguments": {"text": "Done."}}'
EXAMPLE = f"Send this to the API:\n```json\n{ONE}\n```\nThen wait."

READABLE: dict[str, tuple[str, ParsedReply]] = {
    "a call": (ONE, ParsedReply(calls=(READ,))),
    "a list": (f"[{ONE}, {ONE}]", ParsedReply(calls=(READ, READ))),
    "a list under a key": (f'{{"calls": [{ONE}]}}', ParsedReply(calls=(READ,))),
    "the form of OpenAI": (
        '{"tool_calls": [{"id": "x", "type": "function", "function": ' + ONE + "}]}",
        ParsedReply(calls=(READ,)),
    ),
    "two lines": (f"{ONE}\n{ONE}", ParsedReply(calls=(READ, READ))),
    "a fenced block": (f"Let me look.\n```json\n{ONE}\n```", ParsedReply("Let me look.", (READ,))),
    "a fence without a language": (f"```\n{ONE}\n```", ParsedReply(calls=(READ,))),
    "an open fence": (f"```json\n{ONE}", ParsedReply(calls=(READ,))),
    "two fenced blocks": (f"```json\n{ONE}\n```\n```json\n{ONE}\n```", ParsedReply(calls=(READ, READ))),
    "tags": (f"<tool_call>\n{ONE}\n</tool_call>", ParsedReply(calls=(READ,))),
    "an open tag": (f"<tool_call>{ONE}", ParsedReply(calls=(READ,))),
    "Mistral's marker": (f"[TOOL_CALLS] [{ONE}, {ONE}]", ParsedReply(calls=(READ, READ))),
    "a line of its own": (f"I will read it.\n{ONE}", ParsedReply("I will read it.", (READ,))),
    "other words": ('{"tool": "read", "parameters": {"id": 1}}', ParsedReply(calls=(READ,))),
    "no arguments": ('{"name": "read"}', ParsedReply(calls=(WrittenCall("read"),))),
    "Python": ("{'name': 'read', 'arguments': {'id': 1}}", ParsedReply(calls=(READ,))),
    "a comma too many": ('{"name": "read", "arguments": {"id": 1,},}', ParsedReply(calls=(READ,))),
    "a line break in a string": (
        '{"name": "read", "arguments": {"id": "a\nb"}}',
        ParsedReply(calls=(WrittenCall("read", {"id": "a\nb"}),)),
    ),
    "thoughts before": (f'<think>I could write {{"name": "x"}}.</think>\n{ONE}', ParsedReply(calls=(READ,))),
    "a name that no tool has": (
        '{"name": "reed", "arguments": {"id": 1}}',
        ParsedReply(calls=(WrittenCall("reed", {"id": 1}),)),
    ),
    "arguments that are no object": (
        '{"name": "read", "arguments": [1]}',
        ParsedReply(calls=(WrittenCall("read", [1]),)),
    ),
    "an answer": (ANSWER, ParsedReply("Done.")),
    "an answer in a fence": (f"```json\n{ANSWER}\n```", ParsedReply("Done.")),
    "a short answer": ('{"respond": "Done."}', ParsedReply("Done.")),
    "an answer that quotes a call": (
        '{"name": "respond", "arguments": {"text": "```json\\n{\\"name\\": \\"read\\", \\"arguments\\": {}}\\n```"}}',
        ParsedReply('```json\n{"name": "read", "arguments": {}}\n```'),
    ),
    "an answer in JSON": ('{"name": "Ada", "age": 36}', ParsedReply('{"name": "Ada", "age": 36}')),
    "an answer with a list": ('[{"name": "Ada"}]', ParsedReply('[{"name": "Ada"}]')),
    "a block of JSON in an answer": (
        'It is:\n```json\n{"total": 3}\n```\nAll paid.',
        ParsedReply('It is:\n```json\n{"total": 3}\n```\nAll paid.'),
    ),
    "a block of code": ("```json\n{1: 2}\n```", ParsedReply("```json\n{1: 2}\n```")),
    "a call within a sentence": (f"I would send {ONE}", ParsedReply(f"I would send {ONE}")),
    "an example in an answer": (EXAMPLE, ParsedReply(EXAMPLE)),
    "an example before an answer": (f"```\n{ONE}\n```\n3 mails.", ParsedReply(f"```\n{ONE}\n```\n3 mails.")),
    "a call and an invented result": (f"{ONE}\nResult: 3 mails", ParsedReply(f"{ONE}\nResult: 3 mails")),
    "examples in two ways": (
        f"{ONE}\n<tool_call>{ONE}</tool_call>\nBoth.",
        ParsedReply(f"{ONE}\n<tool_call>{ONE}</tool_call>\nBoth."),
    ),
    "an answer with text around": (f"So:\n```json\n{ANSWER}\n```\nBye.", ParsedReply("Done.")),
    "an answer that ends with a call": (f"3 mails. More:\n```json\n{ONE}\n```", ParsedReply("3 mails. More:", (READ,))),
    "a quoted call": (f"> {ONE}", ParsedReply(f"> {ONE}")),
    "prose": ("I would call {name}.", ParsedReply("I would call {name}.")),
    "nothing": ("", ParsedReply("")),
}


@pytest.mark.parametrize(("text", "expected"), READABLE.values(), ids=READABLE.keys())
def test_calls_and_answers_are_read_from_text(text: str, expected: ParsedReply) -> None:
    assert parse_json_reply(text, ["read"]) == expected


PLAN = """\
To answer this question, I will use the `list_mails` tool to retrieve all mails from the inbox and then filter them.

1. **Call the `list_mails` tool**:
   ```json
   {"name": "list_mails", "arguments": {}}
   ```

2. **Receive the list of mails**:
   ```json
   {
     "name": "respond",
     "arguments": {
       "text": "Here are all your mails:"
     }
   }
   ```

3. **Filter the mails by sender's name "Ada"**:
   - Assume the list of mails is stored in an array called `mails`."""
NO_TOOL = """\
To call the "weather" tool, you can use the following JSON object:
```json
{
  "name": "weather",
  "arguments": {
    "city": "Paris"
  }
}
```
This will return the current weather conditions in Paris."""
REAL: dict[str, tuple[str, ParsedReply]] = {
    "asked to read": (
        '```json\n{\n  "name": "read_mail",\n  "arguments": {\n    "id": 3\n  }\n}\n```',
        ParsedReply(calls=(WrittenCall("read_mail", {"id": 3}),)),
    ),
    "asked to think step by step": (
        PLAN,
        ParsedReply(problem="it has calls and 'respond'; the answer must wait for the results of the calls"),
    ),
    "asked for what no tool does": (NO_TOOL, ParsedReply(NO_TOOL)),
    "asked to confirm first": (
        '{"name": "respond", "arguments": {"text": "Are you sure you want to delete mail 3? Please confirm."}}',
        ParsedReply("Are you sure you want to delete mail 3? Please confirm."),
    ),
    "asked not to send": (
        '```json\n{"name": "respond", "arguments": {"text": "I can help you send a mail to Bob."}}\n```',
        ParsedReply("I can help you send a mail to Bob."),
    ),
}
"""Replies of Qwen2.5-Coder-1.5B-Instruct without ``response_format``, temperature 0; two are shortened."""


@pytest.mark.parametrize(("text", "expected"), REAL.values(), ids=REAL.keys())
def test_replies_of_a_small_model_are_read(text: str, expected: ParsedReply) -> None:
    assert parse_json_reply(text, ["list_mails", "read_mail"]) == expected


UNREADABLE: dict[str, tuple[str, str]] = {
    "half a call": ('{"name": "read", "arguments": {"id": ', "the JSON of the call is not complete or not valid"),
    "half an answer": ('{"name": "respond", "arguments": {"text": "Do', "the JSON of the call is not complete"),
    "half a short answer": ('{"respond": "Do', "the JSON of the call is not complete"),
    "half a list": (f"[{ONE},", "the JSON of the call is not complete"),
    "half a block": ('Reading.\n```json\n{"name": "read", "arg\n```', "the JSON of the call is not complete"),
    "a tag with text": ("<tool_call>read(1)</tool_call>", "the JSON of the call is not complete"),
    "an answer beside a call, and text": (f"```\n{ONE}\n```\n```\n{ANSWER}\n```\nBye.", "it has calls and 'respond'"),
    "two ways": (f"```json\n{ONE}\n```\n<tool_call>{ONE}</tool_call>", "calls are written in two ways"),
    "a call and an answer": (f"[{ONE}, {ANSWER}]", "it has calls and 'respond'"),
    "ReAct": ('Action: read\nAction Input: {"id": 1}', "it has lines of 'Action:'"),
}


@pytest.mark.parametrize(("text", "problem"), UNREADABLE.values(), ids=UNREADABLE.keys())
def test_a_reply_that_may_mean_two_things_is_not_guessed_at(text: str, problem: str) -> None:
    parsed = parse_json_reply(text, ["read"])
    assert parsed.problem.startswith(problem)
    assert (parsed.calls, parsed.text) == ((), "")


@pytest.mark.parametrize(
    "part", ["{", "\n[{", '\n{"name"', "```json\n{", "Action:\n", "<think>", "'", '{"a": "', "\n{'"]
)
def test_hostile_text_takes_linear_time(part: str) -> None:
    began = time.process_time()
    parse_json_reply(part * 30_000, ["read"])
    assert time.process_time() - began < 2
