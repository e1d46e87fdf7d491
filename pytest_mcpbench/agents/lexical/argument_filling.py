"""Arguments of a call from the mentions of a request: required ones first, optional ones only with evidence."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from itertools import pairwise
from typing import Any

from dateutil import parser
from dateutil.relativedelta import relativedelta
from pydantic import JsonValue

from pytest_mcpbench.agents.lexical import mention_scoring
from pytest_mcpbench.agents.lexical.schema_leaves import Path, SchemaLeaf
from pytest_mcpbench.agents.lexical.value_mentions import Mention, RequestSegment
from pytest_mcpbench.text.moments import parse_date
from pytest_mcpbench.text.numbers import parse_number
from pytest_mcpbench.text.vocabulary import weekday_names
from pytest_mcpbench.text.words import stem, words

# Parser for dates, times, durations and numbers as people write them, relative to a frozen clock.

_WEEKDAYS = weekday_names("en")
_DAYS_AHEAD = {"today": 0, "tonight": 0, "tomorrow": 1, "yesterday": -1, "今天": 0, "明天": 1, "后天": 2, "昨天": -1}
_IN_SOME_DAYS = re.compile(r"in\s+(\w+)\s+(day|week|month)s?", re.IGNORECASE)
_DURATION = re.compile(
    r"((?<!\d)\d+(?:\.\d+)?|half|(?<![a-z])[a-z]+)[\s-]+(?:an?\s+)?(hour|hr|minute|min)s?", re.IGNORECASE
)


def parse_day(text: str, now: datetime | None) -> datetime | date | None:
    """Return the day, with its time if the text has one.

    ``None`` if the text is no day, if the day is relative and there is no clock, or if no calendar has it.
    """
    text = text.strip().lower()
    try:
        if day := parse_date(text):
            return day
        if now and (
            text in _DAYS_AHEAD
            or "after tomorrow" in text
            or _IN_SOME_DAYS.fullmatch(text)
            or _weekday(text) is not None
        ):
            return _relative_day(text, now.date())
        if now is None and not re.search(r"\d{4}", text):
            return None
        day = parser.parse(text, default=datetime(now.year if now else 2000, 1, 1))
        return day if re.search(r"\d:\d", text) else day.date()
    except (ValueError, OverflowError):
        return None


def parse_time(text: str) -> time | None:
    """Return the time of day of texts such as ``3pm``, ``14:30`` and ``noon``."""
    text = text.strip().lower().replace(".", "")
    words = {"noon": time(12), "midnight": time(0)}
    if text in words:
        return words[text]
    try:
        return parser.parse(text, default=datetime(2000, 1, 1)).time()
    except (ValueError, OverflowError):
        return None


def parse_duration(text: str) -> timedelta | None:
    """Return the length of texts such as ``30 minutes``, ``an hour`` and ``half an hour``."""
    match = _DURATION.search(text)
    amount = 1.0 if match and match[1] in ("a", "an") else parse_number(match[1]) if match else None
    if match is None or amount is None:
        return None
    try:
        return timedelta(hours=amount) if match[2].lower().startswith("h") else timedelta(minutes=amount)
    except OverflowError:
        return None


def _relative_day(text: str, today: date) -> date | None:
    if text in _DAYS_AHEAD:
        return today + timedelta(days=_DAYS_AHEAD[text])
    if "after tomorrow" in text:
        return today + timedelta(days=2)
    if match := _IN_SOME_DAYS.fullmatch(text):
        amount = int(parse_number(match[1]) or 1)
        unit = match[2].lower()
        if unit == "month":
            return today + relativedelta(months=amount)
        return today + timedelta(days=amount * (7 if unit == "week" else 1))
    weekday = _weekday(text)
    if weekday is None:
        return None
    # "Friday" and "next Friday" mean the coming Friday, never today.
    if text.startswith("last"):
        return today - timedelta(days=(today.weekday() - weekday - 1) % 7 + 1)
    return today + timedelta(days=(weekday - today.weekday() - 1) % 7 + 1)


def _weekday(text: str) -> int | None:
    """Return the number of the weekday that ends the text (``next Friday``), from Monday = 0."""
    last = next(reversed(text.split()), "")
    return _WEEKDAYS.get(last)


# Conversion of mentions to the type and format that a parameter requires.


def convert_mentions(leaf: SchemaLeaf, mentions: Sequence[Mention], request: RequestSegment) -> JsonValue:
    """Return the value of the mentions in the leaf's type; ``None`` if they cannot be converted."""
    if leaf.is_list:
        # A directory beside bare file names only states where these are.
        has_bare_names = any(mention.kind == "path" and "/" not in mention.text for mention in mentions)
        values = [
            value
            for mention in mentions
            if not (has_bare_names and mention.kind == "path" and _is_directory(mention))
            and (value := _scalar(leaf, mention, request)) is not None
        ]
        return list(dict.fromkeys(values)) or None
    return _scalar(leaf, mentions[0], request)


