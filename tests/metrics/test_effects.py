"""An attempt passes ``effects`` only if it changes exactly what the reference changes."""

from typing import Any

import anyio
import pytest

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.judgement import Verdict
from pytest_mcpbench.core.task import Expected, Task
from pytest_mcpbench.core.world import GENERATED, Change, Effect, WorldRecord
from pytest_mcpbench.judges.keyfacts.judge import KeyFactsJudge
from pytest_mcpbench.metrics.effects import Effects
from pytest_mcpbench.metrics.world_state.effects import match_effects
from tests.builders import a_task, evidence_of

MAIL = {"id": "m-7", "to": ["ann@example.org"], "cc": [], "subject": "Hello", "body": "We meet at noon."}
SENT = Effect(
    world="mail",
    kind="created",
    collection="messages",
    id=GENERATED,
    fields={**MAIL, "id": GENERATED},
    judged=("body",),
    any=("subject",),
)
STARRED = Effect(world="mail", kind="updated", collection="messages", id="m-1", fields={"labels": ["STARRED"]})
GONE = Effect(world="mail", kind="deleted", collection="labels", id="l-1")


def task(*effects: Effect) -> Task:
    return a_task(expected=Expected(effects=effects))


def evidence(*changes: Change, **fields: Any) -> AttemptEvidence:
    return evidence_of(answer="Done.", worlds=(WorldRecord(name="mail", changes=changes),), **fields)


def sent(**fields: Any) -> Change:
    return Change(kind="created", collection="messages", id="m-9", after={**MAIL, "id": "m-9", **fields})


def updated(collection: str = "messages", entity: str = "m-1", **after: Any) -> Change:
    return Change(kind="updated", collection=collection, id=entity, before={"labels": [], "body": "x"}, after=after)


DELETED = Change(kind="deleted", collection="labels", id="l-1", before={"name": "Old"})
RIGHT_UPDATE = updated(labels=["STARRED"], body="x")


@pytest.mark.parametrize(
    ("effects", "changes"),
    [
        ((SENT,), (sent(),)),
        ((STARRED,), (RIGHT_UPDATE,)),
        ((GONE,), (DELETED,)),
        ((SENT, STARRED, GONE), (DELETED, RIGHT_UPDATE, sent())),
        ((), ()),
        ((STARRED,), (RIGHT_UPDATE, updated(entity="m-2", labels=[], body="x", updated_at="now"))),
    ],
    ids=["created", "updated", "deleted", "any order", "nothing", "bookkeeping"],
)
def test_the_changes_of_the_reference_pass(effects: tuple[Effect, ...], changes: tuple[Change, ...]) -> None:
    assert Effects()(task(*effects), evidence(*changes)).value == 1


def test_a_field_that_is_left_open_may_hold_anything_where_the_reference_leaves_it_empty() -> None:
    effect = SENT.model_copy(update={"any": ("subject", "cc")})
    assert Effects()(task(effect), evidence(sent(cc=["eve@example.org"]))).value == 1
    assert Effects()(task(effect), evidence(sent(cc=["eve@example.org"], subject=""))).value == 0


@pytest.mark.parametrize(
    ("effects", "changes", "reason"),
    [
        ((SENT,), (), "missing: mail: created messages[<generated>]"),
        ((SENT,), (sent(), sent()), "not asked for: mail: created messages[m-9]"),
        (
            (SENT,),
            (sent(to=["eve@example.org"]),),
            "missing: mail: created messages[<generated>] (to.0: expected 'ann@example.org', got 'eve@example.org')",
        ),
        (
            (SENT,),
            (sent(cc=["eve@example.org"]),),
            "missing: mail: created messages[<generated>] (cc: expected [], got ['eve@example.org'])",
        ),
        (
            (SENT,),
            (sent(subject=""),),
            "missing: mail: created messages[<generated>] (subject: expected 'Hello', got '')",
        ),
        (
            (STARRED,),
            (updated(labels=["STARRED"], body="other"),),
            "missing: mail: updated messages[m-1] (body: expected None, got 'other')",
        ),
        (
            (STARRED,),
            (updated(entity="m-2", labels=["STARRED"], body="x"),),
            "missing: mail: updated messages[m-1] (it is m-2)",
        ),
        ((GONE,), (DELETED, RIGHT_UPDATE), "not asked for: mail: updated messages[m-1]"),
        ((), (DELETED,), "not asked for: mail: deleted labels[l-1]"),
    ],
    ids=[
        "dropped",
        "doubled",
        "recipient",
        "copy",
        "empty",
        "further field",
        "other entity",
        "harmful",
        "read only",
    ],
)
def test_any_other_change_fails(effects: tuple[Effect, ...], changes: tuple[Change, ...], reason: str) -> None:
    score = Effects()(task(*effects), evidence(*changes))
    assert (score.value, score.reasons[0]) == (0, reason)


