"""The mailbox: messages, labels and filters in a context tree, with Gmail's rules.

The world can be read without a server: ``seed()`` is the tree with which every attempt begins, and ``Mailbox``, over a
:class:`~pytest_mcpbench.core.sandbox.World`, searches and changes it. The tree is ``{profile, labels: {id: label},
messages: {email_id: message}, filters: {id: filter}}``. A message is a row of RADAR (paper, A.1) with a sender and a
thread::

    {email_id, status, from, to[], subject, body, cc[], bcc[], attachments[], sent_datetime, labels[], thread_id}

``status`` is ``inbox``, ``outbox`` or ``draft``; ``labels`` are ids; an attachment is ``{attachment_id, filename,
mime_type, size, content, encoding}``. No two messages of the seed were sent at the same time, so "the last mail from …"
is always a single message.
"""

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from email.utils import format_datetime
from errno import errorcode
from functools import cache, partial
from mimetypes import guess_type
from pathlib import Path
from typing import Any

from dateutil.tz import gettz

from pytest_mcpbench.core.context import Collection, Shape
from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine.directory import file_inside, resolve_inside
from pytest_mcpbench.simulated.engine.entities import Entities
from pytest_mcpbench.simulated.engine.failure import MissingEntity, ToolFailure
from pytest_mcpbench.simulated.mail.search import Mailroom, condition, sent_at

SHAPE = Shape(
    (
        Collection("labels", id_field="id"),
        Collection("messages", id_field="email_id", references={"labels": "labels"}),
        Collection("filters", id_field="id"),
    )
)
_NOT_FOUND = "Requested entity was not found."
_ADDRESS = re.compile(r"[^\s@]+@[^\s@]+\.[^\s@]+")
_VISIBLE = {"messageListVisibility": "show", "labelListVisibility": "labelShow"}
_UNCHANGEABLE = ("SENT", "DRAFT")


@cache
def seed() -> dict[str, Any]:
    """Return the initial mailbox of an attempt, with 100 messages.

    It is loaded once per process and must not be modified.
    """
    mailbox: dict[str, Any] = json.loads(Path(__file__).with_name("seed.json").read_text(encoding="utf-8"))
    return mailbox


@dataclass(frozen=True)
class SavedFile:
    """A file that the mailbox wrote, with its path as requested and its size in bytes."""

    name: str
    size: int
    path: str


