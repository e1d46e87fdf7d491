"""A Telegram account over a context tree.

The tree is ``{user_id, users: {id: user}, chats: {id: chat}}``. A chat of the type ``user`` has the id of the other
person; the other types (``group``, ``supergroup``, ``channel``) have a title. The ``messages: {number: message}`` of a
chat are numbered from 1. Failures that the real server hides behind a code are marked ``hidden``.
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
_MAX_TEXT = 4096
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
        """Return a user by id, or ``None``."""
        return self._users.find(str(user_id))

    def contacts(self, query: str) -> list[dict[str, Any]]:
        """Return the contacts whose name, user name or number contains the query."""
        folded = query.casefold().removeprefix("@").removeprefix("+")
        return [
            each
            for each in self._users.all({"contact": True})
            if folded in f"{_name(each)}\n{each.get('username', '')}\n{each.get('phone', '')}".casefold()
        ]

    def chats(self) -> list[dict[str, Any]]:
        """Return the chats, sorted by their newest message, newest first."""
        return sorted(({**_BLANK, **each} for each in self._chats.all()), key=_last_date, reverse=True)

    def chat(self, reference: int | str, parameter: str = "chat_id") -> dict[str, Any]:
        """Return a chat by id or user name; for a user without a chat, return an empty one."""
        key = self._key(reference, parameter)
        stored = self._chats.find(key)
        if stored is not None:
            return {**_BLANK, **stored}
        user = self._users.find(key)
        if user is None:
            raise ToolFailure(f"no chat {reference}", hidden=True)
        return {"id": user["id"], "type": "user", **_BLANK, "participants": [self.me, user["id"]]}

    def title(self, chat: Entity) -> str:
        """Return the title of a chat, or the name of the other person."""
        return str(chat["title"]) if "title" in chat else self.name(chat["id"])

    def name(self, user_id: object) -> str:
        """Return the name of a user."""
        user = self.user(user_id)
        return _name(user) if user else "Unknown"

    def messages(self, chat: Entity, query: str | None, since: str | None, until: str | None) -> list[dict[str, Any]]:
        """Return the messages of a chat, newest first; with only a start date, oldest first."""
        first = _day(since, "from_date") if since else None
        last = _day(until, "to_date") + timedelta(days=1) if until else None
        matches = [
            each
            for each in chat["messages"].values()
            if (first is None or _date(each) >= first)
            and (last is None or _date(each) < last)
            and (not query or query.casefold() in each["text"].casefold())
        ]
        return sorted(matches, key=lambda each: (each["date"], each["id"]), reverse=first is None or bool(query))

    def send(self, reference: int | str, text: str, reply_to: int | None = None) -> dict[str, Any]:
        """Send a message to a chat."""
        chat = self.chat(reference)
        if chat["type"] == "channel" and chat.get("creator") != self.me:
            raise ToolFailure("CHAT_ADMIN_REQUIRED", hidden=True)
        if not text or len(text) > _MAX_TEXT:
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

    def edit(self, reference: int | str, number: int, text: str) -> None:
        """Edit a message that the account wrote."""
        chat = self.chat(reference)
        if self._message(chat, number)["from_id"] != self.me:
            raise ToolFailure("MESSAGE_AUTHOR_REQUIRED", hidden=True)
        if not text or len(text) > _MAX_TEXT:
            raise ToolFailure("MESSAGE_EMPTY or MESSAGE_TOO_LONG", hidden=True)
        self._messages_of(chat).update(str(number), {"text": text, "edited": True})

    def delete(self, reference: int | str, number: int) -> None:
        """Delete a message; those of others only in private chats or if the account created the chat."""
        chat = self.chat(reference)
        is_own = self._message(chat, number)["from_id"] == self.me
        if not is_own and chat["type"] != "user" and chat.get("creator") != self.me:
            raise ToolFailure("MESSAGE_DELETE_FORBIDDEN", hidden=True)
        self._messages_of(chat).delete(str(number))

    def create_group(self, title: str, user_ids: list[int | str]) -> dict[str, Any]:
        """Create a basic group with some users."""
        keys = [self._key(each, "user_ids") for each in user_ids]
        for reference, key in zip(user_ids, keys, strict=True):
            if self._users.find(key) is None:
                raise ToolFailure(f"Error: Could not find user with ID {reference}")
        if not keys:
            raise ToolFailure("Error: No valid users provided")
        group_id = self._world.ids.number(4 * 10**9, 5 * 10**9)
        people = list(dict.fromkeys((self.me, *(int(key) for key in keys))))
        group = {"id": group_id, "type": "group", "title": title, "creator": self.me}
        chat = {**group, **_BLANK, "participants": people}
        self.tree.create("chats", chat, id=str(group_id))
        return chat

    def _key(self, reference: int | str, parameter: str) -> str:
        """Return the id for an id or a user name."""
        text = str(reference)
        if _WHOLE_NUMBER.fullmatch(text):
            return text.removeprefix("-100").removeprefix("-")
        if not _USERNAME.fullmatch(text):
            raise ToolFailure(f"Invalid {parameter}: '{text}'. Must be a valid integer ID, or a username string.")
        name = text.removeprefix("@").casefold()
        matches = (
            str(each["id"])
            for each in (*self._users.all(), *self._chats.all())
            if each.get("username", "").casefold() == name
        )
        return next(matches, text)

    def _messages_of(self, chat: Entity) -> Entities:
        return self._chats.subcollection(str(chat["id"]), "messages", "no message {id}")

    def _message(self, chat: Entity, number: int) -> dict[str, Any]:
        message: dict[str, Any] | None = chat["messages"].get(str(number))
        if message is None:
            raise ToolFailure("MESSAGE_ID_INVALID", hidden=True)
        return message


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
