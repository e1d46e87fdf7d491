"""Lark server: fifteen tools of ``@larksuiteoapi/lark-mcp`` over one account.

Names, parameters and error codes match the real server, except for custom fields, check-in and restricted mode, which
are omitted. Results are the complete body of the API's response, ``{code, msg, data}``, as in MCP-Persona.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from pytest_mcpbench.core.context import Collection, Shape
from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine import TYPESCRIPT, MissingScope, Simulation, ToolFailure
from pytest_mcpbench.simulated.engine.public_contexts import find_accounts, objects
from pytest_mcpbench.simulated.lark.account import OPEN_ID, Account
from pytest_mcpbench.simulated.lark.arguments import (
    AttendeeData,
    CalendarListParams,
    CalendarPath,
    ChatData,
    ChatListParams,
    ChatPath,
    EventChanges,
    EventListParams,
    EventParams,
    EventPath,
    IdParams,
    LookupData,
    MemberParams,
    MessageData,
    MessageListParams,
    MessageParams,
    NewChatParams,
    NewEventData,
    NewEventParams,
    UserParams,
    UserPath,
    UseUAT,
)
from pytest_mcpbench.simulated.lark.calendars import Calendars
from pytest_mcpbench.simulated.lark.chats import Chats
from pytest_mcpbench.simulated.lark.seed import empty, seed

# People whom MCP-Persona's Lark contexts mention, as entries of the company's directory.

Fields = dict[str, Any]


def add_known_people(tree: Fields) -> Fields:
    """Return the accounts, the first of which knows the members, attendees and authors of all of them.

    The contexts have no directory, but their users write to colleagues by the ids in their chats and events.
    """
    accounts = find_accounts(tree, ("user_id",))
    if not accounts or any("users" in account for account in accounts):
        return tree
    owners = {owner for account in accounts for owner in (account["user_id"], account.get("open_id"))}
    people = {person["user_id"]: person for account in accounts for person in _people(account)}
    users = {user_id: person for user_id, person in people.items() if user_id not in owners}
    if "user_id" in tree:
        return {**tree, "users": users}
    first = next(iter(tree))
    return {**tree, first: {**tree[first], "users": users}}


def _people(account: Mapping[str, Any]) -> Iterator[Fields]:
    chats, calendars = objects(account.get("chats")), objects(account.get("calendars"))
    for open_id in (message.get("sender.id") for chat in chats for message in objects(chat.get("messages"))):
        if str(open_id).startswith("ou_"):
            yield {"user_id": open_id, "open_id": open_id, "name": ""}
    for member in (member for chat in chats for member in objects(chat.get("members"))):
        yield {"user_id": member["member_id"], "name": member.get("name", "")}
    events = (event for calendar in calendars for event in objects(calendar.get("events")))
    for attendee in (attendee for event in events for attendee in objects(event.get("attendees"))):
        if attendee.get("user_id"):
            yield {"user_id": attendee["user_id"], "name": attendee.get("name", "")}


# Lark account over a context tree.
#
# The tree has the format of MCP-Persona and is rooted at the user; nested fields have dotted names::
#
#     {user_id, open_id, name, email, mobile, calendars: {id: calendar}, chats: {id: chat}, users: {user_id: user}}
#     calendar {calendar_id, summary, type, role, events: {id: {…, start_time.timestamp, attendees: {id: attendee}}}}
#     chat     {chat_id, name, owner_id, members: {user_id: member}, messages: {id: {msg_type, body.content, …}}}
#
# ``users`` is the company's directory; without it, the account knows only its own user or, in a benchmark's own
# records, the people of its chats and events. A tree of several contexts (``{id: tree}``) is served as the account of
# the first one, and its directory also contains the users of the others. Members and attendees are stored by
# ``user_id``; responses identify people by the id type that the request specifies.

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
        tree = world.seed
        if not isinstance(tree, dict) or "user_id" in tree:
            contexts = ()
        else:
            contexts = (
                tuple(tree) if all(isinstance(each, dict) and "user_id" in each for each in tree.values()) else ()
            )
        convert = add_known_people if world.is_public else None
        if not contexts:
            shape = Shape(_COLLECTIONS)
        else:
            shape = Shape(
                tuple(
                    Collection(f"{context}.{each.path}", each.id_field) for context in contexts for each in _COLLECTIONS
                )
            )
        self.tree = world.tree(seed, shape=shape, seeds={"empty": empty}, convert=convert)
        self.account = Account(self.tree, f"{contexts[0]}." if contexts else "", contexts[1:])
        self.calendars = Calendars(world, self.account)
        self.chats = Chats(world, self.account)


# The tools.

# ruff: noqa: N802, N803, ARG001 (names match the real server; useUAT is unused: app and user share one account)


Data = dict[str, Any]


def calendar_v4_calendarEventAttendee_create(
    lark: Lark,
    path: EventPath,
    data: AttendeeData | None = None,
    params: IdParams | None = None,
    useUAT: UseUAT = None,
) -> Data:
    """Invite people, chats or rooms to an event."""
    attendees = _arguments(data).get("attendees", ())
    return lark.calendars.invite(path["calendar_id"], path["event_id"], attendees, _id_type(params))


def calendar_v4_calendarEvent_create(
    lark: Lark, path: CalendarPath, data: NewEventData, params: NewEventParams | None = None, useUAT: UseUAT = None
) -> Data:
    """Create an event in a calendar. Attendees are added afterwards, by calendar_v4_calendarEventAttendee_create."""
    return lark.calendars.create(path["calendar_id"], data, _arguments(params).get("idempotency_key"))


def calendar_v4_calendarEvent_get(
    lark: Lark, path: EventPath, params: EventParams | None = None, useUAT: UseUAT = None
) -> Data:
    """Show an event."""
    return lark.calendars.event(path["calendar_id"], path["event_id"], _arguments(params))


def calendar_v4_calendarEvent_list(
    lark: Lark, path: CalendarPath, params: EventListParams | None = None, useUAT: UseUAT = None
) -> Data:
    """List the events of a calendar, or those that lie in a range of time."""
    return lark.calendars.events(path["calendar_id"], _arguments(params))


def calendar_v4_calendarEvent_patch(
    lark: Lark, path: EventPath, data: EventChanges | None = None, params: IdParams | None = None, useUAT: UseUAT = None
) -> Data:
    """Change an event; what is left out stays."""
    return lark.calendars.change(path["calendar_id"], path["event_id"], _arguments(data))


def calendar_v4_calendar_list(lark: Lark, params: CalendarListParams | None = None, useUAT: UseUAT = None) -> Data:
    """List the calendars of the account: its own and those that others share with it."""
    return lark.calendars.all(_arguments(params))


def calendar_v4_calendar_primary(lark: Lark, params: IdParams | None = None, useUAT: UseUAT = None) -> Data:
    """Show the account's primary calendar."""
    return lark.calendars.primary(_id_type(params))