def _scalar(leaf: SchemaLeaf, mention: Mention, request: RequestSegment) -> str | float | None:
    if leaf.type in ("integer", "number"):
        value = parse_number(mention.text)
        if value is None or (leaf.type == "integer" and not value.is_integer()):
            return None
        return int(value) if value.is_integer() and "." not in mention.text else value
    if mention.kind in ("date", "time") and not mention.is_quoted:
        return _format_moment(leaf, mention, request)
    if mention.kind == "expression":
        # The formula as written; in Python syntax (``3*x**2``) if the description contains ``**``.
        if "**" not in str(leaf.schema.get("description")):
            return mention.text
        return re.sub(r"(?<=[\d)])\s?(?=[a-z(])|(?<=\b[a-z])(?=\()", "*", mention.text.replace("^", "**"))
    if mention.kind == "path":
        # A bare file name is placed in the only directory that the request mentions.
        if "/" in mention.text or "\\" in mention.text:
            return mention.text
        directories = [other.text for other in request.mentions if other.kind == "path" and _is_directory(other)]
        return f"{directories[0].rstrip('/')}/{mention.text}" if len(directories) == 1 else mention.text
    return mention.text


def _is_directory(mention: Mention) -> bool:
    last = mention.text.rstrip("/").rpartition("/")[2]
    return "/" in mention.text and ("." not in last.lstrip("."))


def _format_moment(leaf: SchemaLeaf, mention: Mention, request: RequestSegment) -> str | None:
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


def _combine(mention: Mention, dates: Sequence[Mention], request: RequestSegment) -> datetime | date | time | None:
    """Return a time with the last day of the request, or a day with the first time after it."""
    if mention.kind == "time":
        clock = parse_time(mention.text)
        date_mention = dates[-1] if dates else None
        day = parse_day(date_mention.text, request.now) if date_mention else None
        day = day.date() if isinstance(day, datetime) else day
        return datetime.combine(day, clock) if day and clock else clock
    day = parse_day(mention.text, request.now)
    if isinstance(day, datetime) or day is None:
        return day
    times = [other for other in request.mentions if other.kind == "time" and other.start > mention.start]
    clock = parse_time(times[0].text) if times else None
    return datetime.combine(day, clock) if clock else day


def takes_day(leaf: SchemaLeaf) -> bool:
    """Return whether a parameter requires a date without a time."""
    described = str(leaf.schema.get("description"))
    is_day = leaf.schema.get("format") == "date" or ("date" in leaf.name_terms and not leaf.schema.get("format"))
    return is_day and not re.search(r"time|HH:|T\d\d", described, re.IGNORECASE)


def _takes_date_time(leaf: SchemaLeaf) -> bool:
    return leaf.schema.get("format") == "date-time" or bool(leaf.name_terms & {"tim", "datetim", "start", "end"})


def infer_end(open_leaves: Sequence[SchemaLeaf], values: dict[Path, JsonValue], request: RequestSegment) -> None:
    """Add a missing end: start plus duration or, for a full day, its last second."""
    start = next((leaf for leaf in open_leaves if "start" in leaf.name_terms and leaf.path in values), None)
    end = next((leaf for leaf in open_leaves if "end" in leaf.name_terms and leaf.path not in values), None)
    if start is None or end is None or not isinstance(values[start.path], str):
        return
    try:
        begins = datetime.fromisoformat(str(values[start.path]))
    except ValueError:
        return
    lengths = [parse_duration(mention.text) for mention in request.mentions if mention.kind == "duration"]
    if lengths and lengths[0]:
        values[end.path] = (begins + lengths[0]).isoformat()
    elif end.is_required and begins.time() == time(0):
        last = begins + timedelta(hours=23, minutes=59, seconds=59)
        values[end.path] = begins.date().isoformat() if takes_day(end) else last.isoformat()


