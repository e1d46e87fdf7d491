import json

import pytest

from pytest_mcpbench.models.litellm_backend import refusal_in

REFUSED = {"output": [{"type": "message", "content": [{"type": "refusal", "refusal": "I can't."}]}]}
BODIES = {
    "a refusal": (json.dumps(REFUSED).encode(), "I can't."),
    "events": (
        b'event: x\ndata: {"type": "response.refusal.done", "refusal": "I can\'t."}\n\n'
        b"data: " + json.dumps({"type": "response.completed", "response": REFUSED}).encode() + b"\n\ndata: [DONE]\n",
        "I can't.",
    ),
    "a text": (b'{"output": [{"type": "message", "content": [{"type": "output_text", "text": "Hi."}]}]}', ""),
    "another value": (b'{"output": [{"type": "message", "content": [{"type": "refusal", "refusal": 1}]}, "x"]}', ""),
    "no JSON": (b'{"refusal": "', ""),
    "nothing": (b"", ""),
}


@pytest.mark.parametrize(("body", "text"), BODIES.values(), ids=BODIES.keys())
def test_the_text_of_a_refusal_is_found(body: bytes, text: str) -> None:
    assert refusal_in(body) == text