def contact_v3_user_batchGetId(lark: Lark, data: LookupData | None = None, params: IdParams | None = None) -> Data:
    """Find the ids of people by their mail addresses or mobile numbers."""
    identifiers = _arguments(data)
    return lark.account.find(identifiers.get("emails", []), identifiers.get("mobiles", []), _id_type(params))


def contact_v3_user_get(lark: Lark, path: UserPath, params: UserParams | None = None, useUAT: UseUAT = None) -> Data:
    """Show a person of the directory: names, addresses, title, department and leader."""
    return lark.account.profile(path["user_id"], _id_type(params))


def im_v1_chatMembers_get(
    lark: Lark, path: ChatPath, params: MemberParams | None = None, useUAT: UseUAT = None
) -> Data:
    """List the members of a chat."""
    return lark.chats.members(path["chat_id"], _arguments(params))


def im_v1_chat_create(lark: Lark, data: ChatData | None = None, params: NewChatParams | None = None) -> Data:
    """Create a group chat and invite people to it."""
    return lark.chats.create(_arguments(data), _id_type(params))


def im_v1_chat_get(lark: Lark, path: ChatPath, params: IdParams | None = None, useUAT: UseUAT = None) -> Data:
    """Show a chat."""
    return lark.chats.chat(path["chat_id"], _id_type(params))


