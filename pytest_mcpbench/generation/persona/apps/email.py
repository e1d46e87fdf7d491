"""Actions in the mail client of the work account."""

from functools import cache
from typing import Any

from pytest_mcpbench.generation.persona.request import Action, Fact, change, lookup, plain_call
from pytest_mcpbench.simulated.cast import CAST
from pytest_mcpbench.simulated.universal_email.seed import seed

SERVER = "universal_email"


def list_recent_mail(days: int, *subjects: str) -> Action:
    """List the mail of the last days. The mails with these subjects must be among it."""
    uids = [mail(each)["uid"] for each in subjects]
    return lookup(SERVER, "get_recent_emails", {"days": days, "limit": 100}, "list the mail of the last days", *uids)


def read(subject: str, *values: Any) -> Action:
    """Read the latest mail with a subject."""
    return lookup(SERVER, "get_email_content", {"uid": mail(subject)["uid"]}, f"read the mail '{subject}'", *values)


def send(to: str, subject: str, text: str, *facts: Fact, cc: str = "", file: str = "") -> Action:
    """Send a mail to people, identified by their keys."""
    people = CAST.persons(tuple(to.split()))
    copies = CAST.persons(tuple(cc.split()))
    arguments: dict[str, Any] = {"to": [each.email for each in people], "subject": subject, "text": text}
    arguments |= {"cc": [each.email for each in copies]} if copies else {}
    arguments |= {"attachments": [{"filename": file.rpartition("/")[2], "path": file}]} if file else {}
    expected = [*(each.email for each in (*people, *copies)), *([file.rpartition("/")[2]] if file else [])]
    return change(
        "create",
        SERVER,
        "send_email",
        arguments,
        f"send the mail '{subject}'",
        *facts,
        *expected,
        collection=f"accounts[{CAST.me.email}].sent",
    )


def list_providers() -> Action:
    """List the mail providers."""
    return lookup(SERVER, "list_supported_providers", {}, "see which providers are known")


def configure_by_provider(address: str, password: str, provider: str, **settings: Any) -> Action:
    """Configure the client for an account at a known provider and check the resulting settings."""
    return _set(
        "setup_email_account", {"email": address, "password": password, "provider": provider}, address, settings
    )


def configure_by_hand(address: str, password: str, **settings: Any) -> Action:
    """Configure account and servers by hand."""
    return _set("configure_email_server", {"user": address, "password": password, **settings}, address, settings)


def test_connection() -> Action:
    """Test the connection."""
    return plain_call(SERVER, "test_email_connection", {}, "try the connection")


def mail(subject: str) -> dict[str, Any]:
    """Return the latest mail in the inbox with a subject."""
    found_mails = [each for each in _account()["inbox"].values() if each["subject"] == subject]
    return dict(max(found_mails, key=lambda each: each["date"]))


def password() -> str:
    """Return the account's authorisation code."""
    return str(_account()["password"])


def _set(tool: str, arguments: dict[str, Any], address: str, settings: dict[str, Any]) -> Action:
    facts = [address, *(str(each) for each in settings.values() if not isinstance(each, bool))]
    return change(
        "modify", SERVER, tool, arguments, "set the account up", *facts, collection="", entity="configuration"
    )


@cache
def _account() -> dict[str, Any]:
    (account,) = seed()["accounts"].values()
    return dict(account)
