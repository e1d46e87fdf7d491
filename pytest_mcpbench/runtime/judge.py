"""Interface of a judge: one question in, one verdict out."""

from typing import Protocol

from pytest_mcpbench.core.judgement import Question, Verdict


class Judge(Protocol):
    """Judge that decides questions; one instance serves many questions at the same time."""

    @property
    def name(self) -> str:
        """Name of the judge as the user wrote it; it is part of every verdict."""
        ...

    async def decide(self, question: Question) -> Verdict:
        """Return the verdict on a question; a verdict that cannot be obtained has an error and no label."""
        ...
