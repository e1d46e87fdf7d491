"""The mailbox of the studio's office: the tools of the mail server over letters to ``office@fernhill.example``."""

import json
from dataclasses import replace
from functools import cache
from mimetypes import guess_type
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.sandbox import Ids, World
from pytest_mcpbench.simulated.mail import server as mail
from pytest_mcpbench.simulated.mail.world import Mailbox
from pytest_mcpbench.simulated.mail.world import seed as mail_seed

_ADDRESS = "office@fernhill.example"
_SHARED_FILES = "/data"
"""Path of the attempt's directory, as the studio's file server shows it."""


@cache
def seed() -> dict[str, Any]:
    """Return the initial mailbox; it is built once per process and must not be modified."""
    system = {key: label for key, label in mail_seed()["labels"].items() if label["type"] == "system"}
    settings = json.loads(Path(__file__).with_name("office_settings.json").read_text(encoding="utf-8"))
    messages: dict[str, dict[str, Any]] = {}
    for letter in json.loads(Path(__file__).with_name("office_letters.json").read_text(encoding="utf-8")):
        email_id = Ids(f"office/{letter['sent_datetime']}").hex(16)
        attachments = [
            {
                "attachment_id": "ANGjdJ" + Ids(f"{email_id}/{file['filename']}").hex(26),
                "mime_type": guess_type(file["filename"])[0],
                "size": len(file["content"].encode()),
                "encoding": "utf-8",
                **file,
            }
            for file in letter.get("attachments", ())
        ]
        messages[email_id] = {
            "email_id": email_id,
            "status": "inbox",
            "to": [f"Fernhill office <{_ADDRESS}>"],
            "cc": [],
            "bcc": [],
            "labels": ["INBOX"],
            "thread_id": email_id,
            **letter,
            "attachments": attachments,
        }
    return {
        "profile": {"name": "Fernhill office", "email": _ADDRESS, "time_zone": "UTC"},
        "labels": {**system, **settings["labels"]},
        "messages": messages,
        "filters": settings["filters"],
    }


def mailbox(world: World) -> Mailbox:
    """Open the mailbox of one attempt."""
    return Mailbox(world, seed, shown_as=_SHARED_FILES)


SIMULATION = replace(mail.SIMULATION, state=mailbox)
server = SIMULATION.server
"""Factory of a server over the world of one attempt."""
