"""Environment variables from which litellm reads the keys of providers.

litellm itself says so only at the first request, because its import takes seconds. The variables were read from the
sources of litellm 1.106.2. A provider that is missing here is asked, and its refusal ends the run.
"""

from collections.abc import Mapping

_ANTHROPIC = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_FEDERATION_RULE_ID")
_WITH_ONE_KEY = (
    "cerebras",
    "dashscope",
    "deepseek",
    "groq",
    "minimax",
    "mistral",
    "moonshot",
    "openrouter",
    "xai",
    "zai",
)
KEY_VARIABLES: Mapping[str, tuple[str, ...]] = {
    "anthropic": _ANTHROPIC,
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    **{provider: (f"{provider.upper()}_API_KEY",) for provider in _WITH_ONE_KEY},
}
"""Variables by provider, the usual one first; one of them is enough."""


def key_variables(provider: str, environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the variables of which the provider needs one; none for an unknown provider or another address of it.

    A server of one's own at that address may need no key.
    """
    prefix = provider.upper()
    if environment.get(f"{prefix}_API_BASE") or environment.get(f"{prefix}_BASE_URL"):
        return ()
    return KEY_VARIABLES.get(provider, ())
