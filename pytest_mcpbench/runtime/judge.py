"""What a judge is to the rest: one question, one verdict."""

from typing import Protocol

from pytest_mcpbench.core.judgement import Question, Verdict


class Judge(Protocol):
    """Decides questions, many at once."""

    @property
    def name(self) -> str:
        """As the user wrote it; part of every verdict."""
        ...

    async def decide(self, question: Question) -> Verdict:
        """The verdict. One that could not be had is a verdict too, with an error and without a label."""
        ...
