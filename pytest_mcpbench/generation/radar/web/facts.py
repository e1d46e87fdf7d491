"""The facts of the small web: what its pages say and what the questions ask for."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any


@cache
def facts() -> dict[str, Any]:
    """All facts, as in ``facts.yaml``."""
    import yaml

    read: dict[str, Any] = yaml.safe_load(Path(__file__).with_name("facts.yaml").read_text(encoding="utf-8"))
    return read


@dataclass
class Standing:
    """What one club has reached in a season."""

    club: str
    won: int = 0
    drawn: int = 0
    lost: int = 0
    scored: int = 0
    conceded: int = 0

    @property
    def points(self) -> int:
        return 3 * self.won + self.drawn

    def play(self, own: int, other: int) -> None:
        """Count one match."""
        self.won += own > other
        self.drawn += own == other
        self.lost += own < other
        self.scored += own
        self.conceded += other


def matches(season: Mapping[str, Sequence[str | None]]) -> Iterable[tuple[str, str, int, int]]:
    """Home side, away side and their goals."""
    clubs = list(season)
    for home, results in season.items():
        for away, result in zip(clubs, results, strict=True):
            if result:
                own, other = map(int, result.split("-"))
                yield home, away, own, other


def standings(season: Mapping[str, Sequence[str | None]]) -> list[Standing]:
    """The table at the end of a season, best first."""
    table = {club: Standing(club) for club in season}
    for home, away, own, other in matches(season):
        table[home].play(own, other)
        table[away].play(other, own)
    return sorted(table.values(), key=lambda one: (-one.points, one.conceded - one.scored, -one.scored))
