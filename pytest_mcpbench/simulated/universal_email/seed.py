"""The initial mail account of an attempt: the user's account at work, already set up in the client."""

from datetime import timedelta
from functools import cache
from typing import Any

from pytest_mcpbench.simulated.cast import CAST, NOW, Person
from pytest_mcpbench.simulated.cast.letters import Letter, own_letters, work_letters
from pytest_mcpbench.simulated.universal_email.providers import PROVIDERS

_LETTERS = 240
_FIRST_UID = 1001
_AUTHORISATION_CODE = "northlight-7f3a-code"


@cache
def seed() -> dict[str, Any]:
    """Return the client's settings and the account behind them.

    They are built once per process and cached; no tree modifies its seed, and callers must not either.
    """
    letters = sorted((*work_letters(_LETTERS), *own_letters("work")), key=lambda each: each.moment)
    incoming = [letter for letter in letters if letter.sender is not CAST.me]
    access = {"password": _AUTHORISATION_CODE, "provider": "exmail", **PROVIDERS["exmail"].settings}
    inbox = [
        {"uid": str(uid), **_mail(letter), "seen": letter.moment < NOW - timedelta(days=1)}
        for uid, letter in enumerate(incoming, _FIRST_UID)
    ]
    outgoing = [{"message_id": _message_id(letter), **_mail(letter)} for letter in letters if letter.sender is CAST.me]
    account = {
        "email": CAST.me.email,
        **access,
        "inbox": {each["uid"]: each for each in inbox},
        "sent": {each["message_id"]: each for each in outgoing},
    }
    return {"configuration": {"user": CAST.me.email, **access}, "accounts": {CAST.me.email: account}}


def seed_without_configuration() -> dict[str, Any]:
    """Return the account of :func:`seed`, before it has been set up in the mail client."""
    return {**seed(), "configuration": {}}


def convert_contexts(tree: dict[str, Any]) -> dict[str, Any]:
    """Convert contexts of MCP-Persona to a tree.

    They are one account, or several by address, each with a sent ``message``.
    """
    if "accounts" in tree:
        return tree
    contexts = [tree] if "email" in tree else [each for each in tree.values() if isinstance(each, dict)]
    accounts: dict[str, dict[str, Any]] = {}
    for context in contexts:
        if "email" in context:
            address, message = context["email"], context.get("message")
            fields = {key: value for key, value in context.items() if key != "message"}
            sent = {**fields.get("sent", {})}
            if isinstance(message, dict):
                # A message without an id gets one: its number in the account, from 0, and the address.
                sent[str(message.get("message_id", f"0@{address}"))] = {"from": address, **message}
            accounts[address] = {"inbox": {}, **fields, "sent": sent}
    first = next(iter(accounts.values()), {})
    settings = {key: value for key, value in first.items() if key not in ("email", "inbox", "sent")}
    return {"configuration": {"user": first.get("email"), **settings} if first else {}, "accounts": accounts}


def _mail(letter: Letter) -> dict[str, Any]:
    return {
        "message_id": _message_id(letter),
        "from": _address(letter.sender),
        "to": [_address(each) for each in letter.recipients],
        "cc": [],
        "subject": letter.subject,
        "text": letter.body,
        "date": letter.moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "attachments": [],
    }


def _message_id(letter: Letter) -> str:
    ids = CAST.ids(f"universal_email/{letter.moment.isoformat()}")
    return f"{ids.uuid()}@{letter.sender.email.rpartition('@')[2]}"


def _address(person: Person) -> str:
    return f'"{person.name}" <{person.email}>'
