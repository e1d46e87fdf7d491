"""The judge without a model: free, deterministic, and labelled as what it is."""

from pytest_mcpbench.core.judgement import POINTS, Question, Verdict
from pytest_mcpbench.runtime.judges.keyfacts import decide

PROMPT_VERSION = "keyfacts-1"


class KeyFactsJudge:
    """Decides by :func:`pytest_mcpbench.runtime.judges.keyfacts.decide` whether the evidence states the statement.

    It can only look for facts. Questions with other labels than fulfilled, partially and not (failure modes, whether
    a response is a success) get an error, so that their scores are unscored, not guessed.
    """

    name = "keyfacts"

    async def decide(self, question: Question) -> Verdict:
        if set(question.labels) != set(POINTS):
            return self._verdict(error=f"keyfacts cannot decide a question of kind {question.kind!r}; use a model")
        decision = decide(question.statement, question.evidence)
        return self._verdict(label=decision.label, score=POINTS[decision.label], reason=decision.reason)

    def _verdict(
        self, label: str | None = None, score: float | None = None, reason: str = "", error: str | None = None
    ) -> Verdict:
        return Verdict(
            label=label, score=score, reason=reason, judge=self.name, prompt_version=PROMPT_VERSION, error=error
        )
