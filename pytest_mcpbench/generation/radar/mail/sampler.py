"""Random selection of messages from the simulated mailbox, with descriptions that fit exactly one message."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import Any

from pytest_mcpbench.generation.radar.mail.topics import TOPICS
from pytest_mcpbench.generation.radar.request import GenerationError, fresh_world
from pytest_mcpbench.simulated.mail.search import sent_at
from pytest_mcpbench.simulated.mail.world import Mailbox

Message = dict[str, Any]


@dataclass(frozen=True)
class DescribedMessage:
    """A message with a description that fits no other message; ``str()`` returns the description."""

    words: str
    message: Message

    def __str__(self) -> str:
        return self.words

    @property
    def id(self) -> str:
        return str(self.message["email_id"])

    @property
    def attachment(self) -> dict[str, Any]:
        """Return the only attachment of the message."""
        (only,) = self.message["attachments"]
        return dict(only)


class MailSampler:
    """Sampler that draws each message at most once and describes it as a person would."""

    def __init__(self, draw: Random) -> None:
        self.draw = draw
        self.mailbox = Mailbox(fresh_world("mail"))
        self._taken: set[str] = set()

    def search(self, query: str) -> list[Message]:
        """Return the messages that a query finds, newest first."""
        return self.mailbox.search(query)

    def address(self, name: str) -> str:
        """Return a person's address. Raises unless the name belongs to exactly one address in the mailbox."""
        candidates = {parts[1] for parts in self._people() if re.search(rf"\b{re.escape(name)}\b", parts[0])}
        if len(candidates) != 1:
            raise GenerationError(f"{name!r} must have exactly one address, but it has {len(candidates)}")
        return candidates.pop()

    def by_topic(self, *, matching: Callable[[Message], bool] = lambda _message: True) -> DescribedMessage:
        """Draw a message and describe it by its content."""
        candidates = [
            DescribedMessage(words, message)
            for subject, words in TOPICS.items()
            if matching(message := self._received_message(subject))
        ]
        return self._take(candidates)

    def with_subject(self, subject: str) -> DescribedMessage:
        """Return the received message with a subject, described by its content. It may be drawn again."""
        return DescribedMessage(TOPICS[subject], self._received_message(subject))

    def newest_from(self) -> DescribedMessage:
        """Draw a sender with several messages and return the newest one."""
        return self._take(self._ends("the most recent message from {name}", -1))

    def oldest_from(self) -> DescribedMessage:
        """Draw a sender with several messages and return the oldest one."""
        return self._take(self._ends("the very first mail that I have from {name}", 0))

    def by_day(self) -> DescribedMessage:
        """Draw a message and describe it by its sender and day."""
        candidates = []
        for message in self.search(f"in:inbox to:{self.mailbox.address}"):
            day = sent_at(message).date()
            if len(self.search(f'from:"{_name(message)}" {day_query(day)}')) == 1:
                candidates.append(DescribedMessage(f"what {_name(message)} wrote to me on {format_day(day)}", message))
        return self._take(candidates)

    def by_attachment(self) -> DescribedMessage:
        """Draw a received message and describe it by the name of its attachment."""
        candidates = [
            DescribedMessage(f"the mail that carries {message['attachments'][0]['filename']}", message)
            for message in self._inbox()
            if len(message["attachments"]) == 1
            and len(self.search(f"filename:{message['attachments'][0]['filename']}")) == 1
        ]
        return self._take(candidates)

    def reserve(self, messages: Iterable[Message]) -> list[str]:
        """Return the ids of messages and exclude these messages from later draws."""
        ids = [str(message["email_id"]) for message in messages]
        self._taken |= set(ids)
        return ids

    def label(self, name: str) -> str:
        """Return the id of a label by its name."""
        (candidates,) = (label for label in self.mailbox.labels() if label["name"] == name)
        return str(candidates["id"])

    def _ends(self, words: str, which: int) -> list[DescribedMessage]:
        candidates = []
        for name in sorted({_name(message) for message in self._inbox()}):
            theirs = sorted(self.search(f'from:"{name}" in:anywhere'), key=sent_at)
            if len(theirs) > 1 and "INBOX" in theirs[which]["labels"]:
                candidates.append(DescribedMessage(words.format(name=name), theirs[which]))
        return candidates

    def _take(self, candidates: list[DescribedMessage]) -> DescribedMessage:
        free = [each for each in candidates if each.id not in self._taken]
        chosen = self.draw.choice(free)
        self._taken.add(chosen.id)
        return chosen

    def _inbox(self) -> list[Message]:
        return self.search("in:inbox")

    def _received_message(self, subject: str) -> Message:
        candidates = [
            match.value
            for match in self.mailbox.tree.matches("messages[*]")
            if match.value["subject"] == subject and match.value["status"] == "inbox"
        ]
        if len(candidates) != 1:
            raise GenerationError(
                f"{len(candidates)} received messages have the subject {subject!r}, expected exactly one"
            )
        return dict(candidates[0])

    def _people(self) -> Iterable[tuple[str, str]]:
        for match in self.mailbox.tree.matches("messages[*]"):
            for text in (match.value["from"], *match.value["to"], *match.value["cc"]):
                name, _, address = text.rstrip(">").partition(" <")
                yield name, address


def day_query(day: date) -> str:
    """Return the search terms for messages that were sent on a day."""
    return f"after:{day:%Y/%m/%d} before:{day + timedelta(days=1):%Y/%m/%d}"


def format_day(day: date) -> str:
    """Format a day as a person writes it; the year is omitted if it is the current one."""
    return f"{day.day} {day:%B}" + ("" if day.year == 2026 else f" {day.year}")


def _name(message: Message) -> str:
    return str(message["from"]).partition(" <")[0]
