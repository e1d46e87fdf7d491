"""Actions in the private mailbox."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from pytest_mcpbench.generation.persona.request import Action, Fact, ReferenceCall, change, lookup, operate_checkpoint
from pytest_mcpbench.simulated.cast import CAST
from pytest_mcpbench.simulated.gmail.world import seed

SERVER = "gmail"


def search(query: str, *subjects: str) -> Action:
    """Search mail. The latest mail with each of the subjects must be among the results."""
    arguments = {"query": query, "maxResults": 50}
    return lookup(
        SERVER, "search_emails", arguments, f"find the mail '{query}'", *(mail(each)["email_id"] for each in subjects)
    )


def read(subject: str, *values: Any) -> Action:
    """Read the latest mail with a subject."""
    return lookup(SERVER, "read_email", {"messageId": mail(subject)["email_id"]}, f"read the mail '{subject}'", *values)


def send(to: str, subject: str, text: str, *facts: Fact, reply: str = "") -> Action:
    """Send a mail. ``reply`` is the subject of the mail that it replies to."""
    return _write("send_email", "send", to, subject, text, facts, reply, {"status": "outbox"})


def draft(to: str, subject: str, text: str, *facts: Fact) -> Action:
    """Save a draft."""
    return _write("draft_email", "draft", to, subject, text, facts, "", {"status": "draft"})


def change_labels(subject: str, *, add: Sequence[str] = (), remove: Sequence[str] = ()) -> Action:
    """Add labels to the latest mail with a subject, or remove labels from it."""
    whole = mail(subject)
    arguments: dict[str, Any] = {"messageId": whole["email_id"]}
    arguments |= {"addLabelIds": list(add)} if add else {}
    arguments |= {"removeLabelIds": list(remove)} if remove else {}
    remaining = [each for each in whole["labels"] if each not in remove]
    labels = [*remaining, *(each for each in add if each not in remaining)]
    return change(
        "modify",
        SERVER,
        "modify_email",
        arguments,
        f"change the labels of '{subject}'",
        collection="messages",
        entity=whole["email_id"],
        fields={"labels": labels},
    )


def change_labels_of_all(ids: Sequence[str], *, add: Sequence[str] = (), remove: Sequence[str] = ()) -> Action:
    """Add labels to several mails, or remove labels from them, by id."""
    arguments: dict[str, Any] = {"messageIds": list(ids)}
    arguments |= {"addLabelIds": list(add)} if add else {}
    arguments |= {"removeLabelIds": list(remove)} if remove else {}
    checkpoints = []
    for each in ids:
        remaining = [one for one in messages()[each]["labels"] if one not in remove]
        labels = [*remaining, *(one for one in add if one not in remaining)]
        purpose = f"change the labels of the mail {each}"
        checkpoints.append(
            operate_checkpoint(
                "modify",
                SERVER,
                "batch_modify_emails",
                purpose,
                collection="messages",
                entity=each,
                fields={"labels": labels},
            )
        )
    return Action(
        (ReferenceCall(SERVER, "batch_modify_emails", arguments, "change the labels of the mails"),), tuple(checkpoints)
    )


def delete_mail(subject: str) -> Action:
    """Delete the latest mail with a subject."""
    expected = mail(subject)["email_id"]
    purpose = f"delete the mail '{subject}'"
    arguments = {"messageId": expected}
    return change("delete", SERVER, "delete_email", arguments, purpose, collection="messages", entity=expected)


def delete_mails(ids: Sequence[str]) -> Action:
    """Delete several mails by id."""
    checkpoints = [
        operate_checkpoint(
            "delete", SERVER, "batch_delete_emails", f"delete the mail {each}", collection="messages", entity=each
        )
        for each in ids
    ]
    arguments = {"messageIds": list(ids)}
    return Action((ReferenceCall(SERVER, "batch_delete_emails", arguments, "delete the mails"),), tuple(checkpoints))


def list_labels(*values: Any) -> Action:
    """List the labels."""
    return lookup(SERVER, "list_email_labels", {}, "list the labels", *values)


def create_label(name: str) -> Action:
    """Create a label."""
    fields = {"name": name}
    purpose = f"make the label '{name}'"
    return change("create", SERVER, "create_label", fields, purpose, collection="labels", fields=fields)


def rename_label(label_id: str, name: str) -> Action:
    """Rename a label."""
    arguments = {"id": label_id, "name": name}
    purpose = f"rename the label to '{name}'"
    return change("modify", SERVER, "update_label", arguments, purpose, name, collection="labels", entity=label_id)


def delete_label(label_id: str) -> Action:
    """Delete a label that no mail has."""
    purpose = "delete the label"
    return change("delete", SERVER, "delete_label", {"id": label_id}, purpose, collection="labels", entity=label_id)


def create_filter(criteria: Mapping[str, Any], action: Mapping[str, Any], *facts: Fact) -> Action:
    """Create a filter."""
    arguments = {"criteria": dict(criteria), "action": dict(action)}
    return change("create", SERVER, "create_filter", arguments, "make the filter", *facts, collection="filters")


def list_filters(*values: Any) -> Action:
    """List the filters."""
    return lookup(SERVER, "list_filters", {}, "list the filters", *values)


def read_filter(sender: str, *values: Any) -> Action:
    """Read the filter for a sender."""
    return lookup(SERVER, "get_filter", {"filterId": _filter(sender)}, f"look at the filter for {sender}", *values)


def delete_filter(sender: str) -> Action:
    """Delete the filter for a sender."""
    expected = _filter(sender)
    purpose = f"delete the filter for {sender}"
    return change(
        "delete", SERVER, "delete_filter", {"filterId": expected}, purpose, collection="filters", entity=expected
    )


def save_attachment(subject: str) -> Action:
    """Save the attachment of a mail under its original name."""
    whole = mail(subject)
    (attached,) = whole["attachments"]
    arguments = {"messageId": whole["email_id"], "attachmentId": attached["attachment_id"]}
    purpose = f"save {attached['filename']}"
    checkpoint = operate_checkpoint(
        "create", SERVER, "download_attachment", purpose, collection="files", entity=attached["filename"]
    ) | {"context": [{"server_name": "files", "context_id": "siyuan.chen"}]}
    return Action((ReferenceCall(SERVER, "download_attachment", arguments, purpose),), (checkpoint,))


def mail(subject: str) -> dict[str, Any]:
    """Return the latest mail with a subject, or that of a certain sender: ``Dinner < ting.luo``."""
    expected, _, sender = (part.strip() for part in subject.partition("<"))
    mails = [each for each in messages().values() if each["subject"] == expected]
    if sender:
        mails = [each for each in mails if sender in each["from"]]
    return dict(max(mails, key=lambda each: each["sent_datetime"]))


@cache
def messages() -> dict[str, Any]:
    """Return the mails of the mailbox by id."""
    return dict(seed()["messages"])


def _filter(sender: str) -> str:
    (expected,) = [key for key, each in seed()["filters"].items() if each["criteria"]["from"] == sender]
    return str(expected)


def _write(  # noqa: PLR0913 (each is a fact of the mail)
    tool: str,
    verb: str,
    to: str,
    subject: str,
    text: str,
    facts: Sequence[Fact],
    reply: str,
    fields: Mapping[str, Any],
) -> Action:
    addresses = [CAST.person(each).private_email if "@" not in each else each for each in to.split()]
    arguments: dict[str, Any] = {"to": addresses, "subject": subject, "body": text}
    if reply:
        arguments |= {"threadId": mail(reply)["thread_id"], "inReplyTo": mail(reply)["email_id"]}
        fields = {**fields, "thread_id": mail(reply)["thread_id"]}
    purpose = f"{verb} the mail '{subject}'"
    return change("create", SERVER, tool, arguments, purpose, *addresses, *facts, collection="messages", fields=fields)
