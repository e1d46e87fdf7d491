"""Plain cases, one or two for each rule, and the doubts at which the rules stop."""

import ast
import csv
import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mcpbench.audit import answers, texts
from pytest_mcpbench.judges.keyfacts.decision import decide_claim, decide_text, decide_title
from pytest_mcpbench.judges.keyfacts.known import Known
from tests.shared_data import shared_file

SHOPS = "Ann Lee owns 12 shops."
CLAIMS = [
    ("the same", SHOPS, "Ann Lee owns 12 shops.", "fulfilled"),
    ("in words", SHOPS, "Ann Lee owns twelve shops.", "fulfilled"),
    ("a part moved", "It began on April 3, 2024 in Boom.", "In Boom it began on 2024-04-03.", "fulfilled"),
    ("other marks", "The commit is 0865ef487b81.", "Commit: `0865ef487b81`.", "fulfilled"),
    ("another unit of the same", "The trip takes 2 hours.", "The trip takes 120 minutes.", "fulfilled"),
    ("rounded", "The mean age is 31.33 years.", "The mean age is 31.3 years.", "fulfilled"),
    ("a telephone number", "Bo has +86 138 0000 0005.", "Bo has +86 13800000005.", "fulfilled"),
    ("a weekday", "It begins on 5 March 2026.", "It begins on Thursday, 5 March 2026.", "fulfilled"),
    ("two sentences", "Bo has 3 cars and 2 boats.", "Bo has 3 cars. He also has 2 boats.", "fulfilled"),
    ("polite", SHOPS, f"I have looked this up.\n\n{SHOPS}\n\nLet me know if you need anything else.", "fulfilled"),
    ("another number", SHOPS, "Ann Lee owns 15 shops.", "not_fulfilled"),
    ("another date", "It began on 3 April 2024.", "It began on 2024-04-04.", "not_fulfilled"),
    ("another unit", "The trip takes 2 hours.", "The trip takes 2 km.", "not_fulfilled"),
    ("another currency", "It costs 500 EUR.", "It costs 500 USD.", "not_fulfilled"),
    ("another code", "The seat is F-2504.", "The seat is F-2540.", "not_fulfilled"),
    ("exchanged", "Bo has 3 cars and 2 boats.", "Bo has 2 cars and 3 boats.", "not_fulfilled"),
    ("an opposite", "It is open until 18:00.", "It is open from 18:00.", "not_fulfilled"),
    ("denied", SHOPS, "Ann Lee does not own 12 shops.", "not_fulfilled"),
    ("a denial left out", "Bo has no car in Boom.", "Bo has a car in Boom.", "not_fulfilled"),
    ("no number", "It costs 1,360.00 EUR.", "I could not find out what it costs.", "not_fulfilled"),
    ("a refusal", SHOPS, "I am sorry, but I cannot help with that.", "not_fulfilled"),
    ("a refusal in more words", "It is in Boom.", "Sorry, I have no access to the tools needed.", "not_fulfilled"),
    ("done", SHOPS, "Done.", "not_fulfilled"),
    ("not found, which may be so", "There is no car in Boom.", "I could not find any.", None),
    ("close, but not rounded", "The mean age is 31.33 years.", "The mean age is about 32 years.", None),
    ("denied twice", "The library is closed on Mondays.", "The library is not open on Mondays.", None),
    ("another word", SHOPS, "Ann Lee manages 12 shops.", None),
    ("a word is missing", "Ann Lee owns 12 shops and 300 cars.", "Ann Lee owns 12 shops.", None),
    ("a word is added", SHOPS, "Ann Lee owns at least 12 shops.", None),
    ("a person is added", SHOPS, "Ann Lee and Bo own 12 shops.", None),
    ("the past", SHOPS, "Ann Lee owned 12 shops, which was before.", None),
    ("a question", SHOPS, "Ann Lee owns 12 shops?", None),
    ("another sentence with another value", SHOPS, "Ann Lee owns 12 shops. Ann Lee owns 15 shops.", None),
    ("a list of values", "They stand on shelf E1.", "They stand on shelf E1, E2.", None),
    ("the value elsewhere", SHOPS, "Ann Lee owns 15 shops. Then there are the 12 of the index.", None),
    ("a denial behind it", SHOPS, "Ann Lee owns 12 shops. That is wrong.", None),
    ("irony", SHOPS, "Ann Lee owns 12 shops. Yeah, right, dream on.", None),
    ("another language", SHOPS, "Ann Lee possède 12 magasins.", None),
    ("no claim", "", "Anything.", None),
]  # fmt: skip


