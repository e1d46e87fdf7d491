"""Digest of a suite's content, to recognize runs of the same suite."""

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Task

_SAID = ("floors", "limits", "system", "prompts", "tool_names", "metrics", "metric_settings", "judge")


def suite_hash(suite: SuiteManifest, tasks: Iterable[Task]) -> str:
    """Return the digest of all that a suite says of its tasks, servers and scores.

    Where it lies, in which files, how its servers' commands are found and what their environment holds is not in it: it
    is the same on every machine. Nor are the conditions under which a run attempts its tasks.
    """
    content = {
        "suite": suite.model_dump(mode="json", include=set(_SAID)),
        "servers": {name: _said_of(ref) for name, ref in suite.servers.items()},
        "tasks": {task.id: task.hash for task in tasks},
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:16]


def _said_of(ref: ServerRef) -> dict[str, Any]:
    said = ref.model_dump(mode="json", include={"transport", "state", "mode", "sequential", "settings"})
    return said | {"factory": ref.factory if isinstance(ref.factory, str) else None}
