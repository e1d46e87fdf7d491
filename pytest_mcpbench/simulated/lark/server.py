# ruff: noqa: N802, N803, ARG001 (names match the real server; useUAT is unused: app and user share one account)
"""Lark server: fifteen tools of ``@larksuiteoapi/lark-mcp`` over one account.

Names, parameters and error codes match the real server, except for custom fields, check-in and restricted mode, which
are omitted. Results are the complete body of the API's response, ``{code, msg, data}``, as in MCP-Persona.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from pytest_mcpbench.simulated.engine import TYPESCRIPT, MissingScope, Simulation, ToolFailure
from pytest_mcpbench.simulated.lark.account import OPEN_ID
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
from pytest_mcpbench.simulated.lark.world import Lark

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
        return json.dumps(_permission_error(failure.facts["needed"]))
    match = re.match(r"(\d{5,}) (.*)", str(failure))
    code, message = (int(match[1]), match[2]) if match else (_INTERNAL_ERROR_CODE, str(failure))
    return json.dumps({"code": code, "msg": message}, ensure_ascii=False)


def _permission_error(scope: str) -> Data:
    message = f"Access denied. One of the following scopes is required: [{scope}]."
    violation = {"type": "action_scope_required", "subject": scope}
    return {"code": _MISSING_SCOPE_CODE, "msg": message, "error": {"permission_violations": [violation]}}


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
