"""Requests about existing messages: reading, searching, labelling, deleting, saving attachments."""

from pathlib import PurePath
from typing import Any

from pytest_mcpbench.generation.radar.mail.outgoing import sender
from pytest_mcpbench.generation.radar.mail.sampler import DescribedMessage, MailSampler, Message, day_query, format_day
from pytest_mcpbench.generation.radar.request import GenerationError, Request, ToolCall, request
from pytest_mcpbench.simulated.mail.search import sent_at

QUERIES = (
    "from:tidemuseum.example has:attachment",
    "filename:csv after:2026/01/01",
    "from:brightwire.example -is:unread",
    'subject:invoice "due on"',
    "is:starred label:lantern",
    "to:team@fernhill.example older_than:1m",
)
WORDS = ("pallets", "regatta", "cherries", "formaldehyde", "staircase", "carrier", "permits")


def read_call(message: DescribedMessage) -> ToolCall:
    """Return the call that reads a message."""
    return ToolCall("read_email", {"messageId": message.id})


def add_label_call(message: DescribedMessage, label: str) -> ToolCall:
    """Return the call that adds a label.

    Raises ``GenerationError`` if the message has the label already: doing nothing would then pass the task.
    """
    if label in message.message["labels"]:
        raise GenerationError(f"{message} already has the label {label}")
    return ToolCall("modify_email", {"messageId": message.id, "addLabelIds": [label]})


def remove_label_call(message: DescribedMessage, label: str) -> ToolCall:
    """Return the call that removes a label. Raises ``GenerationError`` if the message does not have it."""
    if label not in message.message["labels"]:
        raise GenerationError(f"{message} does not have the label {label}")
    return ToolCall("modify_email", {"messageId": message.id, "removeLabelIds": [label]})


def delete_call(message: DescribedMessage) -> ToolCall:
    """Return the call that deletes a message permanently."""
    return ToolCall("delete_email", {"messageId": message.id})


def download_call(message: DescribedMessage, **where: str) -> ToolCall:
    """Return the call that saves the only attachment of a message."""
    attachment = message.attachment["attachment_id"]
    return ToolCall("download_attachment", {"messageId": message.id, "attachmentId": attachment, **where})


def read_email(sampler: MailSampler) -> list[Request]:
    """Return requests to read messages, described by content, sender, day or attachment."""
    a, b, newest, dated, attached = (
        sampler.by_topic(),
        sampler.by_topic(),
        sampler.newest_from(),
        sampler.by_day(),
        sampler.by_attachment(),
    )
    return [
        request(f"Please read {a} to me, word for word.", read_call(a)),
        request(f"I have only a minute. What exactly is in {newest}?", read_call(newest)),
        request(f"{dated}: open it, I have forgotten the details.", read_call(dated)),
        request(f"Could you fetch {attached} and tell me what its text says?", read_call(attached)),
        request(f"There must be something like {b}. Pull it up in full, please.", read_call(b)),
    ]


def search_emails(sampler: MailSampler) -> list[Request]:
    """Return requests to search with a query that the prompt gives word for word, so that one query is correct."""
    (one, two, three), (word, other) = sampler.draw.sample(QUERIES, 3), sampler.draw.sample(WORDS, 2)
    most, few = sampler.draw.randint(3, 5), sampler.draw.randint(6, 8)
    for query in (one, two, three, word, other):
        if not sampler.search(query):
            raise GenerationError(f"the search {query!r} finds no message")
    return [
        request(f"Type {one} into the search of my mailbox: what comes up?", _search_call(one)),
        request(f"Do I have anything with the word {word} in it? Search for just that word.", _search_call(word)),
        request(f"My query is {two} and {most} results are enough.", _search_call(two, most)),
        request(f"Run the mail search {three} as it stands. How many hits are there?", _search_call(three)),
        request(
            f"Which mails mention {other}? Try that single word, and stop after the first {few} matches.",
            _search_call(other, few),
        ),
    ]


def _search_call(query: str, most: int | None = None) -> ToolCall:
    return ToolCall("search_emails", {"query": query} | ({"maxResults": most} if most else {}))


