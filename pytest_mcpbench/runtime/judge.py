"""Interface of a judge: one question in, one verdict out."""

from typing import Protocol

from pytest_mcpbench.core.judgement import Question, Verdict
from pytest_mcpbench.core.model_identity import identity_digest


class Judge(Protocol):
    """Judge that decides questions; one instance serves many questions at the same time."""

    @property
    def name(self) -> str:
        """Name of the judge as the user wrote it; it is part of every verdict."""
        ...

    @property
    def identity(self) -> str:
        """Everything behind the name that determines the verdicts, as text; empty if nothing does."""
        ...

    async def decide(self, question: Question) -> Verdict:
        """Return the verdict on a question; a verdict that cannot be obtained has an error and no label."""
        ...


async def signed_verdict(judge: Judge, question: Question) -> Verdict:
    """Return the judge's verdict with the digest of the model behind the judge's name."""
    verdict = await judge.decide(question)
    return verdict.model_copy(update={"judge_digest": identity_digest(judge.identity)})
