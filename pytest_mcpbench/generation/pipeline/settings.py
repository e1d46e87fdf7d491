"""Settings of a run of a pipeline, and their comparison with those of the run that began the work directory."""

import json
from pathlib import Path
from typing import Any

from pydantic import Field

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.files.atomic_file import replace_file

_FILE = "run.json"


class PipelineSettings(FrozenModel):
    """Everything that determines what a run makes, so that a run with other settings needs another directory."""

    pipeline: str
    tasks: int = Field(60, ge=1)
    """Number of tasks that the suite gets at most."""
    seed: int = 0
    languages: tuple[str, ...] = ("English",)
    """Languages of the requests; rules write English only."""
    model: str = ""
    """Identity of the model that the stages ask; empty: rules."""
    solver: str = ""
    """Identity of the model that tries the tasks; empty: none does."""
    trials: int = Field(3, ge=1)
    """Attempts of the solver at each task."""
    callable_tools: tuple[str, ...] = ()
    """Tools that may be called although they do not promise to be read-only; ``all``: every tool."""
    dictionaries: dict[str, str] = Field(default_factory=dict)
    """Name of each dictionary of codes -> sha256 of its file."""
    inputs: dict[str, str] = Field(default_factory=dict)
    """Further files that the pipeline reads -> sha256."""
    servers: dict[str, str] = Field(default_factory=dict)
    """Name of each server -> sha256 of its definition."""


def check_settings(directory: Path, settings: PipelineSettings) -> None:
    """Store the settings in a new work directory; raise UsageError if an earlier run had others."""
    file = directory / _FILE
    text = json.dumps(settings.model_dump(mode="json"), indent=2, ensure_ascii=False) + "\n"
    if not file.exists():
        directory.mkdir(parents=True, exist_ok=True)
        replace_file(file, text.encode())
        return
    try:
        content = json.loads(file.read_bytes())
    except ValueError as error:
        raise UsageError(f"{file}: not valid JSON: {error}. Delete the directory to begin again.") from None
    before, now = content if isinstance(content, dict) else {}, json.loads(text)
    differences = [
        f"{name} {_shortened_json(before.get(name))}, now {_shortened_json(now[name])}"
        for name in now
        if before.get(name) != now[name]
    ]
    if differences:
        raise UsageError(
            f"{directory}: the run there had other settings: {'; '.join(differences)}. Repeat them to go on with "
            "it, name another directory with --work, or delete this one to begin again."
        )


def _shortened_json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else f"{text[:79]}…"
