"""Response texts of the Gmail MCP server."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from pytest_mcpbench.simulated.engine import ToolFailure
from pytest_mcpbench.simulated.mail.world import date_header

_HTML_ONLY = "[Note: This email is HTML-formatted. Plain text version not available.]\n\n"


def message_text(message: Mapping[str, Any]) -> str:
    """Return a message as ``read_email`` shows it."""
    to = ", ".join(message["to"])
    head = f"Thread ID: {message['thread_id']}\nSubject: {message['subject']}\nFrom: {message['from']}\nTo: {to}\n"
    html = message.get("html_body")
    body = message["body"] or (f"{_HTML_ONLY}{html}" if html else "")
    return f"{head}Date: {date_header(message)}\n\n{body}{_attachments(message['attachments'])}"


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
    failures = list(_failures(request, email_ids))
    text = f"{head}\nSuccessfully {done}: {len(email_ids) - len(failures)} messages\n"
    if failures:
        text += f"Failed to {verb}: {len(failures)} messages\n\nFailed message IDs:\n" + "\n".join(failures)
    return text


def _failures(request: Callable[[str], object], email_ids: Iterable[str]) -> Iterator[str]:
    for email_id in email_ids:
        try:
            request(email_id)
        except ToolFailure as failure:
            yield f"- {email_id[:16]}... ({failure})"


def _attachments(attachments: Sequence[Mapping[str, Any]]) -> str:
    if not attachments:
        return ""
    lines = (
        f"- {each['filename']} ({each['mime_type']}, {(each['size'] + 512) // 1024} KB, ID: {each['attachment_id']})"
        for each in attachments
    )
    return f"\n\nAttachments ({len(attachments)}):\n" + "\n".join(lines)


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
