"""Import of the package ``mcp`` and of what connects with it: it takes longer than a run whose tasks have no server."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING

from pydantic import BaseModel

from pytest_mcpbench.garbage_collection import paused_collection

if TYPE_CHECKING:
    from pytest_mcpbench.servers.pool import ConnectionPool

_LOCK = Lock()


@cache
def connection_pool() -> "type[ConnectionPool]":
    """Return the class of the pool of connections; the first call imports it, and with it ``mcp``."""
    with _LOCK, paused_collection(), _deferred_models():
        from pytest_mcpbench.servers.pool import ConnectionPool

    return ConnectionPool


@contextmanager
def _deferred_models() -> Iterator[None]:
    """Let pydantic build the validators of all models that a block defines when they are first used.

    ``mcp`` defines 400 models, of which an attempt uses 30; to build all of them takes a quarter of its import.
    """
    config = BaseModel.model_config
    BaseModel.model_config = {**config, "defer_build": True}
    try:
        yield
    finally:
        BaseModel.model_config = config