_LATITUDE, _LONGITUDE = frozenset(("lat", "latitud")), frozenset(("lon", "lng", "longitud", "long"))
_NEGATION = frozenset(("not", "without", "no", "never", "don", "dont", "exclud", "skip", "disabl"))
_SIGNED = re.compile(r"[-+]?\d+\.\d+")
_TRAILING = re.compile(r",?\s+and\s+(?:give|show|return|tell|list|limit)\b.*$", re.IGNORECASE | re.DOTALL)
"""Instructions about the answer, which are not part of a query."""
_LEADING = re.compile(
    r"^\W*(?:(?:please|can you|could you|would you|i want to|i need to|help me|帮我|请|我想)\s*)*"
    r"(?:(?:search(?:\s+the\s+web)?|look(?:\s+up)?|find|google|query|schedule|book|add|create|查询|搜索|查一下|查找)\b\s*)?"
    r"(?:(?:information|results?|news|pages?|articles?)\s+)?(?:(?:for|about|on|of|me)\s+)*(?:the\s+|an?\s+)?",
    re.IGNORECASE,
)
"""Polite phrases and search verbs before the query itself."""


@dataclass(frozen=True)
class FilledArguments:
    """Arguments of a call and the parameters that are missing."""

    arguments: dict[str, JsonValue]
    missing: tuple[SchemaLeaf, ...] = ()
    """Required parameters without a suitable mention."""
    used: frozenset[Mention] = frozenset()
    """Mentions that are values of arguments."""
    values: Mapping[Path, JsonValue] = field(default_factory=dict)
    """The same arguments by their paths."""


def fill_arguments(
    all_leaves: Sequence[SchemaLeaf], request: RequestSegment, known_values: Mapping[Path, JsonValue] | None = None
) -> FilledArguments:
    """Return a value for each leaf that requires one or has evidence for one.

    ``known_values`` are kept as they are.
    """
    values: dict[Path, JsonValue] = dict(known_values or {})
    open_leaves = [leaf for leaf in all_leaves if leaf.path not in values]
    for leaf in open_leaves:
        if (value := _from_words(leaf, request)) is not None:
            values[leaf.path] = value
    assignment = _assign_mentions([leaf for leaf in open_leaves if leaf.path not in values], request.mentions)
    for leaf, chosen in assignment.items():
        if (value := convert_mentions(leaf, chosen, request)) is not None:
            values[leaf.path] = value
    infer_end(open_leaves, values, request)
    for leaf in open_leaves:
        if leaf.is_required and leaf.path not in values and (value := _last_resort(leaf, request)) is not None:
            values[leaf.path] = value
    missing = tuple(leaf for leaf in open_leaves if leaf.is_required and leaf.path not in values)
    used = frozenset(mention for leaf, chosen in assignment.items() if leaf.path in values for mention in chosen)
    # An object that lacks a required part is left out.
    broken = {leaf.path[:-1] for leaf in all_leaves if leaf.is_required_in_parent and leaf.path not in values} - {()}
    complete = {path: value for path, value in values.items() if not any(path[: len(one)] == one for one in broken)}
    return FilledArguments(_nest(complete), missing, used, complete)


def _from_words(leaf: SchemaLeaf, request: RequestSegment) -> JsonValue:
    """Return the value of an enum, boolean or coordinate, which the words of the request determine."""
    if leaf.schema.get("enum"):
        return _match_enum(leaf, request)
    if leaf.type == "boolean":
        return _match_boolean(leaf, request)
    if leaf.type == "number" and leaf.name_terms & (_LATITUDE | _LONGITUDE):
        # One half of the first pair, in the usual order: latitude first.
        for mention in request.mentions:
            if mention.kind == "coordinates":
                halves = _SIGNED.findall(mention.text)
                return float(halves[0 if leaf.name_terms & _LATITUDE else 1])
    return None


