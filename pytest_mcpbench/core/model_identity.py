"""Identity of a model: everything that can change its replies, as text."""

import json
from collections.abc import Mapping
from typing import Any

from pytest_mcpbench.core.model_names import alias_target, is_url
from pytest_mcpbench.core.secret_sources import public_url

_WITHOUT_INFLUENCE = frozenset({"api_key_env", "input_price", "output_price", "cached_price"})
"""Keys of an alias that do not change a reply."""


def model_identity(name: str, aliases: Mapping[str, Any]) -> str:
    """Return the id, the address and the settings of a model, without secrets; two aliases of one model are equal."""
    _, target = alias_target(name, aliases)
    if not isinstance(target, Mapping):
        return _without_secrets(str(target))
    table = {key: value for key, value in target.items() if key not in _WITHOUT_INFLUENCE}
    if "url" in table:
        table["url"] = _without_secrets(str(table["url"]))
    return json.dumps(table, sort_keys=True)


def _without_secrets(name: str) -> str:
    return public_url(name) if is_url(name) else name
