"""Email domain: five requests for each of the 17 tools, and 34 chains of the three most important ones."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import Any

from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.generation.radar.request import (
    AmbiguousRequestError,
    RadarRequest,
    check_reference_calls,
    fresh_world,
    source,
)
from pytest_mcpbench.generation.radar.templates import WrittenTemplate, drawing_functions, drawn_requests
from pytest_mcpbench.generation.source.files import read_entries, read_named_entries, read_values
from pytest_mcpbench.loaders.short_forms import split_arguments
from pytest_mcpbench.simulated.mail.search import sent_at
from pytest_mcpbench.simulated.mail.server import SIMULATION
from pytest_mcpbench.simulated.mail.world import Mailbox
from pytest_mcpbench.text.vocabulary import english_month

# Requests of the domain.

_OF_TOOLS = ("outgoing", "messages", "labels_and_filters")


def requests(seed: int) -> list[RadarRequest]:
    """Return all requests of the domain, after checking that a fresh mailbox accepts their reference calls."""
    draw = Random(f"{seed}/mail")
    sampler = MailSampler(draw)
    values = {**read_values(source("mail/words.yaml")), **drawing_functions(draw), **sampler.functions()}
    result = [each for template in templates() for each in drawn_requests(template, values, draw)]
    require_effects(result, sampler.mailbox)
    check_reference_calls(result, SIMULATION, lambda: fresh_world("mail"), writes_files=("download_attachment",))
    return result


def templates() -> list[WrittenTemplate]:
    """Return the template of each tool, in the order of the server's tool list, and those of the chains."""
    of_tools = {
        tool: template
        for name in _OF_TOOLS
        for tool, template in read_named_entries(source(f"mail/{name}.yaml"), WrittenTemplate).items()
    }
    chains = read_entries(source("mail/chains.yaml"), WrittenTemplate)
    return [*(of_tools[tool] for tool in SIMULATION.table), *chains]


def require_effects(requests: Iterable[RadarRequest], mailbox: Mailbox) -> None:
    """Raise ``TaskError`` for a search that finds nothing, and for a change of labels without an effect.

    Doing nothing would pass the task of such a change.
    """
    for request in requests:
        for call in request.calls:
            arguments = split_arguments(call.arguments, call.tool).arguments
            if call.tool == "search_emails" and not mailbox.search(str(arguments["query"])):
                raise TaskError(f"the search {arguments['query']!r} finds no message.", request.place)
            written: Any = call.arguments
            if not {"addLabelIds", "removeLabelIds"} & written.keys():
                continue
            for message_id in written["messageIds"] if "messageIds" in written else [written["messageId"]]:
                _require_change(written, mailbox.message(message_id)["labels"], request)


def _require_change(arguments: Any, labels: list[str], request: RadarRequest) -> None:
    for label in arguments.get("addLabelIds", ()):
        if label in labels:
            raise TaskError(f"{request.prompt!r}: a message already has the label {label}.", request.place)
    for label in arguments.get("removeLabelIds", ()):
        if label not in labels:
            raise TaskError(f"{request.prompt!r}: a message does not have the label {label}.", request.place)


