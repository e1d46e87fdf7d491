"""Running total of the model usage of a process."""

from dataclasses import dataclass

from pytest_mcpbench.core.trajectory import NO_USAGE, Usage


@dataclass
class Ledger:
    """Number and usage of all replies to agents and judges, including those of unfinished attempts."""

    replies: int = 0
    usage: Usage = NO_USAGE

    def add(self, usage: Usage) -> None:
        """Count one reply."""
        self.replies += 1
        self.usage += usage
