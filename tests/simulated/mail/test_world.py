from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.simulated.engine import ToolFailure
from pytest_mcpbench.simulated.mail.search import sent_at
from pytest_mcpbench.simulated.mail.world import Mailbox, seed
from tests.simulated.mail.worlds import NOW, a_mailbox, a_message, a_world, an_attachment


def email(**fields: Any) -> dict[str, Any]:
    return {"to": ["bo@x.example"], "subject": "Hi", "body": "Hello"} | fields


def test_the_seed_is_a_hundred_messages_that_can_be_told_apart() -> None:
    messages = list(seed()["messages"].values())
    assert len(messages) == 100
    assert len({message["sent_datetime"] for message in messages}) == 100
    assert len({message["body"] for message in messages}) == 100
    assert all(sent_at(message) < NOW for message in messages)


def test_every_label_and_thread_of_the_seed_exists() -> None:
    world = seed()
    messages = world["messages"]
    assert {label for message in messages.values() for label in message["labels"]} <= set(world["labels"])
    assert {message["thread_id"] for message in messages.values()} <= set(messages)


def test_an_empty_mailbox_has_its_labels() -> None:
    mailbox = Mailbox(a_world("empty"))
    assert mailbox.search("in:anywhere") == []
    assert len(mailbox.labels()) == 21


def test_a_message_that_is_sent_is_kept_with_the_frozen_time_and_a_seeded_id() -> None:
    one, two = a_mailbox(), a_mailbox()
    message = one.send(email(cc=["cy@x.example"]))
    assert message == two.send(email(cc=["cy@x.example"])) == one.message(message["email_id"])
    assert message == {
        "email_id": message["email_id"],
        "status": "outbox",
        "from": "Me <me@mail.example>",
        "to": ["bo@x.example"],
        "cc": ["cy@x.example"],
        "bcc": [],
        "subject": "Hi",
        "body": "Hello",
        "attachments": [],
        "sent_datetime": "2026-03-02T09:00:00.000Z",
        "labels": ["SENT"],
        "thread_id": message["email_id"],
    }


def test_an_answer_stays_in_its_thread() -> None:
    mailbox = a_mailbox(a_message("m1", thread_id="t1"))
    answer = mailbox.send(email(threadId="t1", inReplyTo="m1"))
    assert (answer["thread_id"], answer["in_reply_to"]) == ("t1", "m1")
    with pytest.raises(ToolFailure, match="not found"):
        mailbox.send(email(threadId="t2"))


def test_what_answers_a_message_joins_its_thread_and_what_answers_none_is_refused() -> None:
    mailbox = a_mailbox(a_message("m1", thread_id="t1"))
    assert mailbox.send(email(inReplyTo="m1"))["thread_id"] == "t1"
    with pytest.raises(ToolFailure, match="not found"):
        mailbox.send(email(threadId="t1", inReplyTo="zzz"))


def test_the_type_says_which_versions_of_the_text_are_sent() -> None:
    def texts(**fields: Any) -> tuple[str, str | None]:
        message = a_mailbox().send(email(**fields))
        return message["body"], message.get("html_body")

    assert texts(htmlBody="<b>") == ("Hello", None)
    assert texts(htmlBody="<b>", mimeType="multipart/alternative") == ("Hello", "<b>")
    assert texts(mimeType="text/html") == ("", "Hello")


def test_mail_to_oneself_arrives_where_filters_see_it() -> None:
    mailbox = a_mailbox()
    mailbox.create_filter(
        {"subject": "news", "negatedQuery": "old"}, {"addLabelIds": ["Label_1"], "removeLabelIds": ["INBOX"]}
    )
    labels = [
        mailbox.send(email(to=["me@mail.example"], subject=subject))["labels"] for subject in ("News", "Old news")
    ]
    assert labels == [["SENT", "UNREAD", "Label_1"], ["SENT", "INBOX", "UNREAD"]]


def test_a_new_filter_leaves_the_messages_alone_that_are_there() -> None:
    mailbox = a_mailbox(a_message("m1"))
    mailbox.create_filter({"from": "ann"}, {"addLabelIds": ["STARRED"]})
    assert mailbox.message("m1")["labels"] == ["INBOX"]


@pytest.mark.parametrize(
    ("criteria", "action", "message"),
    [
        ({}, {"addLabelIds": ["STARRED"]}, "Filter doesn't have any criteria"),
        ({"from": "a"}, {}, "Filter doesn't have any actions"),
        ({"from": "a"}, {"addLabelIds": ["Label_9"]}, "Invalid label: Label_9"),
        ({"from": "x"}, {"addLabelIds": ["STARRED"]}, "Filter already exists"),
    ],
)
def test_a_filter_is_refused(criteria: dict[str, Any], action: dict[str, Any], message: str) -> None:
    mailbox = a_mailbox()
    mailbox.create_filter({"from": "x"}, {"addLabelIds": ["STARRED"]})
    with pytest.raises(ToolFailure, match=message):
        mailbox.create_filter(criteria, action)
    assert len(mailbox.filters()) == 1


