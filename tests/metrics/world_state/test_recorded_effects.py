"""A recorded text is compared exactly only where somebody dictated it."""

import pytest

from pytest_mcpbench.core.world import Change, WorldRecord
from pytest_mcpbench.metrics.world_state.recorded_effects import effects_of
from tests.builders import a_call, a_task, evidence_of

RESULT = "title: Fire drill\nThe freeze begins on Friday.\nRoom | locked away"


@pytest.mark.parametrize(
    ("request_text", "field", "text", "is_free"),
    [
        ('Write "We close early."', "text", "We close early.", False),
        ("Write “We close early”.", "text", "We close early.", False),
        ("Run `echo done now`", "text", "echo done now", False),
        ("Tell them that we close early.", "text", "We close early.", True),
        ("Copy the sentence.", "text", "The freeze begins on Friday.", False),
        ("When does it begin?", "text", "The freeze begins", True),
        ("Remind me.", "text", "Fire drill", True),
        ("Set the state.", "state", "locked away", False),
        ("Meet me at Café Nord.", "location", "Café Nord", False),
        ("Say when it closes.", "text", "厨房3月6日关闭。", True),
        ("Post 杭州 as the topic.", "text", "杭州", False),
        ("Report the fans.", "text", "Fans: Ann 6", True),
    ],
)
def test_words_that_nobody_dictated_are_free(request_text: str, field: str, text: str, is_free: bool) -> None:
    task = a_task(ask=request_text)
    change = Change(kind="created", collection="messages", id="m-1", after={field: text})
    calls = (a_call("read", result=RESULT), a_call("send", {"value": text}))
    attempt = evidence_of(calls, worlds=(WorldRecord(name="mail", changes=(change,)),))

    assert [each.judged for each in effects_of(task, attempt, attempt)] == [(field,) if is_free else ()]
    (opened,) = effects_of(task, attempt, attempt, left_open=(f"mail:{field}",))
    assert (opened.judged, opened.any) == ((), (field,) if is_free or field == "location" else ())


def test_of_fields_that_are_left_open_any_text_will_do_that_the_server_assigns_but_none_that_a_call_gives() -> None:
    change = Change(kind="created", collection="invoices", id="i-1", after={"number": "0009", "currency": "EUR"})
    attempt = evidence_of(
        (a_call("draft", {"currency": "EUR"}),), worlds=(WorldRecord(name="account", changes=(change,)),)
    )
    task = a_task(ask='Draft an invoice in "EUR".')

    assert effects_of(task, attempt, attempt)[0].any == ()
    (opened,) = effects_of(task, attempt, attempt, left_open=("account:number", "account:currency"))
    assert opened.any == ("number",)


def test_a_field_that_is_left_open_may_be_filled_where_the_reference_leaves_it_empty() -> None:
    change = Change(kind="created", collection="events", id="e-1", after={"title": "Call", "notes": None, "alarms": []})
    attempt = evidence_of(
        (a_call("create", {"title": "Call"}),), worlds=(WorldRecord(name="calendar", changes=(change,)),)
    )
    task = a_task(ask='Put "Call" in.')

    assert effects_of(task, attempt, attempt)[0].any == ()
    (opened,) = effects_of(task, attempt, attempt, left_open=("calendar:notes", "calendar:alarms", "calendar:title"))
    assert opened.any == ("notes", "alarms")


def test_what_an_update_leaves_as_it_was_is_no_free_text() -> None:
    observations = ["Keeps the books", "Is away in May"]
    change = Change(
        kind="updated",
        collection="people",
        id="ann",
        before={"observations": observations[:1]},
        after={"observations": observations},
    )
    call = a_call("add", {"text": "Is away in May", "query": "keeps the books"})
    attempt = evidence_of((call,), worlds=(WorldRecord(name="graph", changes=(change,)),))

    assert effects_of(a_task(), attempt, attempt)[0].judged == ("observations.1",)
