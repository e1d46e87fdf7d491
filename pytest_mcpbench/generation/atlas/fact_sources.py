"""Direct access to the data behind the servers."""

import csv
import json
import re
from collections.abc import Mapping
from datetime import date
from functools import cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pytest_mcpbench.generation.directories import suite_directory
from pytest_mcpbench.simulated.database import seed as database
from pytest_mcpbench.simulated.git import seed as git
from pytest_mcpbench.simulated.mail import world as mail
from pytest_mcpbench.simulated.market import world as market
from pytest_mcpbench.simulated.studio import office_mail, shop, town_web

FILES = suite_directory("atlas") / "data"
TODAY = date(2026, 3, 2)

Row = dict[str, Any]
Facts = dict[str, Any]
"""Values for the slots of a task's claims, by name."""


class MissingFactError(ValueError):
    """Error for data behind the servers that do not contain what a task relies on."""


@cache
def _server_seed(server: str) -> Any:
    package = Path(str(import_module(f"pytest_mcpbench.simulated.{server}").__file__)).parent
    return json.loads((package / "seed.json").read_text(encoding="utf-8"))


def rows(table: str) -> list[Row]:
    """Return the rows of a table in the accounts database."""
    data = database.tables()[table]
    return [dict(zip(data.names, row, strict=True)) for row in data.rows]


def row(table: str, **values: Any) -> Row:
    """Return the only row of a database table with the given values."""
    result: Row = _single([each for each in rows(table) if values.items() <= each.items()], f"{table} {values}")
    return result


def records(table: str) -> list[Row]:
    """Return the records of a table in the document store, each with its ``id``."""
    for base in _server_seed("documents")["bases"]:
        for definition in base["tables"]:
            if definition["name"] == table:
                names = [name for name, _ in definition["columns"]]
                tag = definition["id"][3:9]
                return [
                    {"id": f"rec{tag}{at:03}", **dict(zip(names, values, strict=True))}
                    for at, values in enumerate(definition["rows"], 1)
                ]
    raise MissingFactError(f"the document store does not have a table {table!r}")


def record(table: str, **values: Any) -> Row:
    """Return the only record of a document store table with the given values."""
    result: Row = _single([each for each in records(table) if values.items() <= each.items()], f"{table} {values}")
    return result


def page(page_id: str, *phrases: str) -> str:
    """Return the text of a page. Raises ``MissingFactError`` if one of the phrases that a task relies on is missing."""
    text = "\n".join(_single([p for p in _server_seed("documents")["pages"] if p["id"] == page_id], page_id)["text"])
    return _require_phrases(text, phrases, page_id)


def observations(entity: str, *phrases: str) -> list[str]:
    """Return an entity's observations in the knowledge graph, which must contain the phrases."""
    matches = _single([e for e in _server_seed("memory")["entities"] if e["name"] == entity], entity)
    observations: list[str] = matches["observations"]
    _require_phrases("\n".join(observations), phrases, entity)
    return observations


def relation(start: str | None, kind: str, end: str | None) -> str:
    """Return the other end of the only relation of a kind in the knowledge graph."""
    matches = [
        each
        for each in _server_seed("memory")["relations"]
        if each["relationType"] == kind and start in (None, each["from"]) and end in (None, each["to"])
    ]
    result = _single(matches, f"{start} {kind} {end}")
    return str(result["from"] if start is None else result["to"])


def message(*phrases: str) -> Row:
    """Return channel, user, time and text of the only chat message that contains all phrases."""
    matches = [m for m in _server_seed("messages")["messages"] if all(part in m[3] for part in phrases)]
    channel, user, when, text, *_ = _single(matches, f"message with {phrases}")
    return {"channel": channel, "user": user, "when": when, "text": text}


