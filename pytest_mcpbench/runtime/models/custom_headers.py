"""Additional headers of the requests to a model, with variables of the environment."""

import os
import re
from collections.abc import Mapping

from pytest_mcpbench.runtime.models.provider_error import ProviderError

_VARIABLE = re.compile(r"\$\{(\w+)\}")


def expanded_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers with the values of variables.

    Raises:
        ProviderError: a variable is not set, or a value has characters that no header can have.
    """
    return {name: _expanded(name, value) for name, value in headers.items()}


def _expanded(name: str, value: str) -> str:
    for variable in _VARIABLE.findall(value):
        if variable not in os.environ:
            raise ProviderError("setup", f"the environment variable {variable} of the header {name} is not set")
    expanded = _VARIABLE.sub(lambda match: os.environ[match[1]], value).strip()
    if not expanded.isascii() or not expanded.isprintable():
        raise ProviderError("setup", f"the header {name} has characters that are not allowed")
    return expanded
