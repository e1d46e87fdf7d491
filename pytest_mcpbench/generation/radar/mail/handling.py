"""Requests about messages that are there: reading, finding, labelling, deleting, saving."""

from pathlib import PurePath
from typing import Any

from pytest_mcpbench.generation.radar.mail.desk import Described, Desk, Message, on, shown
from pytest_mcpbench.generation.radar.mail.writing import sender
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


def reading(message: Described) -> ToolCall:
    """The call that reads it."""
    return ToolCall("read_email", {"messageId": message.id})


def putting_on(message: Described, label: str) -> ToolCall:
    """Refuses a label that is there already: such a request would be passed by doing nothing."""
    if label in message.message["labels"]:
        raise GenerationError(f"{message} has {label} already")
    return ToolCall("modify_email", {"messageId": message.id, "addLabelIds": [label]})


def taking_off(message: Described, label: str) -> ToolCall:
    """Refuses a label that is not there."""
    if label not in message.message["labels"]:
        raise GenerationError(f"{message} has no {label}")
    return ToolCall("modify_email", {"messageId": message.id, "removeLabelIds": [label]})


def deleting(message: Described) -> ToolCall:
    """The call that deletes it for good."""
    return ToolCall("delete_email", {"messageId": message.id})


def saving(message: Described, **where: str) -> ToolCall:
    """The call that saves its only attachment."""
    attachment = message.attachment["attachment_id"]
    return ToolCall("download_attachment", {"messageId": message.id, "attachmentId": attachment, **where})


def read_email(desk: Desk) -> list[Request]:
    """Messages by what they say, by sender, by day and by attachment."""
    a, b, newest, dated, attached = desk.topic(), desk.topic(), desk.newest_from(), desk.on_a_day(), desk.with_file()
    return [
        request(f"Please read {a} to me, word for word.", reading(a)),
        request(f"I have only a minute. What exactly is in {newest}?", reading(newest)),
        request(f"{dated}: open it, I have forgotten the details.", reading(dated)),
        request(f"Could you fetch {attached} and tell me what its text says?", reading(attached)),
        request(f"There must be something like {b}. Pull it up in full, please.", reading(b)),
    ]


def search_emails(desk: Desk) -> list[Request]:
    """The query is given word for word, as no two people would choose the same one."""
    (one, two, three), (word, other) = desk.draw.sample(QUERIES, 3), desk.draw.sample(WORDS, 2)
    most, few = desk.draw.randint(3, 5), desk.draw.randint(6, 8)
    for query in (one, two, three, word, other):
        if not desk.search(query):
            raise GenerationError(f"nothing is found by {query!r}")
    return [
        request(f"Type {one} into the search of my mailbox: what comes up?", _searching(one)),
        request(f"Do I have anything with the word {word} in it? Search for just that word.", _searching(word)),
        request(f"My query is {two} and {most} results are enough.", _searching(two, most)),
        request(f"Run the mail search {three} as it stands. How many hits are there?", _searching(three)),
        request(
            f"Which mails mention {other}? Try that single word, and stop after the first {few} matches.",
            _searching(other, few),
        ),
    ]


def _searching(query: str, most: int | None = None) -> ToolCall:
    return ToolCall("search_emails", {"query": query} | ({"maxResults": most} if most else {}))


def modify_email(desk: Desk) -> list[Request]:
    """Star, unread, inbox, a label of one's own, importance."""
    starred = desk.topic(of=lambda message: "STARRED" not in message["labels"])
    unread = desk.topic(of=lambda message: "UNREAD" in message["labels"])
    archived = desk.newest_from()
    label = desk.draw.choice(("To read", "Personal"))
    label_id = desk.label(label)
    filed = desk.topic(of=lambda message: label_id not in message["labels"])
    important = desk.topic(of=lambda message: "IMPORTANT" not in message["labels"])
    return [
        request(f"Give {starred} a star so that I find it again.", putting_on(starred, "STARRED")),
        request(f"I know about {unread}. It should no longer count as unread.", taking_off(unread, "UNREAD")),
        request(f"Get {archived} out of my inbox, but keep it.", taking_off(archived, "INBOX")),
        request(f'{filed} belongs under "{label}", please.', putting_on(filed, label_id)),
        request(
            f"From my point of view {important} is important. Flag it as such.", putting_on(important, "IMPORTANT")
        ),
    ]


