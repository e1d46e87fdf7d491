"""Argument objects of Lark's tools: ``path`` identifies the resource, ``params`` is the query, ``data`` the body.

The docstrings and descriptions in this module are part of the input schemas that models see; changing them changes what
a benchmark measures.
"""

from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

IdType = Literal["open_id", "union_id", "user_id"]
UserIdType = Annotated[IdType, Field(description="By which id people are named; open_id by default")]
PageSize = Annotated[float, Field(description="How many items to return at most")]
PageToken = Annotated[str, Field(description="Where the last page ended; none for the first page")]
UseUAT = Annotated[bool | None, Field(description="Act as the user instead of as the app")]


class CalendarPath(TypedDict):
    """Which calendar."""

    calendar_id: Annotated[str, Field(description="Id of the calendar, like feishu.cn_…@group.calendar.feishu.cn")]


class EventPath(CalendarPath):
    """Which event."""

    event_id: Annotated[str, Field(description="Id of the event, like …_0")]


class UserPath(TypedDict):
    """Which person."""

    user_id: Annotated[str, Field(description="Id of the person, of the type that params.user_id_type says")]


class ChatPath(TypedDict):
    """Which chat."""

    chat_id: Annotated[str, Field(description="Id of the chat, like oc_…")]


class IdParams(TypedDict):
    """How people are named."""

    user_id_type: NotRequired[UserIdType]


class UserParams(IdParams):
    """How people and departments are named."""

    department_id_type: NotRequired[
        Annotated[Literal["department_id", "open_department_id"], Field(description="How departments are named")]
    ]


class PageParams(TypedDict):
    """Which part of a list."""

    page_size: NotRequired[PageSize]
    page_token: NotRequired[PageToken]


class CalendarListParams(PageParams):
    """Which part of the list of calendars."""

    sync_token: NotRequired[Annotated[str, Field(description="Token of an earlier list; everything is listed anew")]]


class EventListParams(CalendarListParams, IdParams):
    """Which events."""

    anchor_time: NotRequired[Annotated[str, Field(description="Unix seconds; only events that end after them")]]
    start_time: NotRequired[Annotated[str, Field(description="Beginning of the range in Unix seconds")]]
    end_time: NotRequired[Annotated[str, Field(description="End of the range in Unix seconds")]]


class EventParams(IdParams):
    """What to show of an event."""

    need_meeting_settings: NotRequired[Annotated[bool, Field(description="Whether to show the video call's settings")]]
    need_attendee: NotRequired[Annotated[bool, Field(description="Whether to show the attendees")]]
    max_attendee_num: NotRequired[Annotated[float, Field(description="How many attendees to show (default: 10)")]]


class NewEventParams(IdParams):
    """How an event is created."""

    idempotency_key: NotRequired[Annotated[str, Field(description="A request with the same key creates nothing new")]]


class ChatListParams(PageParams, IdParams):
    """Which chats, in which order."""

    sort_type: NotRequired[
        Annotated[Literal["ByCreateTimeAsc", "ByActiveTimeDesc"], Field(description="Order of the list")]
    ]


class MemberParams(PageParams):
    """Which part of the members, and how they are named."""

    member_id_type: NotRequired[UserIdType]


class NewChatParams(IdParams):
    """How a group is created."""

    set_bot_manager: NotRequired[Annotated[bool, Field(description="Whether the bot that creates it manages it")]]
    uuid: NotRequired[Annotated[str, Field(description="Text that marks a request")]]


class MessageParams(TypedDict):
    """Whom a message goes to."""

    receive_id_type: Annotated[
        Literal["open_id", "union_id", "user_id", "email", "chat_id"], Field(description="What data.receive_id is")
    ]


class MessageListParams(PageParams):
    """Which messages."""

    container_id_type: Annotated[str, Field(description="What the messages are in: chat")]
    container_id: Annotated[str, Field(description="Id of the chat")]
    start_time: NotRequired[Annotated[str, Field(description="Beginning of the range in Unix seconds")]]
    end_time: NotRequired[Annotated[str, Field(description="End of the range in Unix seconds")]]
    sort_type: NotRequired[
        Annotated[Literal["ByCreateTimeAsc", "ByCreateTimeDesc"], Field(description="Order of the list")]
    ]


class LarkTime(TypedDict):
    """A day or a moment."""

    date: NotRequired[Annotated[str, Field(description="Day of an all-day event, like 2026-03-05")]]
    timestamp: NotRequired[Annotated[str, Field(description="Moment in Unix seconds")]]
    timezone: NotRequired[Annotated[str, Field(description="Name of the time zone, like Asia/Shanghai")]]


class Location(TypedDict, total=False):
    """A place."""

    name: str
    address: str
    latitude: float
    longitude: float


class MeetingSettings(TypedDict, total=False):
    """How a video call is run."""

    owner_id: Annotated[str, Field(description="Id of who owns the call")]
    join_meeting_permission: Literal["anyone_can_join", "only_organization_employees", "only_event_attendees"]
    assign_hosts: Annotated[list[str], Field(description="Ids of the hosts")]
    auto_record: bool
    open_lobby: bool
    allow_attendees_start: bool


