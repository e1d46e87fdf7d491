"""A Slack workspace over a context tree, as one member sees and changes it.

The tree is ``{user_id, users: {id: user}, channels: {id: channel}, files: {id: file}, reminders: {id: reminder}}``; a
channel (a direct message is one too) holds ``members[]`` and ``messages: {ts: {ts, user, text, reactions[]}}``.
``user_id`` is whose token it is. The messages of an error are Slack's error codes.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from dateutil.tz import gettz

from pytest_mcpbench.core.context import Collection, Shape
from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine import Entities, ToolFailure, page
from pytest_mcpbench.simulated.slack.moments import due
from pytest_mcpbench.simulated.slack.seed import empty, seed

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
_LONGEST_TEXT = 40_000
_MOST_GUESTS = 8
_KINDS: Mapping[str, str] = {"images": "png", "pdfs": "pdf", "spreadsheets": "xlsx"}

Fields = Mapping[str, Any]


class Slack:
    """The workspace of one attempt. Each method is a request; its failures are Slack's error codes."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.tree = world.tree(seed, shape=SHAPE, seeds={"empty": empty})
        self._users = Entities(self.tree, "users", "user_not_found")
        self._channels = Entities(self.tree, "channels", "channel_not_found")
        self._files = Entities(self.tree, "files", "file_not_found")
        self._reminders = Entities(self.tree, "reminders", "not_found")

    @property
    def me(self) -> str:
        """Id of the member whose token it is."""
        return str(self.tree.get("user_id"))

    def find_channels(self, query: str, wanted: Fields) -> list[dict[str, Any]]:
        """Channels of which the name, the topic or the purpose holds the query."""
        kinds = set(str(wanted.get("types", "public_channel,private_channel")).replace(" ", "").split(","))
        found = [
            each
            for each in self._channels.all()
            if _kind(each) in kinds
            and self._sees(each)
            and not (each.get("is_archived") and wanted.get("exclude_archived", True))
            and (self._is_member(each) or not wanted.get("member_only"))
            and _matches(query, _names_of_channel(each), exact=wanted.get("exact_match", False))
        ]
        return [self._shown(each) for each in found[: wanted.get("limit", 50)]]

    def find_users(self, query: str, wanted: Fields) -> list[dict[str, Any]]:
        """Members of which the id, a name, the address or the status holds the query."""
        found = [
            each
            for each in self._users.all()
            if (not each.get("deleted") or wanted.get("include_deleted"))
            and (not each.get("is_bot") or wanted.get("include_bots"))
            and (not each.get("is_restricted") or wanted.get("include_restricted", True))
            and _matches(query, _names_of_user(each), exact=wanted.get("exact_match", False))
        ]
        return found[: wanted.get("limit", 50)]

    def history(self, channel: str, wanted: Fields) -> dict[str, Any]:
        """The messages of a channel, the newest first, without the replies in threads."""
        conversation = self._joined(channel)
        found = [each for each in conversation.get("messages", {}).values() if _lies_between(each, wanted)]
        found.sort(key=lambda each: float(each["ts"]), reverse=True)
        size = wanted.get("limit", 100)
        if size < 1:
            raise ToolFailure("invalid_limit")
        shown = page(found, size, wanted.get("cursor"), "invalid_cursor")
        more = {"next_cursor": shown.cursor or ""}
        return {"messages": shown.items, "has_more": bool(shown.cursor), "response_metadata": more}

    def post(self, channel: str, fields: Fields) -> dict[str, Any]:
        """Send a message; ``fields`` are those of a message."""
        text = str(fields.get("markdown_text") or fields.get("text") or "")
        if not text and not fields.get("blocks") and not fields.get("attachments"):
            raise ToolFailure("no_text")
        if len(text) > _LONGEST_TEXT:
            raise ToolFailure("msg_too_long")
        conversation = self._postable(channel)
        messages = self._messages(conversation["id"])
        if "thread_ts" in fields and messages.find(fields["thread_ts"]) is None:
            raise ToolFailure("thread_not_found")
        kept = {name: fields[name] for name in ("thread_ts", "blocks", "attachments", "username") if name in fields}
        ts = self._new_ts(messages)
        message = messages.create({"type": "message", "ts": ts, "user": self.me, "text": text, **kept})
        return {"channel": conversation["id"], "ts": ts, "message": message}

    def react(self, channel: str, ts: str, name: str) -> None:
        """Add the user's reaction to a message."""
        emoji = name.strip().strip(":")
        if not _EMOJI.fullmatch(emoji):
            raise ToolFailure("invalid_name")
        messages = self._messages(self._joined(channel)["id"])
        message = messages.find(ts)
        if message is None:
            raise ToolFailure("message_not_found")
        reactions = {each["name"]: each["users"] for each in message.get("reactions", ())}
        if self.me in reactions.get(emoji, ()):
            raise ToolFailure("already_reacted")
        reactions[emoji] = [*reactions.get(emoji, ()), self.me]
        shown = [{"name": key, "users": users, "count": len(users)} for key, users in reactions.items()]
        messages.update(ts, {"reactions": shown})

    def open_direct(self, users: Iterable[str]) -> tuple[dict[str, Any], bool]:
        """The conversation with some members, and whether it was there already."""
        others = list(dict.fromkeys(users))
        if not 1 <= len(others) <= _MOST_GUESTS:
            raise ToolFailure("too_many_users" if others else "users_list_not_supplied")
        for member in others:
            self._users.get(member)
        members = [self.me, *(each for each in others if each != self.me)]
        for each in self._channels.all():
            if _kind(each) in ("im", "mpim") and set(each["members"]) == set(members):
                return self._shown(each), True
        return self._shown(self._channels.create(self._direct(members))), False

    def conversation(self, channel: str) -> dict[str, Any]:
        """A conversation of which the user is a member."""
        return self._shown(self._joined(channel))

    def files(self, wanted: Fields) -> dict[str, Any]:
        """Files, the newest first; ``count`` of them on a page."""
        found = [each for each in self._files.all() if _is_wanted(each, wanted)]
        found.sort(key=lambda each: -each["created"])
        size, number = _whole(wanted.get("count", "100")), _whole(wanted.get("page", "1"))
        pages = max(1, -(-len(found) // size))
        paging = {"count": size, "total": len(found), "page": number, "pages": pages}
        return {"files": found[(number - 1) * size : number * size], "paging": paging}

    def reminders(self) -> list[dict[str, Any]]:
        """The user's reminders."""
        return [each for each in self._reminders.all() if self.me in (each.get("user"), each.get("creator"))]

    def remind(self, text: str, time: str, user: str | None) -> dict[str, Any]:
        """A new reminder, of the user or of another member."""
        if not text.strip():
            raise ToolFailure("no_text")
        zone = self._users.get(self.me).get("tz", "UTC")
        moment = due(time, self._world.now.astimezone(gettz(zone)))
        whom = self._users.get(user)["id"] if user else self.me
        return self._reminders.create(
            {
                "id": "Rm0" + self._world.ids.text(8, _ALPHABET),
                "creator": self.me,
                "user": whom,
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

    def _shown(self, channel: Fields) -> dict[str, Any]:
        own = {name: value for name, value in channel.items() if name not in ("messages", "members")}
        return {**own, "is_member": self._is_member(channel), "num_members": len(channel.get("members", ()))}

    def _visible(self, channel: str) -> dict[str, Any]:
        """A channel by its id, or by its name with or without ``#``."""
        name = channel.removeprefix("#")
        named = (each for each in self._channels.all() if each.get("name") == name)
        found = self._channels.find(channel) or next(named, None)
        if found is None or not self._sees(found):
            raise ToolFailure("channel_not_found")
        return found

    def _joined(self, channel: str) -> dict[str, Any]:
        found = self._visible(channel)
        if not self._is_member(found):
            raise ToolFailure("not_in_channel")
        return found

    def _postable(self, channel: str) -> dict[str, Any]:
        """Where a message may go; to a member's id it goes as a direct message."""
        if self._users.find(channel) is not None:
            return self.open_direct([channel])[0]
        found = self._joined(channel)
        if found.get("is_archived"):
            raise ToolFailure("is_archived")
        return found

    def _messages(self, channel: str) -> Entities:
        return self._channels.inside(channel, "messages", "message_not_found")

    def _new_ts(self, messages: Entities) -> str:
        """The clock stands still, so that messages of one moment differ behind the point."""
        now = int(self._world.now.timestamp())
        taken = [each["ts"] for each in messages.all() if each["ts"].startswith(f"{now}.")]
        return f"{now}.{100_000 + len(taken) + 1}"

    def _direct(self, members: list[str]) -> dict[str, Any]:
        several = len(members) > 2
        whom = {"name": "mpdm-" + "--".join(members).lower() + "-1"} if several else {"user": members[-1]}
        kind = {"is_im": not several, "is_mpim": several, "is_private": True, "is_archived": False}
        letter = "G" if several else "D"
        channel_id = f"{letter}0" + self._world.ids.text(9, _ALPHABET)
        return {"id": channel_id, **whom, **kind, "members": members, "messages": {}}


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
    wanted = query.strip().removeprefix("#").removeprefix("@").casefold()
    texts = [name.casefold() for name in names if name]
    return wanted in texts if exact else any(wanted in text for text in texts)


def _lies_between(message: Fields, wanted: Fields) -> bool:
    if message.get("thread_ts", message["ts"]) != message["ts"]:
        return False
    ts = float(message["ts"])
    oldest, latest = _bound(wanted, "oldest", "0"), _bound(wanted, "latest", "1e12")
    return oldest <= ts <= latest if wanted.get("inclusive") else oldest < ts < latest


def _bound(wanted: Fields, name: str, default: str) -> float:
    try:
        return float(wanted.get(name, default))
    except ValueError:
        raise ToolFailure(f"invalid_ts_{name}") from None


def _is_wanted(file: Fields, wanted: Fields) -> bool:
    kinds = {_KINDS.get(each, each) for each in str(wanted.get("types", "all")).split(",")}
    return (
        ("all" in kinds or file["filetype"] in kinds)
        and wanted.get("user") in (None, file["user"])
        and ("channel" not in wanted or wanted["channel"] in file["channels"])
        and wanted.get("ts_from", 0) <= file["created"] <= wanted.get("ts_to", file["created"])
    )


def _whole(text: Any) -> int:
    if not str(text).isdecimal() or int(text) < 1:
        raise ToolFailure("invalid_arguments")
    return int(text)
