"""Warnings that attempts have noted: seeds that a server reads only in part, servers whose state attempts share."""

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_mcpbench.core.evidence import AttemptEvidence


def warn_about_unread_fields(item: pytest.Item, evidence: "AttemptEvidence") -> None:
    """Issue a warning for each server; those of many tasks have the same text, so that pytest joins them."""
    from pytest_mcpbench.core.evidence import UNREAD_FIELDS

    unread = evidence.notes.get(UNREAD_FIELDS)
    for server, fields in unread.items() if isinstance(unread, Mapping) else ():
        _warn(item, f"server {server!r} does not read these fields of its seed: {_join(fields)}")


def warn_about_servers(item: pytest.Item, evidence: "AttemptEvidence") -> None:
    """Issue the warnings about servers that the attempt has noted."""
    from pytest_mcpbench.core.evidence import WARNINGS

    noted = evidence.notes.get(WARNINGS)
    for text in noted if isinstance(noted, list) else ():
        _warn(item, str(text))


def _warn(item: pytest.Item, text: str) -> None:
    from pytest_mcpbench.plugin.collection import suite_paths
    from pytest_mcpbench.plugin.collection.suite_loading import TaskWarning

    warnings.warn_explicit(TaskWarning(text), None, suite_paths.node_id(item.path, item.config), 0)


def _join(fields: object) -> str:
    return ", ".join(map(str, fields)) if isinstance(fields, list) else str(fields)
