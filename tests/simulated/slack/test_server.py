from datetime import UTC, datetime

import pytest

from pytest_mcpbench.simulated.cast import CAST, NOW
from pytest_mcpbench.simulated.engine import ToolFailure
from pytest_mcpbench.simulated.slack.seed import seed
from pytest_mcpbench.simulated.slack.server import SIMULATION
from pytest_mcpbench.simulated.slack.world import due
from tests.simulated.service import Service, parameters

ME, BOSS, PRIYA = CAST.me.slack_id, CAST.person("mei.zhao").slack_id, CAST.person("priya.nair").slack_id
CHANNELS = {each.get("name", each.get("user")): each for each in seed()["channels"].values()}
LANTERN, FINANCE, OSPREY, OLD = (
    CHANNELS[name]["id"] for name in ("proj-lantern", "team-finance", "proj-osprey", "proj-meadow")
)
NEWEST = max(CHANNELS["proj-lantern"]["messages"])


@pytest.fixture
def slack() -> Service:
    return Service(SIMULATION)


def test_the_tools_and_parameters_are_the_real_ones() -> None:
    assert parameters(SIMULATION) == {
        "add_reaction_to_an_item": {"channel*", "name*", "timestamp*"},
        "create_a_reminder": {"text*", "time*", "user"},
        "fetch_conversation_history": {"channel*", "cursor", "inclusive", "latest", "limit", "oldest"},
        "find_channels": {"search_query*", "exact_match", "exclude_archived", "limit", "member_only", "types"},
        "find_users": {
            *("search_query*", "exact_match", "include_bots", "include_deleted", "include_restricted", "limit"),
        },
        "list_files_with_filters_in_slack": {
            *("channel", "count", "page", "show_files_hidden_by_limit", "ts_from", "ts_to", "types", "user"),
        },
        "list_reminders": set(),
        "open_dm": {"channel", "users", "return_im"},
        "send_message": {
            *("channel*", "text", "markdown_text", "thread_ts", "reply_broadcast", "blocks", "attachments", "as_user"),
            *("username", "icon_emoji", "icon_url", "link_names", "mrkdwn", "parse", "unfurl_links", "unfurl_media"),
        },
    }


def test_history_is_read_newest_first_and_page_by_page(slack: Service) -> None:
    first = slack.call("fetch_conversation_history", channel=LANTERN, limit=7)
    cursor = first["response_metadata"]["next_cursor"]
    second = slack.call("fetch_conversation_history", channel=LANTERN, limit=7, cursor=cursor)
    stamps = [each["ts"] for each in (*first["messages"], *second["messages"])]
    assert stamps == sorted(CHANNELS["proj-lantern"]["messages"], reverse=True)
    assert (first["has_more"], second["has_more"]) == (True, False)


def test_a_range_leaves_out_its_bounds_unless_told_otherwise(slack: Service) -> None:
    found = [
        slack.call("fetch_conversation_history", channel=LANTERN, oldest=NEWEST, inclusive=inclusive)["messages"]
        for inclusive in (False, True)
    ]
    assert [[each["ts"] for each in messages] for messages in found] == [[], [NEWEST]]


@pytest.mark.parametrize("limit", ["oldest", "latest"])
def test_a_range_that_is_none_is_refused_without_any_message(limit: str) -> None:
    refusal = Service(SIMULATION, seed="empty").refusal(
        "fetch_conversation_history", channel="general", **{limit: "monday"}
    )
    assert refusal == {"ok": False, "error": f"invalid_ts_{limit}"}


def test_messages_of_one_moment_have_timestamps_of_their_own(slack: Service) -> None:
    sent = [slack.call("send_message", channel="#proj-lantern", text=text) for text in ("One", "Two")]
    now = int(NOW.timestamp())
    assert [each["ts"] for each in sent] == [f"{now}.100001", f"{now}.100002"]
    assert sent[0] == {
        "ok": True,
        "channel": LANTERN,
        "ts": f"{now}.100001",
        "message": {"ts": f"{now}.100001", "type": "message", "user": ME, "text": "One"},
    }
    assert [(each.kind, each.collection) for each in slack.changes()] == [
        ("created", f"channels[{LANTERN}].messages")
    ] * 2


def test_a_reply_stays_in_its_thread(slack: Service) -> None:
    slack.call("send_message", channel=LANTERN, markdown_text="*Yes*", thread_ts=NEWEST)
    assert slack.call("fetch_conversation_history", channel=LANTERN, limit=1)["messages"][0]["ts"] == NEWEST
    (change,) = slack.changes()
    assert (change.after["thread_ts"], change.after["text"]) == (NEWEST, "*Yes*")


def test_a_message_to_a_member_is_a_direct_message(slack: Service) -> None:
    known = slack.call("send_message", channel=BOSS, text="Hi")
    assert known["channel"] == CHANNELS[BOSS]["id"]
    new = slack.call("send_message", channel=PRIYA, text="Hi")
    assert [(each.kind, each.collection, each.id) for each in slack.changes()] == [
        ("created", f"channels[{known['channel']}].messages", known["ts"]),
        ("created", "channels", new["channel"]),
    ]


