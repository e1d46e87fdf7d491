"""Identity of a model: equal for two names of one model, and different if its replies may differ."""

import pytest

from pytest_mcpbench.core.model_identity import model_identity, stated_settings
from pytest_mcpbench.models.aliases import ModelAlias

PROXY = {"OPENAI_BASE_URL": "http://user:word@127.0.0.1:8000/v1"}
ALIASES = {
    "mine": {"model": "openai/gpt-6-astra", "input_price": 1, "output_price": 2},
    "read": ModelAlias(model="openai/gpt-6-astra", input_price=3, output_price=4),
    "long": {"model": "openai/gpt-6-astra", "extra": {"seed": 1}},
    "same": "mine",
    "native": {"model": "openai/gpt-6-astra", "tools": "native"},
    "react": {"model": "openai/gpt-6-astra", "tools": "react"},
    "local": {"url": "http://127.0.0.1:9000/v1", "model": "gpt-6-astra"},
}


def identity(name: str, **environment: str) -> str:
    return model_identity(name, ALIASES, environment)


def test_names_of_one_model_are_equal_and_those_of_another_are_not() -> None:
    assert identity("mine") == identity("same") == identity("read") == identity("native")
    assert len({identity(name) for name in ("mine", "long", "react", "local", "gpt", "claude")}) == 6


@pytest.mark.parametrize("name", ["gpt", "openai/gpt-6-astra", "gpt-6-astra", "mine", "read", "long"])
@pytest.mark.parametrize("variable", ["OPENAI_BASE_URL", "OPENAI_API_BASE"])
def test_the_address_that_the_environment_gives_models_of_openai_counts(name: str, variable: str) -> None:
    changed = identity(name, **{variable: PROXY["OPENAI_BASE_URL"]})
    assert changed != identity(name)
    assert "127.0.0.1:8000" in changed
    assert "word" not in changed
    assert identity(name, **{variable: "https://api.openai.com/v1/"}) == identity(name)


@pytest.mark.parametrize(
    "name", ["claude", "local", "oracle", "keyfacts", "none", "replay:out", "http://127.0.0.1:1/v1"]
)
def test_other_models_are_the_same_at_any_address_of_openai(name: str) -> None:
    assert identity(name, **PROXY) == identity(name)


def test_run_json_states_the_settings_without_addresses_and_values_of_headers() -> None:
    table = {"url": "http://me:word@host/v1", "model": "m", "tools": "json", "headers": {"X-Key": "word"}}
    assert stated_settings("m", {"m": table}) == {"model": "m", "tools": "json", "headers": ["X-Key"]}
    assert stated_settings("claude", {}) == {"model": "anthropic/claude-opus-5-5"}
    assert stated_settings("http://me:word@host/v1", {}) == {}
    assert stated_settings("a", {"a": "b", "b": "a"}) == {}
