"""Judge that asks a model only what the rules leave open."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_mcpbench.core.judgement import Judge, Question, Verdict, cascade_verdict, signed_verdicts
from pytest_mcpbench.core.model_names import CASCADE


@dataclass(frozen=True)
class JudgeCascade:
    """``keyfacts`` and then a model or a panel, which decides the questions without a verdict of the rules."""

    rules: Judge
    model: Judge

    @property
    def name(self) -> str:
        return f"{CASCADE}{self.model.name}"

    @property
    def identity(self) -> str:
        return f"{self.rules.identity or self.rules.name}\n{self.model.identity or self.model.name}"

    async def decide(self, question: Question) -> Verdict:
        """Return the verdict of the rules if there is one, otherwise that of the model; either lists who was asked."""
        (verdict,) = await self.decide_attempt((question,), {})
        return verdict

    async def decide_attempt(self, questions: Sequence[Question], context: Mapping[str, str]) -> list[Verdict]:
        """Return a verdict on each question; the model gets all that the rules leave open in one request."""
        ruled = [await self.rules.decide(question) for question in questions]
        left = [question for question, verdict in zip(questions, ruled, strict=True) if verdict.label is None]
        answers = iter(await signed_verdicts(self.model, left, context) if left else ())
        stages = [(verdict,) if verdict.label is not None else (verdict, next(answers)) for verdict in ruled]
        return [cascade_verdict(self.name, asked) for asked in stages]
