# ruff: noqa: D417 (a tool's docstring is its description, which leaves out the state)
"""The Telegram server: ten tools of ``telegram-mcp`` (chigwell), the best-known server for a user's own account.

Names, parameters and responses are the real server's, with two exceptions: failures are flagged with ``isError``, where
the real server returns only the text, and the number in its error codes, which differs from process to process there,
is constant here.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from zlib import crc32

from pytest_mcpbench.simulated.engine import FASTMCP, Simulation, ToolFailure
from pytest_mcpbench.simulated.telegram.world import Telegram

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
    return "\n".join(_line(telegram, each) for each in selected) or "No chats found matching the criteria."


def get_chat(telegram: Telegram, chat_id: int | str) -> str:
    """Show one chat.

    Args:
        chat_id: Id or user name of the chat
    """
    chat = telegram.chat(chat_id)
    facts = {"ID": chat["id"], **_facts(telegram, chat), "Unread Messages": chat["unread"]}
    newest = telegram.messages(chat, None, None, None)[:1]
    for message in newest:
        facts["Last Message"] = f"From {telegram.name(message['from_id'])} at {_date(message)}"
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
    contacts = [_contact(each) for each in telegram.contacts(query)]
    return "\n".join(contacts) or f"No contacts found matching '{query}'."


def create_group(telegram: Telegram, title: str, user_ids: list[int | str]) -> str:
    """Create a group with some users.

    Args:
        title: What it is called
        user_ids: Ids or user names of those who are added
    """
    return f"Group created with ID: {telegram.create_group(title, user_ids)['id']}"


def _line(telegram: Telegram, chat: Mapping[str, Any]) -> str:
    title_or_name = f"Title: {chat['title']}" if "title" in chat else f"Name: {telegram.title(chat)}"
    username = _username(telegram, chat)
    unread = f"Unread: {chat['unread']}" if chat["unread"] else "No unread messages"
    facts = [
        *(f"Chat ID: {chat['id']}", title_or_name, f"Type: {_TYPES[chat['type']]}"),
        *((f"Username: @{username}",) if username else ()),
        *(unread, f"Muted: {'yes' if chat['muted'] else 'no'}"),
    ]
    return ", ".join(facts)


def _facts(telegram: Telegram, chat: Mapping[str, Any]) -> dict[str, Any]:
    username = _username(telegram, chat)
    username_facts = {"Username": f"@{username}"} if username else {}
    if "title" in chat:
        member_facts = {"Participants": len(chat["participants"])}
        return {"Title": chat["title"], "Type": _TYPES[chat["type"]], **username_facts, **member_facts}
    user = telegram.user(chat["id"]) or {}
    flags = {"Bot": user.get("bot"), "Verified": user.get("verified")}
    flag_texts = {name: "Yes" if value else "No" for name, value in flags.items()}
    return {
        "Name": telegram.title(chat),
        "Type": "User",
        **username_facts,
        "Phone": user.get("phone", ""),
        **flag_texts,
    }


def _username(telegram: Telegram, chat: Mapping[str, Any]) -> str | None:
    entity = chat if "title" in chat else telegram.user(chat["id"]) or {}
    return entity.get("username")


def _message(telegram: Telegram, message: Mapping[str, Any]) -> str:
    reply = f" | reply to {message['reply_to']}" if "reply_to" in message else ""
    head = f"ID: {message['id']} | {telegram.name(message['from_id'])} | Date: {_date(message)}{reply}"
    return f"{head} | Message: {message['text'] or '[Media/No text]'}"


def _date(message: Mapping[str, Any]) -> str:
    return str(datetime.fromisoformat(message["date"]))


def _contact(user: Mapping[str, Any]) -> str:
    name = f"{user.get('first_name', '')} {user.get('last_name', '')}".strip()
    more = {"Username": f"@{user['username']}" if user.get("username") else "", "Phone": user.get("phone")}
    return ", ".join([f"ID: {user['id']}, Name: {name}", *(f"{key}: {value}" for key, value in more.items() if value)])


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
