"""Extent of a measurement of mutants."""

from dataclasses import dataclass

from pytest_mcpbench.audit.descriptions.fates import FateRules


@dataclass(frozen=True)
class MutationSettings:
    """Extent of a measurement."""

    model: str
    rules: FateRules
    trials: int = 1
    """First trials of each task."""
    max_calls: int | None = None
    """Most attempts to make; mutants are then taken in a random order."""
    seed: int = 0

    @property
    def fresh_trials(self) -> int:
        """Fresh trials of a task that got worse, with the mutant and without it."""
        return 0 if self.rules.is_deterministic else self.rules.gate.fresh_trials
