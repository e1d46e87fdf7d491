"""The mail server: the tools of the Gmail MCP server (``@gongrzhe/server-gmail-autoauth-mcp`` 1.1.11) over a mailbox.

Two of its 19 tools are left out, because MCP-RADAR uses 17 without listing them: ``get_or_create_label`` combines
``list_email_labels`` and ``create_label``, and ``create_filter_from_template`` is ``create_filter`` with prepared
criteria; neither reaches a state that the others cannot. Names, parameters, responses and errors are the real
server's, with two exceptions: failures are flagged with ``isError``, where the real server returns only the text, and
file paths stay within the attempt's directory.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Literal, NotRequired

from pydantic import ConfigDict, Field, with_config
from typing_extensions import TypedDict, Unpack

from pytest_mcpbench.simulated.engine import ZOD, Simulation, ToolFailure, prefix_failures
from pytest_mcpbench.simulated.mail.world import Mailbox, date_header

# Response texts of the Gmail MCP server.

_HTML_ONLY = "[Note: This email is HTML-formatted. Plain text version not available.]\n\n"


def message_text(message: Mapping[str, Any]) -> str:
    """Return a message as ``read_email`` shows it."""
    to = ", ".join(message["to"])
    head = f"Thread ID: {message['thread_id']}\nSubject: {message['subject']}\nFrom: {message['from']}\nTo: {to}\n"
    html = message.get("html_body")
    body = message["body"] or (f"{_HTML_ONLY}{html}" if html else "")
    text = f"{head}Date: {date_header(message)}\n\n{body}"
    attachments = message["attachments"]
    if attachments:
        text += f"\n\nAttachments ({len(attachments)}):\n" + "\n".join(
            f"- {each['filename']} ({each['mime_type']}, {(each['size'] + 512) // 1024} KB, "
            f"ID: {each['attachment_id']})"
            for each in attachments
        )
    return text


def result_list(messages: Iterable[Mapping[str, Any]]) -> str:
    """Return messages as ``search_emails`` lists them, or an empty text if there are none."""
    return "\n".join(
        f"ID: {each['email_id']}\nSubject: {each['subject']}\nFrom: {each['from']}\nDate: {date_header(each)}\n"
        for each in messages
    )


def label_text(action: str, label: Mapping[str, Any]) -> str:
    """Return the response for a label that was created or updated."""
    return f"Label {action} successfully:\nID: {label['id']}\nName: {label['name']}\nType: {label['type']}"


def label_list(labels: Sequence[Mapping[str, Any]]) -> str:
    """Return the list of all labels, grouped by type."""
    system = [label for label in labels if label["type"] == "system"]
    user = [label for label in labels if label["type"] == "user"]
    return (
        f"Found {len(labels)} labels ({len(system)} system, {len(user)} user):\n\n"
        f"System Labels:\n{_label_lines(system)}\nUser Labels:\n{_label_lines(user)}"
    )


def filter_text(rule: Mapping[str, Any]) -> str:
    """Return a filter in three lines."""
    return f"ID: {rule['id']}\nCriteria: {_entries(rule['criteria'])}\nActions: {_entries(rule['action'])}"


def filter_list(rules: Sequence[Mapping[str, Any]]) -> str:
    """Return the list of all filters."""
    if not rules:
        return "No filters found."
    return f"Found {len(rules)} filters:\n\n" + "\n".join(filter_text(rule) + "\n" for rule in rules)


def batch_text(head: str, done: str, verb: str, request: Callable[[str], object], email_ids: Sequence[str]) -> str:
    """Apply a request to each of several messages in turn and return the summary of successes and failures."""
    failures: list[str] = []
    for email_id in email_ids:
        try:
            request(email_id)
        except ToolFailure as failure:
            failures.append(f"- {email_id[:16]}... ({failure})")
    text = f"{head}\nSuccessfully {done}: {len(email_ids) - len(failures)} messages\n"
    if failures:
        text += f"Failed to {verb}: {len(failures)} messages\n\nFailed message IDs:\n" + "\n".join(failures)
    return text


def _label_lines(labels: Iterable[Mapping[str, Any]]) -> str:
    return "\n".join(f"ID: {label['id']}\nName: {label['name']}\n" for label in labels)


def _entries(values: Mapping[str, Any]) -> str:
    """Return keys with values in JavaScript's notation, leaving out empty lists."""
    return ", ".join(f"{key}: {_js_text(value)}" for key, value in values.items() if value != [])


def _js_text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ", ".join(value)
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


# The tools.

# ruff: noqa: A002, N803 (parameters have the real server's names)


_CLOSED = ConfigDict(extra="forbid")
_MIME_TYPE = Field(description="Which versions of the text to send", json_schema_extra={"default": "text/plain"})

