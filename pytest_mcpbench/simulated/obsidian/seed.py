"""The initial vault of an attempt: the user's notes about people, projects, meetings and days."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from pytest_mcpbench.simulated.cast import CAST, NOW

_DAYS, _WEEKS, _MONTHS = 60, 12, 4
_NOTES = Path(__file__).with_name("notes")
VAULT = {"vault": "Notes", "vault_path": "/Users/siyuan/Notes"}


@cache
def seed() -> dict[str, Any]:
    """Return the complete vault.

    It is built once per process and cached; no tree modifies its seed, and callers must not either.
    """
    notes = (*_people(), *_projects(), *_meetings(), *_days(), *_weeks(), *_months(), *_handwritten())
    return {**VAULT, "notes": {note["relative_path"]: note for note in notes}}


def empty() -> dict[str, Any]:
    """Return a vault without notes."""
    return {**VAULT, "notes": {}}


def convert_contexts(tree: dict[str, Any]) -> dict[str, Any]:
    """Convert MCP-Persona's contexts, notes by id with ``content`` and ``metadata``, to a tree."""
    if "notes" in tree:
        return tree
    notes: list[dict[str, Any]] = []
    for key, context in tree.items():
        if not isinstance(context, dict):
            continue
        metadata = context.get("metadata")
        fields = {name: value for name, value in context.items() if name != "metadata"}
        note = {"relative_path": key, "content": "", **fields, **(metadata if isinstance(metadata, dict) else {})}
        if note.get("is_perodic_note") and "periodic" not in note:
            name = note["relative_path"].rpartition("/")[2].removesuffix(".md")
            note["periodic"] = {"type": "daily", "period_key": name}
        notes.append(note)
    facts = {name: next((each[name] for each in notes if name in each), "") for name in VAULT}
    return {**facts, "notes": {note["relative_path"]: note for note in notes}}


def period_key(period: str, day: date) -> str:
    """Return the key of the note of a day, week, month, quarter or year."""
    year, week, _ = day.isocalendar()
    keys = {
        "daily": f"{day:%Y-%m-%d}",
        "weekly": f"{year}-W{week:02}",
        "monthly": f"{day:%Y-%m}",
        "quarterly": f"{day:%Y}-Q{(day.month + 2) // 3}",
        "yearly": f"{day:%Y}",
    }
    return keys[period]


def _note(path: str, content: str, moment: datetime, periodic: tuple[str, str] | None = None) -> dict[str, Any]:
    timestamp = moment.strftime("%Y-%m-%dT%H:%M:%SZ")
    facts = {"created_time": timestamp, "modified_time": timestamp, "author": CAST.me.name}
    period_fields = {"periodic": {"type": periodic[0], "period_key": periodic[1]}} if periodic else {}
    return {"relative_path": f"{path}.md", "content": content, **facts, **period_fields}


def _handwritten() -> Iterator[dict[str, Any]]:
    """Yield the notes in the user's own words: travel, home, choir, work and unsorted ones."""
    for number, file in enumerate(sorted(_NOTES.rglob("*.md"))):
        path = file.relative_to(_NOTES).with_suffix("").as_posix()
        yield _note(path, file.read_text(encoding="utf-8"), NOW - timedelta(days=3 + 2 * number, minutes=17 * number))


def _people() -> Iterator[dict[str, Any]]:
    for person in CAST.people[1:]:
        ids = person.ids("obsidian")
        manager = CAST.manager(person)
        reports = f"Reports to [[{manager.name}]].\n" if manager else ""
        front = (
            f"email: {person.email}\nmobile: '{person.mobile}'\ncity: {person.city}\ntags: [people, {person.circle}]"
        )
        yield _note(
            f"People/{person.name}",
            f"---\n{front}\n---\n# {person.name}\n\n{person.local_name}, {person.title}.\n{reports}\n"
            f"## Remember\n\n- {_HABITS[ids.number(0, len(_HABITS) - 1)]}\n- Birthday: {ids.number(1, 28)} "
            f"{_MONTH_NAMES[ids.number(0, 11)]}\n\n## Open\n\n- [ ] {_ERRANDS[ids.number(0, len(_ERRANDS) - 1)]}\n",
            NOW - timedelta(days=ids.number(3, 200), minutes=ids.number(0, 900)),
        )


def _projects() -> Iterator[dict[str, Any]]:
    for project in CAST.projects:
        ids = CAST.ids(f"obsidian/projects/{project.key}")
        lead, *others = CAST.persons(project.members)
        team = "".join(f"- [[{each.name}]], {each.title}\n" for each in (lead, *others))
        front = f"status: {project.status}\ndue: {project.due}\nbudget: {project.budget}\nlead: {lead.name}"
        yield _note(
            f"Projects/{project.name}",
            f"---\n{front}\ntags: [project]\n---\n# {project.name}\n\n## Summary\n\n{project.chinese_name}. "
            f"Due on {project.due}, {project.status}, {project.budget} euros. ^summary\n\n## Team\n\n{team}\n"
            f"## Risks\n\n{_bullets(ids.number(0, 9), _RISKS)}\n## Log\n\n"
            f"- {project.due - timedelta(days=42)}: kick-off\n- {NOW:%Y-%m-%d}: {project.status}\n",
            NOW - timedelta(days=ids.number(1, 20), minutes=ids.number(0, 900)),
        )


