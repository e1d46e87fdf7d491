"""Replies that take long to read, and an event loop that has other work when they come."""

import asyncio
import json
import sys
import time
from pathlib import Path

import anyio
import pytest

from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.core.errors import ServerError
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.servers import large_results, open_call, reply_watch

SERVER = """
import json, sys, time
BLOCK = {"type": "text", "text": "block"}
PARTS = {"many": 5000, "few": 2, "invalid": 5000}

def encode(id, result):
    return json.dumps({"jsonrpc": "2.0", "id": id, "result": result})

def write(text):
    sys.stdout.write(text)
    sys.stdout.flush()

for line in sys.stdin:
    message = json.loads(line)
    if message["method"] == "initialize":
        write(encode(message["id"], {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
              "serverInfo": {"name": "x", "version": "1"}}) + "\\n")
    elif message["method"] == "tools/list":
        tools = [{"name": name, "inputSchema": {"type": "object"}} for name in ("many", "few", "invalid", "halves")]
        write(encode(message["id"], {"tools": tools}) + "\\n")
    elif message["method"] == "tools/call":
        name = message["params"]["name"]
        blocks = [{**BLOCK, "text": f"block {number} " + "x" * 200} for number in range(PARTS.get(name, 1))]
        if name == "invalid":
            blocks[4321] = {"type": "text"}
        reply = encode(message["id"], {"content": blocks, "structuredContent": {"a": 1}, "_meta": {"b": 2}})
        if name == "halves":
            write(reply[:20])
            time.sleep(0.3)
            write(reply[20:] + "\\n")
        else:
            write(reply + "\\n")
"""


def ref(directory: Path, **fields: object) -> ServerRef:
    file = directory / "server.py"
    file.write_text(SERVER)
    definition = {"name": "large", "transport": "stdio", "command": sys.executable, "arguments": (str(file),)}
    return ServerRef.model_validate({**definition, **fields})


def test_a_large_result_is_that_of_a_small_one_and_is_decoded_in_a_thread(tmp_path: Path) -> None:
    async def call() -> None:
        async with ServerPool() as pool, pool.session(ref(tmp_path), tmp_path) as connection:
            few, many = await connection.call("few", {}), await connection.call("many", {})
            assert len(many.content) == 5000
            assert many.content[:2] == few.content
            assert many.model_copy(update={"content": few.content}) == few
            with pytest.raises(ServerError, match=r"not valid MCP: .*content.4321"):
                await connection.call("invalid", {})

    anyio.run(call)


def test_only_valid_blocks_are_taken_out_of_a_result() -> None:
    blocks = [{"type": "text", "text": str(number)} for number in range(1000)]
    result = {"content": blocks, "_meta": {"own": 1}, "isError": False}
    light = large_results.without_blocks(result)
    assert (light["content"], light["isError"], light["_meta"]["own"]) == ([], False, 1)
    broken = {"content": [*blocks, {"type": "text"}]}
    assert large_results.without_blocks(broken) is broken
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"content": blocks, "_meta": "odd"}}).encode()
    assert large_results.decode(line).result["content"] == blocks  # type: ignore[union-attr]  # it is a response


@pytest.mark.parametrize("seconds", [reply_watch.SILENCE_SECONDS, 0.1])
def test_a_server_is_not_blamed_for_the_time_in_which_nobody_read(
    seconds: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # With the short silence the timer for the half reply is over when the loop goes on; with the usual one the call is.
    monkeypatch.setattr(reply_watch, "SILENCE_SECONDS", seconds)
    timeouts = {"call_seconds": 0.5 if seconds > 1 else 60}

    async def call() -> None:
        async with ServerPool() as pool, pool.session(ref(tmp_path, timeouts=timeouts), tmp_path) as connection:
            results = []

            async def ask() -> None:
                results.append(await connection.call("halves", {}))

            async with anyio.create_task_group() as group:
                group.start_soon(ask)
                await anyio.sleep(0.02)
                time.sleep(1.2)
            assert [result.is_error for result in results] == [False]

    anyio.run(call)


def test_no_call_ends_while_a_reply_is_being_decoded_until_twice_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    async def ends(*, is_decoding: bool, after_seconds: float) -> bool:
        monkeypatch.setattr(open_call, "is_decoding", lambda: is_decoding)
        call = open_call.OpenCall(60)
        call._end_time(asyncio.get_running_loop().time() + after_seconds)
        call.close()
        return call.over.done()

    async def main() -> None:
        assert await ends(is_decoding=False, after_seconds=60)
        assert not await ends(is_decoding=True, after_seconds=60)
        assert await ends(is_decoding=True, after_seconds=121)

    anyio.run(main)
