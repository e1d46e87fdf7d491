"""Digest of the settings that can change an attempt, apart from the task itself."""

import hashlib
import json

from pytest_mcpbench.core.conditions import Conditions
from pytest_mcpbench.plugin.collection.jobs import Job


def settings_hash(job: Job) -> str:
    """Return the digest; ``--mcpbench-resume`` reuses an attempt only if its digest is the same."""
    compared = {"servers", "tool_names", "categories", "shown_tools", *Conditions.model_fields}
    suite = job.suite.model_dump(mode="json", include=compared, fallback=repr)
    content = json.dumps([suite, job.settings.temperature], sort_keys=True, default=str)
    return hashlib.sha256(content.encode()).hexdigest()[:16]
