"""A person with contacts, apps and tasks, as read from a YAML file."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.errors import SourceLocation, TaskError
from pytest_mcpbench.core.sandbox import Ids
from pytest_mcpbench.generation.persona.tasks import WrittenTask
from pytest_mcpbench.generation.source.files import SourceEntry, read_entry
from pytest_mcpbench.simulated.cast import Line, Person, talk
from pytest_mcpbench.text.suggestions import hint

_YEAR = 2026
_SMALL_TALK = 8
"""Number of generated lines around the written ones of a conversation."""


@dataclass(frozen=True)
class WrittenChat:
    """The lines of a chat, oldest first, and the places of the written ones among them."""

    lines: tuple[Line, ...]
    written: tuple[int, ...]


class WrittenProfile(SourceEntry):
    """One person as written in a file."""

    key: str
    about: str
    """Name, occupation, city and time zone, such as ``Hana Suzuki, nurse in Osaka (UTC+9)``."""
    people: Mapping[str, str]
    """Key of everyone else in the person's worlds -> title, with a Chinese name in front of a colon if there is one.

    The person's own key may be there as well, with the name that the Chinese apps show.
    """
    apps: Mapping[str, Mapping[str, Any]]
    """Short form of the worlds."""
    tasks: tuple[WrittenTask, ...]


@dataclass(frozen=True)
class Profile:
    """One person."""

    place: SourceLocation
    about: str
    people: Mapping[str, Person]
    """Everyone in the person's worlds by key; the first is the person."""
    apps: Mapping[str, Mapping[str, Any]]
    tasks: tuple[WrittenTask, ...]

    @property
    def me(self) -> Person:
        return next(iter(self.people.values()))

    @property
    def others(self) -> tuple[Person, ...]:
        return tuple(self.people.values())[1:]

    def ids(self, name: str) -> Ids:
        """Return an id generator; equal names produce equal ids."""
        return Ids(f"persona/{self.me.key}/{name}")

    def person(self, key: str) -> Person:
        """Return a person by key; ``me`` is the person whose worlds these are."""
        if key != "me" and key not in self.people:
            raise TaskError(f"nobody is called {key!r}.", self.place, "apps", remedy=hint(key, self.people))
        return self.me if key == "me" else self.people[key]

    def conversation(self, name: str, content: Mapping[str, Any], members: Sequence[Person]) -> WrittenChat:
        """Return the written lines of a chat among generated ones."""
        written = [Line(self.person(key), moment(when), text) for key, when, text in content.get("lines", ())]
        generated = talk(
            content.get("about", "the weekend"),
            members,
            ids=self.ids(f"talk/{name}"),
            count=_SMALL_TALK,
            language="zh" if content.get("language") == "zh" else "en",
            setting="work" if content.get("setting") == "work" else "private",
        )
        lines = tuple(sorted((*generated, *written), key=lambda line: line.moment))
        return WrittenChat(lines, tuple(lines.index(line) for line in written))


def read_profile(file: Path) -> Profile:
    """Parse one file."""
    written = read_entry(file, WrittenProfile)
    found = re.search(r" in ([A-Z]\w+) \(", written.about)
    if found is None:
        raise TaskError("no city is named.", written.place, "about", remedy="End it like '… in Osaka (UTC+9)'.")
    people = {}
    for number, (key, facts) in enumerate({written.key: written.about, **written.people}.items()):
        # Facts are a title, with a Chinese name in front of a colon if there is one.
        chinese_name, separator, title = facts.rpartition(": ")
        mobile = f"+447700901{number:03}" if not separator else f"+8613900000{number:03}"
        # The other people of the profile live in the same city.
        people[key] = Person(key, chinese_name or None, title, "friends", None, None, found[1], mobile)
    return Profile(
        place=written.place,
        about=written.about,
        people=people,
        apps=written.apps,
        tasks=written.tasks,
    )


def moment(text: str) -> datetime:
    """Parse a time in UTC; one without a year is in 2026."""
    written = text if text[:4].isdigit() else f"{_YEAR}-{text}"
    return datetime.fromisoformat(written).replace(tzinfo=UTC)