def table(path: str) -> list[dict[str, str]]:
    """Return the rows of a CSV file."""
    with (FILES / path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def file(path: str, *phrases: str) -> str:
    """Return the content of a text file, which must contain the phrases."""
    return _require_phrases((FILES / path).read_text(encoding="utf-8"), phrases, path)


def event(title: str) -> Row:
    """Return the calendar event with a title."""
    calendars: Mapping[str, Any] = _server_seed("calendar")["calendars"]
    matches = [e for calendar in calendars.values() for e in calendar["events"].values() if e["title"] == title]
    result: Row = _single(matches, title)
    return result


def commit(repository: str, message: str) -> Row:
    """Return the only commit whose message starts with a text."""
    matches = [
        c for c in git.seed()["repositories"][f"repos/{repository}"]["commits"] if c["message"].startswith(message)
    ]
    result: Row = _single(matches, message)
    return result


def letter(*phrases: str) -> Row:
    """Return the only message to the office that contains all phrases in its subject or text."""
    return _letter(office_mail.seed(), phrases)


def own_letter(*phrases: str) -> Row:
    """Return the only message in Nora's mailbox that contains all phrases in its subject or text."""
    return _letter(mail.seed(), phrases)


def mail_filter(field: str, value: str) -> Row:
    """Return the only filter of the office's mailbox with a value in its criteria."""
    matches = [each for each in office_mail.seed()["filters"].values() if each["criteria"].get(field) == value]
    result: Row = _single(matches, f"filter with {field} {value!r}")
    return result


def _letter(mailbox: Row, phrases: tuple[str, ...]) -> Row:
    texts = {key: f"{each['subject']}\n{each['body']}" for key, each in mailbox["messages"].items()}
    matches = [mailbox["messages"][key] for key, text in texts.items() if all(part in text for part in phrases)]
    result: Row = _single(matches, f"letter with {phrases}")
    return result


def web_page(address: str, *phrases: str) -> str:
    """Return the text of a page of the town's web, which must contain the phrases."""
    found = _single([each for each in town_web.pages() if each.url == f"https://{address}"], address)
    return _require_phrases(found.text, phrases, address)


def shop_invoice(number: str) -> Row:
    """Return the invoice of the online shop with a number."""
    matches = [each for each in shop.seed()["invoices"].values() if each["detail"]["invoice_number"] == number]
    result: Row = _single(matches, f"invoice {number} of the shop")
    return result


def shop_order(payer: str) -> Row:
    """Return the order of the online shop that somebody paid, with its parcel under ``tracker`` if it has been sent."""
    order = _single([each for each in shop.seed()["orders"].values() if each["payer"]["name"] == payer], payer)
    paid = order["captures"][0]["id"]
    parcels = [each for each in shop.seed()["trackers"].values() if each["transaction_id"] == paid]
    require(len(parcels) <= 1, f"there is at most one parcel for {payer}")
    return {**order, "tracker": next(iter(parcels), None)}


def rate(start: str, end: str) -> float:
    """Return how much of one currency a unit of another buys."""
    found = market.rate(start, end)
    require(found is not None, f"there is a rate for {start}/{end}")
    return float(found or 0)


def number(text: str, pattern: str) -> float:
    """Return the number that the first group of a pattern matches in a text."""
    match = re.search(pattern, text)
    if match is None:
        raise MissingFactError(f"the pattern {pattern!r} does not match {text!r}")
    return float(match[1].replace(",", ""))


def require(holds: bool, statement: str) -> None:
    """Raise ``MissingFactError`` unless a condition holds that a task relies on, such as the branch that it takes."""
    if not holds:
        raise MissingFactError(f"the data do not say that {statement}")


def _require_phrases(text: str, phrases: tuple[str, ...], where: str) -> str:
    for part in phrases:
        require(part in text, f"{where} has {part!r}")
    return text


def _single(matches: list[Any], statement: str) -> Any:
    require(len(matches) == 1, f"there is one {statement}, but {len(matches)}")
    return matches[0]


LOOKUPS: Mapping[str, Any] = MappingProxyType(
    {
        **{each.__name__: each for each in (rows, row, records, record, page, observations, relation, message, table)},
        **{each.__name__: each for each in (file, event, commit, number)},
        **{each.__name__: each for each in (letter, own_letter, mail_filter, web_page, shop_invoice, shop_order, rate)},
        "today": TODAY,
    }
)
"""Functions and values that expressions in source files can use."""
