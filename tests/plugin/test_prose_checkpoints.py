"""Records of MCP-Persona whose checkpoints say in words what is right, with wrong attempts and a model as the judge."""

import json
from pathlib import Path
from typing import Any

import pytest

from fixtures.chat_server import Answer, chat_server, says
from pytest_mcpbench.suite_files.discovery import shipped_directory

ANN, BO = "ou_ann", "ou_bo"
CHAT = {
    "chat_id": "oc_1",
    "members": {"me": {"member_id": "me", "name": "Me"}},
    "messages": {
        "om_1": {"message_id": "om_1", "sender.id": ANN, "create_time": "1772859036"},
        "om_2": {"message_id": "om_2", "sender.id": BO, "create_time": "1772859036"},
    },
}
ACCOUNT = {"user_id": "me", "open_id": "ou_me", "name": "Me", "calendars": {}, "chats": {"oc_1": CHAT}}
TOOL = "lark_mcp:im_v1_message_create"


def sequence(receiver: str) -> str:
    data = {"receive_id": receiver, "msg_type": "text", "content": json.dumps({"text": "Hello Ann"})}
    return f'1. {TOOL}: params={{"receive_id_type": "open_id"}}, data={json.dumps(data)}'


CALLS = {
    "right": sequence(ANN),
    "wrong recipient": sequence(BO),
    "unrelated change": '1. lark_mcp:im_v1_chat_create: data={"name": "Hello Ann"}',
    "no change": "1. lark_mcp:im_v1_chat_list: params={}",
}


def write_record(directory: Path, calls: str) -> None:
    """Write a record whose reference makes the calls, so that the oracle attempts it in this way."""
    checkpoint = {
        "checkpoint_type": "operate",
        "tool": TOOL,
        "operate_type": "create",
        "summary": f'Send "Hello Ann" to {ANN}.',
        "context": [{"server_name": "lark_mcp", "context_id": "me"}],
    }
    record = {
        "id": 1,
        "query_type": "lark_mcp_single_short",
        "instruction": "Say hello to Ann.",
        "chains": [TOOL],
        "sampled_contexts": {"lark_mcp": [{"id": "me", "data": ACCOUNT}]},
        "gt": [checkpoint],
        "gt_annotation": {"tool_calling_sequence": calls, "summary": []},
    }
    (directory / "tasks.json").write_text(json.dumps([record]), encoding="utf-8")


def read_as_the_paper(body: dict[str, Any]) -> Answer:
    """Judge by the difference of the worlds: the message must be in a chat with Ann."""
    text = body["messages"][-1]["content"]
    assert "Changes of state:" in text
    (changes,) = [part for part in text.split("\n\n") if "Changes of state:" in part]
    is_right = "Hello Ann" in changes and f'"{ANN}"' in changes
    return says(json.dumps({"reason": "", "label": "fulfilled" if is_right else "not_fulfilled"}))


@pytest.mark.extra
@pytest.mark.parametrize(
    ("attempt", "with_judge", "without"),
    [
        ("right", "passed", "unscored"),
        ("wrong recipient", "failed", "unscored"),
        ("unrelated change", "failed", "unscored"),
        ("no change", "failed", "failed"),
    ],
)
def test_a_judge_decides_what_was_changed_and_without_one_only_doing_nothing_is_decided(
    pytester: pytest.Pytester, attempt: str, with_judge: str, without: str
) -> None:
    pytester.makeini("[pytest]\nfilterwarnings = default\n")
    write_record(pytester.mkdir("data"), CALLS[attempt])
    run = (f"--suite={shipped_directory() / 'persona' / 'suite.toml'}", "--mcpbench-data=data", "--model=oracle", "-q")
    with chat_server(read_as_the_paper) as server:
        judged = pytester.runpytest_inprocess(*run, f"--mcpbench-judge={server.url}#judge", "--mcpbench-metric=exec")
    assert judged.parseoutcomes().get(with_judge) == 1
    assert pytester.runpytest_inprocess(*run).parseoutcomes().get(without) == 1
