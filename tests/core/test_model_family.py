from typing import Any

import pytest

from pytest_mcpbench.core.model_identity import model_families, same_family_facts

ALIASES: dict[str, Any] = {
    "ours": {"url": "http://127.0.0.1/v1", "model": "Qwen2.5-Coder-1.5B"},
    "my-claude": {"url": "http://127.0.0.1/v1", "model": "m"},
    "fast": "claude-haiku",
    "round": "about",
    "about": "round",
}


@pytest.mark.parametrize(
    ("name", "families"),
    [
        ("claude", {"anthropic"}),
        ("fast", {"anthropic"}),
        ("my-claude", {"anthropic"}),
        ("bedrock/us.anthropic.claude-opus-5-5-v1:0", {"anthropic"}),
        ("openai/o3-mini", {"openai"}),
        ("openai/qwen3:8b", {"alibaba"}),
        ("ours", {"alibaba"}),
        ("http://127.0.0.1/v1#gemma-3", {"google"}),
        ("http://gpt.example/v1", set()),
        ("deepseek/deepseek-r1-distill-llama-70b", {"deepseek", "meta"}),
        ("vendor/novation-mainframe", set()),
        ("keyfacts", set()),
        ("lexical", set()),
        ("scripted:claude.json", set()),
        ("round", set()),
    ],
)
def test_the_family_follows_from_the_words_of_the_models_name(name: str, families: set[str]) -> None:
    assert model_families(name, ALIASES) == families


def test_each_judge_of_a_panel_is_compared_with_each_agent_and_urls_lose_their_passwords() -> None:
    judge = "http://u:secret@127.0.0.1/v1#claude-x"
    found = same_family_facts([f"gpt,{judge}"], ["claude", "gemini"], ALIASES)
    (pair,) = found["same_family"]
    assert (pair["agent"], pair["family"]) == ("claude", "anthropic")
    assert "secret" not in pair["judge"]
    assert same_family_facts(["keyfacts", "gpt"], ["claude", "lexical"], ALIASES) == {}
