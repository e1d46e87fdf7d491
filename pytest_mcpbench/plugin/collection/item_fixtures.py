"""Fixtures of an item that constrain when and where its attempt can run."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

_PLUGIN = "pytest_mcpbench."
_PYTEST = "_pytest."

Definitions = Sequence["pytest.FixtureDef[Any]"]
"""All fixtures of one name that an item can see, the active one last."""


@dataclass(frozen=True)
class ItemFixtures:
    """Fixtures of an item that belong to neither this plugin nor pytest."""

    per_item: str | None = None
    """A fixture that is set up for each item, or overrides a fixture of this plugin."""
    exist: bool = False
    """Whether there is any, so that its scope must be set up before the attempt starts."""
    overriding: str | None = None
    """A fixture that overrides one of this plugin, and may thus change the verdict."""
    of_project: str | None = None
    """A fixture of a ``conftest.py`` or a test file, not of an installed plugin."""


def item_fixtures(item: pytest.Item) -> ItemFixtures:
    """Return the foreign fixtures of the item, autouse fixtures included."""
    foreign = [definitions for definitions in _definitions(item) if not _is_from(definitions[-1], _PLUGIN, _PYTEST)]
    overriding = next((definitions[-1] for definitions in foreign if _overrides_ours(definitions)), None)
    # A fixture that overrides one of this plugin must be set up for each item in any scope: look-ahead does not call
    # fixtures, so it would start the attempt without the override.
    per_item = next(
        (
            definitions[-1]
            for definitions in foreign
            if definitions[-1].scope == "function" or _overrides_ours(definitions)
        ),
        None,
    )
    of_project = next((definitions[-1] for definitions in foreign if _is_of_project(definitions[-1])), None)
    return ItemFixtures(
        per_item.argname if per_item else None,
        exist=bool(foreign),
        overriding=overriding.argname if overriding else None,
        of_project=of_project.argname if of_project else None,
    )


def uses_default_agent(item: pytest.Item) -> bool:
    """Return whether the item's agent is that of ``--model``, not that of an overriding fixture."""
    return any(
        definitions[-1].argname == "mcp_agent" and _is_from(definitions[-1], _PLUGIN)
        for definitions in _definitions(item)
    )


def _definitions(item: pytest.Item) -> "Iterator[Definitions]":
    # pytest has no public way to find out which fixtures an item will use before it is set up.
    yield from item._fixtureinfo.name2fixturedefs.values()  # type: ignore[attr-defined]  # Function items have it


def _overrides_ours(definitions: "Definitions") -> bool:
    return any(_is_from(overridden, _PLUGIN) for overridden in definitions[:-1])


def _is_of_project(fixture: "pytest.FixtureDef[Any]") -> bool:
    # Fixtures of plugins have an empty baseid. So have those of the root conftest.py in some versions of pytest.
    module = str(getattr(fixture.func, "__module__", ""))
    return bool(fixture.baseid) or module.rpartition(".")[2] == "conftest"


def _is_from(fixture: "pytest.FixtureDef[Any]", *packages: str) -> bool:
    return str(getattr(fixture.func, "__module__", "")).startswith(packages)