@pytest.mark.parametrize(
    ("subject", "value"),
    [("Meeting at noon", 1), ("We do not meet", None), ("FALSE: Hello", None), ("Withdrawn: Hello", None)],
)
def test_a_subject_that_nobody_dictated_passes_unless_its_words_could_contradict_the_mail(
    subject: str, value: float | None
) -> None:
    of_mail = evidence(sent(subject=subject))
    (question,) = Effects().questions(task(SENT), of_mail)
    assert (question.kind, question.context["mail"]) == ("title", "We meet at noon.")
    verdicts = {question.key: anyio.run(KeyFactsJudge().decide, question)}
    assert Effects()(task(SENT), of_mail.model_copy(update={"verdicts": verdicts})).value == value


@pytest.mark.parametrize(("label", "value"), [("fulfilled", 1), ("partially_fulfilled", 0), ("not_fulfilled", 0)])
def test_a_judge_decides_about_other_words(label: str, value: float) -> None:
    reworded = evidence(sent(body="Let us meet at twelve."))
    (question,) = Effects().questions(task(SENT), reworded)
    assert (question.statement, question.evidence) == ("We meet at noon.", "Let us meet at twelve.")
    verdict = Verdict(
        label=label, score={"fulfilled": 1.0, "partially_fulfilled": 0.5}.get(label, 0.0), judge="j", prompt_version="1"
    )
    decided = reworded.model_copy(update={"verdicts": {question.key: verdict}})
    assert Effects()(task(SENT), decided).value == value


def test_other_words_without_a_judge_are_unscored() -> None:
    score = Effects()(task(SENT), evidence(sent(body="Let us meet at twelve.")))
    assert (score.value, score.unscored) == (None, "no judge is configured")


def test_changes_in_another_order_than_the_reference_s_need_no_judge() -> None:
    other = SENT.model_copy(update={"fields": {**SENT.fields, "body": "We meet at one."}})
    made = evidence(sent(body="We meet at one."), sent())
    assert Effects()(task(SENT, other), made).value == 1
    reworded = evidence(sent(body="We meet at one."), sent(body="Let us meet at twelve."))
    (question,) = Effects().questions(task(SENT, other), reworded)
    assert (question.statement, question.evidence) == ("We meet at noon.", "Let us meet at twelve.")


def test_an_effect_that_needs_the_change_of_another_one_leaves_the_third_with_its_equal_change() -> None:
    at_one = SENT.model_copy(update={"fields": {**SENT.fields, "body": "We meet at one."}})
    with_subject = SENT.model_copy(update={"fields": {**SENT.fields, "body": "Bring the plan."}, "any": ()})
    changes = (sent(body="We meet at one."), sent(), sent(body="Please bring the plan.", subject="The plan"))
    worlds = (WorldRecord(name="mail", changes=changes),)
    matching = match_effects((SENT, at_one, with_subject), worlds, bookkeeping=())
    assert (matching.missing, matching.extra) == ((), ())
    assert [(wording.expected, wording.actual) for wording in matching.wordings] == [
        ("Hello", "The plan"),
        ("We meet at one.", "Please bring the plan."),
        ("Bring the plan.", "We meet at one."),
    ]


def test_wrong_changes_ask_no_judge() -> None:
    assert Effects().questions(task(SENT), evidence(sent(body="Other words."), DELETED)) == ()


def test_a_task_without_recorded_effects_is_not_applicable() -> None:
    assert not Effects()(a_task(), evidence(DELETED)).applies


def test_an_unobserved_world_is_unscored() -> None:
    assert Effects()(task(GONE), evidence_of(answer="Done.")).unscored == "no world was observed"