def modify_email(sampler: MailSampler) -> list[Request]:
    """Return requests to star, mark as read, archive, label and flag messages."""
    starred = sampler.by_topic(matching=lambda message: "STARRED" not in message["labels"])
    unread = sampler.by_topic(matching=lambda message: "UNREAD" in message["labels"])
    archived = sampler.newest_from()
    label = sampler.draw.choice(("To read", "Personal"))
    label_id = sampler.label(label)
    filed = sampler.by_topic(matching=lambda message: label_id not in message["labels"])
    important = sampler.by_topic(matching=lambda message: "IMPORTANT" not in message["labels"])
    return [
        request(f"Give {starred} a star so that I find it again.", add_label_call(starred, "STARRED")),
        request(f"I know about {unread}. It should no longer count as unread.", remove_label_call(unread, "UNREAD")),
        request(f"Get {archived} out of my inbox, but keep it.", remove_label_call(archived, "INBOX")),
        request(f'{filed} belongs under "{label}", please.', add_label_call(filed, label_id)),
        request(
            f"From my point of view {important} is important. Flag it as such.", add_label_call(important, "IMPORTANT")
        ),
    ]


def delete_email(sampler: MailSampler) -> list[Request]:
    """Return requests to delete messages: by content, first or last of a sender, a draft, spam."""
    old, dull = (
        sampler.by_topic(),
        sampler.by_topic(matching=lambda message: "CATEGORY_PROMOTIONS" in message["labels"]),
    )
    first = sampler.oldest_from()
    draft = _single_match(
        sampler, f"in:drafts to:{sampler.draw.choice(('Whitlock', 'Astrid'))}", "my unfinished mail to {name}"
    )
    spam = sampler.draw.choice(
        (
            _single_match(sampler, "in:spam locked", "the bogus warning about a locked account in my spam folder"),
            _single_match(sampler, "in:spam won", "the lottery nonsense in my spam folder"),
        )
    )
    return [
        request(f"{dull} can go, and I mean gone: not into the bin.", delete_call(dull)),
        request(f"Erase {old} irrevocably.", delete_call(old)),
        request(f"I have given up on {draft}: destroy it.", delete_call(draft)),
        request(f"Please wipe out {spam}.", delete_call(spam)),
        request(f"{first} takes up space. Remove it once and for all, without a way back.", delete_call(first)),
    ]


def _single_match(sampler: MailSampler, query: str, words: str) -> DescribedMessage:
    (message,) = sampler.search(query)
    return DescribedMessage(words.format(name=message["to"][0].partition(" <")[0]), message)


GROUPS_TO_CHANGE = (
    ('from:"Material Matters" is:unread', "the unread issues of Material Matters", "removeLabelIds", "UNREAD"),
    ('from:"Cloudberry Hosting"', "the invoices from Cloudberry Hosting", "addLabelIds", "STARRED"),
    ('from:"Northbank Cards"', "the two card statements", "removeLabelIds", "INBOX"),
    ('from:"Tomás Herrera"', "what Tomás Herrera has written to me", "addLabelIds", "IMPORTANT"),
    ('from:"Ian Castellan"', "the mails from Ian Castellan", "removeLabelIds", "INBOX"),
    ('from:"Colin Farraday"', "both messages from Colin Farraday", "addLabelIds", "IMPORTANT"),
    ('from:"City Design Digest"', "all issues of City Design Digest", "removeLabelIds", "UNREAD"),
    ('from:"Greta Solberg"', "the three mails of Greta Solberg", "addLabelIds", "STARRED"),
)
"""Query, description, kind of change and label of each group."""

CHANGE_WORDINGS = {
    ("removeLabelIds", "UNREAD"): ("Mark {} as read, all at once.", "I am up to date: make {} read in one go."),
    ("removeLabelIds", "INBOX"): (
        "My inbox is too full. Take {} out of it in a single step, without deleting anything.",
        "Archive {} together.",
    ),
    ("addLabelIds", "STARRED"): ("Put a star on each of {}; one call should do.", "Star {}, every one of them."),
    ("addLabelIds", "IMPORTANT"): (
        "Please make {} important, all of it with one stroke.",
        "Everything in this group is important to me: {}. Flag the lot.",
    ),
}