def im_v1_chat_list(lark: Lark, params: ChatListParams | None = None, useUAT: UseUAT = None) -> Data:
    """List the group chats to which the account belongs."""
    return lark.chats.all(_arguments(params))


def im_v1_message_create(lark: Lark, data: MessageData, params: MessageParams) -> Data:
    """Send a message to a chat or to a person."""
    return lark.chats.send(data, params["receive_id_type"])


def im_v1_message_list(lark: Lark, params: MessageListParams) -> Data:
    """List the messages of a chat."""
    return lark.chats.messages(dict(params))


def _arguments(fields: Mapping[str, Any] | None) -> Data:
    return dict(fields or {})


def _id_type(params: Mapping[str, Any] | None) -> str:
    return str(_arguments(params).get("user_id_type", OPEN_ID))


def _answer(data: Data) -> Data:
    return {"code": 0, "data": data, "msg": "success"}


def _failure(failure: ToolFailure) -> str:
    """Format a failure as an error body; its message consists of the error code and the text."""
    if isinstance(failure, MissingScope):
        scope = failure.facts["needed"]
        refusal = f"Access denied. One of the following scopes is required: [{scope}]."
        violation = {"type": "action_scope_required", "subject": scope}
        return json.dumps(
            {"code": _MISSING_SCOPE_CODE, "msg": refusal, "error": {"permission_violations": [violation]}}
        )
    match = re.match(r"(\d{5,}) (.*)", str(failure))
    code, message = (int(match[1]), match[2]) if match else (_INTERNAL_ERROR_CODE, str(failure))
    return json.dumps({"code": code, "msg": message}, ensure_ascii=False)


_INTERNAL_ERROR_CODE = 2200
_MISSING_SCOPE_CODE = 99991672

SIMULATION = Simulation(
    name="lark-mcp-server",
    state=Lark,
    tools=(
        calendar_v4_calendarEventAttendee_create,
        calendar_v4_calendarEvent_create,
        calendar_v4_calendarEvent_get,
        calendar_v4_calendarEvent_list,
        calendar_v4_calendarEvent_patch,
        calendar_v4_calendar_list,
        calendar_v4_calendar_primary,
        contact_v3_user_batchGetId,
        contact_v3_user_get,
        im_v1_chatMembers_get,
        im_v1_chat_create,
        im_v1_chat_get,
        im_v1_chat_list,
        im_v1_message_create,
        im_v1_message_list,
    ),
    dialect=TYPESCRIPT,
    answer=_answer,
    failure=_failure,
    scopes={
        "calendar_v4_calendarEventAttendee_create": "calendar:calendar",
        "calendar_v4_calendarEvent_create": "calendar:calendar",
        "calendar_v4_calendarEvent_get": "calendar:calendar:readonly",
        "calendar_v4_calendarEvent_list": "calendar:calendar:readonly",
        "calendar_v4_calendarEvent_patch": "calendar:calendar",
        "calendar_v4_calendar_list": "calendar:calendar:readonly",
        "calendar_v4_calendar_primary": "calendar:calendar:readonly",
        "contact_v3_user_batchGetId": "contact:user.id:readonly",
        "contact_v3_user_get": "contact:contact.base:readonly",
        "im_v1_chatMembers_get": "im:chat:readonly",
        "im_v1_chat_create": "im:chat",
        "im_v1_chat_get": "im:chat:readonly",
        "im_v1_chat_list": "im:chat:readonly",
        "im_v1_message_create": "im:message",
        "im_v1_message_list": "im:message:readonly",
    },
)
server = SIMULATION.server
"""Factory of a server over the world of one attempt."""
