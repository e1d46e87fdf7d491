"""The data behind the servers, read without them: claims are computed from here."""

import csv
import json
import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from pytest_mcpbench.generation.atlas.draft import GenerationError
from pytest_mcpbench.generation.directories import suite_directory
from pytest_mcpbench.simulated.database import seed as database
from pytest_mcpbench.simulated.git import seed as git

FILES = suite_directory("atlas") / "data"
TODAY = date(2026, 3, 2)

Row = dict[str, Any]


@cache
def _seed_of(server: str) -> Any:
    package = Path(str(import_module(f"pytest_mcpbench.simulated.{server}").__file__)).parent
    return json.loads((package / "seed.json").read_text(encoding="utf-8"))


def rows(table: str) -> list[Row]:
    """A table of the books."""
    made = database.tables()[table]
    return [dict(zip(made.names, row, strict=True)) for row in made.rows]


def row(table: str, **wanted: Any) -> Row:
    """The one row of a table with certain values."""
    only: Row = _only([each for each in rows(table) if wanted.items() <= each.items()], f"{table} {wanted}")
    return only


def records(table: str) -> list[Row]:
    """A table of the document store; each record with its ``id``."""
    for base in _seed_of("documents")["bases"]:
        for made in base["tables"]:
            if made["name"] == table:
                names = [name for name, _ in made["columns"]]
                tag = made["id"][3:9]
                return [
                    {"id": f"rec{tag}{at:03}", **dict(zip(names, values, strict=True))}
                    for at, values in enumerate(made["rows"], 1)
                ]
    raise GenerationError(f"there is no table {table}")


def record(table: str, **wanted: Any) -> Row:
    """The one record of a table with certain values."""
    only: Row = _only([each for each in records(table) if wanted.items() <= each.items()], f"{table} {wanted}")
    return only


def page(page_id: str, *said: str) -> str:
    """The text of a page; ``said`` is what a task relies on."""
    text = "\n".join(_only([p for p in _seed_of("documents")["pages"] if p["id"] == page_id], page_id)["text"])
    return _saying(text, said, page_id)


def knows(entity: str, *said: str) -> list[str]:
    """What the knowledge graph has on an entity."""
    found = _only([e for e in _seed_of("memory")["entities"] if e["name"] == entity], entity)
    observations: list[str] = found["observations"]
    _saying("\n".join(observations), said, entity)
    return observations


def relation(start: str | None, kind: str, end: str | None) -> str:
    """The other end of the only relation of a kind."""
    found = [
        each
        for each in _seed_of("memory")["relations"]
        if each["relationType"] == kind and start in (None, each["from"]) and end in (None, each["to"])
    ]
    only = _only(found, f"{start} {kind} {end}")
    return str(only["from"] if start is None else only["to"])


def message(*said: str) -> Row:
    """The one message that has all of the texts: channel, user, when, text."""
    found = [m for m in _seed_of("messages")["messages"] if all(part in m[3] for part in said)]
    channel, user, when, text, *_ = _only(found, f"message with {said}")
    return {"channel": channel, "user": user, "when": when, "text": text}


def stamp(when: str) -> str:
    """The id of the message that was written at a time."""
    return f"{int(datetime.fromisoformat(when).replace(tzinfo=UTC).timestamp())}.000100"


def table(path: str) -> list[dict[str, str]]:
    """A CSV file."""
    with (FILES / path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def file(path: str, *said: str) -> str:
    """A text file."""
    return _saying((FILES / path).read_text(encoding="utf-8"), said, path)


def event(title: str) -> Row:
    """An event of the calendar."""
    calendars: Mapping[str, Any] = _seed_of("calendar")["calendars"]
    found = [e for calendar in calendars.values() for e in calendar["events"].values() if e["title"] == title]
    only: Row = _only(found, title)
    return only


def commit(repository: str, message: str) -> Row:
    """The one commit whose message begins with a text."""
    found = [
        c for c in git.seed()["repositories"][f"repos/{repository}"]["commits"] if c["message"].startswith(message)
    ]
    only: Row = _only(found, message)
    return only


def number(text: str, pattern: str) -> float:
    """The number that a pattern captures in a text."""
    match = re.search(pattern, text)
    if match is None:
        raise GenerationError(f"{pattern!r} is not in {text!r}")
    return float(match[1].replace(",", ""))


def must(holds: bool, what: str) -> None:
    """Refuse data that take the other way at a task's fork."""
    if not holds:
        raise GenerationError(f"the data do not say that {what}")


def _saying(text: str, said: tuple[str, ...], where: str) -> str:
    for part in said:
        must(part in text, f"{where} has {part!r}")
    return text


def _only(found: list[Any], what: str) -> Any:
    must(len(found) == 1, f"there is one {what}, but {len(found)}")
    return found[0]


def money(amount: float) -> str:
    """An amount as people write it."""
    return f"{amount:,.2f}"


def spoken(day: date | str) -> str:
    """A day as people write it."""
    made = date.fromisoformat(day) if isinstance(day, str) else day
    return f"{made.day} {made:%B %Y}"
