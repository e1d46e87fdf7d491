"""Actions in Telegram: chats, groups and contacts."""

from functools import cache
from typing import Any

from pytest_mcpbench.generation.persona.request import Action, Fact, change, lookup
from pytest_mcpbench.simulated.cast import CAST
from pytest_mcpbench.simulated.telegram.seed import seed

SERVER = "telegram"


def list_chats(*values: Any, **filters: Any) -> Action:
    """List the chats."""
    return lookup(SERVER, "list_chats", {"limit": 50, **filters}, "list the Telegram chats", *values)


def show_chat(place: str, *values: Any) -> Action:
    """Show a chat."""
    return lookup(SERVER, "get_chat", {"chat_id": _place(place)["id"]}, f"look at the chat {place}", *values)


def list_participants(place: str, *values: Any) -> Action:
    """List the participants of a group."""
    return lookup(SERVER, "get_participants", {"chat_id": _place(place)["id"]}, f"list who is in {place}", *values)


def find_contact(key: str, *values: Any) -> Action:
    """Find a contact."""
    who = CAST.person(key)
    return lookup(SERVER, "search_contacts", {"query": who.name}, f"find {who.name} among the contacts", *values)


def read_chat(place: str, *values: Any, search: str = "") -> Action:
    """Read a chat, identified by its title or by the person's key."""
    arguments = {"chat_id": _place(place)["id"], "limit": 50, **({"search_query": search} if search else {})}
    return lookup(SERVER, "list_messages", arguments, f"read the Telegram chat {_title(place)}", *values)


def send_message(place: str, text: str, *facts: Fact) -> Action:
    """Post to a chat."""
    where = _place(place)["id"]
    purpose = f"write to {_title(place)}"
    collection = f"chats[{where}].messages"
    return change(
        "create", SERVER, "send_message", {"chat_id": where, "message": text}, purpose, *facts, collection=collection
    )


def reply(place: str, message: str, text: str, *facts: Fact) -> Action:
    """Reply to the message that contains a text."""
    where, number = _place(place)["id"], _message_id(place, message)
    return change(
        "create",
        SERVER,
        "reply_to_message",
        {"chat_id": where, "message_id": number, "text": text},
        f"answer the message in {_title(place)}",
        *facts,
        collection=f"chats[{where}].messages",
        fields={"reply_to": number},
    )


def edit_message(place: str, message: str, text: str) -> Action:
    """Change the text of one of the user's messages."""
    where, number = _place(place)["id"], _message_id(place, message)
    return change(
        "modify",
        SERVER,
        "edit_message",
        {"chat_id": where, "message_id": number, "new_text": text},
        f"correct the message in {_title(place)}",
        text,
        collection=f"chats[{where}].messages",
        entity=str(number),
    )


def delete_message(place: str, message: str) -> Action:
    """Delete one of the user's messages."""
    where, number = _place(place)["id"], _message_id(place, message)
    return change(
        "delete",
        SERVER,
        "delete_message",
        {"chat_id": where, "message_id": number},
        f"delete the message in {_title(place)}",
        collection=f"chats[{where}].messages",
        entity=str(number),
    )


def create_group(title: str, *keys: str) -> Action:
    """Create a group with exactly these people."""
    expected = [each.telegram_id for each in CAST.persons(keys)]
    arguments = {"title": title, "user_ids": expected}
    purpose, facts = f"create the group '{title}'", map(str, expected)
    fields = {"title": title}
    return change("create", SERVER, "create_group", arguments, purpose, *facts, collection="chats", fields=fields)


@cache
def _places() -> dict[str, dict[str, Any]]:
    keys = {each.telegram_id: each.key for each in CAST.people}
    return {each.get("title") or keys[each["id"]]: each for each in seed()["chats"].values()}


def _place(place: str) -> dict[str, Any]:
    return _places()[place]


def _title(place: str) -> str:
    return f"'{place}'" if "title" in _place(place) else CAST.person(place).name


def _message_id(place: str, text: str) -> int:
    (number,) = [each["id"] for each in _place(place)["messages"].values() if text in each["text"]]
    return int(number)