def test_generated_ids_may_stand_inside_paths_and_texts() -> None:
    effect = Effect(
        world="mail",
        kind="created",
        collection=f"chats[{GENERATED}].messages",
        id=GENERATED,
        fields={"link": f"https://chat.example/{GENERATED}/1", "members": {GENERATED: {"name": "Ann"}}},
    )
    fields = {"link": "https://chat.example/c-4/1", "members": {"u-8": {"name": "Ann"}}}
    change = Change(kind="created", collection="chats[c-4].messages", id="x-1", after=fields)
    assert Effects()(task(effect), evidence(change)).value == 1
    stranger = change.model_copy(update={"after": {**fields, "members": {"u-8": {"name": "Eve"}}}})
    assert Effects()(task(effect), evidence(stranger)).value == 0


NOTE = "# Risks\n\n- The budget is small.\n- Nobody knows.\n"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("# Risks\n\n- The budget is small.\n- The button fails.\n", ""),
        ("# Risks\n- A button does not work.\n\n- The budget is small.\n", ""),
        ("# Risks\n\n- The budget is small.\n- The button fails.\n- By the way, hello!\n", "2 lines were added"),
        ("# Risks\n\n- The button fails.\n", "'- The budget is small.' is gone"),
        (f"{NOTE}- The button fails.\n", "'- Nobody knows.' is still there"),
        ("# Risks\n\n- The budget is small. Hello!\n- The button fails.\n", "'- The budget is small.' is gone"),
    ],
)
def test_an_edited_text_changes_in_the_lines_of_the_reference_only(content: str, problem: str) -> None:
    effect = Effect(
        world="notes",
        kind="updated",
        collection="notes",
        id="a",
        fields={"content": "# Risks\n\n- The budget is small.\n- The button does nothing.\n"},
        judged=("content",),
    )
    change = Change(kind="updated", collection="notes", id="a", before={"content": NOTE}, after={"content": content})
    matching = match_effects([effect], [WorldRecord(name="notes", changes=(change,))], ())
    assert [problem in each for each in matching.near] == ([True] if problem else [])


@pytest.mark.parametrize(
    ("body", "wordings", "is_missing"),
    [
        ('{"text": "At noon."}', [("mail: body.text", "We meet at noon.", "At noon.")], False),
        ('{"text": ""}', [], True),
        ('{"text": "At noon.", "urgent": true}', [], True),
        ("At noon.", [("mail: body", '{"text": "We meet at noon."}', "At noon.")], False),
    ],
)
def test_the_judge_compares_the_text_in_a_message_that_is_json(
    body: str, wordings: list[tuple[str, str, str]], is_missing: bool
) -> None:
    effect = SENT.model_copy(update={"fields": {**SENT.fields, "body": '{"text": "We meet at noon."}'}})
    matching = match_effects([effect], [WorldRecord(name="mail", changes=(sent(body=body),))], ())
    assert bool(matching.missing) == is_missing
    if not is_missing:
        assert [(each.path, each.expected, each.actual) for each in matching.wordings] == wordings


BEFORE = "# Monday\n\n- none\n\n## Mood\n"
NOTED = Effect(
    world="mail",
    kind="updated",
    collection="notes",
    id="Daily.md",
    fields={"content": "# Monday\n\n- none\n- Called.\n\n## Mood\n"},
)


def noted(content: str, entity: str = "Daily.md") -> Change:
    return Change(kind="updated", collection="notes", id=entity, before={"content": BEFORE}, after={"content": content})


@pytest.mark.parametrize(
    ("content", "value"),
    [
        ("# Monday\n\n- none\n* Called.\n\n## Mood\n", 1),
        ("# Monday\n\n- none\n\nCalled.\n\n\n## Mood", 1),
        ("# Monday\n\n- none\n- called.\n\n## Mood\n", 0),
        ("# Monday\n\n- none\n- Called\n\n## Mood\n", 0),
        ("# Monday\n\n- none\n- Called.\n- Called.\n\n## Mood\n", 0),
        ("# Monday\n\n* none\n- Called.\n\n## Mood\n", 0),
        ("# Monday\n\n- none\n\n## Mood\n- Called.\n", 0),
        ("# Monday\n\n- noneCalled.\n\n## Mood\n", 0),
        ("# Monday\n\n- none\n- [ ] Called.\n\n## Mood\n", 0),
    ],
    ids=[
        "bullet",
        "no bullet",
        "no capital",
        "a character",
        "twice",
        "another line",
        "another place",
        "one line",
        "a box to tick",
    ],
)
def test_the_bullet_of_a_new_line_and_blank_lines_do_not_count_in_a_note(content: str, value: float) -> None:
    assert Effects()(task(NOTED), evidence(noted(content))).value == value


