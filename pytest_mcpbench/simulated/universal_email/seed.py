"""The mail account in which an attempt begins: the user's at work, already set up in the client."""

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
    """The client's settings and the account behind them.

    Made once a process: a tree never changes what it begins with, and nobody else may.
    """
    letters = sorted((*work_letters(_LETTERS), *own_letters("work")), key=lambda each: each.moment)
    received = [letter for letter in letters if letter.sender is not CAST.me]
    access = {"password": _AUTHORISATION_CODE, "provider": "exmail", **PROVIDERS["exmail"].settings}
    inbox = [_received(str(uid), letter) for uid, letter in enumerate(received, _FIRST_UID)]
    sent = [_sent(letter) for letter in letters if letter.sender is CAST.me]
    account = {
        "email": CAST.me.email,
        **access,
        "inbox": {each["uid"]: each for each in inbox},
        "sent": {each["message_id"]: each for each in sent},
    }
    return {"configuration": {"user": CAST.me.email, **access}, "accounts": {CAST.me.email: account}}


def unconfigured() -> dict[str, Any]:
    """The same account, which nobody has set up in the client yet."""
    return {**seed(), "configuration": {}}


def adapted(tree: dict[str, Any]) -> dict[str, Any]:
    """The tree of MCP-Persona's contexts: one account, or several by address, each with a ``message`` that was sent."""
    if "accounts" in tree:
        return tree
    contexts = [tree] if "email" in tree else [each for each in tree.values() if isinstance(each, dict)]
    accounts = {each["email"]: _account(each) for each in contexts if "email" in each}
    first = next(iter(accounts.values()), {})
    settings = {key: value for key, value in first.items() if key not in ("email", "inbox", "sent")}
    return {"configuration": {"user": first.get("email"), **settings} if first else {}, "accounts": accounts}


def _account(context: dict[str, Any]) -> dict[str, Any]:
    message = context.get("message")
    known = [message] if isinstance(message, dict) else []
    sent = {
        str(each.get("message_id", f"{number}@{context['email']}")): {"from": context["email"], **each}
        for number, each in enumerate(known)
    }
    own = {key: value for key, value in context.items() if key != "message"}
    return {"inbox": {}, **own, "sent": {**own.get("sent", {}), **sent}}


def _received(uid: str, letter: Letter) -> dict[str, Any]:
    return {"uid": uid, **_mail(letter), "seen": letter.moment < NOW - timedelta(days=1)}


def _sent(letter: Letter) -> dict[str, Any]:
    return {"message_id": _message_id(letter), **_mail(letter)}


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
