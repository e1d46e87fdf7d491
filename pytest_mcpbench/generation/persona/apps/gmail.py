"""Deeds in the private mailbox."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from pytest_mcpbench.generation.persona.deed import Called, Deed, Fact, changed, found, operate
from pytest_mcpbench.simulated.cast import CAST
from pytest_mcpbench.simulated.gmail.world import seed

SERVER = "gmail"


def search(query: str, *subjects: str) -> Deed:
    """Find mail; the last with each of the subjects must be found."""
    arguments = {"query": query, "maxResults": 50}
    return found(
        SERVER, "search_emails", arguments, f"find the mail '{query}'", *(mail(each)["email_id"] for each in subjects)
    )


def read(subject: str, *values: Any) -> Deed:
    """Read the last mail with a subject."""
    return found(SERVER, "read_email", {"messageId": mail(subject)["email_id"]}, f"read the mail '{subject}'", *values)


def send(to: str, subject: str, text: str, *facts: Fact, reply: str = "") -> Deed:
    """Send a mail; ``reply`` is the subject of the mail that it answers."""
    return _write("send_email", "send", to, subject, text, facts, reply, {"status": "outbox"})


def draft(to: str, subject: str, text: str, *facts: Fact) -> Deed:
    """Keep a draft."""
    return _write("draft_email", "draft", to, subject, text, facts, "", {"status": "draft"})


def label(subject: str, *, add: Sequence[str] = (), remove: Sequence[str] = ()) -> Deed:
    """Put labels on the last mail with a subject, or take them off."""
    whole = mail(subject)
    arguments: dict[str, Any] = {"messageId": whole["email_id"]}
    arguments |= {"addLabelIds": list(add)} if add else {}
    arguments |= {"removeLabelIds": list(remove)} if remove else {}
    kept = [each for each in whole["labels"] if each not in remove]
    labels = [*kept, *(each for each in add if each not in kept)]
    return changed(
        "modify",
        SERVER,
        "modify_email",
        arguments,
        f"change the labels of '{subject}'",
        collection="messages",
        entity=whole["email_id"],
        fields={"labels": labels},
    )


def label_all(ids: Sequence[str], *, add: Sequence[str] = (), remove: Sequence[str] = ()) -> Deed:
    """The same for several mails by id."""
    arguments: dict[str, Any] = {"messageIds": list(ids)}
    arguments |= {"addLabelIds": list(add)} if add else {}
    arguments |= {"removeLabelIds": list(remove)} if remove else {}
    checkpoints = []
    for each in ids:
        kept = [one for one in messages()[each]["labels"] if one not in remove]
        labels = [*kept, *(one for one in add if one not in kept)]
        purpose = f"change the labels of the mail {each}"
        checkpoints.append(
            operate(
                "modify",
                SERVER,
                "batch_modify_emails",
                purpose,
                collection="messages",
                entity=each,
                fields={"labels": labels},
            )
        )
    return Deed(
        (Called(SERVER, "batch_modify_emails", arguments, "change the labels of the mails"),), tuple(checkpoints)
    )


def delete(subject: str) -> Deed:
    """Delete the last mail with a subject."""
    wanted = mail(subject)["email_id"]
    purpose = f"delete the mail '{subject}'"
    arguments = {"messageId": wanted}
    return changed("delete", SERVER, "delete_email", arguments, purpose, collection="messages", entity=wanted)


def delete_all(ids: Sequence[str]) -> Deed:
    """Delete several mails by id."""
    checkpoints = [
        operate("delete", SERVER, "batch_delete_emails", f"delete the mail {each}", collection="messages", entity=each)
        for each in ids
    ]
    arguments = {"messageIds": list(ids)}
    return Deed((Called(SERVER, "batch_delete_emails", arguments, "delete the mails"),), tuple(checkpoints))


def labels(*values: Any) -> Deed:
    """List the labels."""
    return found(SERVER, "list_email_labels", {}, "list the labels", *values)


def new_label(name: str) -> Deed:
    """Make a label."""
    fields = {"name": name}
    purpose = f"make the label '{name}'"
    return changed("create", SERVER, "create_label", fields, purpose, collection="labels", fields=fields)


def rename_label(label_id: str, name: str) -> Deed:
    """Give a label another name."""
    arguments = {"id": label_id, "name": name}
    purpose = f"rename the label to '{name}'"
    return changed("modify", SERVER, "update_label", arguments, purpose, name, collection="labels", entity=label_id)


def drop_label(label_id: str) -> Deed:
    """Delete a label that no mail carries."""
    purpose = "delete the label"
    return changed("delete", SERVER, "delete_label", {"id": label_id}, purpose, collection="labels", entity=label_id)


def new_filter(criteria: Mapping[str, Any], action: Mapping[str, Any], *facts: Fact) -> Deed:
    """Make a filter."""
    arguments = {"criteria": dict(criteria), "action": dict(action)}
    return changed("create", SERVER, "create_filter", arguments, "make the filter", *facts, collection="filters")


def filters(*values: Any) -> Deed:
    """List the filters."""
    return found(SERVER, "list_filters", {}, "list the filters", *values)


def filter_of(sender: str, *values: Any) -> Deed:
    """Show the filter for a sender."""
    return found(SERVER, "get_filter", {"filterId": _filter(sender)}, f"look at the filter for {sender}", *values)


def drop_filter(sender: str) -> Deed:
    """Delete the filter for a sender."""
    wanted = _filter(sender)
    purpose = f"delete the filter for {sender}"
    return changed(
        "delete", SERVER, "delete_filter", {"filterId": wanted}, purpose, collection="filters", entity=wanted
    )


def save(subject: str) -> Deed:
    """Save the attachment of a mail under its own name."""
    whole = mail(subject)
    (attached,) = whole["attachments"]
    arguments = {"messageId": whole["email_id"], "attachmentId": attached["attachment_id"]}
    purpose = f"save {attached['filename']}"
    checkpoint = operate(
        "create", SERVER, "download_attachment", purpose, collection="files", entity=attached["filename"]
    ) | {"context": [{"server_name": "files", "context_id": "siyuan.chen"}]}
    return Deed((Called(SERVER, "download_attachment", arguments, purpose),), (checkpoint,))


def mail(subject: str) -> dict[str, Any]:
    """The last mail with a subject, or the one of a person: ``Dinner < ting.luo``."""
    wanted, _, sender = (part.strip() for part in subject.partition("<"))
    mails = [each for each in messages().values() if each["subject"] == wanted]
    if sender:
        mails = [each for each in mails if sender in each["from"]]
    return dict(max(mails, key=lambda each: each["sent_datetime"]))


@cache
def messages() -> dict[str, Any]:
    """The mails of the mailbox by id."""
    return dict(seed()["messages"])


def _filter(sender: str) -> str:
    (wanted,) = [key for key, each in seed()["filters"].items() if each["criteria"]["from"] == sender]
    return str(wanted)


def _write(  # noqa: PLR0913 (each is a fact of the mail)
    tool: str,
    verb: str,
    to: str,
    subject: str,
    text: str,
    facts: Sequence[Fact],
    reply: str,
    fields: Mapping[str, Any],
) -> Deed:
    addresses = [CAST.person(each).private_email if "@" not in each else each for each in to.split()]
    arguments: dict[str, Any] = {"to": addresses, "subject": subject, "body": text}
    if reply:
        arguments |= {"threadId": mail(reply)["thread_id"], "inReplyTo": mail(reply)["email_id"]}
        fields = {**fields, "thread_id": mail(reply)["thread_id"]}
    purpose = f"{verb} the mail '{subject}'"
    return changed("create", SERVER, tool, arguments, purpose, *addresses, *facts, collection="messages", fields=fields)
