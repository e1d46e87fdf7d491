"""A small mailbox of which a test says what matters."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.sandbox import Sandbox, World
from pytest_mcpbench.simulated.mail.world import Mailbox

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def a_message(email_id: str, **fields: Any) -> dict[str, Any]:
    given = {
        "email_id": email_id,
        "status": "inbox",
        "from": "Ann Lee <ann@x.example>",
        "to": ["Me <me@mail.example>"],
        "subject": "Hello",
        "body": "",
        "cc": [],
        "bcc": [],
        "attachments": [],
        "sent_datetime": "2026-02-01T10:00:00.000Z",
        "labels": ["INBOX"],
        "thread_id": email_id,
    }
    return given | fields


def an_attachment(filename: str, content: str = "text") -> dict[str, Any]:
    facts = {"attachment_id": f"id-{filename}", "filename": filename, "mime_type": "text/plain"}
    return {**facts, "size": len(content), "content": content, "encoding": "utf-8"}


def a_tree(*messages: dict[str, Any], zone: str = "UTC") -> dict[str, Any]:
    system = ("INBOX", "SENT", "DRAFT", "SPAM", "TRASH", "UNREAD", "STARRED", "IMPORTANT", "CATEGORY_UPDATES")
    labels = {name: {"id": name, "name": name, "type": "system"} for name in system}
    labels["Label_1"] = {"id": "Label_1", "name": "Big Clients", "type": "user"}
    return {
        "profile": {"name": "Me", "email": "me@mail.example", "time_zone": zone},
        "labels": labels,
        "messages": {message["email_id"]: message for message in messages},
        "filters": {},
    }


def a_world(tree: Any = None, path: Path | str = "/nowhere") -> World:
    return Sandbox(path=Path(path), now=NOW, identity="a-task", seeds={"mail": tree}).world("mail")


def a_mailbox(*messages: dict[str, Any], path: Path | str = "/nowhere", zone: str = "UTC") -> Mailbox:
    return Mailbox(a_world(a_tree(*messages, zone=zone), path))
