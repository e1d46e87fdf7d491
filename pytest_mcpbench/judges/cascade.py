"""Judge that asks a model only what the rules leave open."""

from dataclasses import dataclass

from pytest_mcpbench.core.judgement import Judge, Question, Verdict, cascade_verdict, signed_verdict
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
        ruled = await self.rules.decide(question)
        if ruled.label is not None:
            return cascade_verdict(self.name, (ruled,))
        return cascade_verdict(self.name, (ruled, await signed_verdict(self.model, question)))
