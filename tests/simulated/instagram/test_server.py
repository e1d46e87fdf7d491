import json
from datetime import datetime
from typing import Any

import pytest

from pytest_mcpbench.simulated.cast import CAST, NOW
from pytest_mcpbench.simulated.instagram.seed import account, graph_time, seed
from pytest_mcpbench.simulated.instagram.server import REPLY_WINDOW, SIMULATION
from tests.simulated.service import Service, parameters

TREE = seed()
POST = next(iter(TREE["media"].values()))
COMMENT = next(iter(POST["comments"]))
ME = TREE["id"]


def received(conversation: dict[str, Any]) -> datetime:
    """When the other last wrote."""
    moments = [each["created_time"] for each in conversation["messages"].values() if each["from"]["id"] != ME]
    return datetime.fromisoformat(max(moments))


def other(conversation: dict[str, Any]) -> str:
    return str(conversation["participants"][1]["id"])


OPEN = next(each for each in TREE["conversations"].values() if NOW - received(each) <= REPLY_WINDOW)
CLOSED = next(each for each in TREE["conversations"].values() if NOW - received(each) > REPLY_WINDOW)


@pytest.fixture
def instagram() -> Service:
    return Service(SIMULATION)


def test_the_parameters_are_those_of_the_toolkit() -> None:
    paging = {"limit", "after", "graph_api_version"}
    assert parameters(SIMULATION) == {
        "get_conversation": {"conversation_id*", "graph_api_version"},
        "get_post_comments": {"ig_post_id*", *paging},
        "get_user_info": {"ig_user_id", "graph_api_version"},
        "get_user_media": {"ig_user_id", *paging},
        "list_all_conversations": {"ig_user_id", *paging},
        "list_all_messages": {"conversation_id*", *paging},
        "reply_to_comment": {"ig_comment_id*", "message*", "graph_api_version"},
        "send_text_message": {
            "recipient_id*",
            "text*",
            "ig_user_id",
            "reply_to_message_id",
            "graph_api_version",
        },
    }


def test_the_profile_counts_the_posts(instagram: Service) -> None:
    profile = instagram.call("get_user_info", graph_api_version="v21.0")["data"]
    assert (profile["id"], profile["username"], profile["media_count"]) == (ME, "siyuan_chen", len(TREE["media"]))
    assert instagram.call("get_user_info", ig_user_id=ME)["data"] == profile


def test_posts_come_page_by_page(instagram: Service) -> None:
    first = instagram.call("get_user_media", limit=20)["data"]
    second = instagram.call("get_user_media", limit=20, after=first["paging"]["cursors"]["after"])["data"]
    assert [each["id"] for each in (*first["data"], *second["data"])] == list(TREE["media"])
    assert "paging" not in second
    assert first["data"][0]["comments_count"] == len(POST["comments"])


def test_an_answer_stands_under_the_comment(instagram: Service) -> None:
    reply = instagram.call("reply_to_comment", ig_comment_id=COMMENT, message="Thank you!")["data"]["id"]
    comments = instagram.call("get_post_comments", ig_post_id=POST["id"])["data"]["data"]
    answers = next(each for each in comments if each["id"] == COMMENT)["replies"]["data"]
    assert [each["text"] for each in answers if each["id"] == reply] == ["Thank you!"]
    (change,) = instagram.changes()
    assert (change.kind, change.path) == (
        "created",
        f"media[{POST['id']}].comments[{COMMENT}].replies[{reply}]",
    )
    instagram.call("reply_to_comment", ig_comment_id=reply, message="And again")
    assert {each.collection for each in instagram.changes()} == {change.collection}


def test_a_message_is_the_newest_of_its_conversation(instagram: Service) -> None:
    answered = next(iter(OPEN["messages"]))
    sent = instagram.call("send_text_message", recipient_id=other(OPEN), text="On my way", reply_to_message_id=answered)
    message_id = sent["data"]["message_id"]
    (newest,) = instagram.call("list_all_messages", conversation_id=OPEN["id"], limit=1)["data"]["data"]
    assert (newest["id"], newest["message"], newest["created_time"]) == (message_id, "On my way", graph_time(NOW))
    assert newest["to"]["data"] == [OPEN["participants"][1]]
    assert instagram.call("list_all_conversations", limit=1)["data"]["data"][0]["id"] == OPEN["id"]
    whole = instagram.call("get_conversation", conversation_id=OPEN["id"])["data"]
    assert (whole["messages"]["data"][0]["id"], whole["updated_time"]) == (message_id, graph_time(NOW))
    assert [each.kind for each in instagram.changes()] == ["created"]


def test_a_missing_permission_is_an_error_of_the_graph_api() -> None:
    instagram = Service(SIMULATION, seed={**seed(), "scopes": ["instagram_business_basic"]})
    instagram.call("get_user_info")
    refused = instagram.refusal("list_all_conversations")
    assert json.loads(refused["error"].partition("Response: ")[2])["error"]["code"] == 10


def test_limits_are_checked(instagram: Service) -> None:
    assert "less than or equal to 100" in instagram.refusal("get_user_media", limit=101)["error"]


def test_people_have_the_same_names_as_elsewhere() -> None:
    assert account(CAST.person("mei.zhao"))["username"] == "mei_zhao"
