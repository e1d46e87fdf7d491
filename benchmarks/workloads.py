"""Workloads to measure, the same for every harness."""

import math
from dataclasses import dataclass, replace
from typing import Any

TURNS = 2


@dataclass(frozen=True)
class Workload:
    """Tasks of one kind, and the number of attempts that run at once."""

    name: str
    kind: str
    """Kind of task.

    ``trivial``: one answer of a mocked model. ``tool``: a tool call in process and an answer. ``shared`` and
    ``per_task``: the same with one stdio server for all tasks or one for each. ``latency``: as ``tool``, with a
    provider over HTTP.
    """
    tasks: int
    concurrency: int = 8
    latency_seconds: float = 0.0

    @property
    def limit_seconds(self) -> float:
        """Return the time that the waiting alone takes: as many waves of tasks as needed, x turns x latency."""
        return math.ceil(self.tasks / self.concurrency) * TURNS * self.latency_seconds

    @property
    def of_one_task(self) -> "Workload":
        return replace(self, tasks=1)

    def as_json(self) -> dict[str, Any]:
        return vars(self) | {"limit_seconds": self.limit_seconds}


TRIVIAL = Workload("trivial task", "trivial", 200)
TOOL = Workload("tool call in process", "tool", 200)
SHARED = Workload("stdio server, shared", "shared", 200)
PER_TASK = Workload("stdio server, one a task", "per_task", 20)
LATENCY = tuple(
    Workload(f"2 turns of 0.5 s, {concurrency} in flight", "latency", tasks, concurrency, 0.5)
    for concurrency, tasks in ((1, 10), (8, 80), (32, 200), (64, 200), (200, 200))
)
ALL = (TRIVIAL, TOOL, SHARED, PER_TASK, *LATENCY)
