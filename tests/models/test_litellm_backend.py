"""litellm in a process of its own, as its import takes seconds, against a server on loopback."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fixtures.chat_server import Answer, chat_server, fails, refusing_url, says
from fixtures.faults.bomb import gzip_bomb

PROGRAM = """
import json, os, sys, time
import anyio
from pytest_mcpbench.core.chat import ChatMessage, ModelSettings
from pytest_mcpbench.core.errors import ModelError
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.models.litellm_backend import LitellmBackend
from pytest_mcpbench.models.rate_limited_model import RateLimitedModel
from pytest_mcpbench.models.prices import Price
from pytest_mcpbench.models.rate_limited_model import RetryPolicy

url, dead_url = sys.argv[1:]
said = {}

async def ask(model, url, prompt, timeout_seconds=60.0, streaming=False):
    extra = {"api_base": url, "api_key": "sk-none"}
    settings = ModelSettings(streaming=streaming, extra=extra, timeout_seconds=timeout_seconds)
    tools = [ToolSpec(name="mail.read", server="mail", tool="read")]
    try:
        reply = await model.complete([ChatMessage("user", prompt)], tools, settings)
    except ModelError as error:
        return {"error": str(error), "status": error.status}
    return reply.model_dump(mode="json", exclude={"seconds", "model", "parsed"})

async def main():
    retries, price = RetryPolicy(attempts=3, first_seconds=0.001), Price(input=2.0, output=10.0)
    model = RateLimitedModel("openai/x", LitellmBackend("openai/x"), retries=retries, price=price)
    for prompt in ("calls", "busy", "refused", "long"):
        said[prompt] = await ask(model, url, prompt)
    for prompt in ("bomb", "streamed bomb"):
        said[prompt] = await ask(model, url, prompt, streaming=prompt != "bomb")
    # Not ru_maxrss, which begins with the memory of the process that has started this one.
    with open("/proc/self/status") as status:
        said["peak"] = int(status.read().partition("VmHWM:")[2].split()[0])
    said["dead"] = await ask(model, dead_url, "dead")
    said["slow"] = await ask(model, url, "slow", timeout_seconds=0.2)
    await model.aclose()

anyio.run(main)
said["environment"] = os.environ.get("LITELLM_LOCAL_MODEL_COST_MAP")
print(json.dumps(said))
"""
EVENTS = {"Content-Type": "text/event-stream"}


class Script:
    """Answers by what the user says."""

    def __init__(self) -> None:
        self.busy = [fails(429, Retry_After="0.01"), fails(500), says("Hi.")]

    def __call__(self, body: dict[str, Any]) -> Answer:
        match body["messages"][0]["content"]:
            case "calls":
                return says(None, ("mail_read", {"n": 1}), ("mail_read", "{"))
            case "busy":
                return self.busy.pop(0)
            case "refused":
                return fails(401, "sk-abcdefghijkl is no key")
            case "bomb":
                return Answer(body=gzip_bomb(600), headers={"Content-Encoding": "gzip"})
            case "streamed bomb":
                return Answer(body=gzip_bomb(600), headers={**EVENTS, "Content-Encoding": "gzip"})
            case "slow":
                return Answer(is_held=True)
        return fails(400, "This model's maximum context length is 10 tokens. (context_length_exceeded)")


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads its memory in /proc")
def test_litellm_speaks_to_a_provider_without_its_own_retries_and_without_noise() -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("LITELLM", "OPENAI"))}
    with chat_server(Script()) as server, refusing_url() as nowhere:
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", PROGRAM, server.url, nowhere],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            env=environment,
        )
        requests = [body["messages"][0]["content"] for body in server.bodies]
    assert done.stderr == ""
    said = json.loads(done.stdout)
    tokens = {"input_tokens": 100, "output_tokens": 20, "cached_tokens": None, "cache_write_tokens": None}
    usage = {**tokens, "cost_usd": 0.0004}
    rest: dict[str, Any] = {"usage": usage, "first_token_seconds": None, "echo": {}, "searches": []}
    calls = [
        {"id": "call_1", "name": "mail.read", "arguments": {"n": 1}, "raw_arguments": None},
        {"id": "call_2", "name": "mail.read", "arguments": {}, "raw_arguments": "{"},
    ]
    assert said["calls"] == {"text": "", "calls": calls, "finish_reason": "tool_calls", "retries": 0, **rest}
    assert said["busy"] == {"text": "Hi.", "calls": [], "finish_reason": "stop", "retries": 2, **rest}
    assert said["refused"]["status"] == 401
    assert "is no key" in said["refused"]["error"]
    assert said["long"]["finish_reason"] == "context_full"
    for bomb in ("bomb", "streamed bomb"):
        assert said[bomb]["error"].endswith("its response has more than 64 MB")
    assert said["peak"] < 1_000_000, "kilobytes, of which the import of litellm takes about 300,000"
    assert said["dead"]["error"].endswith("the provider cannot be reached: connection refused after 2 attempts")
    assert said["slow"]["error"].endswith("did not answer within 0.2 s after 3 attempts")
    assert said["environment"] is None
    once = ["refused", "long", "bomb", "streamed bomb"]
    assert requests == ["calls", "busy", "busy", "busy", *once, "slow", "slow", "slow"]
