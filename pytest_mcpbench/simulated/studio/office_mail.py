"""The mailbox of the studio's office: the tools of the mail server over letters to ``office@fernhill.example``."""

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.sandbox import Ids, World
from pytest_mcpbench.simulated.mail import server as mail
from pytest_mcpbench.simulated.mail.world import Mailbox
from pytest_mcpbench.simulated.mail.world import seed as mail_seed

_ADDRESS = "office@fernhill.example"


@cache
def seed() -> dict[str, Any]:
    """Return the initial mailbox; it is built once per process and must not be modified."""
    labels = {key: label for key, label in mail_seed()["labels"].items() if label["type"] == "system"}
    return {
        "profile": {"name": "Fernhill office", "email": _ADDRESS, "time_zone": "UTC"},
        "labels": labels,
        "messages": {message["email_id"]: message for message in _messages()},
        "filters": {},
    }


def mailbox(world: World) -> Mailbox:
    """Open the mailbox of one attempt."""
    return Mailbox(world, seed)


def _messages() -> Iterator[dict[str, Any]]:
    letters = json.loads(Path(__file__).with_name("office_letters.json").read_text(encoding="utf-8"))
    for letter in letters:
        email_id = Ids(f"office/{letter['sent_datetime']}").hex(16)
        yield {
            "email_id": email_id,
            "status": "inbox",
            "to": [f"Fernhill office <{_ADDRESS}>"],
            "cc": [],
            "bcc": [],
            "attachments": [],
            "labels": ["INBOX"],
            "thread_id": email_id,
            **letter,
        }


SIMULATION = replace(mail.SIMULATION, state=mailbox)
server = SIMULATION.server
"""Factory of a server over the world of one attempt."""
