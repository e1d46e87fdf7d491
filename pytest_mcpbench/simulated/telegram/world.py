"""A Telegram account over a context tree.

The tree is ``{user_id, users: {id: user}, chats: {id: chat}}``; a chat of the type ``user`` has the id of the other
person, the others (``group``, ``supergroup``, ``channel``) have a title. ``messages: {number: message}`` of a chat are
numbered from 1. Failures that the real server hides behind a code are ``hidden``.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from pytest_mcpbench.core.context import Collection, Shape
from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine import Entities, ToolFailure
from pytest_mcpbench.simulated.telegram.seed import empty, seed

SHAPE = Shape(
    (
        Collection("users"),
        Collection("chats"),
        Collection("chats[*].messages"),
    )
)
_LONGEST_TEXT = 4096
_USERNAME = re.compile(r"@?[A-Za-z0-9_]{5,}")
_WHOLE_NUMBER = re.compile(r"-?\d{1,18}")
_BLANK: Mapping[str, Any] = {"participants": [], "unread": 0, "muted": False, "messages": {}}

Entity = Mapping[str, Any]


class Telegram:
    """The account of one attempt."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.tree = world.tree(seed, shape=SHAPE, seeds={"empty": empty})
        self._users = Entities(self.tree, "users", "no user {id}")
        self._chats = Entities(self.tree, "chats", "no chat {id}")

    @property
    def me(self) -> int:
        """The account's id."""
        return int(self.tree.get("user_id"))

    def user(self, user_id: object) -> dict[str, Any] | None:
        """A user by id, or ``None``."""
        return self._users.find(str(user_id))

    def contacts(self, query: str) -> list[dict[str, Any]]:
        """Contacts whose name, user name or number holds the query."""
        wanted = query.casefold().removeprefix("@").removeprefix("+")
        return [
            each
            for each in self._users.all({"contact": True})
            if wanted in f"{_name(each)}\n{each.get('username', '')}\n{each.get('phone', '')}".casefold()
        ]

    def chats(self) -> list[dict[str, Any]]:
        """The chats, the one with the newest message first."""
        return sorted(({**_BLANK, **each} for each in self._chats.all()), key=_last_date, reverse=True)

    def chat(self, written: int | str, parameter: str = "chat_id") -> dict[str, Any]:
        """A chat by id or user name; a user with whom there is none yet has an empty one."""
        key = self._key(written, parameter)
        found = self._chats.find(key)
        if found is not None:
            return {**_BLANK, **found}
        user = self._users.find(key)
        if user is None:
            raise ToolFailure(f"no chat {written}", hidden=True)
        return {"id": user["id"], "type": "user", **_BLANK, "participants": [self.me, user["id"]]}

    def title(self, chat: Entity) -> str:
        """What a chat is called."""
        return str(chat["title"]) if "title" in chat else self.name(chat["id"])

    def name(self, user_id: object) -> str:
        """What a user is called."""
        user = self.user(user_id)
        return _name(user) if user else "Unknown"

    def messages(self, chat: Entity, query: str | None, since: str | None, until: str | None) -> list[dict[str, Any]]:
        """The messages of a chat, the newest first; from the oldest on where there is only a beginning."""
        first = _day(since, "from_date") if since else None
        last = _day(until, "to_date") + timedelta(days=1) if until else None
        found = [
            each
            for each in chat["messages"].values()
            if (first is None or _date(each) >= first)
            and (last is None or _date(each) < last)
            and (not query or query.casefold() in each["text"].casefold())
        ]
        return sorted(found, key=lambda each: (each["date"], each["id"]), reverse=first is None or bool(query))

    def send(self, written: int | str, text: str, reply_to: int | None = None) -> dict[str, Any]:
        """Write to a chat."""
        chat = self.chat(written)
        if chat["type"] == "channel" and chat.get("creator") != self.me:
            raise ToolFailure("CHAT_ADMIN_REQUIRED", hidden=True)
        if not text or len(text) > _LONGEST_TEXT:
            raise ToolFailure("MESSAGE_EMPTY or MESSAGE_TOO_LONG", hidden=True)
        if reply_to is not None:
            self._message(chat, reply_to)
        if self._chats.find(str(chat["id"])) is None:
            self.tree.create("chats", chat, id=str(chat["id"]))
        number = max((each["id"] for each in chat["messages"].values()), default=0) + 1
        reply = {"reply_to": reply_to} if reply_to is not None else {}
        message = {"id": number, "from_id": self.me, "date": self._world.now.astimezone(UTC).isoformat(), "text": text}
        self.tree.create(f"chats[{chat['id']}].messages", {**message, **reply}, id=str(number))
        return message

    def edit(self, written: int | str, number: int, text: str) -> None:
        """Change a message that the account wrote."""
        chat = self.chat(written)
        if self._message(chat, number)["from_id"] != self.me:
            raise ToolFailure("MESSAGE_AUTHOR_REQUIRED", hidden=True)
        if not text or len(text) > _LONGEST_TEXT:
            raise ToolFailure("MESSAGE_EMPTY or MESSAGE_TOO_LONG", hidden=True)
        self._written(chat).update(str(number), {"text": text, "edited": True})

    def delete(self, written: int | str, number: int) -> None:
        """Take a message away; those of others only in private chats and where the account is the creator."""
        chat = self.chat(written)
        mine = self._message(chat, number)["from_id"] == self.me
        if not mine and chat["type"] != "user" and chat.get("creator") != self.me:
            raise ToolFailure("MESSAGE_DELETE_FORBIDDEN", hidden=True)
        self._written(chat).delete(str(number))

    def create_group(self, title: str, user_ids: list[int | str]) -> dict[str, Any]:
        """A new basic group with some users."""
        keys = [self._key(each, "user_ids") for each in user_ids]
        for written, key in zip(user_ids, keys, strict=True):
            if self._users.find(key) is None:
                raise ToolFailure(f"Error: Could not find user with ID {written}")
        if not keys:
            raise ToolFailure("Error: No valid users provided")
        group_id = self._world.ids.number(4 * 10**9, 5 * 10**9)
        people = list(dict.fromkeys((self.me, *(int(key) for key in keys))))
        group = {"id": group_id, "type": "group", "title": title, "creator": self.me}
        whole = {**group, **_BLANK, "participants": people}
        self.tree.create("chats", whole, id=str(group_id))
        return whole

    def _key(self, written: int | str, parameter: str) -> str:
        """The id behind an id or a user name."""
        text = str(written)
        if _WHOLE_NUMBER.fullmatch(text):
            return text.removeprefix("-100").removeprefix("-")
        if not _USERNAME.fullmatch(text):
            raise ToolFailure(f"Invalid {parameter}: '{text}'. Must be a valid integer ID, or a username string.")
        name = text.removeprefix("@").casefold()
        named = (
            str(each["id"])
            for each in (*self._users.all(), *self._chats.all())
            if each.get("username", "").casefold() == name
        )
        return next(named, text)

    def _written(self, chat: Entity) -> Entities:
        return self._chats.inside(str(chat["id"]), "messages", "no message {id}")

    def _message(self, chat: Entity, number: int) -> dict[str, Any]:
        found: dict[str, Any] | None = chat["messages"].get(str(number))
        if found is None:
            raise ToolFailure("MESSAGE_ID_INVALID", hidden=True)
        return found


def _name(user: Entity) -> str:
    return f"{user.get('first_name', '')} {user.get('last_name', '')}".strip()


def _date(message: Entity) -> datetime:
    return datetime.fromisoformat(message["date"])


def _last_date(chat: Entity) -> str:
    return max((str(each["date"]) for each in chat["messages"].values()), default="")


def _day(text: str, parameter: str) -> datetime:
    try:
        return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        raise ToolFailure(f"Invalid {parameter} format. Use YYYY-MM-DD.") from None
