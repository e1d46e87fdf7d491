"""Contexts in the layout of MCP-Persona's released simulators: one account, or several by id."""

from collections.abc import Mapping
from typing import Any


def find_accounts(tree: Mapping[str, Any], marks: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return the accounts in a seed: the tree itself or its children that have all the marks; empty if none has."""
    if all(mark in tree for mark in marks):
        return [dict(tree)]
    children = (each for each in tree.values() if isinstance(each, Mapping))
    return [dict(each) for each in children if all(mark in each for mark in marks)]


def objects(value: Any) -> list[dict[str, Any]]:
    """Return the objects of a list or of a map by id, without other values among them (cursors, flags)."""
    values = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return [dict(each) for each in values if isinstance(each, Mapping)]