def test_bullets_count_in_other_files_and_where_they_are_what_changes() -> None:
    in_yaml = NOTED.model_copy(update={"id": "days.yaml"})
    written = "# Monday\n\n- none\nCalled.\n\n## Mood\n"
    starred = NOTED.model_copy(update={"fields": {"content": "# Monday\n\n* none\n\n## Mood\n"}})

    assert Effects()(task(in_yaml), evidence(noted(written, "days.yaml"))).value == 0
    assert Effects()(task(starred), evidence(noted("# Monday\n- none\n\n## Mood\n"))).value == 0


@pytest.mark.parametrize(
    ("fields", "value"),
    [
        ({"to": ["Ann@Example.org"]}, 1),
        ({"to": ["ann@example.com"]}, 0),
        ({"date": "2026-03-05T17:30:00+01:00"}, 1),
        ({"date": "2026-03-05T16:30:00+01:00"}, 0),
        ({"date": "2026-03-05T16:30:00"}, 0),
        ({"note": "8 buns\n"}, 1),
        ({"note": "8 buns "}, 0),
        ({"note": "8 Buns"}, 0),
        ({"cc": ["eve@example.org"]}, 0),
        ({"html": "Mars"}, 0),
    ],
    ids=str,
)
def test_equal_forms_of_addresses_moments_and_line_ends_pass(fields: dict[str, Any], value: float) -> None:
    moment = {"date": "2026-03-05T16:30:00Z", "note": "8 buns"}
    effect = SENT.model_copy(update={"fields": {**SENT.fields, **moment}})

    assert Effects()(task(effect), evidence(sent(**{**moment, **fields}))).value == value


@pytest.mark.parametrize(
    ("fields", "value"),
    [
        ({"start.timezone": None}, 1),
        ({"start.timezone": ""}, 1),
        ({"start.timezone": "UTC"}, 1),
        ({"start.timezone": "Mars/Base"}, 0),
        ({"start.timezone": "UTC", "start.timestamp": "1773163800"}, 0),
        ({"start.timestamp": None}, 0),
        ({"zone": "UTC"}, 0),
    ],
    ids=str,
)
def test_a_unix_time_is_the_same_moment_in_every_time_zone(fields: dict[str, Any], value: float) -> None:
    start = {"start.timestamp": "1773135000", "start.timezone": "Asia/Shanghai", "zone": "Asia/Shanghai"}
    effect = SENT.model_copy(update={"fields": {**SENT.fields, **start}})

    assert Effects()(task(effect), evidence(sent(**{**start, **fields}))).value == value


@pytest.mark.parametrize(
    ("body", "value"), [("we meet  at noon", 1), ("We_meet at noon.", 1), ("We meet at noon?", None)], ids=str
)
def test_case_spaces_and_a_full_stop_say_nothing_in_free_words(body: str, value: float | None) -> None:
    assert Effects()(task(SENT), evidence(sent(body=body))).value == value


@pytest.mark.parametrize(
    ("effect_fields", "fields", "value"),
    [
        ({}, {"reply_to_message_id": 4}, 1),
        ({"in_reply_to": "m-1", "thread_id": "t-1"}, {"thread_id": "t-1"}, 1),
        ({"in_reply_to": "m-1", "thread_id": "t-1"}, {"thread_id": "t-2"}, 0),
        ({"reply_to_message_id": 4}, {}, 0),
        ({"reply_to_message_id": 4}, {"reply_to_message_id": 5}, 0),
    ],
)
def test_a_reply_need_not_name_its_message_where_the_conversation_is_named(
    effect_fields: dict[str, Any], fields: dict[str, Any], value: float
) -> None:
    effect = SENT.model_copy(update={"fields": {**SENT.fields, **effect_fields}})
    assert Effects()(task(effect), evidence(sent(**fields))).value == value


def test_the_judge_reads_the_lines_that_an_edit_inserts_in_the_place_of_the_reference() -> None:
    effect = NOTED.model_copy(update={"judged": ("content",)})
    in_place, elsewhere = "# Monday\n\n- none\n- Rang.\n\n## Mood\n", "# Monday\n- Rang.\n\n- none\n\n## Mood\n"

    def texts(content: str) -> list[tuple[str, str]]:
        return [(each.statement, each.evidence) for each in Effects().questions(task(effect), evidence(noted(content)))]

    assert texts(in_place) == [("- Called.", "- Rang.")]
    assert texts(elsewhere) == [(effect.fields["content"], elsewhere)]