LabelIds = Annotated[list[str], Field(description="Ids of labels to put on")]
RemovedLabelIds = Annotated[list[str], Field(description="Ids of labels to take off")]
LabelName = Annotated[str, Field(description="What the label is to be called")]
BatchSize = Annotated[float, Field(description="How many emails are handled at a time (default: 50)")]


class Email(TypedDict):
    """An email to send or to save as a draft."""

    to: Annotated[list[str], Field(description="Addresses of the recipients")]
    subject: Annotated[str, Field(description="Subject line")]
    body: Annotated[str, Field(description="The text; the plain version of it where there is an htmlBody")]
    htmlBody: NotRequired[Annotated[str, Field(description="The text as HTML")]]
    mimeType: NotRequired[Annotated[Literal["text/plain", "text/html", "multipart/alternative"], _MIME_TYPE]]
    cc: NotRequired[Annotated[list[str], Field(description="Addresses that get a copy")]]
    bcc: NotRequired[Annotated[list[str], Field(description="Addresses that get a hidden copy")]]
    threadId: NotRequired[Annotated[str, Field(description="Id of the thread that it continues")]]
    inReplyTo: NotRequired[Annotated[str, Field(description="Id of the message that it answers")]]
    attachments: NotRequired[Annotated[list[str], Field(description="Paths of files to send along")]]


class Visibility(TypedDict):
    """The visibility of a label."""

    messageListVisibility: NotRequired[
        Annotated[Literal["show", "hide"], Field(description="Whether lists of emails show the label")]
    ]
    labelListVisibility: NotRequired[
        Annotated[
            Literal["labelShow", "labelShowIfUnread", "labelHide"],
            Field(description="When the list of labels shows the label"),
        ]
    ]


class LabelChanges(Visibility):
    """The changes to a label."""

    name: NotRequired[LabelName]


class LabelIdChanges(TypedDict):
    """Labels to put on and to take off."""

    addLabelIds: NotRequired[LabelIds]
    removeLabelIds: NotRequired[RemovedLabelIds]


@with_config(_CLOSED)
class Action(LabelIdChanges):
    """The action of a filter."""

    forward: NotRequired[Annotated[str, Field(description="Address that matching emails are passed on to")]]


Criteria = TypedDict(
    "Criteria",
    {
        "from": NotRequired[Annotated[str, Field(description="Address of the sender")]],
        "to": NotRequired[Annotated[str, Field(description="Address of a recipient")]],
        "subject": NotRequired[Annotated[str, Field(description="Words in the subject")]],
        "query": NotRequired[Annotated[str, Field(description="A search in Gmail's syntax (like 'is:starred')")]],
        "negatedQuery": NotRequired[Annotated[str, Field(description="A search that must not match")]],
        "hasAttachment": NotRequired[Annotated[bool, Field(description="Only emails that carry an attachment")]],
        "excludeChats": NotRequired[Annotated[bool, Field(description="Leave out chats")]],
        "size": NotRequired[Annotated[float, Field(description="Number of bytes to compare the size with")]],
        "sizeComparison": NotRequired[
            Annotated[Literal["unspecified", "smaller", "larger"], Field(description="How to compare the size")]
        ],
    },
)
with_config(_CLOSED)(Criteria)


def send_email(mailbox: Mailbox, **email: Unpack[Email]) -> str:
    """Send an email at once."""
    return f"Email sent successfully with ID: {mailbox.send(email)['email_id']}"


def draft_email(mailbox: Mailbox, **email: Unpack[Email]) -> str:
    """Write an email and keep it as a draft."""
    return f"Email draft created successfully with ID: {mailbox.draft(email)['draft_id']}"


def read_email(mailbox: Mailbox, messageId: Annotated[str, Field(description="Id of the email to read")]) -> str:
    """Read one email, with the list of its attachments."""
    return message_text(mailbox.message(messageId))


def search_emails(
    mailbox: Mailbox,
    query: Annotated[str, Field(description="What to look for, in Gmail's syntax (like 'from:ann@example.com')")],
    maxResults: Annotated[float, Field(description="How many emails to return at most")] = 10,
) -> str:
    """Find emails with Gmail's search syntax, the newest first."""
    return result_list(mailbox.search(query, int(maxResults) or 10))


def modify_email(
    mailbox: Mailbox,
    messageId: Annotated[str, Field(description="Id of the email to change")],
    labelIds: Annotated[list[str] | None, Field(description="Ids of labels to apply")] = None,
    **labels: Unpack[LabelIdChanges],
) -> str:
    """Change the labels of an email, and with them the folder that it is in."""
    added = labels.get("addLabelIds", labelIds) or ()
    mailbox.relabel(messageId, add=added, remove=labels.get("removeLabelIds", ()))
    return f"Email {messageId} labels updated successfully"


