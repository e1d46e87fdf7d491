"""Digest of the settings that can change an attempt, apart from the task itself."""

import hashlib
import json
import os

from pytest_mcpbench.core.conditions import Conditions
from pytest_mcpbench.core.model_identity import model_identity
from pytest_mcpbench.core.model_names import NO_USER, external_agent
from pytest_mcpbench.plugin.collection.jobs import Job


def settings_hash(job: Job) -> str:
    """Return the digest; ``--mcpbench-resume`` reuses an attempt only if its digest is the same."""
    compared = {"servers", "tool_names", "categories", "shown_tools", *Conditions.model_fields}
    suite = job.suite.model_dump(mode="json", include=compared, fallback=repr)
    model = _identity(job)
    # Only if the name does not tell: of an alias, or at another address than usual.
    of_alias = [model] if model != job.address else []
    content = json.dumps([suite, job.settings.temperature, *of_alias, *_user(job)], sort_keys=True, default=str)
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def _identity(job: Job) -> str:
    name = external_agent(job.address, job.settings.aliases)
    if name is None:
        return model_identity(job.address, job.settings.aliases, os.environ)
    from pytest_mcpbench.runtime.external_agents.factory import agent_identity

    return agent_identity(name, job.settings.agents)


def _user(job: Job) -> list[str]:
    """Return the model that plays the task's user; nothing for a task whose user no model can play."""
    task = job.loaded.task
    if task is None or task.user is None or not task.user.goal:
        return []
    name = job.settings.user or job.suite.user or NO_USER
    return [f"user: {model_identity(name, job.settings.aliases, os.environ)}"]
