"""Versions of the formats of files that outlive a run: see docs/reference/versions.md."""

from typing import Any, get_args

from pydantic import BaseModel

from pytest_mcpbench.text.json_reading import read_json


def newer_version(content: str | bytes, model: type[BaseModel], *, field: str = "version") -> str | None:
    """Return a sentence if a JSON object states a version that is newer than those of its model.

    What a newer version of this package has written is not damaged, and needs another remedy.
    """
    newest = max(get_args(model.model_fields[field].annotation))
    try:
        value: Any = read_json(content)
    except ValueError:
        return None
    stated = value.get(field) if isinstance(value, dict) else None
    if not isinstance(stated, int) or stated <= newest:
        return None
    problem = f"it has version {stated} of its format, and this pytest-mcpbench reads versions up to {newest}"
    return f"{problem}. Install a newer pytest-mcpbench to read it."