class VideoCall(TypedDict, total=False):
    """The video call of an event."""

    vc_type: Literal["vc", "third_party", "no_meeting", "lark_live", "unknown"]
    icon_type: Literal["vc", "live", "default"]
    description: str
    meeting_url: str
    meeting_settings: MeetingSettings


class Reminder(TypedDict, total=False):
    """When to remind."""

    minutes: Annotated[float, Field(description="Minutes before the beginning")]


class Attachment(TypedDict, total=False):
    """A file of an event."""

    file_token: str


class EventData(TypedDict):
    """What an event may say."""

    summary: NotRequired[Annotated[str, Field(description="Title")]]
    description: NotRequired[Annotated[str, Field(description="Text about it")]]
    need_notification: NotRequired[Annotated[bool, Field(description="Whether the bot tells the attendees")]]
    vchat: NotRequired[Annotated[VideoCall, Field(description="Its video call")]]
    visibility: NotRequired[
        Annotated[Literal["default", "public", "private"], Field(description="Who sees more than that it is there")]
    ]
    attendee_ability: NotRequired[
        Annotated[
            Literal["none", "can_see_others", "can_invite_others", "can_modify_event"],
            Field(description="What attendees may do"),
        ]
    ]
    free_busy_status: NotRequired[
        Annotated[Literal["busy", "free"], Field(description="Whether one is busy meanwhile")]
    ]
    location: NotRequired[Annotated[Location, Field(description="Where it takes place")]]
    color: NotRequired[Annotated[float, Field(description="Colour as an int32 of RGB")]]
    reminders: NotRequired[Annotated[list[Reminder], Field(description="When to remind of it")]]
    recurrence: NotRequired[Annotated[str, Field(description="Rule of RFC 5545, like FREQ=WEEKLY;INTERVAL=1")]]
    attachments: NotRequired[Annotated[list[Attachment], Field(description="Its files")]]


class NewEventData(EventData):
    """A new event."""

    start_time: Annotated[LarkTime, Field(description="When it begins")]
    end_time: Annotated[LarkTime, Field(description="When it ends")]


class EventChanges(EventData):
    """What to change about an event."""

    start_time: NotRequired[Annotated[LarkTime, Field(description="When it begins; only together with end_time")]]
    end_time: NotRequired[Annotated[LarkTime, Field(description="When it ends; only together with start_time")]]


class Attendee(TypedDict):
    """Who or what takes part: a person, a chat, a room or somebody outside."""

    type: NotRequired[Literal["user", "chat", "resource", "third_party"]]
    is_optional: NotRequired[Annotated[bool, Field(description="Whether taking part is optional")]]
    user_id: NotRequired[Annotated[str, Field(description="Id of a person, of params.user_id_type")]]
    chat_id: NotRequired[Annotated[str, Field(description="Id of a chat")]]
    room_id: NotRequired[Annotated[str, Field(description="Id of a meeting room")]]
    third_party_email: NotRequired[Annotated[str, Field(description="Mail address of somebody outside")]]


class AttendeeData(TypedDict):
    """Whom to invite."""

    attendees: NotRequired[Annotated[list[Attendee], Field(description="Those to add")]]
    need_notification: NotRequired[Annotated[bool, Field(description="Whether the bot tells them")]]


class LookupData(TypedDict):
    """What is known of people."""

    emails: NotRequired[Annotated[list[str], Field(description="Mail addresses, 50 at most")]]
    mobiles: NotRequired[Annotated[list[str], Field(description="Mobile numbers, 50 at most")]]
    include_resigned: NotRequired[Annotated[bool, Field(description="Whether to find those who have left")]]


class ChatData(TypedDict):
    """A new group."""

    avatar: NotRequired[Annotated[str, Field(description="Key of its picture")]]
    name: NotRequired[Annotated[str, Field(description="What it is called")]]
    description: NotRequired[Annotated[str, Field(description="What it is for")]]
    owner_id: NotRequired[Annotated[str, Field(description="Id of its owner; by default who creates it")]]
    user_id_list: NotRequired[Annotated[list[str], Field(description="Ids of the people to invite")]]
    group_message_type: NotRequired[Annotated[Literal["chat", "thread"], Field(description="How messages are kept")]]
    chat_mode: NotRequired[Annotated[str, Field(description="group")]]
    chat_type: NotRequired[Annotated[str, Field(description="private or public")]]
    membership_approval: NotRequired[Annotated[str, Field(description="no_approval_required or approval_required")]]
    edit_permission: NotRequired[
        Annotated[Literal["only_owner", "all_members"], Field(description="Who may change the group")]
    ]


class MessageData(TypedDict):
    """A message."""

    receive_id: Annotated[str, Field(description="Whom it goes to, as params.receive_id_type says")]
    msg_type: Annotated[str, Field(description="text, post, image, file, interactive, …")]
    content: Annotated[str, Field(description='JSON as text, for a text {"text": "…"}')]
    uuid: NotRequired[Annotated[str, Field(description="A message with the same one is not sent again")]]
