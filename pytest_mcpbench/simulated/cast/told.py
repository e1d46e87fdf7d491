"""Chat lines with facts that tasks rely on, written by hand and inserted into the generated conversations."""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from pytest_mcpbench.simulated.cast.cast import CAST
from pytest_mcpbench.simulated.cast.talk import Line
from pytest_mcpbench.simulated.engine.table import rows

_SCRIPT_FILE = Path(__file__).with_name("told.txt")


def with_scripted_lines(place: str, lines: Sequence[Line]) -> tuple[Line, ...]:
    """Merge the scripted lines of a chat, such as ``slack/proj-lantern``, into the generated ones, oldest first."""
    return tuple(sorted((*lines, *scripted_lines(place)), key=lambda line: line.moment))


def scripted_lines(place: str) -> tuple[Line, ...]:
    """Return the scripted lines of a chat; empty if it has none."""
    return _lines_by_chat().get(place, ())


@cache
def _lines_by_chat() -> dict[str, tuple[Line, ...]]:
    lines_by_chat: dict[str, tuple[Line, ...]] = {}
    for place, person, moment, text in rows(_SCRIPT_FILE):
        line = Line(CAST.person(person), datetime.fromisoformat(moment).replace(tzinfo=UTC), text)
        lines_by_chat[place] = (*lines_by_chat.get(place, ()), line)
    return lines_by_chat
