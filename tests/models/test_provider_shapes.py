"""Requests to four providers and replies of theirs, compared field by field with the shapes that they document.

The stand-ins are in ``fixtures/provider_shapes.py``; litellm translates, in a process of its own.
"""

import json
import os
import re
import subprocess
import sys
from typing import Any

import pytest

from fixtures.provider_shapes import PROVIDERS, SIGNATURE
from fixtures.provider_talks import SCHEMA

PICTURE = "iVBORw0KGgo="
CACHED = {"cache_control": {"type": "ephemeral"}}
POINT = {"cachePoint": {"type": "default"}}
THINKING = {"type": "enabled", "budget_tokens": 1024}

ANTHROPIC = {
    "model": "claude-sonnet-4-5",
    "max_tokens": 4000,
    "thinking": THINKING,
    "system": [{"type": "text", "text": "Be brief.", **CACHED}],
    "tools": [{"type": "custom", "name": "mail_read", "description": "Read a mail.", "input_schema": SCHEMA, **CACHED}],
}
ANTHROPIC_IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PICTURE}}
BEDROCK = {
    "inferenceConfig": {"maxTokens": 4000},
    "additionalModelRequestFields": {"thinking": THINKING},
    "additionalModelResponseFieldPaths": ["/usage/output_tokens_details"],
    "system": [{"text": "Be brief."}, POINT],
    "toolConfig": {
        "tools": [
            {"toolSpec": {"name": "mail_read", "description": "Read a mail.", "inputSchema": {"json": SCHEMA}}},
            POINT,
        ]
    },
}
GEMINI = {
    "system_instruction": {"parts": [{"text": "Be brief."}]},
    "tools": [{"function_declarations": [{"name": "mail_read", "description": "Read a mail.", "parameters": SCHEMA}]}],
    "generationConfig": {
        "max_output_tokens": 4000,
        "thinkingConfig": {"thinkingLevel": "low", "includeThoughts": True},
    },
}
GEMINI_IMAGE = {"inline_data": {"data": PICTURE, "mime_type": "image/png"}}
RESPONSES = {
    "model": "gpt-5.4-pro",
    "max_output_tokens": 4000,
    "reasoning": {"effort": "high"},
    "include": ["reasoning.encrypted_content"],
    "tools": [
        {
            "type": "function",
            "name": "mail_read",
            "description": "Read a mail.",
            "parameters": SCHEMA,
            "strict": None,
        }
    ],
}
RESPONSES_SYSTEM = {"type": "message", "role": "system", "content": [{"type": "input_text", "text": "Be brief."}]}
RESPONSES_IMAGE = {"type": "input_image", "image_url": f"data:image/png;base64,{PICTURE}", "detail": "auto"}

FIRST: dict[str, dict[str, Any]] = {
    "anthropic": {
        **ANTHROPIC,
        "messages": [{"role": "user", "content": [{"type": "text", "text": "calls", **CACHED}]}],
    },
    "bedrock": {**BEDROCK, "messages": [{"role": "user", "content": [{"text": "calls"}, POINT]}]},
    "gemini": {**GEMINI, "contents": [{"role": "user", "parts": [{"text": "calls"}]}]},
    "responses": {
        **RESPONSES,
        "input": [
            RESPONSES_SYSTEM,
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "calls"}]},
        ],
    },
}

AFTER_CALLS: dict[str, dict[str, Any]] = {
    "anthropic": {
        **ANTHROPIC,
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "calls"}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "Two mails.", "signature": SIGNATURE},
                    {"type": "text", "text": "Look."},
                    {"type": "tool_use", "id": "id_1", "name": "mail_read", "input": {"id": 1}},
                    {"type": "tool_use", "id": "id_2", "name": "mail_read", "input": {"id": 2}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "id_1", "content": "Hi."},
                    {"type": "tool_result", "tool_use_id": "id_2", "content": "Hi."},
                    ANTHROPIC_IMAGE,
                    {**ANTHROPIC_IMAGE, **CACHED},
                ],
            },
        ],
    },
    "bedrock": {
        **BEDROCK,
        "messages": [
            {"role": "user", "content": [{"text": "calls"}]},
            {
                "role": "assistant",
                "content": [
                    {"reasoningContent": {"reasoningText": {"text": "Two mails.", "signature": SIGNATURE}}},
                    {"text": "Look."},
                    {"toolUse": {"toolUseId": "id_1", "name": "mail_read", "input": {"id": 1}}},
                    {"toolUse": {"toolUseId": "id_2", "name": "mail_read", "input": {"id": 2}}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"toolResult": {"toolUseId": "id_1", "content": [{"text": "Hi."}]}},
                    {"toolResult": {"toolUseId": "id_2", "content": [{"text": "Hi."}]}},
                    {"image": {"format": "png", "source": {"bytes": PICTURE}}},
                    {"image": {"format": "png", "source": {"bytes": PICTURE}}},
                    POINT,
                ],
            },
        ],
    },
    "gemini": {
        **GEMINI,
        "contents": [
            {"role": "user", "parts": [{"text": "calls"}]},
            {
                "role": "model",
                "parts": [
                    {"thought": True, "text": "Two mails."},
                    {
                        "function_call": {"id": "id_1", "name": "mail_read", "args": {"id": 1}},
                        "thoughtSignature": SIGNATURE,
                    },
                    {"function_call": {"id": "id_2", "name": "mail_read", "args": {"id": 2}}},
                ],
            },
            {
                "role": "user",
                "parts": [
                    {"function_response": {"id": "id_1", "name": "mail_read", "response": {"content": "Hi."}}},
                    {"function_response": {"id": "id_2", "name": "mail_read", "response": {"content": "Hi."}}},
                ],
            },
            {"role": "user", "parts": [GEMINI_IMAGE, GEMINI_IMAGE, {"text": " "}]},
        ],
    },
    "responses": {
        **RESPONSES,
        "input": [
            RESPONSES_SYSTEM,
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "calls"}]},
            {
                "type": "reasoning",
                "id": "rs_1",
                "summary": [{"type": "summary_text", "text": "Two mails."}],
                "encrypted_content": SIGNATURE,
            },
            {"type": "function_call", "call_id": "id_1", "name": "mail_read", "arguments": '{"id": 1}'},
            {"type": "function_call", "call_id": "id_2", "name": "mail_read", "arguments": '{"id": 2}'},
            {
                "type": "function_call_output",
                "call_id": "id_1",
                "output": [{"type": "input_text", "text": "Hi."}],
            },
            {
                "type": "function_call_output",
                "call_id": "id_2",
                "output": [{"type": "input_text", "text": "Hi."}],
            },
            {"type": "message", "role": "user", "content": [RESPONSES_IMAGE, RESPONSES_IMAGE]},
        ],
    },
}