TICKED = NOTED.model_copy(update={"fields": {"content": "# Monday\n\n- none\n- [ ] Call Ann.\n\n## Mood\n"}})


@pytest.mark.parametrize(
    ("line", "value"),
    [("* [ ] Call Ann.", 1), ("- [x] Call Ann.", 0), ("* [X] Call Ann.", 0), ("- Call Ann.", 0), ("[ ] Call Ann.", 0)],
)
def test_the_bullet_in_front_of_a_box_to_tick_does_not_count_but_the_tick_does(line: str, value: float) -> None:
    assert Effects()(task(TICKED), evidence(noted(f"# Monday\n\n- none\n{line}\n\n## Mood\n"))).value == value


def test_the_bullet_of_a_line_that_is_only_ticked_stays() -> None:
    change = noted("* [x] Call Ann.\n").model_copy(update={"before": {"content": "- [ ] Call Ann.\n"}})
    ticked = NOTED.model_copy(update={"fields": {"content": "- [x] Call Ann.\n"}})
    assert Effects()(task(ticked), evidence(change)).value == 0


DIARY = "# Diary\n\n## Notes\n\n- Rain.\n\n## Mood\n\n- Good.\n"


@pytest.mark.parametrize("judged", [("content",), ()], ids=["free words", "dictated"])
@pytest.mark.parametrize(
    ("request_text", "reference", "attempt", "value"),
    [
        ("Note it.", ("- Rain.\n", "- Rain.\n- Rang Ann.\n"), ("- Rain.\n", "- Rang Ann.\n- Rain.\n"), None),
        ("Note it.", ("- Rain.\n", "- Rain.\n- Rang Ann.\n"), ("- Good.\n", "- Good.\n- Rang Ann.\n"), 0),
        ("Add to my mood.", ("- Good.\n", "- Good.\n- Rang Ann.\n"), ("- Rain.\n", "- Rain.\n- Rang Ann.\n"), 0),
        ("Note it.", ("- Good.\n", "- Good.\n- Rang Ann.\n"), ("- Rain.\n", "- Rain.\n- Rang Ann.\n"), None),
        ("Note it.", ("# Diary\n", "- Rang Ann.\n# Diary\n"), ("- Rain.\n", "- Rain.\n- Rang Ann.\n"), 0),
        ("Add to my mood.", ("- Good.\n", "- Good.\n- Rang Ann.\n"), ("# Diary\n", "- Rang Ann.\n# Diary\n"), 0),
    ],
    ids=[
        "first under the heading",
        "another heading",
        "not the heading of the request",
        "any place of the note",
        "not above all headings",
        "above all headings",
    ],
)
def test_a_line_may_stand_anywhere_under_its_heading_and_under_no_other(
    request_text: str,
    reference: tuple[str, str],
    attempt: tuple[str, str],
    value: float | None,
    judged: tuple[str, ...],
) -> None:
    effect = NOTED.model_copy(update={"fields": {"content": DIARY.replace(*reference)}, "judged": judged})
    change = noted(DIARY.replace(*attempt)).model_copy(update={"before": {"content": DIARY}})
    asked = a_task(ask=request_text, expected=Expected(effects=(effect,)))
    assert Effects()(asked, evidence(change)).value == value


@pytest.mark.parametrize(
    ("name", "value"),
    [("notes/TODO", None), (".gitignore", 0), ("app/.env", 0), ("crontab", 0), ("Makefile", 0), ("Dockerfile", 0)],
)
def test_the_place_of_a_line_counts_in_files_that_are_no_prose(name: str, value: float | None) -> None:
    effect = NOTED.model_copy(update={"id": name, "fields": {"content": "*.log\n!new.log\n"}})
    change = noted("!new.log\n*.log\n", name).model_copy(update={"before": {"content": "*.log\n"}})
    assert Effects()(task(effect), evidence(change)).value == value


GUESTS = {"ann": {"id": "g-1", "name": "Ann", "optional": False}, "bo": {"id": "g-2", "name": "Bo", "optional": False}}
INVITED = SENT.model_copy(
    update={
        "fields": {
            "guests": {
                GENERATED: {**GUESTS["ann"], "id": GENERATED},
                f"{GENERATED}#1": {**GUESTS["bo"], "id": GENERATED},
            }
        },
        "judged": (),
        "any": (),
    }
)


