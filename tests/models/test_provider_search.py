"""Tool search of providers: what litellm sends to them, against a server on loopback, in a process of its own."""

import json
import subprocess
import sys
from typing import Any

import pytest

from fixtures.chat_server import Answer, chat_server

PROGRAM = """
import json, sys
import anyio
from pytest_mcpbench.core.chat import ChatMessage, ModelSettings
from pytest_mcpbench.core.errors import ModelError
from pytest_mcpbench.core.prompt import assistant_message
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.models.aliases import ModelAlias
from pytest_mcpbench.models.factory import Models

models = Models({
    name: ModelAlias(model=name, extra={"api_base": sys.argv[1], "api_key": "k"}) for name in sys.argv[2:]
})
mail = ToolSpec(name="mail.read", server="mail", tool="read", is_deferred=True)
tools = [mail, ToolSpec(name="load_skill", server="", tool="")]
said = []

async def main():
    for name in sys.argv[2:]:
        try:
            asked = [ChatMessage("user", "Read my mail.")]
            reply = await models.get(name).complete(asked, tools, ModelSettings())
            results = [ChatMessage("tool", "None.", call_id=call.id) for call in reply.calls]
            await models.get(name).complete([*asked, assistant_message(reply), *results], tools, ModelSettings())
            said.append([search.model_dump(mode="json", include={"arguments", "found"}) for search in reply.searches])
        except ModelError as error:
            said.append(str(error))
    await models.aclose()

anyio.run(main)
print(json.dumps(said))
"""
REFERENCE = {"type": "tool_reference", "tool_name": "mail_read"}
FOUND = {"type": "tool_search_tool_search_result", "tool_references": [REFERENCE]}
SEARCH = [
    {"type": "server_tool_use", "id": "srvtoolu_1", "name": "tool_search_tool_regex", "input": {"pattern": "mail"}},
    {"type": "tool_search_tool_result", "tool_use_id": "srvtoolu_1", "content": FOUND},
]
CALLED = {"type": "tool_use", "id": "c1", "name": "mail_read", "input": {}}


def reply(body: dict[str, Any]) -> Answer:
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    if "input" in body:
        done = {"status": "completed"}
        search = {"type": "tool_search_call", "id": "s2", "execution": "server", "arguments": {}, **done}
        call = {"type": "function_call", "id": "f", "call_id": "c2", "name": "mail_read", "arguments": "{}", **done}
        rest = {"id": "r", "object": "response", "created_at": 1, "status": "completed", "model": body["model"]}
        return Answer(body=json.dumps({**rest, "output": [search, call], "usage": usage}).encode())
    message = {"id": "m", "type": "message", "role": "assistant", "model": body["model"], "stop_reason": "tool_use"}
    return Answer(body=json.dumps({**message, "content": [*SEARCH, CALLED], "usage": usage}).encode())


@pytest.mark.long
def test_requests_defer_tools_where_the_provider_can_search_and_later_ones_say_what_was_found() -> None:
    names = ("anthropic/claude-sonnet-4-5-20250929", "anthropic/claude-3-haiku-20240307", "openai/responses/gpt-5.1")
    with chat_server(reply) as server:
        program = [sys.executable, "-c", PROGRAM, server.url.removesuffix("/v1"), *names]
        done = subprocess.run(program, capture_output=True, text=True, check=False, timeout=300)
        bodies = server.bodies
    assert done.returncode == 0, done.stderr
    claude, haiku, gpt = json.loads(done.stdout)
    assert claude == [{"arguments": {"query": "mail"}, "found": ["mail.read"]}]
    assert "this model has no tool search of its provider" in haiku
    assert gpt == [{"arguments": {"query": "{}"}, "found": None}]
    first, second, *of_gpt = bodies
    assert [(tool["name"], tool.get("defer_loading")) for tool in first["tools"]] == [
        ("tool_search_tool_regex", None),
        ("mail_read", True),
        ("load_skill", None),
    ]
    assert second["messages"][1]["content"] == [*SEARCH, CALLED]
    assert [(tool.get("name"), tool["type"], tool.get("defer_loading")) for tool in of_gpt[0]["tools"]] == [
        (None, "tool_search", None),
        ("mail_read", "function", True),
        ("load_skill", "function", None),
    ]
