"""The people, teams, projects and meetings of the personal worlds combined in one value."""

from dataclasses import dataclass
from functools import cached_property

from pytest_mcpbench.core.sandbox import Ids
from pytest_mcpbench.simulated.cast.people import Circle, Person, people
from pytest_mcpbench.simulated.cast.work import Meeting, Project, Team, meetings, projects, teams


@dataclass(frozen=True)
class Cast:
    """The people, their teams, projects and meetings; the first person is the user who owns the accounts."""

    people: tuple[Person, ...]
    teams: tuple[Team, ...]
    projects: tuple[Project, ...]
    meetings: tuple[Meeting, ...]

    @property
    def me(self) -> Person:
        """The user who owns the accounts."""
        return self.people[0]

    @property
    def colleagues(self) -> tuple[Person, ...]:
        return self._circle("work")

    @property
    def friends(self) -> tuple[Person, ...]:
        return self._circle("friends")

    @property
    def family(self) -> tuple[Person, ...]:
        return self._circle("family")

    @property
    def clients(self) -> tuple[Person, ...]:
        return self._circle("clients")

    def person(self, key: str) -> Person:
        """Return the person with the key; raise ``KeyError`` if there is none."""
        return self._by_key[key]

    def persons(self, keys: tuple[str, ...]) -> tuple[Person, ...]:
        """Return the people with the keys, in the order of the keys."""
        return tuple(self._by_key[key] for key in keys)

    def manager(self, person: Person) -> Person | None:
        """Return the person's manager; ``None`` for the managing director and for people outside the company."""
        return self._by_key[person.manager] if person.manager else None

    def meetings_of(self, person: Person) -> tuple[Meeting, ...]:
        """Return the meetings that the person attends, sorted by time."""
        return tuple(each for each in self.meetings if person.key in each.attendees)

    def ids(self, name: str) -> Ids:
        """Return an id generator for entities that belong to no person; equal names produce equal ids."""
        return Ids(f"cast/{name}")

    def _circle(self, circle: Circle) -> tuple[Person, ...]:
        return tuple(each for each in self.people if each.circle == circle)

    @cached_property
    def _by_key(self) -> dict[str, Person]:
        return {each.key: each for each in self.people}


def _cast() -> Cast:
    everybody, all_projects = people(), projects()
    all_teams = teams(everybody)
    return Cast(everybody, all_teams, all_projects, meetings(all_teams, all_projects))


CAST = _cast()
"""The cast that all apps share."""
