import json
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.judgement import NO_JUDGE_ASKED, Question, Verdict
from pytest_mcpbench.core.score import JudgedMetric, Score
from pytest_mcpbench.core.task import Expected, ExpectedCall, SimilarTool, Task
from pytest_mcpbench.core.tool import CallRecord, ToolResult, ToolSpec
from pytest_mcpbench.metrics.argument_judge import SAME
from pytest_mcpbench.metrics.ast import Ast, AstCalls, AstProfile
from tests.builders import a_call, a_task, a_tool, evidence_of, expected_call
from tests.shared_data import shared_file

WRITE = a_tool("write", {"path": {"type": "string"}, "text": {"type": "string"}}, ("path",))
A, B = expected_call("write", {"path": "a"}), expected_call("write", {"path": "b"})
CALL_A, CALL_B = a_call("write", {"path": "a"}), a_call("write", {"path": "b"})


def _score(metric: Any, task: Task, *steps: tuple[CallRecord, ...]) -> Score:
    score: Score = metric(task, evidence_of(*steps, tools=(WRITE,)))
    return score


def test_of_looks_only_those_count_that_the_reference_needs() -> None:
    look, metric = a_call("read", {"path": "a"}), Ast(looks=frozenset({"read"}))
    writing, reading = a_task((A,)), a_task((expected_call("read", {"path": "a"}),))
    tools = (WRITE, a_tool("read", {"path": {"type": "string"}}, ("path",)))
    assert metric(writing, evidence_of((look,), (CALL_A,), (look,), tools=tools)).value == 1
    assert metric(writing, evidence_of((look,), (CALL_A, CALL_B), tools=tools)).value == 0
    assert metric(writing, evidence_of((look,), tools=tools)).value == 0
    other = a_call("read", {"path": "b"})
    assert metric(reading, evidence_of((other,), (look,), (look,), tools=tools)).value == 1
    assert metric(reading, evidence_of((look,), (CALL_A,), tools=tools)).value == 0
    missing = metric(reading, evidence_of((other,), tools=tools))
    assert missing.value == 0
    assert missing.reasons == ("no call of read(path='a'); call 1: path: expected 'a', got 'b'",)


@pytest.mark.parametrize(
    ("steps", "ast", "ignoring_extra", "share"),
    [
        pytest.param([(CALL_A, CALL_B)], 1, 1, 1, id="all in one message"),
        pytest.param([(CALL_B,), (CALL_A,)], 1, 1, 1, id="another order"),
        pytest.param([(CALL_A,)], 0, 0, 0.5, id="one missing"),
        pytest.param([(CALL_A, CALL_A)], 0, 0, 0.5, id="one twice"),
        pytest.param([(CALL_A, CALL_B), (CALL_B,)], 0, 1, 1, id="one too many"),
        pytest.param([], 0, 0, 0, id="none"),
    ],
)
def test_calls_must_be_those_of_the_reference(
    steps: list[tuple[CallRecord, ...]], ast: float, ignoring_extra: float, share: float
) -> None:
    task = a_task((A, B))

    assert _score(Ast(), task, *steps).value == ast
    assert _score(Ast(extra_calls="ignore"), task, *steps).value == ignoring_extra
    assert _score(AstCalls(), task, *steps).value == share


def test_reasons_and_counts_say_how_the_number_came_about() -> None:
    score = _score(Ast(), a_task((A, B)), (CALL_A, a_call("write", {"path": "c"}), a_call("read")))

    assert score == Score.of(
        0,
        [
            "no call of write(path='b'); call 2: path: expected 'b', got 'c'",
            "call 3 is not expected: read()",
        ],
        matched=1,
        expected=2,
        called=3,
    )
    share = _score(AstCalls(), a_task((A, B)), (CALL_A, CALL_B, a_call("read")))
    assert share == Score.of(1, [], matched=2, expected=2, called=3)


def test_without_reference_calls_it_does_not_apply_unless_all_tools_are_forbidden() -> None:
    silent = a_task(expected=Expected(forbidden_tools="all"))

    assert _score(Ast(), a_task()) == Score.not_applicable("the task has no reference calls")
    assert _score(Ast(), silent) == Score.of(1, matched=0, expected=0, called=0)
    assert _score(AstCalls(), silent, (CALL_A,)).value == 0


@pytest.mark.parametrize(
    ("profile", "path"), [("strict", "A "), ("lenient", "A "), ("bfcl", "./A")], ids=["strict", "lenient", "bfcl"]
)
def test_each_profile_has_its_own_rules(profile: AstProfile, path: str) -> None:
    assert _score(Ast(profile=profile), a_task((A,)), (a_call("write", {"path": path}),)).value == 1
    assert _score(Ast(profile=profile), a_task((A,)), (CALL_B,)).value == 0