def delete_email(desk: Desk) -> list[Request]:
    """Messages by what they say, the last and the first of a sender, a draft, one in spam."""
    old, dull = desk.topic(), desk.topic(of=lambda message: "CATEGORY_PROMOTIONS" in message["labels"])
    first = desk.oldest_from()
    draft = _only(desk, f"in:drafts to:{desk.draw.choice(('Whitlock', 'Astrid'))}", "my unfinished mail to {name}")
    spam = desk.draw.choice(
        (
            _only(desk, "in:spam locked", "the bogus warning about a locked account in my spam folder"),
            _only(desk, "in:spam won", "the lottery nonsense in my spam folder"),
        )
    )
    return [
        request(f"{dull} can go, and I mean gone: not into the bin.", deleting(dull)),
        request(f"Erase {old} irrevocably.", deleting(old)),
        request(f"I have given up on {draft}: destroy it.", deleting(draft)),
        request(f"Please wipe out {spam}.", deleting(spam)),
        request(f"{first} takes up space. Remove it once and for all, without a way back.", deleting(first)),
    ]


def _only(desk: Desk, query: str, words: str) -> Described:
    (message,) = desk.search(query)
    return Described(words.format(name=message["to"][0].partition(" <")[0]), message)


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
"""Query, words, kind of change and label."""

DEEDS = {
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


def batch_modify_emails(desk: Desk) -> list[Request]:
    """Groups of messages and one change for all."""
    uses: dict[tuple[str, str], int] = {}
    made = []
    for query, words, key, label in desk.draw.sample(GROUPS_TO_CHANGE, 5):
        messages = _group(desk, query, words)
        wording = DEEDS[key, label][uses.get((key, label), 0)]
        uses[key, label] = uses.get((key, label), 0) + 1
        if any((label in message["labels"]) is (key == "addLabelIds") for message in messages):
            raise GenerationError(f"{words}: for some of them nothing would change")
        ids = [message["email_id"] for message in messages]
        made.append(request(wording.format(words), ToolCall("batch_modify_emails", {"messageIds": ids, key: [label]})))
    return made


GROUPS_TO_DELETE = (
    ("in:spam", "everything that lies in spam"),
    ('from:"City Design Digest"', "all the City Design Digests"),
    ('from:"Material Matters" before:2026/01/01', "the issues of Material Matters from last year"),
    ('from:"Northbank Cards"', "both card statements"),
    ('from:"Cloudberry Hosting" before:2026/01/01', "the Cloudberry invoices that came before this year"),
    ('from:"Interiors Forum"', "the two mails from the Interiors Forum"),
    ('from:"Ian Castellan"', "whatever our IT man Ian Castellan has sent"),
)


def batch_delete_emails(desk: Desk) -> list[Request]:
    """Groups of messages."""
    wordings = (
        "Clear out {}, for ever and in one step.",
        "I do not need {} any longer; have all of it deleted permanently, together.",
        "Housekeeping: {}. Away with them in a single operation, no bin.",
        "Please see to it that {} no longer exist in this mailbox. Do it in bulk.",
        "Bulk job: erase {}.",
    )
    chosen = desk.draw.sample(GROUPS_TO_DELETE, 5)
    return [
        request(
            wording.format(words), ToolCall("batch_delete_emails", {"messageIds": _ids(_group(desk, query, words))})
        )
        for wording, (query, words) in zip(wordings, chosen, strict=True)
    ]


def _ids(messages: list[Message]) -> list[str]:
    return [message["email_id"] for message in messages]


def _group(desk: Desk, query: str, words: str) -> list[Message]:
    messages = desk.search(query)
    said = next((count for word, count in NUMBERS.items() if word in words.split()), len(messages))
    if len(messages) != said or said < 2:
        raise GenerationError(f"{words} are {len(messages)}")
    return messages


NUMBERS = {"both": 2, "two": 2, "three": 3}


def download_attachment(desk: Desk) -> list[Request]:
    """Attachments by name, by the message, by sender and day; with a folder or a new name."""

    def carries(message: dict[str, Any]) -> bool:
        return len(message["attachments"]) == 1

    a, b, c = (desk.topic(of=carries) for _ in range(3))
    named = desk.with_file()
    signed = _only(desk, "in:sent filename:contract-harbour-hall-signed.txt", "")
    folder = desk.draw.choice(("papers", "to-print", "from-mail"))
    new_name = "latest" + PurePath(b.attachment["filename"]).suffix
    return [
        request(f"Save what is attached to {a} as a file.", saving(a)),
        request(
            f"I need {named.attachment['filename']} on disk, in a folder called {folder}.",
            saving(named, savePath=folder),
        ),
        request(
            f"On {_day_of_attachment(desk, b)} {sender(b)} sent me an attachment. Store it as {new_name}.",
            saving(b, filename=new_name),
        ),
        request("Download the signed contract that I sent to Lucy Adeyemi before Christmas.", saving(signed)),
        request(f"Extract the file from {c}; it should go into the directory archive.", saving(c, savePath="archive")),
    ]


def _day_of_attachment(desk: Desk, message: Described) -> str:
    """The message's day, on which its sender must have sent one attachment only."""
    day = sent_at(message.message).date()
    query = f'from:"{sender(message)}" has:attachment {on(day)}'
    if len(desk.search(query)) != 1:
        raise GenerationError(f"{sender(message)} sent several attachments on {day}")
    return shown(day)
