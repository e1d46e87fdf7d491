import re

from hypothesis import given
from hypothesis import strategies as st

from pytest_mcpbench.models.tool_names import ToolNames


def test_plain_names_are_sent_as_they_are() -> None:
    names = ToolNames(["read_mail", "send-mail"])
    assert [names.to_provider("read_mail"), names.from_provider("send-mail")] == ["read_mail", "send-mail"]


def test_a_name_that_would_be_taken_twice_gets_a_number_and_the_plain_one_keeps_its_own() -> None:
    names = ToolNames(["mail.read", "mail/read", "mail_read"])
    to_provider = [names.to_provider(name) for name in ("mail.read", "mail/read", "mail_read")]
    assert to_provider == ["mail_read_2", "mail_read_3", "mail_read"]
    assert [names.from_provider(name) for name in to_provider] == ["mail.read", "mail/read", "mail_read"]


def test_a_name_that_nobody_has_is_what_it_says() -> None:
    names = ToolNames(["a"])
    assert (names.from_provider("no such"), names.to_provider("no such"), names.to_provider("")) == (
        "no such",
        "no_such",
        "unknown",
    )


@given(st.lists(st.text(max_size=80), unique=True))
def test_every_name_comes_back(given_names: list[str]) -> None:
    names = ToolNames(given_names)
    to_provider = [names.to_provider(name) for name in given_names]
    assert [names.from_provider(name) for name in to_provider] == given_names
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) for name in to_provider)
