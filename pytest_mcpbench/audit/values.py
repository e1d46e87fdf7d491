"""Wrong values for the arguments of a call: plausible, of the right type, and different in meaning."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from pytest_mcpbench.audit.subject import Subject
from pytest_mcpbench.text.json_reading import Location, replace_at

STRANGER = "stranger@elsewhere.example"
"""An address that occurs in no suite."""

EMAIL = re.compile(r"[^@\s<>]+@[^@\s<>]+\.[A-Za-z]{2,}")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_DIGITS = re.compile(r"\d+")
_URL = re.compile(r"https?://\S+$")
_PATH = re.compile(r"[~./]*[\w.-]+(/[\w.-]+)+/?|/[\w.-]+")
_LEAST_WORDS = 3


def wrong_arguments(
    arguments: Mapping[str, Any], schema: Mapping[str, Any], subject: Subject
) -> Iterator[tuple[Location, dict[str, Any]]]:
    """Yield the arguments with one wrong value each, and the location of the value.

    Every scalar is changed in turn; of a list, its first element is changed, one is dropped if there are several, and a
    wrong one is added.
    """
    for location, value in leaves(dict(arguments)):
        for wrong in _wrong(value, _schema_at(schema, location), subject):
            yield location, replace_at(dict(arguments), location, wrong)
    for location, items in _lists(dict(arguments)):
        element = _schema_at(schema, location).get("items")
        wrong_lists = [list(items[:-1])] if len(items) > 1 else []
        if items and not isinstance(items[-1], Mapping | list):
            wrong_elements = _wrong(items[-1], element if isinstance(element, Mapping) else {}, subject)
            wrong_lists += [[*items, wrong] for wrong in wrong_elements]
        for wrong_list in wrong_lists:
            yield location, replace_at(dict(arguments), location, wrong_list)


def is_text(value: Any) -> bool:
    """Return whether a value is prose: several words rather than a name, an id or a path."""
    return isinstance(value, str) and len(value.split()) >= _LEAST_WORDS


def text_locations(arguments: Mapping[str, Any]) -> Iterator[tuple[Location, str]]:
    """Yield each prose argument with its location."""
    return ((location, value) for location, value in leaves(dict(arguments)) if is_text(value))


def leaves(value: Any, location: Location = ()) -> Iterator[tuple[Location, Any]]:
    """Yield each scalar of a JSON value with its location; of a list, those of its first item."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from leaves(part, (*location, key))
    elif isinstance(value, list | tuple):
        if value:
            yield from leaves(value[0], (*location, 0))
    elif value is not None:
        yield location, value


def _lists(value: Any, location: Location = ()) -> Iterator[tuple[Location, Sequence[Any]]]:
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from _lists(part, (*location, key))
    elif isinstance(value, list | tuple):
        yield location, value


def _wrong(value: Any, schema: Mapping[str, Any], subject: Subject) -> Iterator[Any]:
    """Yield at most one wrong value."""
    choices = [choice for choice in schema.get("enum", ()) if choice != value]
    if choices:
        yield choices[0]
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield value + 1 if value + 1 <= schema.get("maximum", value + 1) else value - 1
    elif isinstance(value, str) and value.strip():
        yield wrong_text(value, subject)


def wrong_text(value: str, subject: Subject) -> str:
    """Return another text of the same kind: address, date, id, URL, path, number or prose."""
    siblings = subject.siblings(value)
    if EMAIL.fullmatch(value.strip()):
        return STRANGER
    if _DAY.match(value):
        day = value[:10]
        try:
            next_day = (date.fromisoformat(day) + timedelta(days=1)).isoformat()
        except ValueError:
            next_day = "2031-01-01"
        return next_day + value[10:]
    if siblings:
        return siblings[0]
    if _URL.fullmatch(value):
        return value.rstrip("/") + "/other"
    if _PATH.fullmatch(value):
        head, slash, tail = value.rstrip("/").rpartition("/")
        return f"{head}{slash}other-{tail}"
    if is_text(value):
        return "Something else altogether."
    number = _DIGITS.search(value)
    if number:
        return value[: number.start()] + str(int(number[0]) + 1).zfill(len(number[0])) + value[number.end() :]
    return f"other {value}"


def _schema_at(schema: Mapping[str, Any], location: Location) -> Mapping[str, Any]:
    """Return the part of a schema that describes a location; empty if it is unknown."""
    part: Any = schema
    for key in location:
        part = part.get("items" if isinstance(key, int) else "properties", {}) if isinstance(part, Mapping) else {}
        if not isinstance(key, int):
            part = part.get(key, {}) if isinstance(part, Mapping) else {}
    return part if isinstance(part, Mapping) else {}
