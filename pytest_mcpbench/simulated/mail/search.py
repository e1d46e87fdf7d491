"""Gmail's search language: compiles a query into a condition on messages.

Adjacent words must all match; ``OR`` (or braces) matches either, ``-`` negates, parentheses group, and quotes make a
phrase. Matching is by complete words and ignores case; an unknown operator is searched for as a phrase.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from typing import Any

from dateutil.relativedelta import relativedelta as _span

from pytest_mcpbench.simulated.engine.failure import ToolFailure
from pytest_mcpbench.text.normal_forms import normal_form

Message = Mapping[str, Any]
Condition = Callable[[Message], bool]

_LEXER = re.compile(
    r"""\s*(?P<negation>-(?=\S))?
    (?: (?P<open>[({]) | (?P<close>[)}]) | (?P<operator>[A-Za-z_]+):(?=\S)
      | "(?P<phrase>[^"]*)"? | (?P<word>[^\s(){}"]+) )""",
    re.VERBOSE,
)
_LONGEST_QUERY = 2_000
_MOST_GROUPS = 50
_HIDDEN = ("SPAM", "TRASH")
_AGE = re.compile(r"(\d+)([hdmy])$")
_SIZE = re.compile(r"(\d+)([kKmM]?)[bB]?$")
_STATES = {"unread": "UNREAD", "starred": "STARRED", "important": "IMPORTANT", "sent": "SENT", "draft": "DRAFT"}
_PLACES = {"inbox": "INBOX", "sent": "SENT", "spam": "SPAM", "trash": "TRASH", "draft": "DRAFT", "drafts": "DRAFT"}


@dataclass(frozen=True)
class Mailroom:
    """The context in which a query is interpreted: the current time, the time zone of its dates and the label names."""

    now: datetime
    zone: tzinfo
    labels: Mapping[str, str]
    """Label id -> name."""


def condition(query: str, room: Mailroom) -> Condition:
    """Return the condition of a query.

    Messages in spam and trash match only with ``in:spam``, ``in:trash`` or ``in:anywhere``.
    """
    parser = _Parser(query, room)
    matches = parser.parse()
    if parser.sees_hidden:
        return matches
    return lambda message: not _has_any(message, _HIDDEN) and matches(message)


def words(text: str) -> list[str]:
    """Return the words of a text, normalised for comparison."""
    return re.findall(r"\w+", normal_form("NFKC", text).casefold())


def size_of(message: Message) -> int:
    """Return the size of the subject, the text and the attachments in bytes."""
    attachments: int = sum(each["size"] for each in message["attachments"])
    return len(message["body"].encode()) + len(message["subject"].encode()) + attachments


class _Parser:
    """A single-pass parser of a query, from left to right."""

    def __init__(self, query: str, room: Mailroom) -> None:
        if len(query) > _LONGEST_QUERY or query.count("(") + query.count("{") > _MOST_GROUPS:
            raise ToolFailure("Invalid query: it is too long")
        self._tokens = [match for match in _LEXER.finditer(query) if match.group().strip() not in ("", "AND")]
        self._next = 0
        self._room = room
        self.sees_hidden = False

    def parse(self) -> Condition:
        parts = []
        while self._next < len(self._tokens):
            if self._peek("close"):
                self._next += 1
                continue
            parts.append(self._alternatives())
        return _all_of(parts)

    def _alternatives(self) -> Condition:
        options = [self._term()]
        while self._peek("word") == "OR" and self._next + 1 < len(self._tokens):
            self._next += 1
            options.append(self._term())
        return _any_of(options)

    def _term(self) -> Condition:
        token = self._tokens[self._next]
        self._next += 1
        if token["open"]:
            matches = self._group(_any_of if token["open"] == "{" else _all_of, self._alternatives)
        elif token["operator"]:
            operator = token["operator"].lower()
            if self._peek("open"):
                combine = _any_of if self._peek("open") == "{" else _all_of
                self._next += 1
                matches = self._group(combine, lambda: self._value(operator))
            elif self._next == len(self._tokens):
                matches = _mentions(operator)
            else:
                matches = self._single_value(operator)
        else:
            matches = _mentions(token["phrase"] if token["phrase"] is not None else token["word"] or "")
        return _not(matches) if token["negation"] else matches

    def _group(self, combine: Callable[[list[Condition]], Condition], part: Callable[[], Condition]) -> Condition:
        parts = []
        while self._next < len(self._tokens) and not self._peek("close"):
            parts.append(part())
        self._next += 1
        return combine(parts)

    def _value(self, operator: str) -> Condition:
        options = [self._single_value(operator)]
        while self._peek("word") == "OR" and self._next + 1 < len(self._tokens):
            self._next += 1
            options.append(self._single_value(operator))
        return _any_of(options)

    def _single_value(self, operator: str) -> Condition:
        token = self._tokens[self._next]
        self._next += 1
        value = token["phrase"] if token["phrase"] is not None else token.group().strip().removeprefix("-")
        if operator in ("in", "label") and value.lower() in ("spam", "trash", "anywhere"):
            self.sees_hidden = True
        known = _OPERATORS.get(operator)
        matches = known(value, self._room) if known else _mentions(f"{operator} {value}")
        return _not(matches) if token["negation"] else matches

    def _peek(self, kind: str) -> str | None:
        return self._tokens[self._next][kind] if self._next < len(self._tokens) else None


def _all_of(parts: list[Condition]) -> Condition:
    return lambda message: all(part(message) for part in parts)


def _any_of(parts: list[Condition]) -> Condition:
    return lambda message: any(part(message) for part in parts)


def _not(part: Condition) -> Condition:
    return lambda message: not part(message)


def _never(_message: Message) -> bool:
    return False


def _mentions(phrase: str) -> Condition:
    """Match a phrase in any text of the message that a person reads."""
    phrase_words = words(phrase)

    def operator(message: Message) -> bool:
        people = [message["from"], *message["to"], *message["cc"]]
        names = [each["filename"] for each in message["attachments"]]
        return any(_contains(text, phrase_words) for text in (message["subject"], message["body"], *people, *names))

    return operator


def _contains(text: str, phrase: list[str]) -> bool:
    """Return whether the words occur next to each other in the text; an empty list occurs in any text."""
    text_words = words(text)
    return any(text_words[start : start + len(phrase)] == phrase for start in range(len(text_words) - len(phrase) + 1))


def _in_field(*fields: str) -> Callable[[str, Mailroom], Condition]:
    def operator(value: str, _room: Mailroom) -> Condition:
        value_words = words(value)
        return lambda message: any(
            _contains(text, value_words) for field in fields for text in _texts(message.get(field))
        )

    return operator


def _texts(value: Any) -> Iterable[str]:
    return value if isinstance(value, list) else (value or "",)


def _person(*fields: str) -> Callable[[str, Mailroom], Condition]:
    """Match a person in a field like :func:`_in_field`.

    ``me`` is the owner, whose own messages are labelled ``SENT`` or ``DRAFT``.
    """
    plain = _in_field(*fields)

    def operator(value: str, room: Mailroom) -> Condition:
        if value.lower() != "me":
            return plain(value, room)
        mine = fields == ("from",)
        return lambda message: _has_any(message, ("SENT", "DRAFT")) is mine

    return operator


def _label(value: str, room: Mailroom) -> Condition:
    key = _label_key(value)
    ids = {id_ for id_, name in room.labels.items() if key in (_label_key(id_), _label_key(name))}
    return lambda message: _has_any(message, ids)


def _label_key(name: str) -> str:
    return re.sub(r"[\s/]+", "-", name.strip().casefold())


def _place(value: str, room: Mailroom) -> Condition:
    if value.lower() == "anywhere":
        return lambda _message: True
    if value.lower() in ("archive", "archived"):
        return lambda message: not _has_any(message, ("INBOX", "SENT", "DRAFT", *_HIDDEN))
    if value.lower() in _PLACES:
        return lambda message: _has_any(message, (_PLACES[value.lower()],))
    return _label(value, room)


def _state(value: str, _room: Mailroom) -> Condition:
    if value.lower() == "read":
        return lambda message: not _has_any(message, ("UNREAD",))
    label = _STATES.get(value.lower())
    return (lambda message: _has_any(message, (label,))) if label else _never


def _has(value: str, _room: Mailroom) -> Condition:
    if value.lower() == "attachment":
        return lambda message: bool(message["attachments"])
    if value.lower() in ("userlabels", "nouserlabels"):
        expected = value.lower() == "userlabels"
        return lambda message: any(label.startswith("Label_") for label in message["labels"]) is expected
    return _never


def _filename(value: str, _room: Mailroom) -> Condition:
    name = value.casefold()
    return lambda message: any(
        each["filename"].casefold() == name
        or each["filename"].casefold().endswith("." + name.lstrip("."))
        or _contains(each["filename"], words(name))
        for each in message["attachments"]
    )


def _since(value: str, room: Mailroom) -> Condition:
    moment = _moment(value, room)
    return (lambda message: sent_at(message) >= moment) if moment else _never


def _until(value: str, room: Mailroom) -> Condition:
    moment = _moment(value, room)
    return (lambda message: sent_at(message) < moment) if moment else _never


def _newer(value: str, room: Mailroom) -> Condition:
    moment = _ago(value, room)
    return (lambda message: sent_at(message) > moment) if moment else _never


def _older(value: str, room: Mailroom) -> Condition:
    moment = _ago(value, room)
    return (lambda message: sent_at(message) <= moment) if moment else _never


def sent_at(message: Message) -> datetime:
    """Return the time at which the message was sent, with its zone."""
    return datetime.fromisoformat(message["sent_datetime"])


def _moment(value: str, room: Mailroom) -> datetime | None:
    """Parse a day, as its beginning in the mailbox's zone, or a number of seconds since 1970."""
    if re.fullmatch(r"\d{9,}", value):
        return datetime.fromtimestamp(int(value), UTC)
    parts = [int(part) for part in re.findall(r"\d+", value)]
    if len(parts) != 3:
        return None
    year, month, day = parts if parts[0] > 31 else (parts[2], parts[0], parts[1])
    try:
        begin = date(year, month, day)
    except ValueError:
        return None
    return datetime(begin.year, begin.month, begin.day, tzinfo=room.zone)


