"""Warnings about seeds of public data that a simulated server reads only in part."""

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


def _warn(item: pytest.Item, text: str) -> None:
    from pytest_mcpbench.plugin.collection import suite_paths
    from pytest_mcpbench.plugin.collection.loader_warnings import TaskWarning

    warnings.warn_explicit(TaskWarning(text), None, suite_paths.node_id(item.path, item.config), 0)


def _join(fields: object) -> str:
    return ", ".join(map(str, fields)) if isinstance(fields, list) else str(fields)