def _meetings() -> Iterator[dict[str, Any]]:
    """Yield minutes of past meetings and agendas of future ones."""
    for meeting in CAST.meetings:
        ids = CAST.ids(f"obsidian/meetings/{meeting.key}/text")
        people = ", ".join(f"[[{each.name}]]" for each in CAST.persons(meeting.attendees))
        project = next((each for each in CAST.projects if each.key == meeting.project), None)
        about = f"Project: [[{project.name}]]\n" if project else ""
        owner = CAST.persons(meeting.attendees)[ids.number(0, len(meeting.attendees) - 1)]
        has_started = meeting.start < NOW
        heading, texts = ("Decisions", _DECISIONS) if has_started else ("Agenda", _POINTS)
        task = f"- [ ] {owner.name}: {_ERRANDS[ids.number(0, len(_ERRANDS) - 1)]}\n"
        hours_ago = CAST.ids(f"obsidian/meetings/{meeting.key}").number(1, 40)
        yield _note(
            f"Meetings/{meeting.start:%Y-%m-%d} {meeting.title}",
            f"# {meeting.title}\n\nWhen: {meeting.start:%Y-%m-%d %H:%M} UTC\n"
            f"Where: {meeting.place}\nWho: {people}\n{about}\n"
            f"## {heading}\n\n{_bullets(ids.number(0, 9), texts)}\n## Actions\n\n{task}",
            min(meeting.end, NOW - timedelta(hours=hours_ago)),
        )


def _days() -> Iterator[dict[str, Any]]:
    for back in range(_DAYS):
        day = NOW.date() - timedelta(days=back)
        ids = CAST.ids(f"obsidian/days/{day}")
        key = period_key("daily", day)
        meetings = [each for each in CAST.meetings_of(CAST.me) if each.start.date() == day]
        links = "".join(f"- [[{day} {each.title}]]\n" for each in meetings) or "- none\n"
        person = CAST.people[ids.number(1, len(CAST.people) - 1)]
        yield _note(
            f"Daily/{key}",
            f"# {key}\n\n## Meetings\n\n{links}\n## Notes\n\n- {_THOUGHTS[ids.number(0, len(_THOUGHTS) - 1)]}\n"
            f"- Talked to [[{person.name}]].\n\n## Mood\n\n{ids.number(4, 9)}/10, slept {ids.number(5, 8)} hours\n",
            datetime.combine(day, time(0, ids.number(5, 55)), UTC),
            ("daily", key),
        )


def _weeks() -> Iterator[dict[str, Any]]:
    monday = NOW.date() - timedelta(days=NOW.weekday())
    for back in range(_WEEKS):
        day = monday - timedelta(weeks=back)
        key, ids = period_key("weekly", day), CAST.ids(f"obsidian/weeks/{day}")
        project = CAST.projects[ids.number(0, len(CAST.projects) - 1)]
        content = (
            f"# {key}\n\n## Goals\n\n- Move [[{project.name}]] forward\n- Run {ids.number(10, 40)} km\n\n## Review\n\n"
        )
        yield _note(f"Weekly/{key}", content, datetime.combine(day, time(1), UTC), ("weekly", key))


def _months() -> Iterator[dict[str, Any]]:
    day = NOW.date().replace(day=1)
    for _ in range(_MONTHS):
        key = period_key("monthly", day)
        content = f"# {key}\n\n## Plan\n\n- Budget: {1000 + day.month * 50} yuan\n\n## Looking back\n\n"
        yield _note(f"Monthly/{key}", content, datetime.combine(day, time(0, 30), UTC), ("monthly", key))
        day = (day - timedelta(days=1)).replace(day=1)


def _bullets(first: int, texts: tuple[str, ...]) -> str:
    return "".join(f"- {texts[(first + number) % len(texts)]}\n" for number in range(2))


_MONTH_NAMES = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_HABITS = (
    "Drinks no coffee after noon.",
    "Prefers a call to a mail.",
    "Allergic to peanuts.",
    "Plays the cello.",
    "Answers late, but always.",
    "Likes to see numbers first.",
    "Collects old maps.",
    "Vegetarian.",
)
_ERRANDS = (
    "send the slides",
    "ask for the new date",
    "return the book",
    "write down the decision",
    "book the room",
    "check the invoice",
    "find a second tester",
    "say thank you",
)
_RISKS = (
    "One person knows the old system.",
    "The supplier answers slowly.",
    "Tests on real devices are missing.",
    "Two holidays before the date.",
    "The budget has no reserve.",
)
_DECISIONS = (
    "We keep the date and drop the export.",
    "Next demo without slides.",
    "Open questions go to the team list.",
    "The pilot starts with forty users.",
    "Nobody works on the weekend for this.",
)
_POINTS = ("Where we stand", "Open risks", "What we need from others", "Next steps", "Any other business")
_THOUGHTS = (
    "Write shorter. Nobody reads the third page.",
    "The new chair is worth its price.",
    "Idea: show the progress before the first question.",
    "Climbing on Thursday, bring the long rope.",
    "Read two chapters on the train.",
    "Forgot the umbrella again.",
    "Ask more, explain less.",
    "The noodle place moved to the second floor.",
)