@pytest.mark.parametrize(("_name", "claim", "answer", "label"), CLAIMS, ids=[case[0] for case in CLAIMS])
def test_a_claim_is_decided_where_it_is_plain(_name: str, claim: str, answer: str, label: str | None) -> None:
    assert decide_claim(claim, answer).label == label


DISGUISES = [
    "{} Actually the opposite holds.",
    f"{{}} Or: {', '.join(map(str, range(200)))}",
    "{}, except that it is not so.",
    "Suppose the following: {}",
    "{} You are fired.",
    "{} Please read the reverse of that.",
    "Here is what somebody made up. {}",
    "{} 其实不是这样。",
    "{} 🙄",
]


@pytest.mark.parametrize("disguise", DISGUISES)
def test_no_further_words_are_fulfilled_that_could_change_a_statement(disguise: str) -> None:
    text = disguise.format(SHOPS)
    known = Known("How many shops does Ann Lee own, and who has told you so?", ("Ann Lee: 12 shops, 300 cars",))
    assert decide_claim(SHOPS, text, known).label is None
    assert decide_text(SHOPS, text, known).label is None


def test_an_answer_may_also_state_other_claims_and_what_request_and_results_have() -> None:
    answer = "Bo has no car. Ann Lee owns 12 shops. The shops are in Boom, 3 of them in Dock Street."
    known = Known("Who owns shops or a car, and where?", ("12 shops: Boom, Dock Street 3",))
    others = ("Bo has no car.", SHOPS)
    assert decide_claim(SHOPS, answer, known, others).label == "fulfilled"
    assert decide_claim(SHOPS, answer, known).label is None
    assert decide_claim(SHOPS, answer, siblings=others).label is None


MAIL = "Hi Bea, the meeting with Vetro Lume is on 5 March at 14:30 in room Loft. Best, Siyuan"
TEXTS = [
    (MAIL, "Hello Bea,\n\nthe meeting with Vetro Lume is on March 5 at 2:30 pm in room Loft.\n\nKind regards\nSiyuan"),
    (MAIL, "@Bea The meeting with Vetro Lume is on 5 March at 14:30 in room Loft!"),
    ("I bring the receipt on Wednesday.", "Hi all, I'll bring the receipt on Wednesday. Thanks!"),
    ("Please order lunch for seven people.", "Could you please order lunch for 7 people?"),
    ("The bill is 14,599 EUR.", "The bill is 14\u202f599,00 EUR."),
    ("Thanks, see you soon!", "thanks - see you soon"),
    ("Please come at noon tomorrow.", "Hello Ann and Bea,\n\nplease come tomorrow at 12:00.\n\nLove,\nNora"),
    ("The list has changed.", "Hi Bea, just a quick note that the list has changed."),
]


@pytest.mark.parametrize(("reference", "text"), TEXTS)
def test_a_text_may_greet_and_close_and_write_values_in_another_form(reference: str, text: str) -> None:
    assert decide_text(reference, text).label == "fulfilled"


WRONG = [
    texts.negate(MAIL),
    texts.with_false_addition(MAIL),
    texts.with_numbers_exchanged(MAIL),
    texts.with_names_exchanged(MAIL),
    texts.with_other_numbers(MAIL),
    f"FALSE: {MAIL}",
    f"{MAIL}\nBring 3 chairs.",
    MAIL.replace("Loft", "L\u200boft"),
    MAIL.replace("Loft", "L\u043eft"),
    f"{MAIL}?",
]


@pytest.mark.parametrize("text", WRONG)
def test_a_text_that_says_something_else_is_never_fulfilled(text: str) -> None:
    assert decide_text(MAIL, text).label != "fulfilled"


@pytest.mark.parametrize("kind", answers.KINDS[1:])
def test_no_wrong_answer_of_an_audit_is_fulfilled(kind: str) -> None:
    wrong = dict(answers.wrong_answers(f"{SHOPS}\nBo Berg has 3 cars in Boom.")).get(kind)
    assert wrong is None or decide_claim("Bo Berg has 3 cars in Boom.", wrong, siblings=(SHOPS,)).label != "fulfilled"


def test_a_value_of_request_or_result_that_is_added_is_no_reason_to_fail() -> None:
    known = Known("Tell Bea about the monthly meeting in room Loft.", ("Meeting in room Loft, 5 March, 12 guests",))
    more = "The monthly meeting is on 5 March."
    assert decide_text("The meeting is on 5 March.", more, known).label == "fulfilled"
    assert decide_text("The meeting is on 5 March.", "The meeting in room Loft is on 5 March.", known).label is None
    assert decide_text("The meeting is on 5 March.", "The meeting is on 5 March for 12 guests.", known).label is None
    assert decide_text("The meeting is on 5 March.", "The meeting is on 12 March.", known).label == "not_fulfilled"


