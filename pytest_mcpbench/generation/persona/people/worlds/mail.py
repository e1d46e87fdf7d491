"""Worlds of the mail apps."""

from collections.abc import Mapping
from typing import Any

from pytest_mcpbench.generation.persona.people.profile import Profile, moment
from pytest_mcpbench.generation.persona.people.worlds.world import SampledWorld, account_context
from pytest_mcpbench.simulated.gmail.world import system_labels
from pytest_mcpbench.simulated.universal_email.providers import PROVIDERS

_FIRST_UID = 501


def gmail(profile: Profile, content: Mapping[str, Any]) -> SampledWorld:
    """Build a mailbox; a mail is named by its key, a label by its name."""
    labels = {name: f"Label_{number}" for number, name in enumerate(content.get("labels", ()), 1)}
    mails = {key: _gmail_message(profile, key, mail, labels) for key, mail in content["mails"].items()}
    own_labels = [
        {
            "id": label_id,
            "name": name,
            "type": "user",
            "messageListVisibility": "show",
            "labelListVisibility": "labelShow",
        }
        for name, label_id in labels.items()
    ]
    tree = {
        "profile": {"name": profile.me.name, "email": profile.me.email, "time_zone": content.get("zone", "UTC")},
        "labels": {each["id"]: each for each in (*system_labels(), *own_labels)},
        "messages": {each["email_id"]: each for each in mails.values()},
        "filters": {},
    }
    names = {f"gmail/{key}": each["email_id"] for key, each in mails.items()}
    return SampledWorld(
        account_context(profile.me.key, tree), names | {f"label/{name}": each for name, each in labels.items()}
    )


def universal_email(profile: Profile, content: Mapping[str, Any]) -> SampledWorld:
    """Build an account that is set up in the client; a mail is named by its key."""
    access = {"password": profile.ids("mail/password").hex(16), "provider": "exmail", **PROVIDERS["exmail"].settings}
    inbox = {
        str(uid): {
            "uid": str(uid),
            "message_id": f"{profile.ids(f'mail/{key}').uuid()}@post.example",
            "from": _address(profile, mail["from"], '"{name}" <{email}>'),
            "to": [_address(profile, each, '"{name}" <{email}>') for each in mail.get("to", ["me"])],
            "cc": [],
            "subject": mail["subject"],
            "text": mail["body"],
            "date": moment(mail["at"]).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "attachments": [],
            "seen": True,
        }
        for uid, (key, mail) in enumerate(content["mails"].items(), _FIRST_UID)
    }
    account = {"email": profile.me.email, **access, "inbox": inbox, "sent": {}}
    tree = {"configuration": {"user": profile.me.email, **access}, "accounts": {profile.me.email: account}}
    names = {f"universal_email/{key}": str(uid) for uid, key in enumerate(content["mails"], _FIRST_UID)}
    return SampledWorld(account_context(profile.me.key, tree), names)


def _gmail_message(profile: Profile, key: str, mail: Mapping[str, Any], labels: Mapping[str, str]) -> dict[str, Any]:
    email_id = profile.ids(f"gmail/{key}").hex(16)
    is_own = mail["from"] == "me"
    return {
        "email_id": email_id,
        "subject": mail["subject"],
        "body": mail["body"],
        "cc": [],
        "bcc": [],
        "attachments": [],
        "sent_datetime": moment(mail["at"]).strftime("%Y-%m-%dT%H:%M:%S.000Z"),
        "thread_id": email_id,
        "status": "outbox" if is_own else "inbox",
        "from": _address(profile, mail["from"], "{name} <{email}>"),
        "to": [_address(profile, each, "{name} <{email}>") for each in mail.get("to", ["me"])],
        "labels": ["SENT" if is_own else "INBOX", *(labels[each] for each in mail.get("labels", ()))],
    }


def _address(profile: Profile, who: str, form: str) -> str:
    """Return the address of a person, or an address that is given in full."""
    if "<" in who:
        return who
    person = profile.person(who)
    return form.format(name=person.name, email=person.email)
