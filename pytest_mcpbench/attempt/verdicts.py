"""Verdicts of a judge on the evidence of an attempt, and on that of an earlier one."""

from dataclasses import replace

from pytest_mcpbench.attempt.attempt import Attempt
from pytest_mcpbench.attempt.tape import NO_TAPE, Tape
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.judgement import Judge, Question, Verdict
from pytest_mcpbench.core.model_identity import identity_digest
from pytest_mcpbench.core.model_names import JUDGES_WITHOUT_MODEL
from pytest_mcpbench.core.task import Limits
from pytest_mcpbench.runs.attempt_verdicts import attempt_verdicts


def asks_model_for_verdicts(attempt: Attempt) -> bool:
    """Return whether the judge is a model, so that the evidence is also stored before its verdicts."""
    return attempt.judge is not None and attempt.judge.name not in JUDGES_WITHOUT_MODEL


async def add_verdicts(attempt: Attempt, evidence: AttemptEvidence, tape: Tape = NO_TAPE) -> AttemptEvidence:
    """Return the evidence with a verdict on each question of the metrics; unchanged if there is no judge.

    All verdicts together have as much time as the attempt itself; those that are missing then are errors.
    """
    if attempt.judge is None:
        return evidence
    task = attempt.plan.task
    seconds = (task.limits or Limits()).seconds
    questions = attempt.questions(task, evidence)
    verdicts = await attempt_verdicts(tape.judge(attempt.judge), questions, task, evidence, seconds=seconds)
    return evidence.model_copy(update={"verdicts": verdicts})


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
    if verdict is None or not verdict.is_decided or verdict.judge != judge.name:
        return False
    # Earlier versions stored no digest.
    return verdict.judge_digest in ("", identity_digest(judge.identity))


def _questions(attempt: Attempt, evidence: AttemptEvidence) -> dict[str, Question]:
    bare = evidence.model_copy(update={"verdicts": {}})
    return {question.key: question for question in attempt.questions(attempt.plan.task, bare)}
