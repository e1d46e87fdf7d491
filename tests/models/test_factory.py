from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from pytest_mcpbench.core.chat import ModelSettings
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.model_names import BUILT_IN_ALIASES
from pytest_mcpbench.models.aliases import ModelAlias, resolve_alias
from pytest_mcpbench.models.factory import Models
from pytest_mcpbench.models.http_backend import Endpoint, HttpBackend
from pytest_mcpbench.models.litellm_backend import LitellmBackend
from pytest_mcpbench.models.prices import ModelCatalogue, Price
from pytest_mcpbench.models.rate_limited_model import RateLimitedModel
from pytest_mcpbench.models.scripted import ScriptedModel

LISTING = ModelCatalogue.from_litellm()
NO_ALIASES: Mapping[str, Any] = MappingProxyType({})


@pytest.fixture(autouse=True)
def _no_address_of_openai(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("OPENAI_API_BASE", raising=False)


def opened(name: str, aliases: Mapping[str, Any] = NO_ALIASES) -> RateLimitedModel:
    model = Models(aliases).get(name)
    assert isinstance(model, RateLimitedModel)
    return model


def endpoint(name: str, aliases: Mapping[str, Any] = NO_ALIASES) -> Endpoint:
    backend = opened(name, aliases).backend
    assert isinstance(backend, HttpBackend)
    return backend.endpoint


@pytest.mark.parametrize("name", BUILT_IN_ALIASES)
def test_every_built_in_alias_is_a_listed_model_with_tools_and_a_price(name: str) -> None:
    entry = LISTING.find(BUILT_IN_ALIASES[name])
    assert entry is not None
    assert (entry["mode"], entry["supports_function_calling"]) == ("chat", True)
    assert LISTING.price(BUILT_IN_ALIASES[name]) is not None


LOCAL = "http://127.0.0.1:8000/v1"
OPENAI = Endpoint("https://api.openai.com/v1", "gpt-5.4", "OPENAI_API_KEY", "max_completion_tokens")
ENDPOINTS: dict[str, tuple[str, dict[str, Any], Endpoint]] = {
    "a URL": (LOCAL, {}, Endpoint(LOCAL)),
    "a URL with a model": (f"{LOCAL}#qwen", {}, Endpoint(LOCAL, "qwen")),
    "OpenAI's id": ("openai/gpt-5.4", {}, OPENAI),
    "OpenAI's id alone": ("gpt-5.4", {}, OPENAI),
    "OpenAI's URL": ("https://api.openai.com/v1#gpt-5.4", {}, OPENAI),
    "an alias of a URL": ("mine", {"mine": f"{LOCAL}#qwen"}, Endpoint(LOCAL, "qwen")),
    "an alias of an alias": ("mine", {"mine": "ours", "ours": LOCAL}, Endpoint(LOCAL)),
    "a table": (
        "mine",
        {"mine": {"url": LOCAL, "model": "qwen", "api_key_env": "MY_KEY"}},
        Endpoint(LOCAL, "qwen", "MY_KEY"),
    ),
    "a table for OpenAI with another key": (
        "mine",
        {"mine": {"model": "openai/gpt-5.4", "api_key_env": "MY_KEY"}},
        Endpoint("https://api.openai.com/v1", "gpt-5.4", "MY_KEY", "max_completion_tokens"),
    ),
    "an alias over a built-in one": ("claude", {"claude": LOCAL}, Endpoint(LOCAL)),
}


@pytest.mark.parametrize(("name", "aliases", "expected"), ENDPOINTS.values(), ids=ENDPOINTS.keys())
def test_a_name_leads_to_an_endpoint(name: str, aliases: dict[str, Any], expected: Endpoint) -> None:
    assert endpoint(name, aliases) == expected
    assert Models(aliases).get(name).name == name


def test_openai_is_where_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", LOCAL)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert endpoint("openai/some-model") == Endpoint(LOCAL, "some-model")
    monkeypatch.setenv("OPENAI_API_KEY", "a key")
    assert endpoint("openai/some-model") == Endpoint(LOCAL, "some-model", "OPENAI_API_KEY")


@pytest.mark.parametrize("name", ["claude", "anthropic/claude-haiku-5-5", "ollama/llama3", "gpt-5.4-pro"])
def test_other_providers_and_other_apis_are_reached_by_litellm(name: str) -> None:
    assert isinstance(opened(name).backend, LitellmBackend)


def test_a_table_without_a_url_is_reached_by_litellm_whatever_its_id() -> None:
    assert isinstance(opened("mine", {"mine": {"model": "my_provider/my-model"}}).backend, LitellmBackend)


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("gpt-5.4-pro", True),
        ("openai/responses/my-model", True),
        ("responses/my-model", True),
        ("openai/gpt-5.4", False),
    ],
)
def test_the_responses_api_is_recognized_by_the_listing_or_the_id(model: str, expected: bool) -> None:
    assert LISTING.has_responses_api(model) is expected