@pytest.mark.parametrize(
    ("guests", "value"),
    [
        ([GUESTS["ann"], GUESTS["bo"]], 1),
        ([GUESTS["bo"], GUESTS["ann"]], 1),
        ([GUESTS["bo"], {**GUESTS["ann"], "name": "Eve"}], 0),
        ([GUESTS["bo"], {**GUESTS["ann"], "optional": True}], 0),
        ([GUESTS["ann"], {**GUESTS["ann"], "id": "g-2"}], 0),
        ([GUESTS["bo"]], 0),
    ],
    ids=["in order", "the other way round", "a stranger", "optional", "twice", "one only"],
)
def test_new_entries_of_an_object_are_paired_in_any_order(guests: list[dict[str, Any]], value: float) -> None:
    change = Change(
        kind="created", collection="messages", id="m-9", after={"guests": {each["id"]: each for each in guests}}
    )
    assert Effects()(task(INVITED), evidence(change)).value == value


@pytest.mark.parametrize(
    ("expected", "actual", "value"),
    [
        (["ann@x.org", "bo@x.org"], ["Bo <bo@x.org>", "Ann@x.org"], 1),
        (["ann@x.org", "bo@x.org"], ["Ann <bo@x.org>", "bo@x.org"], 0),
        ([{"id": "u1"}, {"id": "u2"}], [{"id": "u2"}, {"id": "u1"}], 1),
        (
            [{"id": "u1", "role": "a"}, {"id": "u2", "role": "b"}],
            [{"id": "u2", "role": "a"}, {"id": "u1", "role": "b"}],
            0,
        ),
        ([{"text": "a"}, {"text": "b"}], [{"text": "b"}, {"text": "a"}], 0),
    ],
    ids=["addresses", "another address", "ids", "roles exchanged", "passages"],
)
def test_lists_of_addresses_and_of_things_with_ids_have_no_order(expected: Any, actual: Any, value: float) -> None:
    effect = SENT.model_copy(update={"fields": {**SENT.fields, "to": expected}})
    assert Effects()(task(effect), evidence(sent(to=actual))).value == value


@pytest.mark.parametrize(
    ("expected", "actual", "value"),
    [
        ({}, {"tags": []}, 1),
        ({"tags": []}, {}, 1),
        ({}, {"note": ""}, 1),
        ({"more": {}}, {"more": {"tags": []}}, 1),
        ({}, {"tags": ["tea"]}, 0),
        ({"tags": ["tea"]}, {"tags": []}, 0),
        ({"tags": []}, {"tags": ["tea"]}, 0),
        ({}, {"urgent": False}, 0),
    ],
    ids=str,
)
def test_an_empty_value_is_equal_to_none(expected: dict[str, Any], actual: dict[str, Any], value: float) -> None:
    effect = SENT.model_copy(update={"fields": {**SENT.fields, **expected}})
    assert Effects()(task(effect), evidence(sent(**actual))).value == value


def test_a_list_that_the_attempt_empties_is_not_equal_to_one_that_stays() -> None:
    change = Change(
        kind="updated",
        collection="messages",
        id="m-1",
        before={"labels": [], "tags": ["tea"]},
        after={"labels": ["STARRED"], "tags": []},
    )
    assert Effects()(task(STARRED), evidence(change)).value == 0


@pytest.mark.parametrize(
    ("expected", "after", "value"),
    [
        ({"end.timestamp": "1773138600"}, {"end.timestamp": "1773138600", "start.timezone": "UTC"}, 1),
        ({"start.timezone": "Europe/London"}, {"start.timezone": "Europe/Paris"}, 0),
        ({"end.timestamp": "1773138600"}, {"end.timestamp": "1773138600", "start.timestamp": "1773136000"}, 0),
        ({"summary": "Tea"}, {"summary": "Tea", "start.timezone": "America/New_York"}, 0),
    ],
    ids=["beside a time that stays", "the zone is asked for", "another time", "no time is asked for"],
)
def test_a_zone_counts_unless_a_time_is_asked_for(
    expected: dict[str, Any], after: dict[str, Any], value: float
) -> None:
    before = {"start.timestamp": "1773135000", "start.timezone": "Asia/Shanghai", "end.timestamp": "1773137000"}
    change = Change(kind="updated", collection="events", id="e-1", before=before, after={**before, **after})
    effect = Effect(world="mail", kind="updated", collection="events", id="e-1", fields=expected)
    assert Effects()(task(effect), evidence(change)).value == value
