"""What the client answers when a server asks it something.

``sampling/createMessage`` is not among it: the client does not declare the capability, and mcp refuses such a request.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import mcp_types as types

# mcp passes by name, hence parameters that nobody reads.
# ruff: noqa: ARG001, ARG002


class Roots:
    """``roots/list``: the sandbox directory of the attempt; none for a server that all attempts share."""

    def __init__(self, directories: Sequence[Path]) -> None:
        self._directories = tuple(directories)

    async def __call__(self, context: Any) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[_root(directory) for directory in self._directories])


def _root(directory: Path) -> types.Root:
    return types.Root.model_validate({"uri": directory.resolve().as_uri(), "name": directory.name})


async def decline(context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
    """``elicitation/create``: there is nobody who could answer."""
    return types.ElicitResult(action="decline")
