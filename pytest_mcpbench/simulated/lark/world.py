"""Lark account over a context tree.

The tree has the format of MCP-Persona and is rooted at the user; nested fields have dotted names::

    {user_id, open_id, name, email, mobile, calendars: {id: calendar}, chats: {id: chat}, users: {user_id: user}}
    calendar {calendar_id, summary, type, role, events: {id: {…, start_time.timestamp, attendees: {id: attendee}}}}
    chat     {chat_id, name, owner_id, members: {user_id: member}, messages: {id: {msg_type, body.content, …}}}

``users`` is the company's directory; without it, the account knows only its own user or, in a benchmark's own records,
the people of its chats and events. A tree of several contexts
(``{id: tree}``) is served as the account of the first one, and its directory also contains the users of the others.
Members and attendees are stored by ``user_id``; responses identify people by the id type that the request specifies.
"""

from typing import Any

from pytest_mcpbench.core.context import Collection, Shape
from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.lark.account import Account
from pytest_mcpbench.simulated.lark.calendars import Calendars
from pytest_mcpbench.simulated.lark.chats import Chats
from pytest_mcpbench.simulated.lark.contexts import add_known_people
from pytest_mcpbench.simulated.lark.seed import empty, seed

_COLLECTIONS = (
    Collection("calendars", id_field="calendar_id"),
    Collection("calendars[*].events", id_field="event_id"),
    Collection("calendars[*].events[*].attendees", id_field="attendee_id"),
    Collection("chats", id_field="chat_id"),
    Collection("chats[*].members", id_field="member_id"),
    Collection("chats[*].messages", id_field="message_id"),
    Collection("users", id_field="user_id"),
)


class Lark:
    """The account of one attempt."""

    def __init__(self, world: World) -> None:
        contexts = _contexts(world.seed)
        convert = add_known_people if world.is_public else None
        self.tree = world.tree(seed, shape=_shape(contexts), seeds={"empty": empty}, convert=convert)
        self.account = Account(self.tree, f"{contexts[0]}." if contexts else "", contexts[1:])
        self.calendars = Calendars(world, self.account)
        self.chats = Chats(world, self.account)


def _contexts(tree: Any) -> tuple[str, ...]:
    """Return the ids of the contexts in a tree; empty if the tree is a single account."""
    if not isinstance(tree, dict) or "user_id" in tree:
        return ()
    return tuple(tree) if all(isinstance(each, dict) and "user_id" in each for each in tree.values()) else ()


def _shape(contexts: tuple[str, ...]) -> Shape:
    if not contexts:
        return Shape(_COLLECTIONS)
    return Shape(
        tuple(Collection(f"{context}.{each.path}", each.id_field) for context in contexts for each in _COLLECTIONS)
    )