def test_the_price_is_the_alias_s_or_the_listed_one() -> None:
    aliases = {"mine": {"url": LOCAL, "input_price": 1.0, "output_price": 2.0}}
    assert opened("mine", aliases).price == Price(input=1.0, output=2.0)
    assert opened("openai/gpt-5.4").price == LISTING.price("gpt-5.4")
    assert opened(LOCAL).price is None


def test_a_price_is_not_taken_from_another_provider_s_model_of_the_same_name() -> None:
    assert opened("github/gpt-5.4").price is None


def test_what_a_model_needs_goes_with_each_request() -> None:
    aliases = {"mine": {"url": LOCAL, "takes_images": True, "extra": {"reasoning_effort": "low"}}}
    assert opened("mine", aliases).defaults == ModelSettings(takes_images=True, extra={"reasoning_effort": "low"})


def test_a_name_never_holds_a_password_or_a_query() -> None:
    assert Models({}).get("http://me:secret@127.0.0.1:1/v1?key=secret#qwen").name == "http://127.0.0.1:1/v1#qwen"


def test_names_of_one_model_share_its_limiter() -> None:
    models = Models({"mine": {"url": LOCAL, "model": "qwen"}, "other": {"url": LOCAL, "model": "llama"}})
    mine, same, other = models.get("mine"), models.get(f"{LOCAL}#qwen"), models.get("other")
    assert isinstance(mine, RateLimitedModel)
    assert isinstance(same, RateLimitedModel)
    assert isinstance(other, RateLimitedModel)
    assert mine.limiter is same.limiter is not other.limiter
    assert models.get("mine") is mine


def test_a_script_is_a_model(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    path.write_text('["Hi."]')
    model = Models({}).get(f"scripted:{path}")
    assert isinstance(model, ScriptedModel)
    assert model.name == f"scripted:{path}"


WRONG: dict[str, tuple[str, dict[str, Any], str]] = {
    "a slip": ("cluade", {}, r"^no model is called 'cluade'\. Did you mean 'claude'\? A model is one of claude, "),
    "a slip in the project's alias": ("myne", {"mine": LOCAL}, r"Did you mean 'mine'\?.*, mine, "),
    "a provider that nobody knows": ("antropic/claude-opus-5-5", {}, r"Did you mean 'anthropic/claude-opus-5-5'"),
    "a circle": (
        "a",
        {"a": "b", "b": "a"},
        r"^\[tool\.mcpbench\.models\]: a → b → a leads in a circle$",
    ),
    "neither a model nor a URL": ("a", {"a": {}}, r"^\[tool\.mcpbench\.models\]\.a: `model` \("),
    "one price": ("a", {"a": {"url": LOCAL, "input_price": 1}}, r"`input_price` and `output_price` .* require"),
    "an unknown key": (
        "a",
        {"a": {"url": LOCAL, "input_prize": 1}},
        r"^\[tool\.mcpbench\.models\]\.a\.input_prize: there is no such field\. Did you mean 'input_price'\?$",
    ),
    "not a table": ("a", {"a": 3}, r"^\[tool\.mcpbench\.models\]\.a: must be a mapping, not a number\.$"),
    "no URL": ("a", {"a": {"url": "localhost:8000"}}, r"^model 'a': '.*' is not a URL; a URL starts with http://"),
    "no script": ("scripted:no/such.json", {}, r"^scripted:no/such\.json: cannot be read: No such file"),
}


@pytest.mark.parametrize(("name", "aliases", "message"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_name_says_what_would_be_right(name: str, aliases: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Models(aliases).get(name)


def test_an_alias_may_have_the_name_that_it_stands_for() -> None:
    assert resolve_alias("gpt-5.4", {"gpt-5.4": "gpt-5.4"}) == "gpt-5.4"
    assert resolve_alias("a", {"a": ModelAlias(url=LOCAL)}) == ModelAlias(url=LOCAL)
