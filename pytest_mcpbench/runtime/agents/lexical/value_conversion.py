"""Conversion of mentions to the type and format that a parameter requires."""

import re
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta

from pydantic import JsonValue

from pytest_mcpbench.runtime.agents.lexical import date_parsing
from pytest_mcpbench.runtime.agents.lexical.request import Request
from pytest_mcpbench.runtime.agents.lexical.schema_leaves import Path, SchemaLeaf
from pytest_mcpbench.runtime.agents.lexical.value_mentions import Mention


def convert_mentions(leaf: SchemaLeaf, mentions: Sequence[Mention], request: Request) -> JsonValue:
    """Return the value of the mentions in the leaf's type; ``None`` if they cannot be converted."""
    if leaf.is_list:
        values = [
            value
            for mention in _drop_base_directory(mentions)
            if (value := _scalar(leaf, mention, request)) is not None
        ]
        return list(dict.fromkeys(values)) or None
    return _scalar(leaf, mentions[0], request)


def _drop_base_directory(mentions: Sequence[Mention]) -> Sequence[Mention]:
    """Remove a directory that only states where the other, bare file names are."""
    if not any(mention.kind == "path" and "/" not in mention.text for mention in mentions):
        return mentions
    return [mention for mention in mentions if mention.kind != "path" or not _is_directory(mention)]


def _scalar(leaf: SchemaLeaf, mention: Mention, request: Request) -> str | float | None:
    if leaf.type in ("integer", "number"):
        return _number(leaf, mention)
    if mention.kind in ("date", "time") and not mention.is_quoted:
        return _format_moment(leaf, mention, request)
    if mention.kind == "expression":
        return _expression(leaf, mention)
    if mention.kind == "path":
        return _path(mention, request)
    return mention.text


def _number(leaf: SchemaLeaf, mention: Mention) -> int | float | None:
    value = date_parsing.parse_number(mention.text)
    if value is None or (leaf.type == "integer" and not value.is_integer()):
        return None
    return int(value) if value.is_integer() and "." not in mention.text else value


def _expression(leaf: SchemaLeaf, mention: Mention) -> str:
    """Return the formula as written; in Python syntax (``3*x**2``) if the description contains ``**``."""
    if "**" not in str(leaf.schema.get("description")):
        return mention.text
    return re.sub(r"(?<=[\d)])\s?(?=[a-z(])|(?<=\b[a-z])(?=\()", "*", mention.text.replace("^", "**"))


def _path(mention: Mention, request: Request) -> str:
    """Return the path; a bare file name is placed in the only directory that the request mentions."""
    if "/" in mention.text or "\\" in mention.text:
        return mention.text
    directories = [other.text for other in request.mentions if other.kind == "path" and _is_directory(other)]
    return f"{directories[0].rstrip('/')}/{mention.text}" if len(directories) == 1 else mention.text


def _is_directory(mention: Mention) -> bool:
    last = mention.text.rstrip("/").rpartition("/")[2]
    return "/" in mention.text and ("." not in last.lstrip("."))


def _format_moment(leaf: SchemaLeaf, mention: Mention, request: Request) -> str | None:
    """Return a date, a time or both in the schema's format."""
    dates = [other for other in request.mentions if other.kind == "date"]
    moment = _combine(mention, dates, request)
    if moment is None:
        return None
    if takes_day(leaf):
        return (
            (moment.date() if isinstance(moment, datetime) else moment).isoformat()
            if not isinstance(moment, time)
            else None
        )
    if isinstance(moment, time):
        if _takes_date_time(leaf) and request.now:
            return datetime.combine(request.now.date(), moment).isoformat()
        return moment.strftime("%H:%M")
    if isinstance(moment, datetime):
        return moment.isoformat()
    return datetime.combine(moment, time(0)).isoformat() if _takes_date_time(leaf) else moment.isoformat()


def _combine(mention: Mention, dates: Sequence[Mention], request: Request) -> datetime | date | time | None:
    """Return a time with the last day of the request, or a day with the first time after it."""
    if mention.kind == "time":
        clock = date_parsing.parse_time(mention.text)
        date_mention = dates[-1] if dates else None
        day = date_parsing.parse_day(date_mention.text, request.now) if date_mention else None
        day = day.date() if isinstance(day, datetime) else day
        return datetime.combine(day, clock) if day and clock else clock
    day = date_parsing.parse_day(mention.text, request.now)
    if isinstance(day, datetime) or day is None:
        return day
    times = [other for other in request.mentions if other.kind == "time" and other.start > mention.start]
    clock = date_parsing.parse_time(times[0].text) if times else None
    return datetime.combine(day, clock) if clock else day


def takes_day(leaf: SchemaLeaf) -> bool:
    """Return whether a parameter requires a date without a time."""
    described = str(leaf.schema.get("description"))
    is_day = leaf.schema.get("format") == "date" or ("date" in leaf.name_terms and not leaf.schema.get("format"))
    return is_day and not re.search(r"time|HH:|T\d\d", described, re.IGNORECASE)


def _takes_date_time(leaf: SchemaLeaf) -> bool:
    return leaf.schema.get("format") == "date-time" or bool(leaf.name_terms & {"tim", "datetim", "start", "end"})


def infer_end(open_leaves: Sequence[SchemaLeaf], values: dict[Path, JsonValue], request: Request) -> None:
    """Add a missing end: start plus duration or, for a full day, its last second."""
    start = next((leaf for leaf in open_leaves if "start" in leaf.name_terms and leaf.path in values), None)
    end = next((leaf for leaf in open_leaves if "end" in leaf.name_terms and leaf.path not in values), None)
    if start is None or end is None or not isinstance(values[start.path], str):
        return
    try:
        begins = datetime.fromisoformat(str(values[start.path]))
    except ValueError:
        return
    lengths = [date_parsing.parse_duration(mention.text) for mention in request.mentions if mention.kind == "duration"]
    if lengths and lengths[0]:
        values[end.path] = (begins + lengths[0]).isoformat()
    elif end.is_required and begins.time() == time(0):
        last = begins + timedelta(hours=23, minutes=59, seconds=59)
        values[end.path] = begins.date().isoformat() if takes_day(end) else last.isoformat()
