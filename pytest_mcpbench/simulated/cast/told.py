"""What was said for a reason: single lines in the chats of the apps, among the talk."""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from pytest_mcpbench.simulated.cast.cast import CAST
from pytest_mcpbench.simulated.cast.talk import Line
from pytest_mcpbench.simulated.engine.table import rows

_TOLD = Path(__file__).with_name("told.txt")


def with_scripted_lines(place: str, lines: Sequence[Line]) -> tuple[Line, ...]:
    """The lines of a chat (``slack/proj-lantern``) with what was said there beside them; the oldest first."""
    return tuple(sorted((*lines, *told(place)), key=lambda line: line.moment))


def told(place: str) -> tuple[Line, ...]:
    """The lines that were said at a place; none where it has none."""
    return _told().get(place, ())


@cache
def _told() -> dict[str, tuple[Line, ...]]:
    found: dict[str, tuple[Line, ...]] = {}
    for place, person, moment, text in rows(_TOLD):
        line = Line(CAST.person(person), datetime.fromisoformat(moment).replace(tzinfo=UTC), text)
        found[place] = (*found.get(place, ()), line)
    return found
