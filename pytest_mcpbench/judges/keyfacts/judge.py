"""The judge without a model: free, deterministic, and without a label where its rules cannot decide."""

import json
from typing import TYPE_CHECKING

from pytest_mcpbench.core.judgement import POINTS, UNDECIDED, WORK_IS_DONE, Question, Verdict

if TYPE_CHECKING:
    from pytest_mcpbench.judges.keyfacts.decision import TextDecision

PROMPT_VERSION = "keyfacts-7"


def _value(argument: str) -> str:
    """Return the text of an argument, which its question holds as ``{path: text}``."""
    return str(next(iter(json.loads(argument).values())))


class KeyFactsJudge:
    """Judge that decides plain cases by rules: claims, texts and titles.

    A question that the rules cannot decide has a verdict without a label, so that its score is unscored. They never
    decide what needs a reader: checkpoints, operations, responses and failure modes.
    """

    name = "keyfacts"
    identity = ""

    async def decide(self, question: Question) -> Verdict:
        decision = self._decision(question)
        if decision is None or set(question.labels) != set(POINTS):
            return self._verdict(error=f"{UNDECIDED} a question of kind {question.kind!r}; use a model")
        if decision.label is None:
            return self._verdict(error=f"{UNDECIDED} it: {decision.reason}; use a model")
        return self._verdict(label=decision.label, score=POINTS[decision.label], reason=decision.reason)

    def _decision(self, question: Question) -> "TextDecision | None":
        # Imported here: 35 ms of regular expressions, and it is the default judge of runs whose metrics ask nothing.
        from pytest_mcpbench.judges.keyfacts.decision import (
            TextDecision,
            decide_claim,
            decide_report,
            decide_text,
            decide_title,
        )
        from pytest_mcpbench.judges.keyfacts.known import Known

        background = question.background
        known = Known(background.request or question.context.get("request", ""), background.results)
        match question.kind:
            case "claim" | "claim_with_request":
                return decide_claim(question.statement, question.evidence, known, background.statements)
            case "text":
                return decide_text(question.statement, question.evidence, known)
            case "argument":
                return decide_text(_value(question.statement), _value(question.evidence), known)
            case "title":
                return decide_title(question.statement, question.evidence, known, background.statements)
            case "report":
                if question.context.get("work") != WORK_IS_DONE:
                    return TextDecision(None, "the work is not that of the reference, and the report may say so")
                return decide_report("\n".join(background.statements), (background.request, *background.results))
            case _:
                return None

    def _verdict(
        self, label: str | None = None, score: float | None = None, reason: str = "", error: str | None = None
    ) -> Verdict:
        return Verdict(
            label=label, score=score, reason=reason, judge=self.name, prompt_version=PROMPT_VERSION, error=error
        )