def _ago(value: str, room: Mailroom) -> datetime | None:
    match = _AGE.match(value.lower())
    if not match:
        return None
    amount = int(match[1])
    span = {"h": _span(hours=amount), "d": _span(days=amount), "m": _span(months=amount), "y": _span(years=amount)}
    return room.now - span[match[2]]


def _larger(value: str, _room: Mailroom) -> Condition:
    size = _bytes(value)
    return _never if size is None else lambda message: size_of(message) > size


def _smaller(value: str, _room: Mailroom) -> Condition:
    size = _bytes(value)
    return _never if size is None else lambda message: size_of(message) < size


def _bytes(value: str) -> int | None:
    match = _SIZE.match(value)
    return int(match[1]) * {"": 1, "k": 1024, "m": 1024**2}[match[2].lower()] if match else None


def _message_id(value: str, _room: Mailroom) -> Condition:
    return lambda message: message.get("message_id", "").strip("<>") == value.strip("<>")


def _category(value: str, _room: Mailroom) -> Condition:
    label = "CATEGORY_" + {"primary": "PERSONAL"}.get(value.lower(), value.upper())
    return lambda message: _has_any(message, (label,))


def _has_any(message: Message, labels: Iterable[str]) -> bool:
    return not set(labels).isdisjoint(message["labels"])


_OPERATORS: Mapping[str, Callable[[str, Mailroom], Condition]] = {
    "from": _person("from"),
    "to": _person("to", "cc", "bcc"),
    "cc": _in_field("cc"),
    "bcc": _in_field("bcc"),
    "subject": _in_field("subject"),
    "list": _in_field("list", "from"),
    "label": _label,
    "in": _place,
    "is": _state,
    "has": _has,
    "filename": _filename,
    "after": _since,
    "newer": _since,
    "before": _until,
    "older": _until,
    "newer_than": _newer,
    "older_than": _older,
    "larger": _larger,
    "size": _larger,
    "smaller": _smaller,
    "category": _category,
    "rfc822msgid": _message_id,
}