def test_a_reaction_is_counted(slack: Service) -> None:
    assert slack.call("add_reaction_to_an_item", channel=LANTERN, name=":eyes:", timestamp=NEWEST) == {"ok": True}
    (change,) = slack.changes()
    assert change.after["reactions"] == [{"name": "eyes", "users": [ME], "count": 1}]
    again = slack.refusal("add_reaction_to_an_item", channel=LANTERN, name="eyes", timestamp=NEWEST)
    assert again == {"ok": False, "error": "already_reacted"}


def test_direct_messages_are_opened_once(slack: Service) -> None:
    first = slack.call("open_dm", users=f"{PRIYA}, {BOSS}")
    again = slack.call("open_dm", users=f"{BOSS},{PRIYA}", return_im=True)
    assert "already_open" not in first
    assert again["already_open"]
    assert again["channel"]["id"] == first["channel"]["id"]
    assert again["channel"]["num_members"] == 3
    assert slack.call("open_dm", channel=first["channel"]["id"])["no_op"]


def test_files_are_listed_by_who_made_them_and_what_they_are(slack: Service) -> None:
    everything = slack.call("list_files_with_filters_in_slack")
    assert everything["paging"] == {"count": 100, "total": 12, "page": 1, "pages": 1}
    mine = slack.call("list_files_with_filters_in_slack", user=ME)
    assert [each["name"] for each in mine["files"]] == ["lantern-status.pdf"]
    assert slack.call("list_files_with_filters_in_slack", types="images")["paging"]["total"] == 4
    assert slack.call("list_files_with_filters_in_slack", channel=LANTERN)["files"] == mine["files"]
    assert len(slack.call("list_files_with_filters_in_slack", count="5", page="3")["files"]) == 2


def test_a_reminder_is_kept_and_listed(slack: Service) -> None:
    made = slack.call("create_a_reminder", text="Call Mei", time="tomorrow at 2pm")["reminder"]
    moment = datetime(2026, 3, 3, 6, 0, tzinfo=UTC)
    assert made == {
        "id": made["id"],
        "creator": ME,
        "user": ME,
        "text": "Call Mei",
        "recurring": False,
        "time": int(moment.timestamp()),
        "complete_ts": 0,
    }
    assert [each["text"] for each in slack.call("list_reminders")["reminders"]][3:] == ["Call Mei"]
    assert [(each.kind, each.collection) for each in slack.changes()] == [("created", "reminders")]


@pytest.mark.parametrize(
    ("text", "moment", "recurring"),
    [
        ("300", "2026-03-02T09:05", False),
        ("1772528400", "2026-03-03T09:00", False),
        ("in 15 minutes", "2026-03-02T09:15", False),
        ("in an hour", "2026-03-02T10:00", False),
        ("in 2 weeks", "2026-03-16T09:00", False),
        ("tomorrow", "2026-03-03T09:00", False),
        ("today at 17:30", "2026-03-02T17:30", False),
        ("at 8am", "2026-03-03T08:00", False),
        ("12pm", "2026-03-02T12:00", False),
        ("monday", "2026-03-09T09:00", False),
        ("friday at 9:30", "2026-03-06T09:30", False),
        ("next Friday at 10am", "2026-03-06T10:00", False),
        ("every Thursday at 2pm", "2026-03-05T14:00", True),
        ("daily", "2026-03-03T09:00", True),
        ("on 2026-03-05 at 10:00", "2026-03-05T10:00", False),
    ],
)
def test_moments_are_read_as_slack_reads_them(text: str, moment: str, recurring: bool) -> None:
    assert due(text, NOW) == (datetime.fromisoformat(moment).replace(tzinfo=UTC), recurring)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("soon", "cannot_parse"),
        ("", "cannot_parse"),
        ("tomorrow at 25:00", "cannot_parse"),
        ("2026-02-30", "cannot_parse"),
        ("1700000000", "time_in_past"),
        ("today at 8am", "time_in_past"),
        ("2026-02-20", "time_in_past"),
    ],
)
def test_moments_that_cannot_be_are_refused(text: str, code: str) -> None:
    with pytest.raises(ToolFailure, match=code):
        due(text, NOW)


def test_nothing_is_posted_to_an_archived_channel() -> None:
    channels = {key: {**each, "is_archived": True} for key, each in seed()["channels"].items()}
    slack = Service(SIMULATION, seed={**seed(), "channels": channels})
    assert slack.refusal("send_message", channel=LANTERN, text="x") == {"ok": False, "error": "is_archived"}


def test_a_token_without_the_scope_is_refused_with_what_it_lacks() -> None:
    slack = Service(SIMULATION, seed={**seed(), "scopes": ["chat:write"]})
    assert slack.refusal("list_reminders") == {
        "ok": False,
        "error": "missing_scope",
        "needed": "reminders:read",
        "provided": ["chat:write"],
    }


def test_arguments_of_another_type_are_refused_by_the_schema(slack: Service) -> None:
    message = slack.refusal("fetch_conversation_history", channel=5)
    assert message.startswith("MCP error -32602: Input validation error: Invalid arguments for tool")


def test_the_named_seed_empty_has_people_and_one_channel() -> None:
    slack = Service(SIMULATION, seed="empty")
    assert slack.call("fetch_conversation_history", channel="general")["messages"] == []
    assert slack.call("list_reminders")["reminders"] == []
