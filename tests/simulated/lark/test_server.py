import json
from typing import Any

import pytest

from pytest_mcpbench.core.world import Change
from pytest_mcpbench.simulated.cast import CAST, NOW
from pytest_mcpbench.simulated.lark.seed import seed
from pytest_mcpbench.simulated.lark.server import SIMULATION
from tests.shared_data import shared_file
from tests.simulated.service import Service, parameters

ME, BOSS, DESIGNER = CAST.me, CAST.person("mei.zhao"), CAST.person("yichen.wang")
NINE = str(int(NOW.timestamp()))
TEN = str(int(NOW.timestamp()) + 3600)
WHEN = {"start_time": {"timestamp": NINE}, "end_time": {"timestamp": TEN}}


@pytest.fixture
def lark() -> Service:
    return Service(SIMULATION)


def calendar(role: str) -> str:
    return next(str(key) for key, each in seed()["calendars"].items() if each["role"] == role)


def chat(name: str) -> str:
    return next(str(key) for key, each in seed()["chats"].items() if name in each["name"])


MINE, READABLE = calendar("owner"), calendar("reader")
LANTERN, FINANCE = chat("Lantern"), chat("Finance")
EVENT = next(iter(seed()["calendars"][MINE]["events"]))
NOBODY = "ou_" + 32 * "0"


def test_the_tools_and_their_groups_are_those_of_the_real_server() -> None:
    assert parameters(SIMULATION) == {
        "calendar_v4_calendarEventAttendee_create": {"path*", "data", "params", "useUAT"},
        "calendar_v4_calendarEvent_create": {"path*", "data*", "params", "useUAT"},
        "calendar_v4_calendarEvent_get": {"path*", "params", "useUAT"},
        "calendar_v4_calendarEvent_list": {"path*", "params", "useUAT"},
        "calendar_v4_calendarEvent_patch": {"path*", "data", "params", "useUAT"},
        "calendar_v4_calendar_list": {"params", "useUAT"},
        "calendar_v4_calendar_primary": {"params", "useUAT"},
        "contact_v3_user_batchGetId": {"data", "params"},
        "contact_v3_user_get": {"path*", "params", "useUAT"},
        "im_v1_chatMembers_get": {"path*", "params", "useUAT"},
        "im_v1_chat_create": {"data", "params"},
        "im_v1_chat_get": {"path*", "params", "useUAT"},
        "im_v1_chat_list": {"params", "useUAT"},
        "im_v1_message_create": {"data*", "params*"},
        "im_v1_message_list": {"params*"},
    }


def test_the_primary_calendar_is_the_users(lark: Service) -> None:
    answer = lark.call("calendar_v4_calendar_primary", params={"user_id_type": "user_id"})
    assert answer["code"] == 0
    assert answer["data"]["calendars"] == [
        {
            "calendar": {
                "summary": "陈思远",
                "description": "",
                "color": -1,
                "is_deleted": False,
                "is_third_party": False,
                "calendar_id": MINE,
                "permissions": "show_only_free_busy",
                "type": "primary",
                "role": "owner",
            },
            "user_id": ME.lark_user_id,
        }
    ]


def test_calendars_are_listed_page_by_page(lark: Service) -> None:
    first = lark.call("calendar_v4_calendar_list", params={"page_size": 3})["data"]
    second = lark.call("calendar_v4_calendar_list", params={"page_size": 3, "page_token": first["page_token"]})["data"]
    assert (first["has_more"], second["has_more"]) == (True, False)
    assert [each["calendar_id"] for each in first["calendar_list"] + second["calendar_list"]] == list(
        seed()["calendars"]
    )


def test_a_range_of_time_finds_the_events_in_it(lark: Service) -> None:
    week = {"start_time": NINE, "end_time": str(int(NINE) + 7 * 86400)}
    found = lark.call("calendar_v4_calendarEvent_list", path={"calendar_id": MINE}, params=week)["data"]["items"]
    assert [(each["summary"], each["start_time"]["timestamp"]) for each in found] == [
        ("产品部周会", "1772503200"),
        ("港湾计费评审会", "1772784000"),
    ]


