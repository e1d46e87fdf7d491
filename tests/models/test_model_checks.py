"""Settings that a model does not have are an error before the first task."""

from typing import Any

import pytest

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.models.factory import Models

LOCAL = "http://127.0.0.1:8000/v1"
WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "effort without reasoning": (
        {"model": "openai/gpt-4o", "reasoning_effort": "low"},
        "it does not reason; leave reasoning_effort out",
    ),
    "an effort that it does not have": (
        {"model": "openai/gpt-6-astra", "reasoning_effort": "minimal"},
        "it has no reasoning_effort of 'minimal'",
    ),
    "a budget at OpenAI's": (
        {"model": "openai/gpt-6-astra", "thinking_tokens": 100},
        "an OpenAI-compatible API has no thinking_tokens; ",
    ),
    "a budget at a URL": ({"url": LOCAL, "thinking_tokens": 100}, "an OpenAI-compatible API has no thinking_tokens; "),
    "effort and a budget": (
        {"model": "anthropic/claude-sonnet-4-5", "reasoning_effort": "low", "thinking_tokens": 2000},
        "reasoning_effort and thinking_tokens exclude each other",
    ),
    "sampling": ({"model": "anthropic/claude-opus-5-5", "top_p": 0.9}, "it has no top_p; leave it out"),
    "a cache at OpenAI's": (
        {"model": "openai/gpt-6-astra", "prompt_caching": True},
        "no part of a request can be marked for its cache; ",
    ),
    "a cache at a URL": (
        {"url": LOCAL, "prompt_caching": True},
        "no part of a request can be marked for its cache; leave prompt_caching out",
    ),
    "more than it writes": (
        {"model": "anthropic/claude-opus-5-5", "max_output_tokens": 10_000_000},
        "it writes at most 128000 tokens, max_output_tokens is 10000000",
    ),
    "a range": ({"url": LOCAL, "top_p": 1.5}, "top_p: should be less than or equal to 1"),
    "a format": ({"url": LOCAL, "tools": "xml"}, "tools: should be 'native', 'json', 'react' or 'auto'"),
}


@pytest.mark.parametrize(("alias", "problem"), WRONG.values(), ids=WRONG.keys())
def test_a_setting_that_the_model_does_not_have_is_refused(alias: dict[str, Any], problem: str) -> None:
    with pytest.raises(UsageError) as raised:
        Models({"mine": alias}).get("mine")
    assert problem in str(raised.value)
    assert "mine" in str(raised.value)


RIGHT: dict[str, dict[str, Any]] = {
    "a model that is not listed": {"model": "openai/new-model", "reasoning_effort": "low", "temperature": 0},
    "a server's own": {"url": LOCAL, "reasoning_effort": "low", "top_p": 0.9, "seed": 1},
    "a budget": {"model": "anthropic/claude-sonnet-4-5", "thinking_tokens": 2000, "prompt_caching": True},
    "a cache of Bedrock": {"model": "bedrock/us.anthropic.claude-haiku-5-5", "prompt_caching": True},
}


@pytest.mark.parametrize("alias", RIGHT.values(), ids=RIGHT.keys())
def test_a_setting_that_the_model_has_or_may_have_is_taken(alias: dict[str, Any]) -> None:
    assert Models({"mine": alias}).get("mine").name == "mine"
