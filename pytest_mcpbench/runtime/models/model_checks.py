"""Check that a model can do what its alias asks of it, as far as litellm's catalogue knows."""

from collections.abc import Iterator, Mapping
from typing import Any

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.runtime.models.aliases import ModelAlias
from pytest_mcpbench.runtime.models.model_catalogue import ModelCatalogue

_MARKED_CACHES = ("anthropic", "bedrock", "vertex_ai-anthropic")
"""Beginnings of providers that cache what a request marks; others cache by themselves, or not at all."""


def check_settings(name: str, alias: ModelAlias, catalogue: ModelCatalogue) -> None:
    """Raise UsageError for a setting that the model does not have; a model that is not listed may have any."""
    entry = {} if alias.url or not alias.model else catalogue.find(alias.model) or {}
    problem = next(_problems(alias, entry), None)
    if problem is not None:
        raise UsageError(f"model {name!r}: {problem}")


def _problems(alias: ModelAlias, entry: Mapping[str, Any]) -> Iterator[str]:
    yield from _reasoning_problems(alias, entry)
    for setting in ("temperature", "top_p"):
        if getattr(alias, setting) is not None and entry.get("supports_sampling_params") is False:
            yield f"it has no {setting}; leave it out"
    if alias.tools == "native" and entry.get("supports_function_calling") is False:
        yield 'it has no tool calls; set tools = "json", "react" or "auto"'
    if alias.prompt_caching and not _marks_cache(alias, entry):
        yield "no part of a request can be marked for its cache; leave prompt_caching out"
    most = entry.get("max_output_tokens")
    if alias.max_output_tokens is not None and isinstance(most, int | float) and alias.max_output_tokens > most:
        yield f"it writes at most {most:g} tokens, max_output_tokens is {alias.max_output_tokens}"


def _reasoning_problems(alias: ModelAlias, entry: Mapping[str, Any]) -> Iterator[str]:
    effort = alias.reasoning_effort
    stated = "reasoning_effort" if effort is not None else "thinking_tokens"
    if (effort or alias.thinking_tokens) and entry and not entry.get("supports_reasoning"):
        yield f"it does not reason; leave {stated} out"
    if effort is not None and entry.get(f"supports_{effort}_reasoning_effort") is False:
        yield f"it has no reasoning_effort of {effort!r}"
    is_openai = entry.get("litellm_provider") == "openai"
    if alias.thinking_tokens is not None and (alias.url or is_openai):
        yield "an OpenAI-compatible API has no thinking_tokens; use reasoning_effort, or a field of the server in extra"
    if effort is not None and alias.thinking_tokens is not None:
        yield "reasoning_effort and thinking_tokens exclude each other"


def _marks_cache(alias: ModelAlias, entry: Mapping[str, Any]) -> bool:
    if alias.url:
        return False
    provider = str(entry.get("litellm_provider") or str(alias.model).partition("/")[0])
    is_listed_without = bool(entry) and not entry.get("supports_prompt_caching")
    return provider.startswith(_MARKED_CACHES) and not is_listed_without