def test_an_event_is_shown_with_its_attendees_by_the_id_that_is_asked_for(lark: Service) -> None:
    path = {"calendar_id": MINE, "event_id": EVENT}
    bare = lark.call("calendar_v4_calendarEvent_get", path=path)["data"]["event"]
    assert "attendees" not in bare
    params = {"need_attendee": True, "max_attendee_num": 2, "user_id_type": "open_id"}
    event = lark.call("calendar_v4_calendarEvent_get", path=path, params=params)["data"]["event"]
    assert event["has_more_attendee"]
    assert [each["user_id"] for each in event["attendees"]] == [
        CAST.person("kaiwen.xu").lark_open_id,
        CAST.person("priya.nair").lark_open_id,
    ]
    assert event["attendees"][0]["display_name"] == "徐凯文"


def test_a_new_event_is_kept_with_dotted_names_and_shown_nested(lark: Service) -> None:
    call = {"vc_type": "vc", "meeting_settings": {"assign_hosts": [BOSS.lark_open_id]}}
    data = {"summary": "Review", **WHEN, "vchat": call, "location": {"name": "Harbour"}, "need_notification": False}
    event = lark.call("calendar_v4_calendarEvent_create", path={"calendar_id": MINE}, data=data)["data"]["event"]
    assert event["vchat"]["meeting_settings"] == {"assign_hosts": [BOSS.lark_open_id]}
    (change,) = lark.changes()
    assert (change.kind, change.collection, change.id) == ("created", f"calendars[{MINE}].events", event["event_id"])
    assert change.after == {
        "event_id": event["event_id"],
        "summary": "Review",
        "description": "",
        "visibility": "default",
        "free_busy_status": "busy",
        "status": "confirmed",
        "event_organizer.user_id": ME.lark_open_id,
        "event_organizer.display_name": "陈思远",
        "start_time.timestamp": NINE,
        "end_time.timestamp": TEN,
        "vchat.vc_type": "vc",
        "vchat.meeting_settings.assign_hosts": [BOSS.lark_open_id],
        "location.name": "Harbour",
        "create_time": NINE,
        "attendees": {},
    }


def test_the_same_idempotency_key_creates_one_event(lark: Service) -> None:
    made = [
        lark.call(
            "calendar_v4_calendarEvent_create", path={"calendar_id": MINE}, data=WHEN, params={"idempotency_key": key}
        )["data"]["event"]["event_id"]
        for key in ("a", "a", "b")
    ]
    assert made[0] == made[1] != made[2]
    assert len(lark.changes()) == 2


def test_times_of_an_event_change_only_together(lark: Service) -> None:
    path = {"calendar_id": MINE, "event_id": EVENT}
    half = {"summary": "Moved", "start_time": {"date": "2026-03-05"}}
    event = lark.call("calendar_v4_calendarEvent_patch", path=path, data=half)["data"]["event"]
    assert (event["summary"], event["start_time"]["timestamp"]) == ("Moved", "1769758200")
    whole = {"start_time": {"date": "2026-03-05"}, "end_time": {"date": "2026-03-06"}}
    event = lark.call("calendar_v4_calendarEvent_patch", path=path, data=whole)["data"]["event"]
    assert (event["start_time"], event["end_time"]) == ({"date": "2026-03-05"}, {"date": "2026-03-06"})
    assert [(change.kind, change.id) for change in lark.changes()] == [("updated", EVENT)]


def test_attendees_are_added_once(lark: Service) -> None:
    path = {"calendar_id": MINE, "event_id": EVENT}
    guests = [
        {"type": "user", "user_id": DESIGNER.lark_user_id, "is_optional": True},
        {"type": "user", "user_id": ME.lark_user_id},
        {"type": "third_party", "third_party_email": "robert.hale@post.example"},
    ]
    added = lark.call(
        "calendar_v4_calendarEventAttendee_create",
        path=path,
        data={"attendees": guests},
        params={"user_id_type": "user_id"},
    )["data"]["attendees"]
    assert [each["display_name"] for each in added] == ["王一晨", "陈思远", "robert.hale@post.example"]
    assert [change.after for change in lark.changes()] == [
        {
            "attendee_id": added[0]["attendee_id"],
            "type": "user",
            "user_id": DESIGNER.lark_user_id,
            "name": "王一晨",
            "is_organizer": False,
            "is_optional": True,
            "rsvp_status": "needs_action",
        },
        {
            "attendee_id": added[2]["attendee_id"],
            "type": "third_party",
            "third_party_email": "robert.hale@post.example",
            "name": "robert.hale@post.example",
            "is_organizer": False,
            "is_optional": False,
            "rsvp_status": "needs_action",
        },
    ]