def delete_email(mailbox: Mailbox, messageId: Annotated[str, Field(description="Id of the email to delete")]) -> str:
    """Delete an email for good."""
    mailbox.delete(messageId)
    return f"Email {messageId} deleted successfully"


def list_email_labels(mailbox: Mailbox) -> str:
    """List every label of the mailbox with its id."""
    return label_list(mailbox.labels())


def batch_modify_emails(
    mailbox: Mailbox,
    messageIds: Annotated[list[str], Field(description="Ids of the emails to change")],
    addLabelIds: LabelIds | None = None,
    removeLabelIds: RemovedLabelIds | None = None,
    batchSize: BatchSize = 50,  # noqa: ARG001 (part of the real server's signature; it only spares requests)
) -> str:
    """Change the labels of several emails."""
    relabel = partial(mailbox.relabel, add=addLabelIds or (), remove=removeLabelIds or ())
    return batch_text("Batch label modification complete.", "processed", "process", relabel, messageIds)


def batch_delete_emails(
    mailbox: Mailbox,
    messageIds: Annotated[list[str], Field(description="Ids of the emails to delete")],
    batchSize: BatchSize = 50,  # noqa: ARG001 (part of the real server's signature; it only spares requests)
) -> str:
    """Delete several emails for good."""
    return batch_text("Batch delete operation complete.", "deleted", "delete", mailbox.delete, messageIds)


def create_label(mailbox: Mailbox, name: LabelName, **visibility: Unpack[Visibility]) -> str:
    """Make a new label."""
    with prefix_failures("Failed to create label"):
        return label_text("created", mailbox.create_label(name, visibility))


def update_label(
    mailbox: Mailbox,
    id: Annotated[str, Field(description="Id of the label to change")],
    **changes: Unpack[LabelChanges],
) -> str:
    """Change the name or the visibility of a label."""
    with prefix_failures("Failed to update label", missing=f'Label with ID "{id}" not found.'):
        return label_text("updated", mailbox.update_label(id, changes))


def delete_label(mailbox: Mailbox, id: Annotated[str, Field(description="Id of the label to delete")]) -> str:
    """Delete a label that the user has made."""
    with prefix_failures("Failed to delete label", missing=f'Label with ID "{id}" not found.'):
        return f'Label "{mailbox.delete_label(id)["name"]}" deleted successfully.'


def create_filter(
    mailbox: Mailbox,
    criteria: Annotated[Criteria, Field(description="Which emails the filter is for")],
    action: Annotated[Action, Field(description="What the filter does with them")],
) -> str:
    """Make a filter: which emails it is for, and what it does with those that arrive from now on."""
    with prefix_failures("Invalid filter criteria or action"):
        return "Filter created successfully:\n" + filter_text(mailbox.create_filter(criteria, action))


def list_filters(mailbox: Mailbox) -> str:
    """List every filter of the mailbox."""
    return filter_list(mailbox.filters())


def get_filter(mailbox: Mailbox, filterId: Annotated[str, Field(description="Id of the filter to show")]) -> str:
    """Show what one filter looks for and does."""
    with prefix_failures("Failed to get filter", missing=f'Filter with ID "{filterId}" not found.'):
        return "Filter details:\n" + filter_text(mailbox.filter(filterId))


def delete_filter(mailbox: Mailbox, filterId: Annotated[str, Field(description="Id of the filter to delete")]) -> str:
    """Delete a filter."""
    with prefix_failures("Failed to delete filter", missing=f'Filter with ID "{filterId}" not found.'):
        mailbox.delete_filter(filterId)
    return f'Filter "{filterId}" deleted successfully.'


def download_attachment(
    mailbox: Mailbox,
    messageId: Annotated[str, Field(description="Id of the email that carries the attachment")],
    attachmentId: Annotated[str, Field(description="Id of the attachment to save")],
    filename: Annotated[str | None, Field(description="Name of the file; by default the attachment's own")] = None,
    savePath: Annotated[str | None, Field(description="Directory of the file; by default the current one")] = None,
) -> str:
    """Save an attachment of an email as a file."""
    with prefix_failures("Failed to download attachment", verbatim=True):
        saved = mailbox.save_attachment(messageId, attachmentId, filename, savePath)
    return f"Attachment downloaded successfully:\nFile: {saved.name}\nSize: {saved.size} bytes\nSaved to: {saved.path}"


SIMULATION = Simulation(
    name="gmail",
    state=Mailbox,
    tools=(
        send_email,
        draft_email,
        read_email,
        search_emails,
        modify_email,
        delete_email,
        list_email_labels,
        batch_modify_emails,
        batch_delete_emails,
        create_label,
        update_label,
        delete_label,
        create_filter,
        list_filters,
        get_filter,
        delete_filter,
        download_attachment,
    ),
    dialect=ZOD,
    failure="Error: {message}",
)
server = SIMULATION.server
"""Factory that builds the server over the world of one attempt."""
