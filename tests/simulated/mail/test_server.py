import json
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from pytest_mcpbench.simulated.engine import ToolFailure
from pytest_mcpbench.simulated.mail.server import SIMULATION, server
from pytest_mcpbench.simulated.mail.world import Mailbox
from tests.shared_data import shared_file
from tests.simulated.mail.worlds import a_mailbox, a_message, a_world, an_attachment

LEFT_OUT = {"get_or_create_label", "create_filter_from_template"}


def answer(mailbox: Mailbox, tool: str, arguments: dict[str, Any]) -> str:
    try:
        return str(SIMULATION.call(mailbox, tool, arguments))
    except ToolFailure as failure:
        return str(failure)


def test_the_tools_are_those_of_the_real_server_in_its_order() -> None:
    real = json.loads(shared_file("radar/tools_49.json").read_text())["email"]["tools"]
    real["draft_email"] = real["send_email"]
    described = {}
    for name, tool in SIMULATION.table.items():
        required = set(tool.input_schema.get("required", ()))
        described[name] = {f"{each}*" if each in required else each for each in tool.input_schema["properties"]}
    assert described == {name: set(parameters) for name, parameters in real.items() if name not in LEFT_OUT}
    assert list(described) == [name for name in real if name not in LEFT_OUT]
    assert len(described) == 17


def test_every_parameter_is_described() -> None:
    for tool in SIMULATION.table.values():
        assert tool.description
        for name, schema in tool.input_schema["properties"].items():
            assert schema.get("description"), f"{tool.name}.{name}"


def test_a_message_is_shown_with_its_headers_and_attachments() -> None:
    message = a_message("m1", body="See you", attachments=[an_attachment("a.txt", "x" * 1600)], thread_id="t1")
    assert answer(a_mailbox(message), "read_email", {"messageId": "m1"}) == (
        "Thread ID: t1\nSubject: Hello\nFrom: Ann Lee <ann@x.example>\nTo: Me <me@mail.example>\n"
        "Date: Sun, 01 Feb 2026 10:00:00 +0000\n\nSee you\n\n"
        "Attachments (1):\n- a.txt (text/plain, 2 KB, ID: id-a.txt)"
    )


def test_a_message_without_plain_text_is_shown_with_a_note() -> None:
    shown = answer(a_mailbox(a_message("m1", html_body="<b>Hi</b>")), "read_email", {"messageId": "m1"})
    assert shown.endswith("\n\n[Note: This email is HTML-formatted. Plain text version not available.]\n\n<b>Hi</b>")


def test_search_lists_ten_messages_unless_told_otherwise() -> None:
    mailbox = a_mailbox(*(a_message(f"m{n:02}", sent_datetime=f"2026-01-{n:02}T10:00:00.000Z") for n in range(1, 13)))
    assert answer(mailbox, "search_emails", {"query": ""}).count("ID: ") == 10
    assert answer(mailbox, "search_emails", {"query": "hello", "maxResults": 1}) == (
        "ID: m12\nSubject: Hello\nFrom: Ann Lee <ann@x.example>\nDate: Mon, 12 Jan 2026 10:00:00 +0000\n"
    )
    assert answer(mailbox, "search_emails", {"query": "nothing"}) == ""