ANSWERED: dict[str, Any] = {
    "anthropic": {"role": "assistant", "content": [{"type": "text", "text": "Hi."}]},
    "bedrock": {"role": "assistant", "content": [{"text": "Hi."}]},
    "gemini": {"role": "model", "parts": [{"text": "Hi.", "thoughtSignature": SIGNATURE}]},
    "responses": {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hi."}]},
}
"""The message with the answer, as the next turn returns it."""


def _talks() -> dict[str, Any]:
    variables = ("LITELLM", "OPENAI", "ANTHROPIC", "GEMINI", "AWS")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(variables)}
    done = subprocess.run(
        [sys.executable, "-m", "fixtures.provider_talks"],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    talks: dict[str, Any] = json.loads(_with_plain_ids(done.stdout))
    return talks


def _with_plain_ids(text: str) -> str:
    """Number the ids that litellm draws for calls of Gemini, and drop the signature that it writes into them."""
    drawn = dict.fromkeys(re.findall(r"call_[0-9a-f]{28}", text))
    for number, name in enumerate(drawn, 1):
        text = re.sub(f"{name}(__thought__[A-Za-z0-9+/=]+)?", f"id_{number}", text)
    return text


@pytest.mark.long
def test_requests_and_replies_of_four_providers_have_their_documented_shapes() -> None:
    talks = _talks()
    for name in PROVIDERS:
        talk = talks[name]
        assert talk["first"] == FIRST[name]
        assert talk["after_calls"] == AFTER_CALLS[name]
        [messages] = [value for key, value in talk["after_text"].items() if key in ("messages", "contents", "input")]
        assert [message for message in messages if message != RESPONSES_SYSTEM][1] == ANSWERED[name]
        _check_replies(name, talk["said"])
    streamed = talks["streamed"]
    assert streamed.pop("first_token_seconds") > 0
    calls = talks["anthropic"]["said"]["calls"]
    assert streamed["usage"] == calls["usage"]
    assert (streamed["text"], streamed["calls"], streamed["echo"]) == ("Look.", calls["calls"][:1], calls["echo"])
    assert talks["dropped"]["error"].endswith("seed is not a setting of this model, as litellm knows it; leave it out")


def _check_replies(name: str, said: dict[str, Any]) -> None:
    calls = [
        {"id": f"id_{number}", "name": "mail.read", "arguments": {"id": number}, "raw_arguments": None}
        for number in (1, 2)
    ]
    writes = 200 if name in ("anthropic", "bedrock") else None
    usage = {"input_tokens": 510, "output_tokens": 40, "cached_tokens": 300, "cache_write_tokens": writes}
    for prompt, text, reason in (("calls", None, "tool_calls"), ("hello", "Hi.", "stop"), ("cut", "H", "length")):
        reply = said[prompt]
        assert reply["finish_reason"] == reason
        assert {key: value for key, value in reply["usage"].items() if key != "cost_usd"} == usage
        assert text is None or (reply["text"], reply["calls"]) == (text, [])
    assert said["calls"]["calls"] == calls
    assert said["hello"]["usage"]["cost_usd"] == pytest.approx(_COSTS[name])
    assert said["limit"]["status"] == 429
    refused = said["refuse"]
    # Gemini blocks without a text; the responses API says it in the message.
    assert refused["text"] == ("" if name == "gemini" else "No.")
    assert refused["finish_reason"] == ("refusal" if name == "responses" else "content_filter")


_COSTS = {
    # 10 read, 300 from the cache, 200 written to it and 40 output tokens at 3, 0.3, 3.75 and 15 dollars a million.
    "anthropic": (10 * 3 + 300 * 0.3 + 200 * 3.75 + 40 * 15) / 1e6,
    "bedrock": (10 * 3 + 300 * 0.3 + 200 * 3.75 + 40 * 15) / 1e6,
    "gemini": (210 * 2 + 300 * 0.1 + 40 * 10) / 1e6,
    # litellm knows no price for cached input of this model.
    "responses": (510 * 30 + 40 * 180) / 1e6,
}
