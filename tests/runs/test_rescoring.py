"""Rescoring: verdicts for open questions only, and new scores by the present suite."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.judgement import Question, Verdict, majority_verdict
from pytest_mcpbench.core.planning import Overrides
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.score import Scorecard
from pytest_mcpbench.core.task import Expected
from pytest_mcpbench.core.tool_choice import NO_TOOL, ChosenTool, ToolChoice
from pytest_mcpbench.core.usage import Usage
from pytest_mcpbench.judges.cascade import JudgeCascade
from pytest_mcpbench.judges.keyfacts.judge import KeyFactsJudge
from pytest_mcpbench.metrics.coverage import Coverage
from pytest_mcpbench.runs.rescoring import Rescoring, rescore, with_verdicts
from tests.builders import a_call, a_task, a_tool, evidence_of, expected_call
from tests.metrics.verdicts import a_verdict
from tests.servers.subjects import a_suite

pytestmark = pytest.mark.anyio

TASK = a_task(expected=Expected(claims=("It is red.", "It is new.")))
SUITE = a_suite(name="s", floors={"coverage": 0.75})
RESCORING = Rescoring(SUITE, {TASK.id: TASK}, Overrides())


@dataclass
class AgreeingJudge:
    """Answers that every claim is fulfilled, and remembers the questions."""

    name: str = "agreeing"
    identity: str = ""
    questions: list[Question] = field(default_factory=list)

    async def decide(self, question: Question) -> Verdict:
        self.questions.append(question)
        return a_verdict(1)


@dataclass
class AgreeingGroupJudge(AgreeingJudge):
    """Decides several questions in one request, and remembers the requests."""

    requests: list[tuple[list[str], Mapping[str, str]]] = field(default_factory=list)

    async def decide_together(self, questions: Sequence[Question], context: Mapping[str, str]) -> list[Verdict]:
        self.requests.append(([question.statement for question in questions], context))
        return [a_verdict(1).model_copy(update={"usage": Usage(input_tokens=5)}) for _ in questions]


A_THING = evidence_of(answer="A thing.")


def a_record(*points: float, evidence: AttemptEvidence | None = A_THING, **fields: object) -> RunRecord:
    """Return the record of an attempt whose first claims were judged with these points."""
    attempt = evidence
    if attempt is not None:
        keys = [question.key for question in Coverage().questions(TASK, attempt)]
        attempt = attempt.model_copy(update={"verdicts": dict(zip(keys, map(a_verdict, points), strict=False))})
    values = {"suite": "s", "task_id": TASK.id, "task_hash": TASK.hash, "model": "m", "outcome": "failed"}
    return RunRecord.model_validate({**values, "evidence": attempt, "scorecard": Scorecard(scores={}), **fields})


def stages_of_the_model(record: RunRecord) -> list[Verdict]:
    verdicts = record.evidence.verdicts.values() if record.evidence else ()
    return [verdict.stages[-1] for verdict in verdicts]


async def test_the_judge_is_asked_only_what_no_stored_verdict_answers() -> None:
    judge = AgreeingJudge()
    (record,) = await with_verdicts([a_record(0)], RESCORING, judge)
    assert [question.statement for question in judge.questions] == ["It is new."]
    assert record.evidence
    assert [verdict.statement for verdict in record.evidence.verdicts.values()] == ["", "It is new."]
    assert rescore(record, RESCORING).scorecard["coverage"].value == 0.5


async def test_a_model_decides_what_the_rules_of_the_run_left_open() -> None:
    task = a_task(expected=Expected(claims=("The seller greets us kindly.",)))
    rescoring = Rescoring(SUITE, {task.id: task}, Overrides())
    ruled = [rescore(each, rescoring) for each in await with_verdicts([a_record()], rescoring, KeyFactsJudge())]
    judged = [rescore(each, rescoring) for each in await with_verdicts(ruled, rescoring, AgreeingJudge())]
    assert [each.outcome for each in (*ruled, *judged)] == ["unscored", "passed"]


async def test_a_verdict_without_a_majority_stays_until_a_judge_decides_and_its_usage_is_kept() -> None:
    task = a_task(expected=Expected(claims=("The seller greets us kindly.",)))
    rescoring = Rescoring(SUITE, {task.id: task}, Overrides())
    votes = [a_verdict(points).model_copy(update={"usage": Usage(input_tokens=20)}) for points in (1, 0)]
    panel = majority_verdict("panel", votes)
    (question,) = Coverage().questions(task, A_THING)
    evidence = A_THING.model_copy(update={"verdicts": {question.key: panel}})
    stored = [a_record().model_copy(update={"evidence": evidence})]
    ruled = await with_verdicts(stored, rescoring, KeyFactsJudge())
    assert ruled == stored
    judged = await with_verdicts(ruled, rescoring, AgreeingJudge())
    assert judged[0].evidence
    verdict = judged[0].evidence.verdicts[question.key]
    assert (verdict.label, verdict.usage.input_tokens) == ("fulfilled", 40)


async def test_the_model_of_a_cascade_is_asked_once_an_attempt_with_its_request_and_results() -> None:
    task = a_task(ask="What is the price?", expected=Expected(claims=("The seller smiles.", "The shop smells of tea.")))
    evidence = evidence_of((a_call("find_price", result="17 dollars"),), answer="It is 17 dollars.")
    model = AgreeingGroupJudge()
    records = [a_record(evidence=evidence), a_record(evidence=evidence, trial=2)]
    judged = await with_verdicts(
        records, Rescoring(SUITE, {task.id: task}, Overrides()), JudgeCascade(KeyFactsJudge(), model)
    )
    context = {"request": "What is the price?", "results of calls": "find_price: 17 dollars"}
    assert model.requests == [(["The seller smiles.", "The shop smells of tea."], context)]
    costs = [[stage.usage.input_tokens for stage in stages_of_the_model(each)] for each in judged]
    assert costs == [[5, 5], [0, 0]], "the second attempt takes the verdicts, and not their cost"


async def test_a_record_without_open_questions_or_without_evidence_stays_as_it_is() -> None:
    judge = AgreeingJudge()
    records = [a_record(1, 1), a_record(evidence=None), a_record(outcome="error")]
    assert await with_verdicts(records, RESCORING, judge) == records
    assert judge.questions == []


async def test_a_question_of_two_records_is_asked_once() -> None:
    judge = AgreeingJudge()
    records = await with_verdicts([a_record(), a_record()], RESCORING, judge)
    assert len(judge.questions) == 2
    assert [rescore(record, RESCORING).outcome for record in records] == ["passed", "passed"]


def test_new_settings_of_the_deciding_metric_renew_the_comparison_of_calls() -> None:
    task = a_task((expected_call("send", {"to": "a", "subject": "Hello"}),))
    evidence = evidence_of((a_call("send", {"to": "b", "subject": "Hi"}),), tools=(a_tool("send"),))
    values = {"suite": "s", "task_id": task.id, "task_hash": task.hash, "model": "m", "outcome": "failed"}
    record = RunRecord.model_validate({**values, "evidence": evidence, "scorecard": Scorecard(scores={})})

    def wrong(**settings: object) -> tuple[list[str], list[str]]:
        suite = a_suite(name="s", floors={"operation": 1.0}, metric_settings={"operation": settings})
        new = rescore(record, Rescoring(suite, {task.id: task}, Overrides()))
        assert new.choice
        return [check.parameter for check in new.choice.arguments if check.mistake], [*new.comparison[0].reason]

    about_receiver, about_subject = "to: expected 'a', got 'b'", "subject: expected 'Hello', got 'Hi'"
    assert wrong(free_text=["body"]) == (["to", "subject"], [about_receiver, about_subject])
    assert wrong(free_text=["subject"]) == (["to"], [about_receiver])


def test_new_references_renew_the_choice_of_tools() -> None:
    task = a_task((expected_call("read"),))
    rescoring = Rescoring(a_suite(name="s", floors={"ast": 1.0}), {task.id: task}, Overrides())
    evidence = evidence_of((a_call("read"),), tools=(a_tool("read"), a_tool("write")))
    stale = ToolChoice(tools=(ChosenTool(expected="write", called="read"),))
    values = {"suite": "s", "task_id": task.id, "task_hash": task.hash, "model": "m", "outcome": "failed"}
    record = RunRecord.model_validate(
        {**values, "choice": stale, "evidence": evidence, "scorecard": Scorecard(scores={})}
    )
    assert rescore(record, rescoring).choice == ToolChoice(tools=(ChosenTool(expected="read", called="read"),))
    silent = record.model_copy(update={"evidence": evidence_of(tools=(a_tool("read"),))})
    assert rescore(silent, rescoring).choice == ToolChoice(tools=(ChosenTool(expected="read", called=NO_TOOL),))
