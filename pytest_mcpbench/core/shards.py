"""Which part of a suite a run makes when several machines share it: by hash of the task's id."""

import hashlib
from dataclasses import dataclass

from pytest_mcpbench.core.errors import UsageError


@dataclass(frozen=True)
class Shard:
    """The ``index``-th of ``count`` parts, from 1."""

    index: int
    count: int

    @classmethod
    def parse(cls, text: str) -> "Shard":
        """Of ``i/n``; a usage error says what would be right."""
        first, slash, second = text.partition("/")
        if not (slash and first.strip().isdecimal() and second.strip().isdecimal()):
            raise UsageError(f"a shard is i/n, for example 1/4, not {text!r}")
        index, count = int(first), int(second)
        if not 1 <= index <= count:
            raise UsageError(f"a shard is i/n with i from 1 to n, not {text!r}")
        return cls(index, count)

    def has(self, task_id: str) -> bool:
        """Whether the task is in this part: the same on every machine, and whatever other tasks there are."""
        digest = hashlib.sha256(task_id.encode()).digest()
        return int.from_bytes(digest[:8]) % self.count == self.index - 1

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"
