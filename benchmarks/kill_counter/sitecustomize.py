"""Counter of attempts inside the processes that `kill_runs.py` kills; Python imports this module in each of them.

A line is written, and forced to disk, when the agent of an attempt has ended in this process, and another one when its
evidence is stored. What lies between the two is what a kill can lose.
"""

import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
import time
from collections.abc import Sequence
from types import ModuleType
from typing import Any

_DIRECTORY = os.environ["MCPBENCH_KILL_COUNTER"]
_AGENT, _JOURNAL = "pytest_mcpbench.agents.llm", "pytest_mcpbench.runs.evidence_journal"


def _note(event: str, task: str) -> None:
    descriptor = os.open(f"{_DIRECTORY}/{os.getpid()}", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(descriptor, f"{event} {task} {time.monotonic()}\n".encode())
    os.fsync(descriptor)
    os.close(descriptor)


def _count_ends(module: Any) -> None:
    attempt = module.LlmAgent.attempt

    async def counted(self: Any, task: Any, arena: Any) -> Any:
        trajectory = await attempt(self, task, arena)
        _note("ended", task.id)
        return trajectory

    module.LlmAgent.attempt = counted


def _count_stores(module: Any) -> None:
    append = module.EvidenceJournal.append

    def counted(self: Any, entry: Any) -> None:
        append(self, entry)
        _note("stored", entry.task.id)

    module.EvidenceJournal.append = counted


class _Counting(importlib.abc.MetaPathFinder):
    """Finder that changes two modules after their import."""

    _changes = {_AGENT: _count_ends, _JOURNAL: _count_stores}  # noqa: RUF012 (never changed)

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name not in self._changes:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        assert spec is not None
        assert spec.loader is not None
        load: Any = spec.loader.exec_module

        def load_and_change(module: ModuleType) -> None:
            load(module)
            self._changes[name](module)

        spec.loader.exec_module = load_and_change  # type: ignore[method-assign]  # of this loader alone
        return spec


sys.meta_path.insert(0, _Counting())
