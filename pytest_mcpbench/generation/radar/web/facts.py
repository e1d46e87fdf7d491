"""Facts about the invented islands, from which the pages are rendered and the answers computed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.generation.radar.request import source
from pytest_mcpbench.generation.source.files import file_place, source_text


@cache
def facts() -> dict[str, Any]:
    """Return all facts of ``facts.yaml``."""
    import yaml

    # Years and dates are values here; the parser of task files would leave them texts.
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    file = source("web/facts.yaml")
    try:
        read: dict[str, Any] = yaml.load(source_text(file), loader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise TaskError(f"not valid YAML: {error.problem}.", file_place(file, line)) from error
    return read


@dataclass
class ClubPosition:
    """Position of one club in a season's table."""

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
        """Add the result of one match."""
        self.won += own > other
        self.drawn += own == other
        self.lost += own < other
        self.scored += own
        self.conceded += other


def matches(season: Mapping[str, Sequence[str | None]]) -> Iterable[tuple[str, str, int, int]]:
    """Yield home side, away side and goals of each match."""
    clubs = list(season)
    for home, results in season.items():
        for away, result in zip(clubs, results, strict=True):
            if result:
                own, other = map(int, result.split("-"))
                yield home, away, own, other


def standings(season: Mapping[str, Sequence[str | None]]) -> list[ClubPosition]:
    """Return the final table of a season, best club first."""
    table = {club: ClubPosition(club) for club in season}
    for home, away, own, other in matches(season):
        table[home].play(own, other)
        table[away].play(other, own)
    return sorted(table.values(), key=lambda one: (-one.points, one.conceded - one.scored, -one.scored))