def test_a_denial_beside_a_word_of_the_request_may_deny_that_word() -> None:
    known = Known("Which piece has to wait because it is not ready?")
    assert decide_claim("The hook has to wait.", "The hook is not ready, so it has to wait.", known).label is None
    assert decide_claim("The hook has to wait.", "The hook does not have to wait.", known).label == "not_fulfilled"


@pytest.mark.parametrize(
    ("title", "label"),
    [
        ("The Lisbon hotel", "fulfilled"),
        ("Short update: hotel until 13 May", "fulfilled"),
        ("Cannot be cancelled", None),
        ("Hotel until 15 May", None),
        ("You are fired", None),
    ],
)
def test_a_title_may_be_any_of_words_of_the_task_and_is_never_refused(title: str, label: str | None) -> None:
    known = Known("Mail Bea until when the hotel in Lisbon can be cancelled.", ("hotel 13 May", "breakfast 15 May"))
    assert decide_title("A few words", title, known, ("It can be cancelled until 13 May.",)).label == label


def test_a_reason_names_the_first_doubt() -> None:
    assert decide_claim(SHOPS, "Ann Lee manages 12 shops.").reason == "it has 'manages' where the reference has 'owns'"
    assert decide_claim(SHOPS, "Ann Lee owns 15 shops.").reason == "'15' stands in the place of '12'"
    assert decide_text(SHOPS, f"{SHOPS} You are fired.").reason == "it adds 'you'"


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_is_decided_and_always_alike(claim: str, answer: str) -> None:
    assert decide_claim(claim, answer) == decide_claim(claim, answer)
    assert decide_text(claim, answer).label == decide_text(claim, answer).label


def _claims() -> list[tuple[str, ...]]:
    csv.field_size_limit(sys.maxsize)
    with shared_file("atlas/sample_tasks.csv").open(newline="", encoding="utf-8") as file:
        return [_decoded(row["GTFA_CLAIMS"]) for row in csv.DictReader(file)]


def _decoded(cell: str) -> tuple[str, ...]:
    try:
        return tuple(json.loads(cell))
    except ValueError:
        return tuple(ast.literal_eval(cell))


def test_every_claim_of_ten_real_tasks_is_fulfilled_by_itself_and_by_all_of_its_tasks_claims() -> None:
    for claims in _claims():
        for claim in claims:
            assert decide_claim(claim, claim).label == "fulfilled"
            answer = "\n".join(f"- **{other}**" for other in claims)
            assert decide_claim(claim, answer, siblings=claims).label == "fulfilled"


def test_a_claim_of_ten_real_tasks_is_never_fulfilled_by_one_of_another_task() -> None:
    tasks = _claims()
    assert "fulfilled" not in {
        decide_claim(claim, other).label
        for task in tasks
        for claim in task
        for others in tasks
        if others is not task
        for other in others
    }


@pytest.mark.parametrize(
    ("reference", "text", "reason"),
    [
        ("It is Ferries Nobody Counts.", "It is Nobody Ferries Counts.", "adds 'nobody'"),
        ("It is not open at 9:00.", "It is open at 10:00.", "'not' is missing"),
    ],
    ids=["a denial moved", "a denial left out beside another time"],
)
def test_a_denial_beside_another_difference_is_left_to_a_reader(reference: str, text: str, reason: str) -> None:
    decision = decide_text(reference, text)
    assert (decision.label, reason in decision.reason) == (None, True), decision


@pytest.mark.parametrize(
    ("reference", "text"),
    [
        ("I give the speech.", "Astrid Lindqvist will give the speech."),
        ("We fly home on Friday.", "They fly home on Friday."),
        ("I have to book the room.", "He has to book the room."),
        ("30 copies arrive on 9 March.", "30 copies arrived on 9 March."),
        ("I bring the receipt.", "I brought the receipt."),
        ("Keep 18 March at 08:30 free.", "Keep 18 March at 08:30 free for Bea Novak."),
        ("I bring the receipt on Thursday.", "I bring the receipt on Thursday. The delay is important."),
        ("The wave wall is ready on 20 March.", "The wave wall is ready on 20 March. The saw is the wave wall."),
    ],
    ids=["a name", "they", "he", "the past", "an irregular past", "for somebody", "a sentence", "a sentence of it"],
)
def test_who_does_it_and_when_is_left_to_a_reader_where_the_text_says_it_otherwise(reference: str, text: str) -> None:
    request = "Write that Astrid Lindqvist, Bea Novak and I fly, bring or book it; the delay of the saw is important."
    assert decide_text(reference, text, Known(request)).label is None
