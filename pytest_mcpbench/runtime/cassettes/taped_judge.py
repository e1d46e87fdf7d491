"""Judge whose verdicts are recorded on a tape, or come from one."""

from dataclasses import dataclass

from pytest_mcpbench.core.judgement import Question, Verdict
from pytest_mcpbench.runtime.cassettes.recording import RecordingTape
from pytest_mcpbench.runtime.cassettes.replaying import ReplayingTape
from pytest_mcpbench.runtime.judge import Judge


@dataclass(frozen=True)
class RecordedJudge:
    """Judge that records each verdict, also one from its cache."""

    judge: Judge
    tape: RecordingTape

    @property
    def name(self) -> str:
        return self.judge.name

    @property
    def identity(self) -> str:
        return self.judge.identity

    async def decide(self, question: Question) -> Verdict:
        """Ask the judge and record its verdict."""
        verdict = await self.judge.decide(question)
        self.tape.add_verdict(question, verdict)
        return verdict


@dataclass(frozen=True)
class ReplayedJudge:
    """Judge that is never asked."""

    name: str
    tape: ReplayingTape
    identity: str = ""

    async def decide(self, question: Question) -> Verdict:
        """Return the recorded verdict, or one with an error."""
        verdict = self.tape.verdict(question)
        if verdict is not None:
            return verdict
        return Verdict(label=None, judge=self.name, prompt_version="", error=str(self.tape.missed))
