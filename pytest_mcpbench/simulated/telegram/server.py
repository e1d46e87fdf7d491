"""The Telegram server: ten tools of ``telegram-mcp`` (chigwell), the best-known server for a user's own account.

Names, parameters and responses are the real server's, with two exceptions: failures are flagged with ``isError``,
where the real server returns only the text, and the number in its error codes, which differs from process to process
there, is constant here.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from zlib import crc32

from pytest_mcpbench.core.context import Collection, Shape
from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine import FASTMCP, Entities, Simulation, ToolFailure
from pytest_mcpbench.simulated.telegram.seed import empty, seed

# A Telegram account over a context tree.
#
# The tree is ``{user_id, users: {id: user}, chats: {id: chat}}``. A chat of the type ``user`` has the id of the other
# person; the other types (``group``, ``supergroup``, ``channel``) have a title. The ``messages: {number: message}`` of
# a chat are numbered from 1. Failures that the real server hides behind a code are marked ``hidden``.

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


# The tools.

# ruff: noqa: D417 (a tool's docstring is its description, which leaves out the state)


_TYPES: Mapping[str, str] = {
    "user": "User",
    "group": "Group (Basic)",
    "supergroup": "Supergroup",
    "channel": "Channel",
}
_CATEGORIES = ("chat", "msg", "contact", "group", "media", "profile", "auth", "admin", "folder")


def list_chats(
    telegram: Telegram,
    chat_type: str | None = None,
    limit: int = 20,
    unread_only: bool = False,
    unmuted_only: bool = False,
) -> str:
    """List the chats with what there is to know about each.

    Args:
        chat_type: Only chats of this type: user, group or channel
        limit: How many chats to look at; filters come afterwards, so that fewer may be listed
        unread_only: Only chats with unread messages
        unmuted_only: Only chats that are not muted
    """
    selected = [
        each
        for each in telegram.chats()[: max(limit, 0)]
        if (not chat_type or each["type"].removeprefix("super") == chat_type.lower())
        and (each["unread"] or not unread_only)
        and not (each["muted"] and unmuted_only)
    ]
    lines: list[str] = []
    for each in selected:
        title_or_name = f"Title: {each['title']}" if "title" in each else f"Name: {telegram.title(each)}"
        username = _username(telegram, each)
        unread = f"Unread: {each['unread']}" if each["unread"] else "No unread messages"
        facts = [
            *(f"Chat ID: {each['id']}", title_or_name, f"Type: {_TYPES[each['type']]}"),
            *((f"Username: @{username}",) if username else ()),
            *(unread, f"Muted: {'yes' if each['muted'] else 'no'}"),
        ]
        lines.append(", ".join(facts))
    return "\n".join(lines) or "No chats found matching the criteria."


def get_chat(telegram: Telegram, chat_id: int | str) -> str:
    """Show one chat.

    Args:
        chat_id: Id or user name of the chat
    """
    chat = telegram.chat(chat_id)
    username = _username(telegram, chat)
    username_facts = {"Username": f"@{username}"} if username else {}
    facts: dict[str, Any] = {"ID": chat["id"]}
    if "title" in chat:
        facts |= {"Title": chat["title"], "Type": _TYPES[chat["type"]], **username_facts}
        facts["Participants"] = len(chat["participants"])
    else:
        user = telegram.user(chat["id"]) or {}
        facts |= {"Name": telegram.title(chat), "Type": "User", **username_facts, "Phone": user.get("phone", "")}
        facts |= {"Bot": "Yes" if user.get("bot") else "No", "Verified": "Yes" if user.get("verified") else "No"}
    facts["Unread Messages"] = chat["unread"]
    newest = telegram.messages(chat, None, None, None)[:1]
    for message in newest:
        facts["Last Message"] = f"From {telegram.name(message['from_id'])} at {_date_text(message)}"
        facts["Message"] = message["text"]
    return "\n".join(f"{name}: {value}" for name, value in facts.items())


def get_participants(telegram: Telegram, chat_id: int | str) -> str:
    """List everybody in a group or channel.

    Args:
        chat_id: Id or user name of the group or channel
    """
    people = telegram.chat(chat_id)["participants"]
    return "\n".join(f"ID: {each}, Name: {telegram.name(each)}" for each in people)


def list_messages(  # noqa: PLR0913 (the real server's parameters)
    telegram: Telegram,
    chat_id: int | str,
    limit: int = 20,
    search_query: str | None = None,
    from_date: str | None = None,
    to_date: str | None = None,
) -> str:
    """Read the messages of a chat, the newest first; with a from_date alone, from that day on.

    Args:
        chat_id: Id or user name of the chat
        limit: How many messages to return at most
        search_query: Only messages with this text
        from_date: Only messages from this day on (YYYY-MM-DD)
        to_date: Only messages up to this day (YYYY-MM-DD)
    """
    messages = telegram.messages(telegram.chat(chat_id), search_query, from_date, to_date)
    visible = [_message(telegram, each) for each in messages[: max(limit, 0)]]
    return "\n".join(visible) or "No messages found matching the criteria."


def send_message(telegram: Telegram, chat_id: int | str, message: str, parse_mode: str | None = None) -> str:  # noqa: ARG001 (formatting is not simulated)
    """Send a message to a chat.

    Args:
        chat_id: Id or user name of the chat
        message: The text
        parse_mode: html, md or markdown where the text is formatted
    """
    telegram.send(chat_id, message)
    return "Message sent successfully."


def reply_to_message(telegram: Telegram, chat_id: int | str, message_id: int, text: str) -> str:
    """Answer a message.

    Args:
        chat_id: Id or user name of the chat
        message_id: Id of the message that is answered
        text: The answer
    """
    telegram.send(chat_id, text, message_id)
    return f"Replied to message {message_id} in chat {chat_id}."


def edit_message(telegram: Telegram, chat_id: int | str, message_id: int, new_text: str) -> str:
    """Change the text of a message of one's own.

    Args:
        chat_id: Id or user name of the chat
        message_id: Id of the message
        new_text: What it is to say
    """
    telegram.edit(chat_id, message_id, new_text)
    return f"Message {message_id} edited."


def delete_message(telegram: Telegram, chat_id: int | str, message_id: int) -> str:
    """Delete a message.

    Args:
        chat_id: Id or user name of the chat
        message_id: Id of the message
    """
    telegram.delete(chat_id, message_id)
    return f"Message {message_id} deleted."


def search_contacts(telegram: Telegram, query: str) -> str:
    """Find contacts by name, user name or telephone number.

    Args:
        query: What to look for
    """
    contacts: list[str] = []
    for each in telegram.contacts(query):
        name = f"{each.get('first_name', '')} {each.get('last_name', '')}".strip()
        more = {"Username": f"@{each['username']}" if each.get("username") else "", "Phone": each.get("phone")}
        contacts.append(
            ", ".join([f"ID: {each['id']}, Name: {name}", *(f"{key}: {value}" for key, value in more.items() if value)])
        )
    return "\n".join(contacts) or f"No contacts found matching '{query}'."


def create_group(telegram: Telegram, title: str, user_ids: list[int | str]) -> str:
    """Create a group with some users.

    Args:
        title: What it is called
        user_ids: Ids or user names of those who are added
    """
    return f"Group created with ID: {telegram.create_group(title, user_ids)['id']}"


def _username(telegram: Telegram, chat: Mapping[str, Any]) -> str | None:
    entity = chat if "title" in chat else telegram.user(chat["id"]) or {}
    return entity.get("username")


def _message(telegram: Telegram, message: Mapping[str, Any]) -> str:
    reply = f" | reply to {message['reply_to']}" if "reply_to" in message else ""
    head = f"ID: {message['id']} | {telegram.name(message['from_id'])} | Date: {_date_text(message)}{reply}"
    return f"{head} | Message: {message['text'] or '[Media/No text]'}"


def _date_text(message: Mapping[str, Any]) -> str:
    return str(datetime.fromisoformat(message["date"]))


def _failure(failure: ToolFailure) -> str:
    """Return the text of a failure.

    Like the real server, it hides most errors behind a code derived from the tool's name.
    """
    if not failure.facts.get("hidden"):
        return str(failure)
    category = next((each for each in _CATEGORIES if each in failure.tool), "gen")
    number = crc32(failure.tool.encode()) % 1000
    return f"An error occurred (code: {category.upper()}-ERR-{number:03}). Check mcp_errors.log for details."


SIMULATION = Simulation(
    name="telegram",
    state=Telegram,
    tools=(
        list_chats,
        get_chat,
        get_participants,
        list_messages,
        send_message,
        reply_to_message,
        edit_message,
        delete_message,
        search_contacts,
        create_group,
    ),
    dialect=FASTMCP,
    failure=_failure,
)
server = SIMULATION.server
"""Factory that builds the server over the world of one attempt."""
