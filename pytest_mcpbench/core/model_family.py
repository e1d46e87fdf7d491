"""Families of models: models of one maker, which tend to write and to judge alike."""

import re
from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.model_names import NAMES_WITHOUT_MODEL, REPLAY, SCRIPTED, alias_target, is_url, panel_members
from pytest_mcpbench.core.secret_sources import public_name

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
