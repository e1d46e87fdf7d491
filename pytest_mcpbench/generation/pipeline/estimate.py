"""Estimate of the questions to a model, before the first one is asked."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pytest_mcpbench.core.usage import Usage
from pytest_mcpbench.generation.pipeline.stages import Stage


@dataclass(frozen=True)
class GenerationEstimate:
    """Questions of the stages that remain, if none of them drops a candidate."""

    questions: float
    prompt_tokens: float
    reply_tokens: float
    cost_usd: float | None
    """``None`` if the price is unknown."""

    @property
    def sentence(self) -> str:
        """Return the estimate in words."""
        cost = "at an unknown price" if self.cost_usd is None else f"about ${self.cost_usd:.2f}"
        tokens = f"{self.prompt_tokens:,.0f} tokens to read and {self.reply_tokens:,.0f} to write"
        return f"about {self.questions:,.0f} questions, {tokens}, {cost}"


def estimate(stages: Sequence[Stage], candidates: int, cost: Callable[[Usage], float | None]) -> GenerationEstimate:
    """Return the estimate for a number of candidates; ``cost`` returns the USD of one request."""
    questions, read, written, costs = 0.0, 0.0, 0.0, []
    for asks in (stage.asks for stage in stages if stage.asks):
        count = asks.questions * (candidates if asks.candidates is None else asks.candidates)
        questions += count
        read += count * asks.prompt_tokens
        written += count * asks.reply_tokens
        one = cost(Usage(input_tokens=round(asks.prompt_tokens), output_tokens=round(asks.reply_tokens)))
        costs.append(None if one is None else one * count)
    known = [each for each in costs if each is not None]
    return GenerationEstimate(questions, read, written, sum(known) if len(known) == len(costs) else None)
