"""Answers of the client to requests of a server.

``sampling/createMessage`` has no callback: the client does not declare the capability, and mcp refuses the request.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import mcp_types as types

# mcp passes the arguments by name, hence the unused parameters.
# ruff: noqa: ARG001, ARG002


class RootsCallback:
    """Answer to ``roots/list``: the sandbox directory of the attempt; no root for a server that attempts share."""

    def __init__(self, directories: Sequence[Path]) -> None:
        self._directories = tuple(directories)

    async def __call__(self, context: Any) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[_root(directory) for directory in self._directories])


def _root(directory: Path) -> types.Root:
    return types.Root.model_validate({"uri": directory.resolve().as_uri(), "name": directory.name})


async def decline_elicitation(context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
    """Decline ``elicitation/create``: there is no user who could answer."""
    return types.ElicitResult(action="decline")
