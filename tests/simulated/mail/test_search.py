from hypothesis import given
from hypothesis import strategies as st

from tests.simulated.mail.worlds import a_mailbox, a_message, an_attachment

MESSAGES = (
    a_message("plain", subject="Lunch on Friday", body="Shall we go to the Blue Door? Price: 12.50"),
    a_message(
        "bill",
        **{"from": "Billing <bill@cloud.example>"},
        subject="Invoice CB-10871",
        body="Amount due: 89.00 euros",
        labels=["INBOX", "UNREAD", "Label_1"],
        attachments=[an_attachment("invoice-CB-10871.csv", "x" * 3000)],
        sent_datetime="2026-02-20T10:00:00.000Z",
    ),
    a_message(
        "photo",
        **{"from": "Bo Harmon <bo@harmon.example>"},
        cc=["Cy <cy@x.example>"],
        subject="Photo from the harbour",
        labels=["INBOX", "STARRED", "IMPORTANT"],
        attachments=[an_attachment("harbour.jpg")],
        sent_datetime="2026-02-28T23:30:00.000Z",
    ),
    a_message(
        "sent",
        **{"from": "Me <me@mail.example>"},
        to=["Bo Harmon <bo@harmon.example>"],
        bcc=["dee@x.example"],
        subject="Re: Photo from the harbour",
        labels=["SENT"],
        sent_datetime="2026-03-01T08:00:00.000Z",
    ),
    a_message(
        "archived", subject="Old café menu", labels=["CATEGORY_UPDATES"], sent_datetime="2025-01-05T10:00:00.000Z"
    ),
    a_message("spam", subject="Invoice!!! win", labels=["SPAM"]),
    a_message("bin", subject="Lunch cancelled", labels=["TRASH"]),
    a_message("draft", **{"from": "Me <me@mail.example>"}, to=[], subject="Notes", labels=["DRAFT"]),
)


def found(query: str, zone: str = "UTC") -> set[str]:
    return {message["email_id"] for message in a_mailbox(*MESSAGES, zone=zone).search(query)}


FOUND_BY_QUERY = {
    "": {"plain", "bill", "photo", "sent", "archived", "draft"},
    "lunch": {"plain"},
    "LUNCH friday": {"plain"},
    "lunch AND friday": {"plain"},
    "lunches": set(),
    "blue door": {"plain"},
    '"blue door"': {"plain"},
    '"door blue"': set(),
    "cafe\u0301": {"archived"},
    "12.50": {"plain"},
    "lunch OR invoice": {"plain", "bill"},
    "friday lunch OR invoice": {"plain"},
    "{lunch photo}": {"plain", "photo", "sent"},
    "photo -re": {"photo"},
    "-photo -lunch -invoice -notes": {"archived"},
    "-(photo OR lunch OR invoice OR notes)": {"archived"},
    '-"blue door" in:inbox': {"bill", "photo"},
    "from:harmon": {"photo"},
    "from:bo@harmon.example": {"photo"},
    "from:harmon.example": {"photo"},
    'from:"Bo Harmon"': {"photo"},
    "from:(ann OR billing)": {"plain", "bill", "archived"},
    "from:ann OR from:billing": {"plain", "bill", "archived"},
    "from:{harmon billing} is:unread": {"bill"},
    "from:me": {"sent", "draft"},
    "to:me": {"plain", "bill", "photo", "archived"},
    "to:harmon": {"sent"},
    "to:dee": {"sent"},
    "cc:cy": {"photo"},
    "bcc:dee@x.example": {"sent"},
    "subject:invoice": {"bill"},
    "subject:(photo harbour)": {"photo", "sent"},
    'subject:"the harbour"': {"photo", "sent"},
    "-subject:photo from:harmon": set(),
    "label:big-clients": {"bill"},
    'label:"Big Clients"': {"bill"},
    "label:Label_1": {"bill"},
    "label:none": set(),
    "in:inbox": {"plain", "bill", "photo"},
    "in:sent": {"sent"},
    "in:drafts": {"draft"},
    "in:trash": {"bin"},
    "in:spam invoice": {"spam"},
    "in:anywhere invoice": {"bill", "spam"},
    "in:archive": {"archived"},
    "is:unread": {"bill"},
    "is:read in:inbox": {"plain", "photo"},
    "is:starred": {"photo"},
    "is:important": {"photo"},
    "is:blue": set(),
    "has:attachment": {"bill", "photo"},
    "-has:attachment in:inbox": {"plain"},
    "has:userlabels": {"bill"},
    "filename:csv": {"bill"},
    "filename:harbour.jpg": {"photo"},
    "category:updates": {"archived"},
    "after:2026/02/20": {"bill", "photo", "sent"},
    "after:2026-02-21 before:2026-03-01": {"photo"},
    "before:02/01/2025": {"archived"},
    "older:2025/02/01": {"archived"},
    "newer:1772323200": {"sent"},
    "newer_than:2d": {"photo", "sent"},
    "newer_than:26h": {"sent"},
    "older_than:1y": {"archived"},
    "older_than:1m in:inbox": {"plain"},
    "after:someday": set(),
    "larger:2k": {"bill"},
    "size:1M": set(),
    "smaller:10": {"draft"},
    "colour:blue": set(),
    "from:": {"photo", "sent"},
    "(": {"plain", "bill", "photo", "sent", "archived", "draft"},
    ") lunch": {"plain"},
    '"lunch': {"plain"},
    "OR": set(),
}


def test_a_query_finds() -> None:
    assert {query: found(query) for query in FOUND_BY_QUERY} == FOUND_BY_QUERY


def test_a_day_begins_at_midnight_of_the_mailboxes_zone() -> None:
    assert "photo" not in found("after:2026/03/01")
    assert "photo" in found("after:2026/03/01", zone="Europe/Berlin")


def test_the_newest_message_comes_first() -> None:
    search = a_mailbox(*MESSAGES).search
    assert [message["email_id"] for message in search("photo OR invoice")] == ["sent", "photo", "bill"]
    assert [message["email_id"] for message in search("photo OR invoice", 1)] == ["sent"]


@given(st.text(alphabet='ab:()" -{}OR'))
def test_no_query_is_too_strange(query: str) -> None:
    assert isinstance(a_mailbox(MESSAGES[0]).search(query), list)