@pytest.mark.parametrize(
    ("tool", "arguments", "text"),
    [
        ("read_email", {"messageId": "m9"}, "Error: Requested entity was not found."),
        ("delete_email", {"messageId": "m9"}, "Error: Requested entity was not found."),
        ("modify_email", {"messageId": "m1"}, "Error: No label add or removes specified"),
        ("modify_email", {"messageId": "m1", "labelIds": ["no"]}, "Error: Invalid label: no"),
        (
            "send_email",
            {"to": ["Bo <bo@x.example>"], "subject": "s", "body": "b"},
            "Error: Recipient email address is invalid: Bo <bo@x.example>",
        ),
        ("create_label", {"name": "inbox"}, "Error: Failed to create label: Label name exists or conflicts"),
        ("update_label", {"id": "Label_9", "name": "x"}, 'Error: Label with ID "Label_9" not found.'),
        ("delete_label", {"id": "Label_9"}, 'Error: Label with ID "Label_9" not found.'),
        (
            "delete_label",
            {"id": "INBOX"},
            'Error: Failed to delete label: Cannot delete system label with ID "INBOX".',
        ),
        ("get_filter", {"filterId": "f"}, 'Error: Filter with ID "f" not found.'),
        ("delete_filter", {"filterId": "f"}, 'Error: Filter with ID "f" not found.'),
        (
            "create_filter",
            {"criteria": {}, "action": {"addLabelIds": ["STARRED"]}},
            "Error: Invalid filter criteria or action: Filter doesn't have any criteria",
        ),
        (
            "download_attachment",
            {"messageId": "m1", "attachmentId": "a"},
            "Failed to download attachment: Invalid attachment token",
        ),
        ("get_or_create_label", {"name": "x"}, "Error: Unknown tool: get_or_create_label"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_what_the_service_refuses_is_answered_in_the_real_servers_words(
    tool: str, arguments: dict[str, Any], text: str
) -> None:
    mailbox = a_mailbox(a_message("m1"))
    assert answer(mailbox, tool, arguments) == text
    assert mailbox.tree.journal == ()


def test_each_tool_answers_in_the_real_servers_words(tmp_path: Path) -> None:
    mailbox = a_mailbox(
        a_message("m1", attachments=[an_attachment("a.txt")]), a_message("m2"), a_message("m3"), path=tmp_path
    )
    email = {"to": ["bo@x.example"], "subject": "Hi", "body": "Hello"}
    sent, drafted = (answer(mailbox, tool, email).rpartition(" ") for tool in ("send_email", "draft_email"))
    assert (sent[0], drafted[0]) == ("Email sent successfully with ID:", "Email draft created successfully with ID:")
    assert mailbox.message(sent[2])["status"] == "outbox"
    assert [each["draft_id"] for each in mailbox.search("in:draft")] == [drafted[2]]

    assert answer(
        mailbox, "modify_email", {"messageId": "m1", "addLabelIds": ["STARRED"], "removeLabelIds": ["INBOX"]}
    ) == ("Email m1 labels updated successfully")
    assert mailbox.message("m1")["labels"] == ["STARRED"]
    assert answer(mailbox, "batch_modify_emails", {"messageIds": ["m1", "no"], "addLabelIds": ["Label_1"]}) == (
        "Batch label modification complete.\nSuccessfully processed: 1 messages\nFailed to process: 1 messages\n\n"
        "Failed message IDs:\n- no... (Requested entity was not found.)"
    )
    assert answer(mailbox, "delete_email", {"messageId": "m2"}) == "Email m2 deleted successfully"
    assert answer(mailbox, "batch_delete_emails", {"messageIds": ["m3"]}) == (
        "Batch delete operation complete.\nSuccessfully deleted: 1 messages\n"
    )

    assert answer(mailbox, "create_label", {"name": "Bills"}) == (
        "Label created successfully:\nID: Label_2\nName: Bills\nType: user"
    )
    assert answer(mailbox, "update_label", {"id": "Label_2", "name": "Paid"}) == (
        "Label updated successfully:\nID: Label_2\nName: Paid\nType: user"
    )
    assert answer(mailbox, "list_email_labels", {}).startswith(
        "Found 11 labels (9 system, 2 user):\n\nSystem Labels:\nID: INBOX\n"
    )
    assert answer(mailbox, "delete_label", {"id": "Label_2"}) == 'Label "Paid" deleted successfully.'

    assert answer(mailbox, "list_filters", {}) == "No filters found."
    rule = {"criteria": {"hasAttachment": True, "size": 10}, "action": {"addLabelIds": ["STARRED", "Label_1"]}}
    made = answer(mailbox, "create_filter", rule)
    filter_id = mailbox.filters()[0]["id"]
    lines = f"ID: {filter_id}\nCriteria: hasAttachment: true, size: 10\nActions: addLabelIds: STARRED, Label_1"
    assert made == f"Filter created successfully:\n{lines}"
    assert answer(mailbox, "list_filters", {}) == f"Found 1 filters:\n\n{lines}\n"
    assert answer(mailbox, "get_filter", {"filterId": filter_id}) == f"Filter details:\n{lines}"
    assert answer(mailbox, "delete_filter", {"filterId": filter_id}) == f'Filter "{filter_id}" deleted successfully.'

    assert answer(
        mailbox, "download_attachment", {"messageId": "m1", "attachmentId": "id-a.txt", "savePath": "out"}
    ) == ("Attachment downloaded successfully:\nFile: a.txt\nSize: 4 bytes\nSaved to: out/a.txt")


@pytest.mark.anyio
async def test_the_same_calls_give_the_same_bytes() -> None:
    async def played() -> list[str]:
        async with Client(server(a_world())) as client:
            sent = await client.call_tool("send_email", {"to": ["bo@x.example"], "subject": "Hi", "body": "Hello"})
            found = await client.call_tool("search_emails", {"query": "from:harmon"})
            world = await client.read_resource("mcpbench://world")
        return [sent.model_dump_json(), found.model_dump_json(), world.model_dump_json()]

    assert await played() == await played()
