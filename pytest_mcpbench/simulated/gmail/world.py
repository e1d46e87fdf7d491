"""Personal mailbox: mail between the user, friends, family and clients, and automatic notifications.

The tree is that of :mod:`pytest_mcpbench.simulated.mail.world`, whose :class:`Mailbox` implements the rules.
"""

from collections.abc import Iterator
from datetime import timedelta
from functools import cache
from typing import Any

from pytest_mcpbench.core.sandbox import Ids, World
from pytest_mcpbench.simulated.cast import CAST, NOW, Person
from pytest_mcpbench.simulated.cast.letters import Letter, own_letters, private_letters
from pytest_mcpbench.simulated.mail.world import Mailbox

_LETTER_COUNT = 170
_SYSTEM_LABELS = "INBOX SENT DRAFT TRASH SPAM STARRED IMPORTANT UNREAD"
_CATEGORIES = "PERSONAL SOCIAL PROMOTIONS UPDATES FORUMS"
_OWN_LABELS = {"friends": ("Label_1", "Friends"), "family": ("Label_2", "Family"), "clients": ("Label_3", "Clients")}


def mailbox(world: World) -> Mailbox:
    """Open the mailbox of one attempt."""
    return Mailbox(world, seed)


@cache
def seed() -> dict[str, Any]:
    """Return the initial personal mailbox of an attempt.

    The result is cached and must not be modified; a tree never modifies its seed.
    """
    messages = sorted(
        (
            *map(_message, (*private_letters(_LETTER_COUNT), *own_letters("private"))),
            *_notices(),
            *_mails_with_attachments(),
        ),
        key=lambda each: each["sent_datetime"],
    )
    visibility = {"messageListVisibility": "show", "labelListVisibility": "labelShow"}
    own_labels = (
        {"id": label_id, "name": name, "type": "user", **visibility}
        for label_id, name in (*_OWN_LABELS.values(), ("Label_4", "Old flat"))
    )
    filters = (
        {"id": "ANe1Bm" + CAST.ids(f"gmail/filters/{number}").hex(24), "criteria": criteria, "action": action}
        for number, (criteria, action) in enumerate(_FILTER_RULES)
    )
    return {
        "profile": {"name": CAST.me.name, "email": CAST.me.private_email, "time_zone": "Asia/Shanghai"},
        "labels": {label["id"]: label for label in (*system_labels(), *own_labels)},
        "messages": {message["email_id"]: message for message in messages},
        "filters": {each["id"]: each for each in filters},
    }


def system_labels() -> Iterator[dict[str, Any]]:
    """Yield the labels that every mailbox has."""
    for name in (*_SYSTEM_LABELS.split(), *(f"CATEGORY_{name}" for name in _CATEGORIES.split())):
        yield {"id": name, "name": name, "type": "system"}


def _message(letter: Letter) -> dict[str, Any]:
    ids = CAST.ids(f"gmail/{letter.moment.isoformat()}")
    is_from_user = letter.sender is CAST.me
    other = letter.recipients[0] if is_from_user else letter.sender
    is_recent = letter.moment > NOW - timedelta(days=2)
    state_labels = [] if is_from_user or not (is_recent or ids.number(0, 11) == 0) else ["UNREAD"]
    labels = ["SENT"] if is_from_user else ["INBOX", "CATEGORY_PERSONAL", *state_labels]
    return _base_message(ids, letter) | {
        "status": "outbox" if is_from_user else "inbox",
        "from": _address(letter.sender),
        "to": [_address(each) for each in letter.recipients],
        "labels": [*labels, _OWN_LABELS[other.circle][0]],
    }


def _base_message(ids: Ids, letter: Letter) -> dict[str, Any]:
    email_id = ids.hex(16)
    return {
        "email_id": email_id,
        "subject": letter.subject,
        "body": letter.body,
        "cc": [],
        "bcc": [],
        "attachments": [],
        "sent_datetime": letter.moment.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
        "thread_id": email_id,
    }


