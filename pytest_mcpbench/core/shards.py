"""Shards: parts of a suite, divided by the hash of the task's id, for several machines."""

import hashlib
import re
from dataclasses import dataclass

from pytest_mcpbench.core.errors import UsageError

_NUMBER = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True)
class Shard:
    """The ``index``-th of ``count`` parts, from 1."""

    index: int
    count: int

    @classmethod
    def parse(cls, text: str) -> "Shard":
        """Parse ``i/n``; raise a usage error that states the format."""
        first, slash, second = text.partition("/")
        if not (slash and _NUMBER.fullmatch(first.strip()) and _NUMBER.fullmatch(second.strip())):
            raise UsageError(f"a shard is i/n, for example 1/4, not {text!r}")
        index, count = int(first), int(second)
        if not 1 <= index <= count:
            raise UsageError(f"a shard is i/n with i from 1 to n, not {text!r}")
        return cls(index, count)

    def has(self, task_id: str) -> bool:
        """Return whether the task is in this part: the same on every machine, and whatever other tasks there are."""
        digest = hashlib.sha256(task_id.encode()).digest()
        return int.from_bytes(digest[:8]) % self.count == self.index - 1

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"