def test_ids_are_found_by_mail_address_and_number(lark: Service) -> None:
    data = {"emails": [BOSS.email.upper(), "who@x.example"], "mobiles": [DESIGNER.mobile.removeprefix("+86")]}
    answer = lark.call("contact_v3_user_batchGetId", data=data, params={"user_id_type": "user_id"})
    assert answer["data"]["user_list"] == [
        {"user_id": BOSS.lark_user_id, "email": BOSS.email.upper()},
        {"email": "who@x.example"},
        {"user_id": DESIGNER.lark_user_id, "mobile": DESIGNER.mobile.removeprefix("+86")},
    ]


def test_the_directory_leads_to_a_persons_leader(lark: Service) -> None:
    user = lark.call("contact_v3_user_get", path={"user_id": ME.lark_open_id})["data"]["user"]
    assert (user["name"], user["leader_user_id"]) == ("陈思远", BOSS.lark_open_id)
    assert user["status"] == {"is_activated": True, "is_resigned": False}


def test_only_groups_of_the_user_are_listed(lark: Service) -> None:
    listed = lark.call("im_v1_chat_list", params={"sort_type": "ByActiveTimeDesc"})["data"]["items"]
    assert len(listed) == 5
    assert FINANCE not in [each["chat_id"] for each in listed]
    assert listed[0]["tenant_key"] == "2ed263bf32cf1651"
    assert "members" not in listed[0]


def test_a_chat_is_shown_with_its_owner_and_members(lark: Service) -> None:
    shown = lark.call("im_v1_chat_get", path={"chat_id": LANTERN}, params={"user_id_type": "user_id"})["data"]
    assert (shown["owner_id"], shown["user_count"], shown["chat_mode"]) == (ME.lark_user_id, "5", "group")
    members = lark.call("im_v1_chatMembers_get", path={"chat_id": LANTERN}, params={"page_size": 2})["data"]
    assert [each["member_id"] for each in members["items"]] == [ME.lark_open_id, DESIGNER.lark_open_id]
    assert (members["member_total"], members["has_more"]) == (5, True)


def test_a_new_group_belongs_to_the_user_with_those_who_were_invited(lark: Service) -> None:
    answer = lark.call("im_v1_chat_create", data={"name": "Offsite", "user_id_list": [BOSS.lark_open_id]})["data"]
    (change,) = lark.changes()
    assert (change.kind, change.collection, change.id) == ("created", "chats", answer["chat_id"])
    assert change.after["members"] == {
        ME.lark_user_id: {"member_id": ME.lark_user_id, "name": "陈思远", "is_owner": True},
        BOSS.lark_user_id: {"member_id": BOSS.lark_user_id, "name": "赵梅", "is_owner": False},
    }
    assert answer["chat_id"] in [each["chat_id"] for each in lark.call("im_v1_chat_list")["data"]["items"]]


@pytest.mark.parametrize(
    ("id_type", "receiver", "is_new"),
    [
        ("chat_id", LANTERN, False),
        ("open_id", BOSS.lark_open_id, False),
        ("user_id", BOSS.lark_user_id, False),
        ("email", "helen.fischer@northlight.example", True),
    ],
)
def test_a_message_reaches_a_chat_or_a_person(lark: Service, id_type: str, receiver: str, is_new: bool) -> None:
    content = json.dumps({"text": "Hello"})
    message = lark.call(
        "im_v1_message_create",
        params={"receive_id_type": id_type},
        data={"receive_id": receiver, "msg_type": "text", "content": content},
    )["data"]
    listed = lark.call(
        "im_v1_message_list",
        params={
            "container_id_type": "chat",
            "container_id": message["chat_id"],
            "sort_type": "ByCreateTimeDesc",
            "page_size": 1,
        },
    )["data"]
    assert listed["items"] == [message]
    assert listed["has_more"] is not is_new
    assert message["sender"]["id"] == ME.lark_open_id
    assert [change.collection for change in lark.changes()] == [
        "chats" if is_new else f"chats[{message['chat_id']}].messages"
    ]


