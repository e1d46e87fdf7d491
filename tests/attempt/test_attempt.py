"""Verdicts of an attempt."""

from pathlib import Path

import anyio

from pytest_mcpbench.agents.noop import NoopAgent
from pytest_mcpbench.attempt.attempt import Attempt
from pytest_mcpbench.attempt.verdicts import add_verdicts
from pytest_mcpbench.core.judgement import Question, Verdict
from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.task import Limits
from tests.builders import a_plan, a_task, evidence_of
from tests.servers.subjects import a_suite

QUICK, SLOW = (Question.about_claim(claim, "Milk.") for claim in ("There is milk.", "There are eggs."))


class Judge:
    """A judge that answers one question and never the other."""

    name = "hanging"
    identity = ""

    async def decide(self, question: Question) -> Verdict:
        if question is SLOW:
            await anyio.sleep_forever()
        return Verdict(label="fulfilled", score=1.0, judge=self.name, prompt_version="1")


def an_attempt(directory: Path, *questions: Question, seconds: float | None) -> Attempt:
    return Attempt(
        plan=a_plan(a_task(limits=Limits(seconds=seconds)), a_suite()),
        agent=NoopAgent(),
        sandbox=Sandbox(path=directory),
        questions=lambda _task, _evidence: questions,
        judge=Judge(),
    )


def test_a_judge_without_a_time_limit_gives_its_verdicts(tmp_path: Path) -> None:
    evidence = anyio.run(add_verdicts, an_attempt(tmp_path, QUICK, seconds=None), evidence_of())
    assert evidence.verdicts[QUICK.key].label == "fulfilled"


def test_a_judge_that_hangs_costs_its_verdict_and_no_more_time_than_the_attempt(tmp_path: Path) -> None:
    attempt = an_attempt(tmp_path, QUICK, SLOW, seconds=0.1)

    async def judge() -> dict[str, Verdict]:
        with anyio.fail_after(5):
            return (await add_verdicts(attempt, evidence_of())).verdicts

    verdicts = anyio.run(judge)
    assert (verdicts[QUICK.key].label, verdicts[QUICK.key].error) == ("fulfilled", None)
    assert (verdicts[SLOW.key].label, verdicts[SLOW.key].error) == (
        None,
        "no verdict within the attempt's time limit of 0.1 s",
    )