def test_labels_are_put_on_once_and_taken_off() -> None:
    mailbox = a_mailbox(a_message("m1", labels=["INBOX", "UNREAD"]))
    mailbox.relabel("m1", add=["STARRED", "INBOX"], remove=["UNREAD"])
    assert mailbox.message("m1")["labels"] == ["INBOX", "STARRED"]


@pytest.mark.parametrize(
    ("add", "message"),
    [
        ([], "No label add or removes specified"),
        (["Label_9"], "Invalid label: Label_9"),
        (["a]b"], "Invalid label: a"),
        (["SENT"], "Invalid label: SENT"),
    ],
)
def test_a_change_of_labels_is_refused(add: list[str], message: str) -> None:
    mailbox = a_mailbox(a_message("m1"))
    with pytest.raises(ToolFailure, match=message):
        mailbox.relabel("m1", add=add)
    assert mailbox.message("m1")["labels"] == ["INBOX"]


def test_a_deleted_label_comes_off_every_message() -> None:
    mailbox = a_mailbox(a_message("m1", labels=["INBOX", "Label_1"]), a_message("m2"))
    mailbox.delete_label("Label_1")
    assert mailbox.message("m1")["labels"] == ["INBOX"]
    assert len(mailbox.tree.journal) == 2


def test_a_label_gets_the_next_number_and_a_name_of_its_own() -> None:
    mailbox = a_mailbox()
    made = mailbox.create_label("Next", {"labelListVisibility": "labelHide"})
    assert made == {
        "id": "Label_2",
        "name": "Next",
        "type": "user",
        "messageListVisibility": "show",
        "labelListVisibility": "labelHide",
    }
    for name in ("big clients", "inbox"):
        with pytest.raises(ToolFailure, match="exists or conflicts"):
            mailbox.create_label(name, {})
    assert mailbox.update_label("Label_1", {"name": "BIG CLIENTS"})["name"] == "BIG CLIENTS"


@pytest.mark.parametrize(
    ("directory", "filename", "written"), [(None, None, "a.txt"), ("out/deep", None, "out/deep/a.txt"), ("", "b", "b")]
)
def test_an_attachment_is_saved_in_the_attempts_directory(
    tmp_path: Path, directory: str | None, filename: str | None, written: str
) -> None:
    mailbox = a_mailbox(a_message("m1", attachments=[an_attachment("a.txt", "täxt")]), path=tmp_path)
    saved = mailbox.save_attachment("m1", "id-a.txt", filename, directory)
    assert (saved.path, saved.size) == (written, 5)
    assert (tmp_path / written).read_text() == "täxt"


@pytest.mark.parametrize(("directory", "filename"), [("..", None), ("/etc", "x"), (None, "../x"), ("link", "x")])
def test_no_file_is_written_outside_the_attempts_directory(
    tmp_path: Path, directory: str | None, filename: str | None
) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "link").symlink_to(tmp_path)
    mailbox = a_mailbox(a_message("m1", attachments=[an_attachment("a.txt")]), path=inside)
    with pytest.raises(ToolFailure, match="permission denied"):
        mailbox.save_attachment("m1", "id-a.txt", filename, directory)
    assert [path.name for path in tmp_path.iterdir()] == ["inside"]


def test_a_file_of_the_attempt_can_be_attached_and_no_other(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("hello")
    mailbox = a_mailbox(path=tmp_path)
    (attached,) = mailbox.send(email(attachments=["note.txt"]))["attachments"]
    assert (attached["filename"], attached["size"], attached["mime_type"]) == ("note.txt", 5, "text/plain")
    for path in ("none.txt", "/etc/passwd", "../x"):
        with pytest.raises(ToolFailure, match=f"File does not exist: {path}"):
            mailbox.send(email(attachments=[path]))


def test_a_file_that_cannot_be_written_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / "a.txt").mkdir()
    mailbox = a_mailbox(a_message("m1", attachments=[an_attachment("a.txt")]), path=tmp_path)
    with pytest.raises(ToolFailure, match=r"EISDIR: cannot write, open 'a\.txt'"):
        mailbox.save_attachment("m1", "id-a.txt", None, None)


def test_a_negative_number_of_results_is_refused() -> None:
    with pytest.raises(ToolFailure, match="Invalid value at 'max_results'"):
        a_mailbox().search("", -1)
