"""Verdicts of a judge on the questions about an attempt, during a run and afterwards."""

import json
import re
from collections.abc import Iterable

import anyio

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.judgement import AttemptJudge, Judge, Question, Verdict, signed_verdict
from pytest_mcpbench.core.model_identity import identity_digest
from pytest_mcpbench.core.task import Task


async def attempt_verdicts(
    judge: Judge, questions: Iterable[Question], task: Task, evidence: AttemptEvidence, *, seconds: float | None = None
) -> dict[str, Verdict]:
    """Return the judge's verdict on each question about an attempt, by key.

    All verdicts together have ``seconds``, as much time as the attempt itself; those that are missing then are errors.
    ``None`` is no limit.
    """
    asked = {question.key: question for question in questions}
    if not asked:
        return {}
    verdicts: dict[str, Verdict] = {}

    async def ask(key: str, question: Question) -> None:
        verdicts[key] = await signed_verdict(judge, question)

    async def ask_all(judge: AttemptJudge) -> None:
        found = await judge.decide_attempt(tuple(asked.values()), _context(task, evidence))
        digest = identity_digest(judge.identity)
        signed = (verdict.model_copy(update={"judge_digest": digest}) for verdict in found)
        verdicts.update(zip(asked, signed, strict=True))

    with anyio.move_on_after(seconds):
        async with anyio.create_task_group() as group:
            if isinstance(judge, AttemptJudge):
                group.start_soon(ask_all, judge)
            else:
                for key, question in asked.items():
                    group.start_soon(ask, key, question)
    limit = "" if seconds is None else f" of {seconds:g} s"
    error = f"no verdict within the attempt's time limit{limit}"
    late = Verdict(label=None, judge=judge.name, prompt_version="", error=error)
    # In the order of the questions, not of the judge's answers: the same attempt gives the same record.
    return {key: verdicts.get(key, late).about(question) for key, question in asked.items()}


_MOST_RESULTS = 8
_NUMBER = re.compile(r"\d[\d.,:-]*\d|\d")


def _context(task: Task, evidence: AttemptEvidence) -> dict[str, str]:
    """Return the request, and those results of calls that have a number of the answer or of any call's arguments."""
    said = [evidence.answer, *(json.dumps(dict(call.arguments), ensure_ascii=False) for call in evidence.calls)]
    numbers = {number for text in said for number in _NUMBER.findall(text) if len(number) > 1}
    results = [
        f"{call.name}: {call.result.text}"
        for call in evidence.calls
        if call.result is not None and not call.is_error and numbers.intersection(_NUMBER.findall(call.result.text))
    ]
    context = {"request": task.request}
    return {**context, "results of calls": "\n\n".join(results[-_MOST_RESULTS:])} if results else context
