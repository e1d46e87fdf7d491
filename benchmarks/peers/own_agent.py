"""Minimal agent for harnesses that do not include one; their users have to write it themselves."""

import asyncio
import json
import sys
from contextlib import AsyncExitStack, asynccontextmanager

WORK = json.loads(sys.argv[1])
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "look_up",
            "description": "Return the value stored under a key.",
            "parameters": {"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]},
        },
    }
]


class Agent:
    """Agent that answers a question as the workload says: model mocked or over HTTP, tool a function or an MCP
    server.
    """

    def __init__(self):
        self._exits = AsyncExitStack()
        self._client = self._server = None
        self._places = asyncio.Semaphore(WORK["concurrency"])

    async def __aenter__(self):
        if WORK["kind"] == "latency":
            import httpx

            limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
            self._client = await self._exits.enter_async_context(httpx.AsyncClient(limits=limits, timeout=60))
        if WORK["kind"] == "shared":
            self._server = await self._exits.enter_async_context(_server())
        return self

    async def __aexit__(self, *_):
        await self._exits.aclose()

    async def answer(self, question):
        async with self._places:
            if WORK["kind"] == "per_task":
                async with _server() as server:
                    return await self._converse(question, server)
            return await self._converse(question, self._server)

    async def _converse(self, question, server):
        messages = [{"role": "user", "content": question}]
        while True:
            response = await self._reply(messages)
            messages.append(response)
            if not response.get("tool_calls"):
                return response["content"]
            for call in response["tool_calls"]:
                result = await _call_tool(server, json.loads(call["function"]["arguments"]))
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})

    async def _reply(self, messages):
        if WORK["kind"] == "latency":
            body = {"model": "bench", "messages": messages, "tools": TOOLS}
            response = await self._client.post(WORK["url"] + "/chat/completions", json=body)
            return response.json()["choices"][0]["message"]
        if WORK["kind"] != "trivial" and messages[-1]["role"] != "tool":
            function = {"name": "look_up", "arguments": '{"key": "k"}'}
            return {"role": "assistant", "tool_calls": [{"id": "1", "type": "function", "function": function}]}
        return {"role": "assistant", "content": "It is 42: value of k"}


@asynccontextmanager
async def _server():
    from mcp import Client, StdioServerParameters

    command, *arguments = WORK["server"]
    async with Client(StdioServerParameters(command=command, args=arguments), mode="legacy") as client:
        await client.list_tools()
        yield client


async def _call_tool(server, arguments):
    if server is None:
        return f"value of {arguments['key']}"
    result = await server.call_tool("look_up", arguments)
    return result.content[0].text


def questions():
    """Return one question per task."""
    return [f"What is kept under key {index}?" for index in range(WORK["tasks"])]
