"""What the requests of a process have used so far."""

from dataclasses import dataclass

from pytest_mcpbench.core.trajectory import NO_USAGE, Usage


@dataclass
class Ledger:
    """Of every reply, of agents and judges, also of attempts that are not finished."""

    replies: int = 0
    usage: Usage = NO_USAGE

    def add(self, usage: Usage) -> None:
        self.replies += 1
        self.usage += usage