@given(st.permutations([CALL_A, CALL_A, CALL_B, a_call("write", {"path": "c"})]), st.permutations([A, B, B]))
def test_no_order_of_calls_or_references_changes_the_share(
    calls: list[CallRecord], expected: list[ExpectedCall]
) -> None:
    assert _score(AstCalls(), a_task(tuple(expected)), tuple(calls)).value == pytest.approx(2 / 3)


TITLE = a_tool("note", {"title": {"type": "string"}, "tag": {"type": "string"}}, ("title",))
JUDGED = Ast(profile="lenient", judge=True)
NOTE = a_task((expected_call("note", {"title": "Buy milk", "tag": "home"}),))


def _note(title: str, tag: str = "home", **verdicts: Any) -> AttemptEvidence:
    return evidence_of((a_call("note", {"title": title, "tag": tag}),), tools=(TITLE,), **verdicts)


def _verdict(label: str | None, error: str | None = None) -> Verdict:
    return Verdict(label=label, judge="j", prompt_version="1", reason="same thing", error=error)


def test_a_judge_is_asked_only_about_strings_that_still_differ() -> None:
    (question,) = JUDGED.questions(NOTE, _note("Get some milk"))

    assert isinstance(JUDGED, JudgedMetric)
    assert (question.statement, question.evidence) == ('{"title": "Buy milk"}', '{"title": "Get some milk"}')
    assert SAME in question.labels
    assert JUDGED.questions(NOTE, _note("BUY MILK")) == ()
    assert JUDGED.questions(NOTE, evidence_of((a_call("other"),), tools=(TITLE,))) == ()
    assert Ast(profile="lenient").questions(NOTE, _note("Get some milk")) == ()


@pytest.mark.parametrize(
    ("verdict", "expected"),
    [
        pytest.param(
            _verdict("fulfilled"),
            Score.of(1, ["accepted by judge 'j': same thing"], matched=1, expected=1, called=1),
            id="same",
        ),
        pytest.param(
            _verdict("partially_fulfilled"),
            Score.of(
                0,
                [
                    "no call of note(title='Buy milk', tag='home'); "
                    "call 1: title: expected 'Buy milk', got 'Get some milk'"
                ],
                matched=0,
                expected=1,
                called=1,
            ),
            id="in part",
        ),
        pytest.param(_verdict(None, "timeout"), Score.missing("judge 'j' gave no verdict: timeout"), id="failed"),
        pytest.param(None, Score.missing(NO_JUDGE_ASKED, "needs_reader"), id="not asked"),
    ],
)
def test_the_judge_decides_and_its_failure_is_no_zero(verdict: Verdict | None, expected: Score) -> None:
    evidence = _note("Get some milk")
    (question,) = JUDGED.questions(NOTE, evidence)
    answered = evidence.model_copy(update={"verdicts": {question.key: verdict} if verdict else {}})

    assert JUDGED(NOTE, answered) == expected


def test_a_missing_verdict_that_could_not_help_is_no_reason_to_leave_a_score_out() -> None:
    task = a_task((*NOTE.expected.flat_calls, expected_call("other")))

    assert JUDGED(task, _note("Get some milk")).value == 0


def test_a_judge_belongs_to_the_lenient_profile() -> None:
    with pytest.raises(ValueError, match="'lenient'"):
        Ast(judge=True)


FILES = (
    "toolbench/file_system/filesystem_0723_single.json",
    "toolbench/finance/finance_0724_single_v3.json",
    "toolbench/pay/pay_single_demo.json",
    "toolbench/file_system/filesystem_single_demo.json",
)


@pytest.mark.extra
@pytest.mark.parametrize("name", FILES)
def test_copies_of_real_references_score_1_and_changed_ones_0(name: str) -> None:
    for record in json.loads(shared_file(name).read_text(encoding="utf-8")):
        (label,) = record["function_call_label"]
        tools = tuple(_tool(tool, record["mcp_tools_dict"]) for tool in record["tools"])
        similar = tuple(SimilarTool(tool=one["name"], server=one["mcp_server"]) for one in label["similar_tools"])
        reference = expected_call(label["name"], label["input"], server=label["mcp_server"], similar_tools=similar)
        for profile in ("strict", "lenient", "bfcl"):
            metric = Ast(profile=profile)
            scores = [
                metric(a_task((reference,)), evidence_of((call,), tools=tools)).value for call in _variants(reference)
            ]
            assert scores == [1.0] + [0.0] * (len(scores) - 1), (record["uuid"], profile)


