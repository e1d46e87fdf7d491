"""Panel of judges that decides by majority."""

from collections.abc import Sequence
from dataclasses import dataclass

import anyio

from pytest_mcpbench.core.judge_panel import majority_verdict
from pytest_mcpbench.core.judgement import Question, Verdict
from pytest_mcpbench.runtime.judge import Judge, signed_verdict


@dataclass(frozen=True)
class JudgePanel:
    """Several judges, each of which decides every question without seeing the verdicts of the others."""

    members: Sequence[Judge]

    @property
    def name(self) -> str:
        return ",".join(member.name for member in self.members)

    @property
    def identity(self) -> str:
        return "\n".join(member.identity or member.name for member in self.members)

    async def decide(self, question: Question) -> Verdict:
        """Ask all members at once and return the verdict of the majority, with each member's verdict."""
        votes: dict[int, Verdict] = {}

        async def ask(position: int, member: Judge) -> None:
            votes[position] = await signed_verdict(member, question)

        async with anyio.create_task_group() as group:
            for position, member in enumerate(self.members):
                group.start_soon(ask, position, member)
        return majority_verdict(self.name, [votes[position] for position in range(len(self.members))])