# Random selection of messages from the simulated mailbox, with descriptions that fit exactly one message.

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
    def subject(self) -> str:
        return str(self.message["subject"])

    @property
    def sender(self) -> str:
        """Return the name of the person or company that sent the message."""
        return _name(self.message)

    @property
    def address(self) -> str:
        """Return the address of the sender."""
        return str(self.message["from"]).partition("<")[2].rstrip(">")

    @property
    def recipient(self) -> str:
        """Return the name of the first recipient."""
        return str(self.message["to"][0]).partition(" <")[0]

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
        self._topics = read_values(source("mail/topics.yaml"))
        self._words = read_values(source("mail/words.yaml"))
        self._taken: set[str] = set()

    def functions(self) -> dict[str, Any]:
        """Return the functions that templates of requests can call."""
        drawing = (self.by_topic, self.newest_from, self.oldest_from, self.by_day, self.by_attachment, self.groups)
        describing = (self.address, self.label, self.found, self.filters, self.day_of_attachment)
        choosing = (self.with_wordings, self.endings_for)
        return {"message": self.with_subject} | {each.__name__: each for each in (*drawing, *describing, *choosing)}

    def search(self, query: str) -> list[Message]:
        """Return the messages that a query finds, newest first."""
        return self.mailbox.search(query)

    def address(self, name: str) -> str:
        """Return a person's address. Raises unless the name belongs to exactly one address in the mailbox."""
        candidates: set[str] = set()
        for match in self.mailbox.tree.matches("messages[*]"):
            for text in (match.value["from"], *match.value["to"], *match.value["cc"]):
                written, _, address = text.rstrip(">").partition(" <")
                if re.search(rf"\b{re.escape(name)}\b", written):
                    candidates.add(address)
        if len(candidates) != 1:
            raise AmbiguousRequestError(f"{name!r} must have exactly one address, but it has {len(candidates)}")
        return candidates.pop()

    def by_topic(
        self, *, with_label: str = "", without_label: str = "", with_attachment: bool = False
    ) -> DescribedMessage:
        """Draw a message, with or without a label or with one attachment, and describe it by its content."""
        described = [
            DescribedMessage(words, self._received_message(subject)) for subject, words in self._topics.items()
        ]
        return self._take(
            [
                each
                for each in described
                if (not with_label or self.label(with_label) in each.message["labels"])
                and (not without_label or self.label(without_label) not in each.message["labels"])
                and (not with_attachment or len(each.message["attachments"]) == 1)
            ]
        )

    def with_subject(self, subject: str) -> DescribedMessage:
        """Return the received message with a subject, described by its content. It may be drawn again."""
        if subject not in self._topics:
            raise AmbiguousRequestError(f"no topic describes {subject!r}")
        return DescribedMessage(self._topics[subject], self._received_message(subject))

    def found(self, query: str) -> DescribedMessage:
        """Return the only message that a search finds, without a description."""
        messages = self.search(query)
        if len(messages) != 1:
            raise AmbiguousRequestError(f"the search {query!r} finds {len(messages)} messages, expected one")
        return DescribedMessage("", messages[0])

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

    def groups(self, described: Sequence[Mapping[str, Any]], count: int) -> list[dict[str, Any]]:
        """Draw groups of messages and add their ids. A group has at least two, or as many as its description says."""
        groups = []
        for group in self.draw.sample(described, count):
            messages, words = self.search(group["query"]), group["words"]
            promised = [number for word, number in self._words["counts"].items() if word in words.split()]
            expected = promised[0] if promised else len(messages)
            if len(messages) != expected or expected < 2:
                raise AmbiguousRequestError(
                    f"{words!r} must be {expected} messages and at least two, but there are {len(messages)}"
                )
            groups.append({**group, "ids": [str(message["email_id"]) for message in messages]})
        return groups

    def with_wordings(self, groups: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
        """Yield groups with the wording of their change; a second group with the same change gets the second one."""
        uses: Counter[str] = Counter()
        for group in groups:
            label = group["label"]
            yield {**group, "wording": self._words["change_wordings"][label][uses[label]].format(group["words"])}
            uses[label] += 1

    def filters(self) -> list[dict[str, str]]:
        """Return the id of each filter, the names of the labels that it adds, and the words for it."""
        found = {rule["criteria"].get("from"): rule for rule in self.mailbox.filters()}
        described = {each.get("from"): each["words"] for each in self._words["filters"]}
        if found.keys() != described.keys():
            raise AmbiguousRequestError(
                f"the mailbox has filters for {sorted(map(str, found))}, not for {list(described)}"
            )
        names = {label["id"]: label["name"] for label in self.mailbox.labels()}
        return [
            {
                "id": found[sender]["id"],
                "labels": ", ".join(names[each] for each in found[sender]["action"]["addLabelIds"]),
                "words": words,
            }
            for sender, words in described.items()
        ]

    def endings_for(self, message: DescribedMessage) -> list[dict[str, str]]:
        """Return the changes of labels that have an effect on a message."""
        labels = message.message["labels"]
        return [
            each
            for each in self._words["endings"]
            if (self.label(each["label"]) in labels) is (each["change"] == "removeLabelIds")
        ]

    def day_of_attachment(self, message: DescribedMessage) -> str:
        """Return the message's day, formatted. Raises if its sender sent several attachments on that day."""
        day = sent_at(message.message).date()
        if len(self.search(f'from:"{message.sender}" has:attachment {day_query(day)}')) != 1:
            raise AmbiguousRequestError(f"{message.sender} sent several attachments on {day}")
        return format_day(day)

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
            raise AmbiguousRequestError(
                f"{len(candidates)} received messages have the subject {subject!r}, expected exactly one"
            )
        return dict(candidates[0])


def day_query(day: date) -> str:
    """Return the search terms for messages that were sent on a day."""
    return f"after:{day:%Y/%m/%d} before:{day + timedelta(days=1):%Y/%m/%d}"


def format_day(day: date) -> str:
    """Format a day as a person writes it; the year is omitted if it is the current one."""
    return f"{day.day} {english_month(day.month)}" + ("" if day.year == 2026 else f" {day.year}")


def _name(message: Message) -> str:
    return str(message["from"]).partition(" <")[0]
