"""A Lark account over a context tree.

The tree is that of MCP-Persona, rooted at the user; the names of nested fields are dotted::

    {user_id, open_id, name, email, mobile, calendars: {id: calendar}, chats: {id: chat}, users: {user_id: user}}
    calendar {calendar_id, summary, type, role, events: {id: {…, start_time.timestamp, attendees: {id: attendee}}}}
    chat     {chat_id, name, owner_id, members: {user_id: member}, messages: {id: {msg_type, body.content, …}}}

``users`` is the company's directory; a tree without one knows only its own user. A tree of several contexts
(``{id: tree}``) is served as the account of the first, whose directory holds the users of the others. Members and
attendees are kept by ``user_id``; answers name people by the type of id that a request asks for.
"""

from typing import Any

from pytest_mcpbench.core.context import Collection, Shape
from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.lark.account import Account
from pytest_mcpbench.simulated.lark.calendars import Calendars
from pytest_mcpbench.simulated.lark.chats import Chats
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
        self.tree = world.tree(seed, shape=_shape(contexts), seeds={"empty": empty})
        self.account = Account(self.tree, f"{contexts[0]}." if contexts else "", contexts[1:])
        self.calendars = Calendars(world, self.account)
        self.chats = Chats(world, self.account)


def _contexts(tree: Any) -> tuple[str, ...]:
    """The ids of a tree's contexts; none where the tree is an account itself."""
    if not isinstance(tree, dict) or "user_id" in tree:
        return ()
    return tuple(tree) if all(isinstance(each, dict) and "user_id" in each for each in tree.values()) else ()


def _shape(contexts: tuple[str, ...]) -> Shape:
    if not contexts:
        return Shape(_COLLECTIONS)
    return Shape(tuple(Collection(f"{at}.{each.path}", each.id_field) for at in contexts for each in _COLLECTIONS))
