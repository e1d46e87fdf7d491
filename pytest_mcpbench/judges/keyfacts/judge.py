"""The judge without a model: free, deterministic, and without a label where its rules cannot decide."""

from typing import TYPE_CHECKING

from pytest_mcpbench.core.judgement import POINTS, Question, Verdict

if TYPE_CHECKING:
    from pytest_mcpbench.judges.keyfacts.decision import ClaimDecision

PROMPT_VERSION = "keyfacts-4"

_INFORMATION = "The agent obtained this information: "


class KeyFactsJudge:
    """Judge that decides by rules: :func:`decide` for claims, :func:`decide_wording` for texts and arguments.

    A question that the rules cannot decide has a verdict without a label, so that its score is unscored. They never
    decide what needs a reader: checkpoints, operations, responses and failure modes.
    """

    name = "keyfacts"
    identity = ""

    async def decide(self, question: Question) -> Verdict:
        decision = self._decision(question)
        if decision is None or set(question.labels) != set(POINTS):
            return self._verdict(error=f"keyfacts cannot decide a question of kind {question.kind!r}; use a model")
        if decision.label is None:
            return self._verdict(error=f"keyfacts cannot decide it: {decision.reason}; use a model")
        return self._verdict(label=decision.label, score=POINTS[decision.label], reason=decision.reason)

    def _decision(self, question: Question) -> "ClaimDecision | None":
        # Imported here: 35 ms of regular expressions, and it is the default judge of runs whose metrics ask nothing.
        from pytest_mcpbench.judges.keyfacts.decision import decide
        from pytest_mcpbench.judges.keyfacts.wording import decide_wording

        if question.kind in ("claim", "claim_with_request"):
            return decide(question.statement, question.evidence)
        if question.kind in ("text", "argument"):
            return decide_wording(question.statement, question.evidence, question.context.get("request", ""))
        if question.kind == "exec" and question.statement.startswith(_INFORMATION):
            return decide(question.statement.removeprefix(_INFORMATION), question.evidence)
        return None

    def _verdict(
        self, label: str | None = None, score: float | None = None, reason: str = "", error: str | None = None
    ) -> Verdict:
        return Verdict(
            label=label, score=score, reason=reason, judge=self.name, prompt_version=PROMPT_VERSION, error=error
        )