def _notices() -> Iterator[dict[str, Any]]:
    """Yield automatic notifications, a few per week."""
    for number in range(40):
        ids = CAST.ids(f"gmail/notices/{number}")
        sender, category, subject, body = _NOTICES[number % len(_NOTICES)]
        moment = NOW - timedelta(days=2 * number, hours=ids.number(1, 40), minutes=ids.number(0, 59), seconds=number)
        values = {"number": ids.number(3, 90), "price": f"{ids.number(20, 900)}.{ids.number(10, 99)}"}
        letter = Letter(CAST.me, (CAST.me,), moment, subject.format(**values), body.format(**values))
        labels = ["SPAM"] if category == "SPAM" else ["INBOX", f"CATEGORY_{category}"]
        yield _base_message(ids, letter) | {
            "status": "inbox",
            "from": sender,
            "to": [_address(CAST.me)],
            "labels": labels if ids.number(0, 2) else [*labels, "UNREAD"],
        }


def _mails_with_attachments() -> Iterator[dict[str, Any]]:
    """Yield the mails with an attachment."""
    for number, (sender, days, subject, body, filename, content) in enumerate(_WITH_FILES):
        ids = CAST.ids(f"gmail/files/{number}")
        letter = Letter(CAST.me, (CAST.me,), NOW - timedelta(days=days, minutes=7 + number), subject, body)
        attachment = {
            "attachment_id": "ANGjdJ" + ids.hex(26),
            "filename": filename,
            "mime_type": "text/plain",
            "size": len(content.encode()),
            "content": content,
            "encoding": "utf-8",
        }
        yield _base_message(ids, letter) | {
            "status": "inbox",
            "from": sender,
            "to": [_address(CAST.me)],
            "attachments": [attachment],
            "labels": ["INBOX", "CATEGORY_UPDATES"],
        }


def _address(person: Person) -> str:
    return f"{person.name} <{person.private_email}>"


_WITH_FILES = (
    (
        "Lotus Yard <stay@lotusyard.example>",
        4,
        "Your booking LY-2093",
        "We look forward to seeing you from 10 to 12 April. The confirmation is attached.",
        "lotus-yard-confirmation.txt",
        "Booking LY-2093\nTwo nights, two beds in a room of four\n10 April 2026 to 12 April 2026\n280 yuan, paid\n",
    ),
    (
        "Hengshan Letting <office@hengshan-letting.example>",
        6,
        "Lease for flat 402",
        "Attached is the new lease. It runs from 1 May. Please send it back signed by 20 March.",
        "lease-402.txt",
        "Lease, flat 402\nFrom 1 May 2026 to 30 April 2027\nRent: 9,400 yuan a month\nDeposit: two months\n",
    ),
    (
        "City Dental <desk@citydental.example>",
        2,
        "Appointment moved",
        "Dr Pan is away on the 5th. Your new time is Tuesday 10 March, 17:30. The plan is attached.",
        "treatment-plan.txt",
        "Treatment plan\n1. Check-up\n2. Filling, upper left\nCosts: 860 yuan\n",
    ),
)
_FILTER_RULES: tuple[tuple[dict[str, Any], dict[str, Any]], ...] = (
    ({"from": "list@harbourchoir.example"}, {"removeLabelIds": ["INBOX"], "addLabelIds": ["CATEGORY_FORUMS"]}),
    ({"from": "orders@bluekettle.example", "subject": "Order"}, {"addLabelIds": ["STARRED"]}),
    ({"from": "hello@wallnine.example"}, {"removeLabelIds": ["INBOX"]}),
)
_NOTICES = (
    (
        "Metro Card <service@metro-card.example>",
        "UPDATES",
        "Your travel statement",
        "You made {number} journeys this month. {price} yuan were charged.",
    ),
    (
        "Wall Nine Climbing <hello@wallnine.example>",
        "PROMOTIONS",
        "{number} % off ten visits",
        "Until the end of the month. Show this mail at the counter.",
    ),
    (
        "Instagram <no-reply@instagram.example>",
        "SOCIAL",
        "{number} people liked your photo",
        "See who they are in the app.",
    ),
    (
        "City Library <loans@library.example>",
        "UPDATES",
        "A loan is due in {number} days",
        "Extend it in your account, or return it to any branch.",
    ),
    (
        "Harbour Choir List <list@harbourchoir.example>",
        "FORUMS",
        "[choir] Scores for rehearsal {number}",
        "Please print pages 1 to {number}. Pencils are at the door.",
    ),
    (
        "Prize Office <winner@prize-office.example>",
        "SPAM",
        "You have won {price} dollars!!!",
        "Answer within {number} hours with the number of your card.",
    ),
    (
        "Blue Kettle Tea <orders@bluekettle.example>",
        "UPDATES",
        "Order {number} has been sent",
        "You paid {price} yuan. The parcel arrives within three days.",
    ),
)
