"""Mail between people of the cast, generated from a seed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pytest_mcpbench.core.sandbox import DEFAULT_NOW, Ids
from pytest_mcpbench.simulated.cast.cast import CAST
from pytest_mcpbench.simulated.cast.people import Person
from pytest_mcpbench.simulated.engine.table import rows

_LETTERS = Path(__file__).with_name("letters.txt")


@dataclass(frozen=True)
class Letter:
    """One mail."""

    sender: Person
    recipients: tuple[Person, ...]
    moment: datetime
    subject: str
    body: str


def work_letters(count: int) -> tuple[Letter, ...]:
    """Generate the user's mail about projects, newest first and with distinct times."""
    occasions: list[_Occasion] = []
    for project in CAST.projects:
        facts = {"project": project.name, "status": project.status}
        dates = {"due": f"{project.due:%d %B %Y}", "budget": f"{project.budget:,}"}
        occasions.append(_Occasion(CAST.persons(project.members), {**facts, **dates}, _WORK))
    return tuple(_letters(CAST.ids("letters/work"), count, occasions))


def private_letters(count: int) -> tuple[Letter, ...]:
    """Generate mail between the user and friends, family and clients, newest first and with distinct times."""
    circle = (*CAST.friends, *CAST.family, *CAST.clients)
    return tuple(
        _letters(
            CAST.ids("letters/private"),
            count,
            [_Occasion((person,), {"city": person.city}, _PRIVATE) for person in circle],
        )
    )


def own_letters(box: str) -> tuple[Letter, ...]:
    """Return the mail in the box ``work`` or ``private`` that asks the user to act, in the order of its file."""
    letters: list[Letter] = []
    for owner, sender, moment, subject, body in rows(_LETTERS):
        if owner == box:
            person = CAST.person(sender)
            text = f"Hi {CAST.me.given_name},\n\n{body}\n\nBest,\n{person.given_name}\n"
            letters.append(
                Letter(person, (CAST.me,), datetime.fromisoformat(moment).replace(tzinfo=UTC), subject, text)
            )
    return tuple(letters)


@dataclass(frozen=True)
class _Occasion:
    """The people who may write about a subject, the values to fill in, and the text templates."""

    people: tuple[Person, ...]
    values: dict[str, str]
    texts: tuple[tuple[str, str], ...]


def _letters(ids: Ids, count: int, occasions: Sequence[_Occasion]) -> Iterator[Letter]:
    moment = DEFAULT_NOW
    for number in range(count):
        moment -= timedelta(minutes=ids.number(40, 700), seconds=ids.number(0, 59))
        occasion = occasions[number % len(occasions)]
        turn = number // len(occasions)
        others = [each for each in occasion.people if each is not CAST.me]
        other = others[ids.number(0, len(others) - 1)]
        is_from_user = ids.number(0, 4) == 0
        sender, recipient = (CAST.me, other) if is_from_user else (other, CAST.me)
        other_recipients = tuple(each for each in others if each is not other) if ids.number(0, 3) == 0 else ()
        subject, body = occasion.texts[(turn + ids.number(0, 1)) % len(occasion.texts)]
        values = {**occasion.values, "name": recipient.given_name, "number": str(ids.number(2, 40))}
        text = f"Hi {recipient.given_name},\n\n{body.format(**values)}\n\nBest,\n{sender.given_name}\n"
        yield Letter(sender, (recipient, *other_recipients), moment, subject.format(**values), text)


_WORK = (
    (
        "{project}: where we stand",
        "{project} is {status}. We have closed {number} points since last week; the due date is {due}.",
    ),
    ("Agenda for the {project} review", "Please add your points by noon. I have {number} minutes for the open ones."),
    ("{project} budget", "The budget of {project} is {budget} euros. So far {number} per cent are spent."),
    (
        "Minutes: {project}",
        "Attached are the minutes. {number} actions, all with names. Tell me what is wrong in them.",
    ),
    ("Question about {project}", "Before {due} somebody must decide on the {number} open requests. Is that you or me?"),
    ("{project}: new date?", "The client asks whether {due} still holds. I have said that we answer within the week."),
    ("Draft for {project}", "Could you read the draft? Pages 3 to {number} are new. No hurry, but before Thursday."),
    ("Out of office and {project}", "I am away for two days. For {project} please write to the team list."),
)
_PRIVATE = (
    ("Weekend in {city}?", "Are you free in {number} days? The weather in {city} should hold."),
    ("Photos", "I have put {number} photographs into the album. The one in the rain is my favourite."),
    ("Re: your parcel", "It arrived in {city} this morning, {number} grams lighter than you said. Thank you!"),
    ("Dinner", "Seven o'clock is fine. There will be {number} of us, so I book the large table."),
    ("Recipe, as promised", "Steam it for {number} minutes, then let it rest. Do not open the lid."),
    ("Tickets for the concert", "I have {number} tickets for the 28th of March. Say yes by Friday."),
    ("Call on Sunday?", "It has been {number} days. Sunday after lunch, your time?"),
    ("A small favour", "Could you bring {number} boxes of the tea from the shop near your office?"),
)