def _tool(record: dict[str, Any], servers: dict[str, list[str]]) -> ToolSpec:
    server = next(name for name, tools in servers.items() if record["name"] in tools)
    return ToolSpec(name=record["name"], tool=record["name"], server=server, input_schema=record["input_schema"])


def _variants(reference: ExpectedCall) -> list[CallRecord]:
    """A copy; then calls with one value changed, with a parameter too many, and of another tool."""
    good = dict(reference.arguments)
    wrong = [{**good, key: f"{value}x"} for key, value in good.items() if isinstance(value, str)]
    copies = [good, *wrong, {**good, "no_such_parameter": 1}]
    calls = [a_call(reference.tool, one, server=reference.server) for one in copies]
    return [*calls, a_call("no_such_tool", good)]


def test_questions_have_a_key_of_their_own() -> None:
    questions: tuple[Question, ...] = JUDGED.questions(NOTE, _note("Get some milk", "house"))

    assert len({question.key for question in questions}) == 2


@pytest.mark.parametrize("profile", ["strict", "lenient"])
def test_exact_parameters_are_compared_character_by_character(profile: AstProfile) -> None:
    edits = [{"oldText": "a", "newText": "Pass-Word"}]
    task = a_task((expected_call("edit", {"path": "A.txt", "edits": edits}),))
    right = evidence_of((a_call("edit", {"path": "a.txt", "edits": edits}),))
    capitals = evidence_of((a_call("edit", {"path": "A.txt", "edits": [{"oldText": "a", "newText": "PASS-WORD"}]}),))

    for metric in (Ast, AstCalls):
        assert metric(profile=profile)(task, capitals).value == 1
        exact = metric(profile=profile, exact=frozenset({"edits.newText"}))
        assert (exact(task, right).value, exact(task, capitals).value) == (1, 0)


def test_the_bfcl_profile_takes_no_exact_parameters() -> None:
    with pytest.raises(ValueError, match="takes no exact parameters"):
        Ast(profile="bfcl", exact=frozenset({"path"}))


def test_order_does_not_count_in_unordered_lists_but_repetition_does() -> None:
    task = a_task((expected_call("read", {"paths": ["a", "b"]}),))
    metric = Ast(unordered=frozenset({"paths"}))

    def value(*paths: str) -> float | None:
        return metric(task, evidence_of((a_call("read", {"paths": list(paths)}),))).value

    assert [value("b", "a"), value("b", "a", "a"), value("a", "a")] == [1, 0, 0]


def _found(*names: str) -> str:
    return json.dumps({"items": [{"title": name} for name in names], "total": len(names)})


@pytest.mark.parametrize("reference", [{"keyword": "hours"}, {"keyword": "hours", "size": 5}])
def test_another_number_of_results_is_right_if_it_finds_the_same(reference: dict[str, Any]) -> None:
    task = a_task((expected_call("search", reference, result=_found("Opening hours", "Holidays")),))

    def value(*found: str) -> float | None:
        call = a_call("search", {"keyword": "hours", "size": 2}, result=_found(*found))
        return AstCalls(lookups=frozenset({"size"}))(task, evidence_of((call,))).value

    assert [value("Opening hours", "Holidays"), value("Opening hours")] == [1, 0]


@pytest.mark.parametrize(
    ("keyword", "found", "value"),
    [
        pytest.param("opening times", _found("Opening hours"), 1, id="the same in other words"),
        pytest.param("hours", _found("Office", "Opening hours", "Holidays"), 1, id="two others beside it"),
        pytest.param("a", _found("Office", "Opening hours", "Holidays", "Fees"), 0, id="three others beside it"),
        pytest.param("fees", _found("Fees"), 0, id="something else"),
        pytest.param("opening times", _found(), 0, id="nothing"),
        pytest.param("opening times", "No results", 0, id="no JSON"),
        pytest.param("opening times", ToolResult.failure(_found("Opening hours"), "tool"), 0, id="an error"),
        pytest.param("Opening hours", _found(), 1, id="the reference's words, whatever they find"),
    ],
)
def test_words_of_a_lookup_are_right_if_they_find_the_same(keyword: str, found: Any, value: float) -> None:
    task = a_task((expected_call("search", {"keyword": "opening hours", "size": 5}, result=_found("Opening hours")),))
    call = a_call("search", {"keyword": keyword, "size": 5}, result=found)

    assert Ast(lookups=frozenset({"keyword"}))(task, evidence_of((call,))).value == value
    other_size = a_call("search", {"keyword": keyword, "size": 9}, result=found)
    assert AstCalls(lookups=frozenset({"keyword"}))(task, evidence_of((other_size,))).value == 0
    assert Ast()(task, evidence_of((call,))).value == (keyword == "Opening hours")