class Mailbox:
    """The mailbox of one attempt; each method is a request and may raise :class:`ToolFailure`."""

    def __init__(self, world: World, initial: Callable[[], dict[str, Any]] = seed, shown_as: str | None = None) -> None:
        """Open the mailbox with the tree that the task sets, else with ``initial``.

        ``shown_as`` is the absolute path under which other servers show the attempt's directory.
        """
        self._world = world
        self._shown_as = shown_as
        self.tree = world.tree(initial, shape=SHAPE, seeds={"empty": partial(_without_messages, initial)})
        self._messages = Entities(self.tree, "messages", _NOT_FOUND)
        self._labels = Entities(self.tree, "labels", _NOT_FOUND)
        self._filters = Entities(self.tree, "filters", _NOT_FOUND)

    @property
    def address(self) -> str:
        """The owner's address."""
        return str(self.tree.get("profile.email"))

    def message(self, email_id: str) -> dict[str, Any]:
        """Return one complete message."""
        return self._messages.get(email_id)

    def search(self, query: str, limit: int | None = None) -> list[dict[str, Any]]:
        """Return the messages that match a query, newest first."""
        if limit is not None and limit < 0:
            raise ToolFailure(f"Invalid value at 'max_results' (TYPE_UINT32), {limit}")
        matches = condition(query, self._mailroom())
        matching = [match.value for match in self.tree.matches("messages[*]") if matches(match.value)]
        oldest_first = sorted(matching, key=sent_at)
        return [self.message(message["email_id"]) for message in oldest_first[::-1][:limit]]

    def send(self, email: Mapping[str, Any]) -> dict[str, Any]:
        """Send a message; ``email`` holds the arguments of ``send_email``.

        A message to the owner's own address arrives in the inbox, where filters apply to it.
        """
        message = self._compose(email, "outbox", ["SENT"])
        if self.address.casefold() in {_bare_address(each).casefold() for each in (*message["to"], *message["cc"])}:
            message["labels"] = self._apply_filters({**message, "labels": ["SENT", "INBOX", "UNREAD"]})
        return self._messages.create(message)

    def draft(self, email: Mapping[str, Any]) -> dict[str, Any]:
        """Save a message as a draft without sending it; its ``draft_id`` differs from its ``email_id``."""
        draft_id = "r" + str(self._world.ids.number(10**17, 10**18 - 1))
        return self._messages.create(self._compose(email, "draft", ["DRAFT"]) | {"draft_id": draft_id})

    def relabel(self, email_id: str, *, add: Sequence[str] = (), remove: Sequence[str] = ()) -> dict[str, Any]:
        """Add labels to a message and remove labels from it; a label in both lists is removed."""
        if not add and not remove:
            raise ToolFailure("No label add or removes specified")
        message = self.message(email_id)
        self._check_labels((*add, *remove))
        if unchangeable := next((label for label in (*add, *remove) if label in _UNCHANGEABLE), None):
            raise ToolFailure(f"Invalid label: {unchangeable}")
        labels = self._merge_labels(message["labels"], add, remove)
        return self._messages.update(email_id, {"labels": labels})

    def delete(self, email_id: str) -> None:
        """Delete a message permanently, without moving it to the trash."""
        self._messages.delete(email_id)

    def labels(self, kind: str | None = None) -> list[dict[str, Any]]:
        """Return all labels, or those of the type ``system`` or ``user``."""
        return self._labels.all({"type": kind} if kind else None)

    def label(self, label_id: str) -> dict[str, Any]:
        return self._labels.get(label_id)

    def create_label(self, name: str, visibility: Mapping[str, object]) -> dict[str, Any]:
        """Create a user label; its name must be unique, ignoring case."""
        self._check_label_name(name)
        matches = (re.fullmatch(r"Label_(\d+)", label["id"]) for label in self.labels("user"))
        label_id = f"Label_{max((int(match[1]) for match in matches if match), default=0) + 1}"
        return self._labels.create({"id": label_id, "name": name, "type": "user", **_VISIBLE, **visibility})

    def update_label(self, label_id: str, changes: Mapping[str, object]) -> dict[str, Any]:
        label = self.label(label_id)
        if label["type"] == "system":
            raise ToolFailure("Invalid update request")
        name = str(changes.get("name", label["name"]))
        if name.casefold() != label["name"].casefold():
            self._check_label_name(name)
        return self._labels.update(label_id, changes)

    def delete_label(self, label_id: str) -> dict[str, Any]:
        """Delete a user label and remove it from every message that has it."""
        label = self.label(label_id)
        if label["type"] == "system":
            raise ToolFailure(f'Cannot delete system label with ID "{label_id}".')
        for message in self._messages.all():
            if label_id in message["labels"]:
                remaining = self._merge_labels(message["labels"], (), (label_id,))
                self._messages.update(message["email_id"], {"labels": remaining})
        return self._labels.delete(label_id)

    def filters(self) -> list[dict[str, Any]]:
        return self._filters.all()

    def filter(self, filter_id: str) -> dict[str, Any]:
        return self._filters.get(filter_id)

    def create_filter(self, criteria: Mapping[str, Any], action: Mapping[str, Any]) -> dict[str, Any]:
        """Create a rule for mail that arrives from now on; as in Gmail, existing messages are left alone."""
        if not criteria:
            raise ToolFailure("Filter doesn't have any criteria")
        if not action:
            raise ToolFailure("Filter doesn't have any actions")
        self._check_labels((*action.get("addLabelIds", ()), *action.get("removeLabelIds", ())))
        if any(each["criteria"] == criteria and each["action"] == action for each in self.filters()):
            raise ToolFailure("Filter already exists")
        filter_id = "ANe1Bm" + self._world.ids.hex(22)
        return self._filters.create({"id": filter_id, "criteria": dict(criteria), "action": dict(action)})

    def delete_filter(self, filter_id: str) -> None:
        self._filters.delete(filter_id)

    def save_attachment(
        self, email_id: str, attachment_id: str, filename: str | None, directory: str | None
    ) -> "SavedFile":
        """Write an attachment to a file; the path is relative to the attempt's directory."""
        attachments = self.message(email_id)["attachments"]
        attachment = next((each for each in attachments if each["attachment_id"] == attachment_id), None)
        if attachment is None:
            raise ToolFailure("Invalid attachment token")
        path = Path(directory or "") / (filename or attachment["filename"])
        target = resolve_inside(self._world, self._local(path))
        if target is None:
            raise ToolFailure(f"EACCES: permission denied, open '{path}'")
        content = (
            b64decode(attachment["content"]) if attachment["encoding"] == "base64" else attachment["content"].encode()
        )
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        except OSError as error:
            raise ToolFailure(f"{errorcode.get(error.errno or 0, 'EIO')}: cannot write, open '{path}'") from error
        return SavedFile(filename or attachment["filename"], len(content), str(path))

    def _compose(self, email: Mapping[str, Any], status: str, labels: list[str]) -> dict[str, Any]:
        for address in email["to"]:
            if not _ADDRESS.fullmatch(address):
                raise ToolFailure(f"Recipient email address is invalid: {address}")
        email_id = self._world.ids.hex(16)
        kind = email.get("mimeType", "text/plain")
        texts = {"subject": email["subject"], "body": "" if kind == "text/html" else email["body"]}
        if kind != "text/plain":
            texts["html_body"] = email.get("htmlBody", email["body"])
        return {
            "email_id": email_id,
            "status": status,
            "from": f"{self.tree.get('profile.name')} <{self.address}>",
            **{name: email.get(name, []) for name in ("to", "cc", "bcc")},
            **texts,
            "attachments": [self._attach(path) for path in email.get("attachments", ())],
            "sent_datetime": self._world.now.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "labels": labels,
            "thread_id": self._thread_of(email) or email_id,
            **({"in_reply_to": email["inReplyTo"]} if email.get("inReplyTo") else {}),
        }

    def _thread_of(self, email: Mapping[str, Any]) -> str | None:
        """Return the requested thread, else the thread of the message that is replied to; either must exist."""
        parent = self.message(email["inReplyTo"]) if email.get("inReplyTo") else None
        thread_id = email.get("threadId")
        if thread_id is None:
            return parent["thread_id"] if parent else None
        if not self._messages.all({"thread_id": thread_id}, limit=1):
            raise MissingEntity(_NOT_FOUND)
        return str(thread_id)

    def _attach(self, path: str) -> dict[str, Any]:
        source = file_inside(self._world, self._local(Path(path)))
        if source is None:
            raise ToolFailure(f"File does not exist: {path}")
        content = source.read_bytes()
        return {
            "attachment_id": "ANGjdJ" + self._world.ids.hex(26),
            "filename": source.name,
            "mime_type": guess_type(source.name)[0] or "application/octet-stream",
            "size": len(content),
            "content": b64encode(content).decode(),
            "encoding": "base64",
        }

    def _local(self, path: Path) -> Path:
        """Return a path relative to the attempt's directory if it is one under which the directory is shown."""
        return path.relative_to(self._shown_as) if self._shown_as and path.is_relative_to(self._shown_as) else path

    def _apply_filters(self, message: dict[str, Any]) -> list[str]:
        labels: list[str] = message["labels"]
        for rule in self.filters():
            criteria = rule["criteria"]
            queries = [f"{name}:({criteria[name]})" for name in ("from", "to", "subject") if criteria.get(name)]
            queries += [criteria["query"]] if criteria.get("query") else []
            queries += [f"-({criteria['negatedQuery']})"] if criteria.get("negatedQuery") else []
            queries += ["has:attachment"] if criteria.get("hasAttachment") else []
            if criteria.get("size") and criteria.get("sizeComparison", "unspecified") != "unspecified":
                queries.append(f"{criteria['sizeComparison']}:{int(criteria['size'])}")
            if all(condition(query, self._mailroom())(message) for query in queries):
                action = rule["action"]
                labels = self._merge_labels(labels, action.get("addLabelIds", ()), action.get("removeLabelIds", ()))
        return labels

    def _merge_labels(self, labels: Iterable[str], add: Iterable[str], remove: Iterable[str]) -> list[str]:
        removed = set(remove)
        return [label for label in dict.fromkeys((*labels, *add)) if label not in removed]

    def _check_labels(self, labels: Iterable[str]) -> None:
        for label in labels:
            if self.tree.find("labels", label) is None:
                raise ToolFailure(f"Invalid label: {label}")

    def _check_label_name(self, name: str) -> None:
        if not name.strip():
            raise ToolFailure("Invalid label name")
        if any(label["name"].casefold() == name.casefold() for label in self.labels()):
            raise ToolFailure("Label name exists or conflicts")

    def _mailroom(self) -> Mailroom:
        names = {label["id"]: label["name"] for label in self.labels()}
        return Mailroom(self._world.now, gettz(self.tree.get("profile.time_zone")) or UTC, names)


def date_header(message: Mapping[str, Any]) -> str:
    """Return the message's date as in its ``Date`` header."""
    return format_datetime(sent_at(message).astimezone(UTC))


def _bare_address(address: str) -> str:
    """Return the address without the name in front of it."""
    match = re.search(r"<([^<>]*)>\s*$", address)
    return match[1] if match else address.strip()


def _without_messages(initial: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return the seed ``empty``: the owner and the labels, without messages."""
    return {**initial(), "messages": {}, "filters": {}}
