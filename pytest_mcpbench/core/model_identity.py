"""Identity of a model, and the family of models to which it belongs."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.model_names import (
    LOCAL_PREFIX,
    NAMES_WITHOUT_MODEL,
    REPLAY,
    SCRIPTED,
    alias_target,
    is_url,
    panel_members,
)
from pytest_mcpbench.core.secret_sources import public_name

# Identity of a model: everything that can change its replies, as text.

OPENAI_URL = "https://api.openai.com/v1"
_WITHOUT_INFLUENCE = frozenset(
    {
        "api_key_env",
        "input_price",
        "output_price",
        "cached_price",
        "cache_write_price",
        "concurrency",
        "requests_per_minute",
        "tokens_per_minute",
        "streaming",
    }
)
"""Keys of an alias that do not change a reply."""
_DEFAULTS: Mapping[str, Any] = {"tools": "native", "prompt_caching": False, "takes_images": False}
"""Values that mean the same as none."""


def model_identity(name: str, aliases: Mapping[str, Any], environment: Mapping[str, str]) -> str:
    """Return the id, the address and the settings of a model, without secrets; two aliases of one model are equal.

    The address of OpenAI's models is part of it if variables of the environment change it.
    """
    _, target = alias_target(name, aliases)
    if isinstance(target, str):
        address = _changed_address(target, environment)
        return f"{target} at {address}" if address else public_name(target)
    settings = {key: value for key, value in _table(target).items() if key not in _WITHOUT_INFLUENCE}
    settings = {key: value for key, value in settings.items() if _DEFAULTS.get(key) != value}
    if headers := settings.get("headers"):
        # The identity is stored in cassettes, and values of headers may be secrets.
        settings["headers"] = identity_digest(json.dumps(headers, sort_keys=True, default=str))
    url = settings.get("url") or _changed_address(str(settings.get("model", "")), environment)
    if str(settings.get("model", "")).startswith(LOCAL_PREFIX):
        # The name has the digest of the weights; the port of their engine is another one in each run.
        settings.pop("url", None)
    elif url:
        settings["url"] = public_name(str(url))
    return json.dumps(settings, sort_keys=True, default=str)


def judge_identity(name: str, aliases: Mapping[str, Any], environment: Mapping[str, str]) -> str:
    """Return the identity of a judge; that of a panel consists of those of its members, one a line."""
    return "\n".join(model_identity(member, aliases, environment) for member in panel_members(name))


def stated_settings(name: str, aliases: Mapping[str, Any]) -> dict[str, Any]:
    """Return the id and the settings of a model for ``run.json``, without its address and the values of headers."""
    try:
        _, target = alias_target(name, aliases)
    except UsageError:  # reported where the model is made
        return {}
    if isinstance(target, str):
        return {} if is_url(target) else {"model": target}
    table = _table(target)
    stated = {key: value for key, value in table.items() if key not in ("url", "api_key_env", "headers")}
    return {**stated, **({"headers": sorted(table["headers"])} if table.get("headers") else {})}


def identity_digest(identity: str) -> str:
    """Return a short digest of an identity; empty for an empty one."""
    return hashlib.sha256(identity.encode()).hexdigest()[:16] if identity else ""


def openai_url(environment: Mapping[str, str]) -> str:
    """Return the address of OpenAI's API, which the environment variables of OpenAI's clients may change."""
    return environment.get("OPENAI_BASE_URL") or environment.get("OPENAI_API_BASE") or OPENAI_URL


def _table(target: Any) -> Mapping[str, Any]:
    # Fields that are not set have no influence, whether they are written or not.
    return target.model_dump(exclude_defaults=True) if isinstance(target, FrozenModel) else dict(target)


def _changed_address(model: str, environment: Mapping[str, str]) -> str:
    """Return the address that the environment gives a model of OpenAI; empty if it is the usual one.

    An id without a provider may be one of OpenAI's.
    """
    url = openai_url(environment)
    is_openai = model.startswith("openai/") or not ({"/", ":"} & set(model) or model in NAMES_WITHOUT_MODEL)
    return public_name(url) if is_openai and url.rstrip("/") != OPENAI_URL else ""


# Families of models: models of one maker, which tend to write and to judge alike.

_NAMES: Mapping[str, str] = {
    "anthropic": r"claude|anthropic",
    "openai": r"gpt|chatgpt|codex|davinci|o[1-9]$",
    "google": r"gemini|gemma",
    "alibaba": r"qwen|qwq|qvq",
    "meta": r"llama|codellama",
    "mistral": r"mistral|mixtral|ministral|codestral|devstral|magistral|pixtral",
    "deepseek": r"deepseek",
    "xai": r"grok",
    "moonshot": r"kimi|moonshot",
    "zai": r"glm|chatglm",
    "minimax": r"minimax",
    "cohere": r"(?:command|aya)\d*$",
    "amazon": r"(?:nova|titan)\d*$",
    "microsoft": r"phi\d*$",
    "ibm": r"granite",
    "nvidia": r"nemotron",
    "ai21": r"jamba",
}
"""Family -> beginnings of words in the names of its models. A derived model (a distillation) has the family of both."""


def same_family_facts(judges: Iterable[str], agents: Iterable[str], aliases: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``{"same_family": [{judge, agent, family}, …]}`` for ``run.json``; empty if there is no such pair.

    Each judge is looked at alone, be it in a panel or not. URLs are without secrets.
    """
    members = dict.fromkeys(member for judge in judges for member in panel_members(judge))
    pairs = [
        {"judge": public_name(judge), "agent": public_name(agent), "family": family}
        for judge, agent in product(members, dict.fromkeys(agents))
        for family in sorted(model_families(judge, aliases) & model_families(agent, aliases))
    ]
    return {"same_family": pairs} if pairs else {}


def model_families(name: str, aliases: Mapping[str, Any]) -> frozenset[str]:
    """Return the families of a model, as far as its id or the name of its alias tells; aliases are followed."""
    try:
        target = alias_target(name, aliases)[1]
    except UsageError:
        return frozenset()  # a circle of aliases, which is reported when the model is made
    if not isinstance(target, str):
        table = target.model_dump() if isinstance(target, FrozenModel) else target
        return _families_in(str(table.get("model") or "")) or _families_in(name)
    if target in NAMES_WITHOUT_MODEL or target.startswith((REPLAY, SCRIPTED)):
        return frozenset()
    # The host of a URL says nothing about the model that it serves.
    return _families_in(target.partition("#")[2] if is_url(target) else target)


def _families_in(model: str) -> frozenset[str]:
    # The provider is not part of the name: many serve models of others under ids such as ``openai/qwen3``.
    words = re.split(r"[^a-z0-9]+", model.lower().rpartition("/")[2])
    return frozenset(
        family for family, beginning in _NAMES.items() if any(re.match(f"(?:{beginning})", word) for word in words)
    )
