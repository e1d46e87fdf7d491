"""What an item's own fixtures set up before its attempt, as far as that is a user's and not ours or pytest's."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

_OURS = "pytest_mcpbench."
_OF_PYTEST = "_pytest."

Definitions = Sequence["pytest.FixtureDef[Any]"]
"""All fixtures of one name that an item can see, the one in force last."""


@dataclass(frozen=True)
class Preparation:
    """What has to be there before an attempt may begin."""

    fixture: str | None = None
    """A fixture that is set up for each item, or takes the place of one of ours."""
    is_shared: bool = False
    """Whether there is a fixture that the first of several items sets up for all of them."""
    shared: str | None = None
    """Such a fixture in a ``conftest.py`` or a test file; those of installed plugins are not meant."""


def of(item: pytest.Item) -> Preparation:
    """What the fixtures say that are in force for the item, those that are used without being asked for included."""
    foreign = [definitions for definitions in _fixtures(item) if not _is_of(definitions[-1], _OURS, _OF_PYTEST)]
    of_each = next((definitions[-1] for definitions in foreign if _is_set_up_for_each(definitions)), None)
    of_project = next((definitions[-1] for definitions in foreign if _is_of_project(definitions[-1])), None)
    return Preparation(
        of_each.argname if of_each else None,
        is_shared=bool(foreign),
        shared=of_project.argname if of_project else None,
    )


def takes_the_named_agent(item: pytest.Item) -> bool:
    """Whether the item's agent is the one that ``--model`` means, and not one of a fixture of the user's."""
    return any(
        definitions[-1].argname == "mcp_agent" and _is_of(definitions[-1], _OURS) for definitions in _fixtures(item)
    )


def _fixtures(item: pytest.Item) -> "Iterator[Definitions]":
    yield from item._fixtureinfo.name2fixturedefs.values()  # type: ignore[attr-defined]  # Function items have it


def _is_set_up_for_each(definitions: "Definitions") -> bool:
    """Also where it overrides one of ours in a wider scope: an attempt that is begun ahead asks for no fixture."""
    return definitions[-1].scope == "function" or any(_is_of(overridden, _OURS) for overridden in definitions)


def _is_of_project(fixture: "pytest.FixtureDef[Any]") -> bool:
    """What a plugin has is valid everywhere, as older pytest has it for the conftest.py of the root directory, too."""
    module = str(getattr(fixture.func, "__module__", ""))
    return bool(fixture.baseid) or module.rpartition(".")[2] == "conftest"


def _is_of(fixture: "pytest.FixtureDef[Any]", *packages: str) -> bool:
    return str(getattr(fixture.func, "__module__", "")).startswith(packages)
