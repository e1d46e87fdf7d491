"""A Slack workspace over a context tree, as one member sees and changes it.

The tree is ``{user_id, users: {id: user}, channels: {id: channel}, files: {id: file}, reminders: {id: reminder}}``; a
channel (which may be a direct message) holds ``members[]`` and ``messages: {ts: {ts, user, text, reactions[]}}``.
``user_id`` is the owner of the token. Error messages are Slack's error codes.
"""

import operator
import re
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from dateutil.tz import gettz

from pytest_mcpbench.core.context import Collection, Shape
from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine import Entities, ToolFailure, page, whole_number
from pytest_mcpbench.simulated.slack.contexts import convert_contexts
from pytest_mcpbench.simulated.slack.seed import empty, seed
from pytest_mcpbench.text.vocabulary import weekday_names

# Parsing of the due times of reminders, in the notations that Slack understands.

_UNREADABLE = "cannot_parse"
_PAST = "time_in_past"
_LONGEST_SECONDS = 86_400
_MORNING = 9
_DAYS = weekday_names("en")
_UNITS: Mapping[str, timedelta] = {
    "second": timedelta(seconds=1),
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(weeks=1),
}
_IN = re.compile(r"in (\d{1,4}|an?) (second|minute|hour|day|week)s?")
_AT = re.compile(r"(?:at )?(\d{1,2})(?::(\d{2}))?\s*(am|pm)?")
_DATE = re.compile(r"(?:on )?(\d{4})-(\d{2})-(\d{2})")
_NUMBER = re.compile(r"\d{1,11}(?:\.0+)?")


class Due(NamedTuple):
    """A moment and whether it recurs."""

    moment: datetime
    recurring: bool


def due(text: str, now: datetime) -> Due:
    """Parse the due time of a reminder.

    It is a Unix time, a number of seconds from now (at most a day), or words such as ``in 15 minutes``, ``tomorrow at
    2pm``, ``every thursday at 9:30``, ``friday``, ``daily`` and ``on 2026-03-05 at 10:00``. Words are in the time zone
    of ``now``; a day without a time of day means nine in the morning.
    """
    words = " ".join(text.lower().replace(",", " ").split())
    if not words:
        raise ToolFailure(_UNREADABLE)
    if _NUMBER.fullmatch(words):
        number = int(float(words))
        if number <= _LONGEST_SECONDS:
            return Due(now + timedelta(seconds=number), recurring=False)
        moment = datetime.fromtimestamp(number, now.tzinfo)
        if moment <= now:
            raise ToolFailure(_PAST)
        return Due(moment, recurring=False)
    recurring = words.startswith("every ") or words in ("daily", "weekly")
    return Due(_from_words(words.removeprefix("every ") or "every", now), recurring)


def _from_words(words: str, now: datetime) -> datetime:
    if match := _IN.fullmatch(words):
        count = 1 if match[1].startswith("a") else int(match[1])
        return now + count * _UNITS[match[2]]
    day, rest = _day(words, now)
    moment = _at(rest, day)
    if moment > now:
        return moment
    if day.date() == now.date() and not words.startswith("today"):
        return moment + timedelta(days=7 if words.split()[0] in _DAYS else 1)
    raise ToolFailure(_PAST)


def _day(words: str, now: datetime) -> tuple[datetime, str]:
    """Return the day at the beginning of the words, by default today, and the remaining words."""
    if match := _DATE.match(words):
        try:
            date = now.replace(year=int(match[1]), month=int(match[2]), day=int(match[3]))
        except ValueError:
            raise ToolFailure(_UNREADABLE) from None
        return date, words[match.end() :].strip()
    first, _, rest = words.removeprefix("on ").removeprefix("next ").partition(" ")
    if first in _DAYS:
        ahead = (_DAYS[first] - now.weekday()) % 7
        return now + timedelta(days=ahead or (7 if words.startswith("next ") else 0)), rest
    days = {"today": 0, "tomorrow": 1, "daily": 0, "day": 0, "weekly": 7, "week": 7}
    if first in days:
        return now + timedelta(days=days[first]), rest
    return now, words