def test_messages_are_found_by_time(lark: Service) -> None:
    params = {"container_id_type": "chat", "container_id": LANTERN, "page_size": 50}
    everything = lark.call("im_v1_message_list", params=params)["data"]["items"]
    assert len(everything) == 14
    middle = str(int(everything[5]["create_time"]) // 1000)
    later = lark.call("im_v1_message_list", params={**params, "start_time": middle})["data"]["items"]
    assert later == everything[5:]


def test_a_token_without_the_scope_is_denied() -> None:
    lark = Service(SIMULATION, seed={**seed(), "scopes": ["calendar:calendar:readonly"]})
    assert lark.call("calendar_v4_calendar_list")["code"] == 0
    assert lark.refusal("calendar_v4_calendarEvent_create", path={"calendar_id": MINE}, data=WHEN) == {
        "code": 99991672,
        "msg": "Access denied. One of the following scopes is required: [calendar:calendar].",
        "error": {"permission_violations": [{"type": "action_scope_required", "subject": "calendar:calendar"}]},
    }


class TestAPublicContext:
    """The sampled context of MCP-Persona's first record as the world."""

    CALENDAR = "feishu.cn_v7jy192knrj7zflo8ol3dh@group.calendar.feishu.cn"
    EVENT = "085188fe6a5cd9b2844f5219b9491d0b_0"
    CHAT = "oc_2cf23b797f122483dffe11dd46fbe9bf"

    @pytest.fixture
    def context(self) -> dict[str, Any]:
        records = json.loads(shared_file("persona/persona_tasks_reduced.json").read_text())
        context: dict[str, Any] = records[0]["sampled_contexts"]["lark_mcp"][0]["data"]
        return context

    @pytest.fixture
    def lark(self, context: dict[str, Any]) -> Service:
        return Service(SIMULATION, seed=context)

    def test_its_events_are_listed(self, lark: Service) -> None:
        (event,) = lark.call("calendar_v4_calendarEvent_list", path={"calendar_id": self.CALENDAR})["data"]["items"]
        assert (event["summary"], event["status"]) == ("团队会议取消通知", "cancelled")
        assert event["start_time"] == {"timestamp": "1704067200"}

    def test_an_event_is_created_in_it(self, lark: Service) -> None:
        path = {"calendar_id": self.CALENDAR}
        event = lark.call("calendar_v4_calendarEvent_create", path=path, data=WHEN)["data"]["event"]
        assert [(change.kind, change.collection, change.id) for change in lark.changes()] == [
            ("created", f"calendars[{self.CALENDAR}].events", event["event_id"])
        ]

    def test_its_messages_and_members_are_read(self, lark: Service) -> None:
        params = {"container_id_type": "chat", "container_id": self.CHAT, "start_time": "1772859000"}
        (message,) = lark.call("im_v1_message_list", params=params)["data"]["items"]
        assert message["body"] == {"content": "Hey! Are we still on for the meeting tomorrow?"}
        (member,) = lark.call("im_v1_chatMembers_get", path={"chat_id": self.CHAT})["data"]["items"]
        assert member["member_id"] == "ou_b6a0241e2fb09cb7e6b2257620f59d67"
        assert lark.call("im_v1_chat_get", path={"chat_id": self.CHAT})["data"]["user_count"] == "6"

    def test_whom_it_does_not_know_is_not_found(self, lark: Service) -> None:
        assert lark.refusal("contact_v3_user_get", path={"user_id": "+8613800138000"})["code"] == 99992351
        assert lark.refusal("calendar_v4_calendar_primary")["code"] == 191000

    def test_several_contexts_are_served_as_the_account_of_the_first(self, context: dict[str, Any]) -> None:
        other = {"user_id": "u2", "open_id": "ou_2", "name": "Ann", "email": "ann@x.example", "calendars": {}}
        lark = Service(SIMULATION, seed={"qxaj36y5": context, "u2": other})
        content = '{"text": "Hi"}'
        data = {"receive_id": "ann@x.example", "msg_type": "text", "content": content}
        sent = lark.call("im_v1_message_create", params={"receive_id_type": "email"}, data=data)["data"]
        (change,) = lark.changes()
        assert change == Change(kind="created", collection="qxaj36y5.chats", id=sent["chat_id"], after=change.after)
        assert set(change.after["members"]) == {"qxaj36y5", "u2"}


def test_the_named_seed_empty_has_the_directory_and_a_calendar() -> None:
    lark = Service(SIMULATION, seed="empty")
    assert lark.call("im_v1_chat_list")["data"]["items"] == []
    assert lark.call("calendar_v4_calendarEvent_list", path={"calendar_id": MINE})["data"]["items"] == []
    assert lark.call("contact_v3_user_get", path={"user_id": BOSS.lark_open_id})["data"]["user"]["name"] == "赵梅"