def _match_enum(leaf: SchemaLeaf, request: RequestSegment) -> JsonValue:
    """Return the enum value in the request; for an optional leaf only if the parameter's name is near."""
    request_stems = list(map(stem, words(request.text)))
    for value in leaf.schema["enum"]:
        stems = [stem(word) for word in words(str(value))]
        if not stems or not all(one in request_stems for one in stems):
            continue
        at = request_stems.index(stems[0])
        if leaf.is_required or leaf.name_terms & frozenset(request_stems[max(0, at - 3) : at + 3]):
            return [value] if leaf.is_list else value
    return None


def _match_boolean(leaf: SchemaLeaf, request: RequestSegment) -> JsonValue:
    """Return true if the request contains the name, or the first two words of the description; false if negated."""
    stems = [stem(word) for word in words(request.text)]
    description = [term for term in leaf.description_terms if term not in ("wheth", "if", "true", "fals", "set")][:2]
    for terms in (leaf.name_terms, frozenset(description) if len(description) > 1 else frozenset()):
        if terms and terms <= frozenset(stems):
            first = min(stems.index(one) for one in terms)
            return not _NEGATION & frozenset(stems[max(0, first - 3) : first])
    return None


def _assign_mentions(open_leaves: Sequence[SchemaLeaf], mentions: Sequence[Mention]) -> dict[SchemaLeaf, list[Mention]]:
    """Assign mentions to leaves, best pair first, each mention once; ties in the order of both."""
    pairs: list[tuple[float, SchemaLeaf, Mention]] = []
    kinds = [mention.kind for mention in mentions]
    have_times = kinds.count("time") >= kinds.count("date")
    for leaf in open_leaves:
        # Then the dates only supply the day for the times that the leaf may take.
        takes_time = have_times and mention_scoring.preferred_kinds(leaf)[:1] == ("time",) and not takes_day(leaf)
        for mention in mentions:
            if mention.kind == "date" and takes_time:
                continue
            score = mention_scoring.score_mention(leaf, mention)
            if leaf.is_required and score > 0:
                pairs.append((score + 0.5, leaf, mention))
            elif score > 0 and mention_scoring.has_evidence(leaf, mention, score):
                pairs.append((score, leaf, mention))
    chosen: dict[Path, list[Mention]] = {}
    used: list[Mention] = []
    for _, leaf, mention in sorted(pairs, key=lambda pair: -pair[0]):
        own = chosen.setdefault(leaf.path, [])
        # A list takes all mentions of one sort.
        is_same_sort = bool(own) and (own[0].kind, own[0].is_quoted) == (mention.kind, mention.is_quoted)
        is_full = bool(own) and not (leaf.is_list and is_same_sort)
        is_free = not any(mention.start < other.end and other.start < mention.end for other in used)
        if is_free and not is_full:
            own.append(mention)
            used.append(mention)
    return {leaf: sorted(chosen[leaf.path], key=_place) for leaf in open_leaves if chosen.get(leaf.path)}


def _place(mention: Mention) -> int:
    return mention.start


def _last_resort(leaf: SchemaLeaf, request: RequestSegment) -> JsonValue:
    """Return a required leaf's default or constant or, for a query or text, the request itself."""
    if "default" in leaf.schema:
        return leaf.schema["default"]  # type: ignore[no-any-return]
    if "const" in leaf.schema:
        return leaf.schema["const"]  # type: ignore[no-any-return]
    if leaf.type == "string" and mention_scoring.accepts_request_text(leaf):
        text = request.text
        if leaf.name_terms & mention_scoring.HEADING_TERMS:
            starts = [mention.start for mention in request.mentions if mention.kind in ("date", "time", "duration")]
            text = text[: min(starts, default=0)] or text
        asked = _TRAILING.sub("", _LEADING.sub("", text, count=1)).strip(" \n.?!。？！")
        return ([asked] if leaf.is_list else asked) if asked else None
    return None


def _nest(values: Mapping[Path, JsonValue]) -> dict[str, JsonValue]:
    """Return the values in nested objects and one-item lists."""
    root: dict[str, Any] = {}
    for path, value in values.items():
        target: Any = root
        for step, following in pairwise(path):
            target = _child(target, step, [] if isinstance(following, int) else {})
        if isinstance(target, dict):
            target[path[-1]] = value
    return root


def _child(target: Any, step: str | int, default: Any) -> Any:
    """Return the part of an object or of a one-item list, which gets the default if it has none."""
    if isinstance(target, list):
        if not target:
            target.append(default)
        return target[0]
    return target.setdefault(step, default)