def _at(words: str, day: datetime) -> datetime:
    if not words:
        return day.replace(hour=_MORNING, minute=0, second=0, microsecond=0)
    match = _AT.fullmatch(words)
    if not match:
        raise ToolFailure(_UNREADABLE)
    hour = int(match[1]) % 12 + 12 * (match[3] == "pm") if match[3] else int(match[1])
    try:
        return day.replace(hour=hour, minute=int(match[2] or 0), second=0, microsecond=0)
    except ValueError:
        raise ToolFailure(_UNREADABLE) from None


SHAPE = Shape(
    (
        Collection("users", id_field="id"),
        Collection("channels", id_field="id"),
        Collection("channels[*].messages", id_field="ts"),
        Collection("files", id_field="id"),
        Collection("reminders", id_field="id"),
    )
)
_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_EMOJI = re.compile(r"[a-z0-9_+'-]+(?:::skin-tone-[2-6])?")
_MAX_TEXT = 40_000
_MAX_GUESTS = 8
_KINDS: Mapping[str, str] = {"images": "png", "pdfs": "pdf", "spreadsheets": "xlsx"}

Fields = Mapping[str, Any]


class Slack:
    """The workspace of one attempt; each method is a request, and failures are Slack's error codes."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.tree = world.tree(seed, shape=SHAPE, seeds={"empty": empty}, convert=convert_contexts)
        self._users = Entities(self.tree, "users", "user_not_found")
        self._channels = Entities(self.tree, "channels", "channel_not_found")
        self._files = Entities(self.tree, "files", "file_not_found")
        self._reminders = Entities(self.tree, "reminders", "not_found")

    @property
    def me(self) -> str:
        """The id of the member who owns the token."""
        return str(self.tree.get("user_id"))

    def find_channels(self, query: str, search: Fields) -> list[dict[str, Any]]:
        """Return the channels whose name, topic or purpose contains the query."""
        kinds = set(str(search.get("types", "public_channel,private_channel")).replace(" ", "").split(","))
        channels = [
            each
            for each in self._channels.all()
            if _kind(each) in kinds
            and self._sees(each)
            and not (each.get("is_archived") and search.get("exclude_archived", True))
            and (self._is_member(each) or not search.get("member_only"))
            and _matches(query, _names_of_channel(each), exact=search.get("exact_match", False))
        ]
        return [self._summary(each) for each in channels[: search.get("limit", 50)]]

    def find_users(self, query: str, search: Fields) -> list[dict[str, Any]]:
        """Return the members whose id, names, mail address or status contains the query."""
        users = [
            each
            for each in self._users.all()
            if (not each.get("deleted") or search.get("include_deleted"))
            and (not each.get("is_bot") or search.get("include_bots"))
            and (not each.get("is_restricted") or search.get("include_restricted", True))
            and _matches(query, _names_of_user(each), exact=search.get("exact_match", False))
        ]
        return users[: search.get("limit", 50)]

    def history(self, channel: str, search: Fields) -> dict[str, Any]:
        """Return the messages of a channel, newest first, without replies in threads."""
        conversation = self._own_channel(channel)
        # Read here, so that a wrong `oldest` or `latest` is an error of a channel without messages, too.
        oldest, latest = _time_limit(search, "oldest", "0"), _time_limit(search, "latest", "1e12")
        are_in_order = operator.le if search.get("inclusive") else operator.lt
        messages = [
            each
            for each in conversation.get("messages", {}).values()
            if each.get("thread_ts", each["ts"]) == each["ts"]
            and are_in_order(oldest, float(each["ts"]))
            and are_in_order(float(each["ts"]), latest)
        ]
        messages.sort(key=lambda each: float(each["ts"]), reverse=True)
        size = search.get("limit", 100)
        if size < 1:
            raise ToolFailure("invalid_limit")
        current_page = page(messages, size, search.get("cursor"), "invalid_cursor")
        more = {"next_cursor": current_page.cursor or ""}
        return {"messages": current_page.items, "has_more": bool(current_page.cursor), "response_metadata": more}

    def post(self, channel: str, fields: Fields) -> dict[str, Any]:
        """Send a message; ``fields`` are the fields of a message."""
        text = str(fields.get("markdown_text") or fields.get("text") or "")
        if not text and not fields.get("blocks") and not fields.get("attachments"):
            raise ToolFailure("no_text")
        if len(text) > _MAX_TEXT:
            raise ToolFailure("msg_too_long")
        # A member's id stands for the direct message with that member.
        if self._users.find(channel) is not None:
            conversation = self.open_direct([channel])[0]
        else:
            conversation = self._own_channel(channel)
            if conversation.get("is_archived"):
                raise ToolFailure("is_archived")
        messages = self._messages(conversation["id"])
        if "thread_ts" in fields and messages.find(fields["thread_ts"]) is None:
            raise ToolFailure("thread_not_found")
        extras = {name: fields[name] for name in ("thread_ts", "blocks", "attachments", "username") if name in fields}
        # The clock is frozen, so messages of the same second differ after the dot.
        now = int(self._world.now.timestamp())
        existing = [each["ts"] for each in messages.all() if each["ts"].startswith(f"{now}.")]
        ts = f"{now}.{100_000 + len(existing) + 1}"
        message = messages.create({"type": "message", "ts": ts, "user": self.me, "text": text, **extras})
        return {"channel": conversation["id"], "ts": ts, "message": message}

    def react(self, channel: str, ts: str, name: str) -> None:
        """Add the user's reaction to a message."""
        emoji = name.strip().strip(":")
        if not _EMOJI.fullmatch(emoji):
            raise ToolFailure("invalid_name")
        messages = self._messages(self._own_channel(channel)["id"])
        message = messages.find(ts)
        if message is None:
            raise ToolFailure("message_not_found")
        reactions = {each["name"]: each for each in message.get("reactions", ())}
        known = reactions.get(emoji, {"users": [], "count": 0})
        if self.me in known["users"]:
            raise ToolFailure("already_reacted")
        count = int(known.get("count", len(known["users"])))
        reactions[emoji] = {"name": emoji, "users": [*known["users"], self.me], "count": count + 1}
        messages.update(ts, {"reactions": list(reactions.values())})

    def open_direct(self, users: Iterable[str]) -> tuple[dict[str, Any], bool]:
        """Return the conversation with some members, and whether it already existed."""
        others = list(dict.fromkeys(users))
        if not 1 <= len(others) <= _MAX_GUESTS:
            raise ToolFailure("too_many_users" if others else "users_list_not_supplied")
        for member in others:
            self._users.get(member)
        members = [self.me, *(each for each in others if each != self.me)]
        for each in self._channels.all():
            if _kind(each) in ("im", "mpim") and set(each["members"]) == set(members):
                return self._summary(each), True
        is_group = len(members) > 2
        identity = {"name": "mpdm-" + "--".join(members).lower() + "-1"} if is_group else {"user": members[-1]}
        kind = {"is_im": not is_group, "is_mpim": is_group, "is_private": True, "is_archived": False}
        letter = "G" if is_group else "D"
        channel_id = f"{letter}0" + self._world.ids.text(9, _ALPHABET)
        return self._summary(
            self._channels.create({"id": channel_id, **identity, **kind, "members": members, "messages": {}})
        ), False

    def conversation(self, channel: str) -> dict[str, Any]:
        """Return a conversation of which the user is a member."""
        return self._summary(self._own_channel(channel))

    def files(self, search: Fields) -> dict[str, Any]:
        """Return files, newest first; ``count`` is the size of a page."""
        kinds = {_KINDS.get(each, each) for each in str(search.get("types", "all")).split(",")}
        matching = [
            each
            for each in self._files.all()
            if ("all" in kinds or each["filetype"] in kinds)
            and search.get("user") in (None, each["user"])
            and ("channel" not in search or search["channel"] in each["channels"])
            and search.get("ts_from", 0) <= each["created"] <= search.get("ts_to", each["created"])
        ]
        matching.sort(key=lambda each: -each["created"])
        size, number = _positive_integer(search.get("count", "100")), _positive_integer(search.get("page", "1"))
        pages = max(1, -(-len(matching) // size))
        paging = {"count": size, "total": len(matching), "page": number, "pages": pages}
        return {"files": matching[(number - 1) * size : number * size], "paging": paging}

    def reminders(self) -> list[dict[str, Any]]:
        """Return the user's reminders."""
        return [each for each in self._reminders.all() if self.me in (each.get("user"), each.get("creator"))]

    def remind(self, text: str, time: str, user: str | None) -> dict[str, Any]:
        """Create a reminder for the user or for another member."""
        if not text.strip():
            raise ToolFailure("no_text")
        zone = self._users.get(self.me).get("tz", "UTC")
        moment = due(time, self._world.now.astimezone(gettz(zone)))
        user_id = self._users.get(user)["id"] if user else self.me
        return self._reminders.create(
            {
                "id": "Rm0" + self._world.ids.text(8, _ALPHABET),
                "creator": self.me,
                "user": user_id,
                "text": text,
                "recurring": moment.recurring,
                "time": int(moment.moment.timestamp()),
                **({} if moment.recurring else {"complete_ts": 0}),
            }
        )

    def _is_member(self, channel: Fields) -> bool:
        return self.me in channel.get("members", ())

    def _sees(self, channel: Fields) -> bool:
        return not channel.get("is_private") or self._is_member(channel)

    def _summary(self, channel: Fields) -> dict[str, Any]:
        fields = {name: value for name, value in channel.items() if name not in ("messages", "members")}
        return {**fields, "is_member": self._is_member(channel), "num_members": len(channel.get("members", ()))}

    def _own_channel(self, channel: str) -> dict[str, Any]:
        name = channel.removeprefix("#")
        by_name = (each for each in self._channels.all() if each.get("name") == name)
        match = self._channels.find(channel) or next(by_name, None)
        if match is None or not self._sees(match):
            raise ToolFailure("channel_not_found")
        if not self._is_member(match):
            raise ToolFailure("not_in_channel")
        return match

    def _messages(self, channel: str) -> Entities:
        return self._channels.subcollection(channel, "messages", "message_not_found")


def _kind(channel: Fields) -> str:
    if channel.get("is_im"):
        return "im"
    if channel.get("is_mpim"):
        return "mpim"
    return "private_channel" if channel.get("is_private") else "public_channel"


def _names_of_channel(channel: Fields) -> list[str]:
    texts = [channel.get(name, {}).get("value", "") for name in ("topic", "purpose")]
    return [channel["id"], channel.get("name", ""), *texts]


def _names_of_user(user: Fields) -> list[str]:
    profile = user.get("profile", {})
    names = ("real_name", "display_name", "first_name", "last_name", "email", "status_text")
    return [
        user["id"],
        user.get("name", ""),
        user.get("real_name", ""),
        *(str(profile.get(name, "")) for name in names),
    ]


def _matches(query: str, names: Iterable[str], *, exact: bool) -> bool:
    folded = query.strip().removeprefix("#").removeprefix("@").casefold()
    texts = [name.casefold() for name in names if name]
    return folded in texts if exact else any(folded in text for text in texts)


def _time_limit(search: Fields, name: str, default: str) -> float:
    try:
        return float(search.get(name, default))
    except ValueError:
        raise ToolFailure(f"invalid_ts_{name}") from None


def _positive_integer(text: Any) -> int:
    number = whole_number(str(text))
    if not number:
        raise ToolFailure("invalid_arguments")
    return number
