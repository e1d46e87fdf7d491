"""Messages of a run that makes a suite: estimate and confirmation, progress, and costs."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from pytest_mcpbench.cli.generation_setup import NO_MODEL
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.model_names import AGENTS_WITHOUT_MODEL
from pytest_mcpbench.core.trajectory import Usage
from pytest_mcpbench.generation.pipeline.estimate import estimate
from pytest_mcpbench.generation.pipeline.stages import Stage
from pytest_mcpbench.runtime.models.factory import Models


@dataclass(frozen=True)
class Confirmation:
    """Confirmation of a run that asks a model, by the user who sees the estimate."""

    options: argparse.Namespace
    models: Models

    def __call__(self, stages: Sequence[Stage], candidates: int) -> None:
        found = estimate(stages, candidates, self._cost)
        tell(f"{' and '.join(self._names)}: {found.sentence}, if no candidate is dropped before.")
        if self.options.yes:
            return
        if not sys.stdin.isatty():
            raise UsageError(
                "standard input is no terminal, so nobody can confirm this: add --yes, and --max-cost USD for a budget."
            )
        if input("Go on? [y/N] ").strip().casefold() not in ("y", "yes"):
            raise UsageError("not confirmed, so no question was asked.")

    @property
    def _names(self) -> list[str]:
        """Names of the models that are asked."""
        named = (self.options.model, self.options.solver)
        return list(dict.fromkeys(name for name in named if name and name not in (NO_MODEL, *AGENTS_WITHOUT_MODEL)))

    def _cost(self, usage: Usage) -> float | None:
        """Return the cost of a request to the dearest of them; ``None`` if the price of one is unknown."""
        prices = [self.models.price(name) for name in self._names]
        costs = [None if price is None else price.cost(usage) for price in prices]
        known = [cost for cost in costs if cost is not None]
        return max(known) if known and len(known) == len(costs) else None


def spending_text(usage: Usage, asked: int) -> str:
    """Return the questions of a run, and the costs of its work directory with those of the solver."""
    cost = "at an unknown price" if usage.cost_usd is None else f"${usage.cost_usd:.4f}"
    tokens = f"{usage.input_tokens} tokens read, {usage.output_tokens} written"
    return f"{asked} questions now; in all {tokens}, {cost}"


def show_progress(stage: str, finished: int, total: int | None) -> None:
    """Show the progress of a stage in one line of a terminal."""
    if sys.stderr.isatty():
        state = "…" if total is None else f"{finished} of {total}"
        end = "\n" if finished == total else ""
        print(f"\r{stage}: {state}\x1b[K", end=end, file=sys.stderr, flush=True)


def tell(sentence: str) -> None:
    """Print a sentence to standard error."""
    print(f"mcpbench: {sentence}", file=sys.stderr)