def batch_modify_emails(sampler: MailSampler) -> list[Request]:
    """Return requests to make the same change to a group of messages."""
    uses: dict[tuple[str, str], int] = {}
    requests = []
    for query, words, key, label in sampler.draw.sample(GROUPS_TO_CHANGE, 5):
        messages = _group(sampler, query, words)
        wording = CHANGE_WORDINGS[key, label][uses.get((key, label), 0)]
        uses[key, label] = uses.get((key, label), 0) + 1
        if any((label in message["labels"]) is (key == "addLabelIds") for message in messages):
            raise GenerationError(f"{words}: the change has no effect on some of these messages")
        ids = [message["email_id"] for message in messages]
        requests.append(
            request(wording.format(words), ToolCall("batch_modify_emails", {"messageIds": ids, key: [label]}))
        )
    return requests


GROUPS_TO_DELETE = (
    ("in:spam", "everything that lies in spam"),
    ('from:"City Design Digest"', "all the City Design Digests"),
    ('from:"Material Matters" before:2026/01/01', "the issues of Material Matters from last year"),
    ('from:"Northbank Cards"', "both card statements"),
    ('from:"Cloudberry Hosting" before:2026/01/01', "the Cloudberry invoices that came before this year"),
    ('from:"Interiors Forum"', "the two mails from the Interiors Forum"),
    ('from:"Ian Castellan"', "whatever our IT man Ian Castellan has sent"),
)


def batch_delete_emails(sampler: MailSampler) -> list[Request]:
    """Return requests to delete groups of messages."""
    wordings = (
        "Clear out {}, for ever and in one step.",
        "I do not need {} any longer; have all of it deleted permanently, together.",
        "Housekeeping: {}. Away with them in a single operation, no bin.",
        "Please see to it that {} no longer exist in this mailbox. Do it in bulk.",
        "Bulk job: erase {}.",
    )
    chosen = sampler.draw.sample(GROUPS_TO_DELETE, 5)
    return [
        request(
            wording.format(words), ToolCall("batch_delete_emails", {"messageIds": _ids(_group(sampler, query, words))})
        )
        for wording, (query, words) in zip(wordings, chosen, strict=True)
    ]


def _ids(messages: list[Message]) -> list[str]:
    return [message["email_id"] for message in messages]


def _group(sampler: MailSampler, query: str, words: str) -> list[Message]:
    messages = sampler.search(query)
    expected = next((count for word, count in NUMBERS.items() if word in words.split()), len(messages))
    if len(messages) != expected or expected < 2:
        raise GenerationError(
            f"{words!r} must describe {expected} messages and at least two, but the search finds {len(messages)}"
        )
    return messages


NUMBERS = {"both": 2, "two": 2, "three": 3}


def download_attachment(sampler: MailSampler) -> list[Request]:
    """Return requests to save attachments, some into a folder or under a new name."""

    def carries(message: dict[str, Any]) -> bool:
        return len(message["attachments"]) == 1

    a, b, c = (sampler.by_topic(matching=carries) for _ in range(3))
    named = sampler.by_attachment()
    signed = _single_match(sampler, "in:sent filename:contract-harbour-hall-signed.txt", "")
    folder = sampler.draw.choice(("papers", "to-print", "from-mail"))
    new_name = "latest" + PurePath(b.attachment["filename"]).suffix
    return [
        request(f"Save what is attached to {a} as a file.", download_call(a)),
        request(
            f"I need {named.attachment['filename']} on disk, in a folder called {folder}.",
            download_call(named, savePath=folder),
        ),
        request(
            f"On {_day_of_attachment(sampler, b)} {sender(b)} sent me an attachment. Store it as {new_name}.",
            download_call(b, filename=new_name),
        ),
        request("Download the signed contract that I sent to Lucy Adeyemi before Christmas.", download_call(signed)),
        request(
            f"Extract the file from {c}; it should go into the directory archive.", download_call(c, savePath="archive")
        ),
    ]


def _day_of_attachment(sampler: MailSampler, message: DescribedMessage) -> str:
    """Return the message's day, formatted. Raises if its sender sent several attachments on that day."""
    day = sent_at(message.message).date()
    query = f'from:"{sender(message)}" has:attachment {day_query(day)}'
    if len(sampler.search(query)) != 1:
        raise GenerationError(f"{sender(message)} sent several attachments on {day}")
    return format_day(day)
