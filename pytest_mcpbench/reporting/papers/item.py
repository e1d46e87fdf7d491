"""Tables and figures of a paper: how each is computed, or why records do not have it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from pytest_mcpbench.reporting.charts.figure import Figure
from pytest_mcpbench.reporting.grid import Grid
from pytest_mcpbench.reporting.papers.experiment import Experiment

Kind = Literal["table", "figure"]
Draw = Callable[[Grid], Sequence[Figure]]
"""Function that draws the numbers of a grid, in one chart or several."""


@dataclass(frozen=True)
class Item:
    """A table or figure of a paper."""

    kind: Kind
    number: str
    title: str
    computed: str
    """What it is computed from; where records do not have it, why."""
    build: Callable[[Experiment], Sequence[Grid]] | None = None
    """``None``: records do not have it."""
    draw: Draw | None = None
    """``None``: there is no picture of it."""

    @property
    def name(self) -> str:
        """Return the name in messages, such as ``Table 2``."""
        return f"{self.kind.capitalize()} {self.number}"

    @property
    def slug(self) -> str:
        """Return the name in files, such as ``table-2``."""
        return f"{self.kind}-{self.number}"


@dataclass(frozen=True)
class Paper:
    """A paper with its tables and figures, in its order."""

    suite: str
    name: str
    reference: str
    items: tuple[Item, ...]


def table(number: str, title: str, computed: str, build: Callable[[Experiment], Sequence[Grid]]) -> Item:
    """Return a table that records have."""
    return Item("table", number, title, computed, build)


def figure(
    number: str, title: str, computed: str, build: Callable[[Experiment], Sequence[Grid]], draw: Draw | None = None
) -> Item:
    """Return a figure that records have."""
    return Item("figure", number, title, computed, build, draw)


def missing(kind: Kind, number: str, title: str, reason: str) -> Item:
    """Return a table or figure that records do not have."""
    return Item(kind, number, title, reason)
