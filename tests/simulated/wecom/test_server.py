from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.simulated.cast import CAST, NOW
from pytest_mcpbench.simulated.wecom.seed import seed
from pytest_mcpbench.simulated.wecom.server import SIMULATION
from tests.simulated.service import Service, parameters

OK = {"errcode": 0, "errmsg": "ok"}


@pytest.fixture
def wecom(tmp_path: Path) -> Service:
    return Service(SIMULATION, path=tmp_path)


def test_the_tools_and_parameters_are_those_of_mcp_persona() -> None:
    assert parameters(SIMULATION) == {
        "send_markdown": {"content*"},
        "send_news": {"title*", "url*", "description", "picurl"},
        "send_text": {"content*", "mentioned_list", "mentioned_mobile_list"},
        "upload_file": {"file_path*"},
    }


@pytest.mark.parametrize(
    ("tool", "arguments", "kind", "body"),
    [
        ("send_text", {"content": "下午三点开会"}, "text", {"content": "下午三点开会"}),
        (
            "send_text",
            {"content": "Hi", "mentioned_list": [CAST.person("mei.zhao").wecom_id], "mentioned_mobile_list": []},
            "text",
            {"content": "Hi", "mentioned_list": ["ZhaoMei"]},
        ),
        ("send_markdown", {"content": "# Plan\n<@ZhaoMei>"}, "markdown", {"content": "# Plan\n<@ZhaoMei>"}),
        (
            "send_news",
            {"title": "Launch", "url": "https://x.example/launch", "description": "Soon"},
            "news",
            {"articles": [{"title": "Launch", "url": "https://x.example/launch", "description": "Soon"}]},
        ),
    ],
)
def test_what_is_sent_is_a_message_of_the_group(
    wecom: Service, tool: str, arguments: dict[str, Any], kind: str, body: dict[str, Any]
) -> None:
    assert wecom.call(tool, **arguments) == OK
    (change,) = wecom.changes()
    assert (change.kind, change.collection) == ("created", "messages")
    assert change.after == {
        "message_id": change.id,
        "from": "robot",
        "msgtype": kind,
        kind: body,
        "create_time": int(NOW.timestamp()),
    }


def test_a_file_of_the_attempt_is_uploaded_and_sent(wecom: Service, tmp_path: Path) -> None:
    (tmp_path / "report.txt").write_text("numbers")
    answer = wecom.call("upload_file", file_path="report.txt")
    assert answer == {**OK, "type": "file", "media_id": answer["media_id"], "created_at": str(int(NOW.timestamp()))}
    message, media = wecom.changes()
    assert (message.after["msgtype"], message.after["file"]) == ("file", {"media_id": answer["media_id"]})
    assert (media.collection, media.after["filename"], media.after["size"]) == ("media", "report.txt", 7)


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("send_text", {"content": " "}, 44004),
        ("send_text", {"content": "长" * 683}, 40058),
        ("send_markdown", {"content": "x" * 4097}, 40058),
        ("send_news", {"title": "", "url": "https://x.example"}, 44004),
        ("send_news", {"title": "News", "url": "x.example"}, 40058),
        ("upload_file", {"file_path": "missing.txt"}, 41005),
        ("upload_file", {"file_path": "/etc/hostname"}, 41005),
        ("upload_file", {"file_path": "tiny.txt"}, 40006),
    ],
)
def test_what_the_api_refuses_has_its_code(
    wecom: Service, tmp_path: Path, tool: str, arguments: dict[str, Any], code: int
) -> None:
    (tmp_path / "tiny.txt").write_text("x")
    assert wecom.refusal(tool, **arguments)["errcode"] == code
    assert wecom.changes() == ()


def test_a_robot_that_was_removed_sends_nothing() -> None:
    wecom = Service(SIMULATION, seed={**seed(), "webhook": {"enabled": False}})
    assert wecom.refusal("send_text", content="Hi") == {"errcode": 93000, "errmsg": "invalid webhook url"}


def test_arguments_of_another_type_are_refused_by_the_schema(wecom: Service) -> None:
    assert "-32602" in wecom.refusal("send_text", content="Hi", mentioned_list="ZhaoMei")


def test_a_context_without_messages_gets_its_first() -> None:
    wecom = Service(SIMULATION, seed={"name": "Team"})
    assert wecom.call("send_text", content="Hi") == OK
    assert [change.collection for change in wecom.changes()] == ["messages"]


def test_the_named_seed_empty_has_the_members() -> None:
    wecom = Service(SIMULATION, seed="empty")
    wecom.call("send_text", content="Hi")
    assert len(wecom.changes()) == 1
    assert wecom.tree.get("members[ZhaoMei].name") == "赵梅"
