"""Verdicts of a judge on the evidence of an attempt, and on that of an earlier one."""

import json
import re
from dataclasses import replace

import anyio

from pytest_mcpbench.attempt.attempt import Attempt
from pytest_mcpbench.attempt.cassettes.tape import NO_TAPE, Tape
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.judgement import AttemptJudge, Judge, Question, Verdict, signed_verdict
from pytest_mcpbench.core.model_identity import identity_digest
from pytest_mcpbench.core.model_names import JUDGES_WITHOUT_MODEL
from pytest_mcpbench.core.task import Limits


def asks_model_for_verdicts(attempt: Attempt) -> bool:
    """Return whether the judge is a model, so that the evidence is also stored before its verdicts."""
    return attempt.judge is not None and attempt.judge.name not in JUDGES_WITHOUT_MODEL


async def add_verdicts(attempt: Attempt, evidence: AttemptEvidence, tape: Tape = NO_TAPE) -> AttemptEvidence:
    """Return the evidence with a verdict on each question of the metrics; unchanged if there is no judge.

    All verdicts together have as much time as the attempt itself; those that are missing then are errors.
    """
    if attempt.judge is None:
        return evidence
    judge = tape.judge(attempt.judge)
    limits = attempt.plan.task.limits or Limits()
    questions = {question.key: question for question in attempt.questions(attempt.plan.task, evidence)}
    verdicts: dict[str, Verdict] = {}

    async def ask(judge: Judge, key: str, question: Question) -> None:
        verdicts[key] = await signed_verdict(judge, question)

    async def ask_all(judge: AttemptJudge) -> None:
        found = await judge.decide_attempt(tuple(questions.values()), _context(attempt, evidence))
        digest = identity_digest(judge.identity)
        signed = (verdict.model_copy(update={"judge_digest": digest}) for verdict in found)
        verdicts.update(zip(questions, signed, strict=True))

    with anyio.move_on_after(limits.seconds):
        async with anyio.create_task_group() as group:
            if isinstance(judge, AttemptJudge):
                if questions:
                    group.start_soon(ask_all, judge)
            else:
                for key, question in questions.items():
                    group.start_soon(ask, judge, key, question)
    limit = "" if limits.seconds is None else f" of {limits.seconds:g} s"
    error = f"no verdict within the attempt's time limit{limit}"
    late = Verdict(label=None, judge=judge.name, prompt_version="", error=error)
    # In the order of the questions, not of the judge's answers: the same attempt gives the same record.
    stated = {key: verdicts.get(key, late).about(question) for key, question in questions.items()}
    return evidence.model_copy(update={"verdicts": stated})


_MOST_RESULTS = 8
_NUMBER = re.compile(r"\d[\d.,:-]*\d|\d")


def _context(attempt: Attempt, evidence: AttemptEvidence) -> dict[str, str]:
    """Return the request, and those results of calls that have a number of the answer or of a call that wrote."""
    said = [evidence.answer, *(json.dumps(dict(call.arguments), ensure_ascii=False) for call in evidence.calls)]
    numbers = {number for text in said for number in _NUMBER.findall(text) if len(number) > 1}
    results = [
        f"{call.name}: {call.result.text}"
        for call in evidence.calls
        if call.result is not None and not call.is_error and numbers.intersection(_NUMBER.findall(call.result.text))
    ]
    context = {"request": "\n".join(turn.user for turn in attempt.plan.task.turns)}
    return {**context, "results of calls": "\n\n".join(results[-_MOST_RESULTS:])} if results else context


# Verdicts of the present run's judge on the evidence of an earlier attempt.


def missing_verdicts(attempt: Attempt, evidence: AttemptEvidence) -> dict[str, Question]:
    """Return the questions, by key, on which the attempt's judge has given no verdict, or failed to."""
    judge = attempt.judge
    if judge is None:
        return {}
    return {
        key: question
        for key, question in _questions(attempt, evidence).items()
        if not _is_by(judge, evidence.verdicts.get(key))
    }


async def renew_verdicts(attempt: Attempt, evidence: AttemptEvidence) -> AttemptEvidence:
    """Return the evidence with the verdicts of the attempt's judge; only those that are missing are asked for."""
    missing = missing_verdicts(attempt, evidence)
    asked = replace(attempt, questions=lambda _task, _evidence: missing.values())
    verdicts = {**evidence.verdicts, **(await add_verdicts(asked, evidence)).verdicts}
    # In the order of the questions, as if nothing had been asked before.
    ordered = {key: verdicts[key] for key in _questions(attempt, evidence)}
    return evidence.model_copy(update={"verdicts": ordered})


def _is_by(judge: Judge, verdict: Verdict | None) -> bool:
    """Return whether a verdict was given by this judge with the same model."""
    if verdict is None or verdict.error is not None or verdict.judge != judge.name:
        return False
    # Earlier versions stored no digest.
    return verdict.judge_digest in ("", identity_digest(judge.identity))


def _questions(attempt: Attempt, evidence: AttemptEvidence) -> dict[str, Question]:
    bare = evidence.model_copy(update={"verdicts": {}})
    return {question.key: question for question in attempt.questions(attempt.plan.task, bare)}
