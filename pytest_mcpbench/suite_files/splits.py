"""Named parts of a suite: ``NAME:full``, and the splits ``quick``, ``core`` and ``hard`` of its ``splits.toml``."""

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from pytest_mcpbench.core.errors import UsageError, unreadable_reason
from pytest_mcpbench.core.selection import Split
from pytest_mcpbench.suite_files.discovery import FULL
from pytest_mcpbench.suite_files.loading import LoadedSuite

FILE_NAME = "splits.toml"
_SPLITS = TypeAdapter(dict[str, frozenset[str]])


def with_part(loaded: LoadedSuite, part: str | None) -> LoadedSuite:
    """Return the suite with the split as its sample, without a sample for ``full``, or as it is without a part.

    Raises:
        UsageError: the suite has no such split.
    """
    if part is None:
        return loaded
    sample = None if part == FULL else _read_split(loaded, part)
    return replace(loaded, manifest=loaded.manifest.model_copy(update={"sample": sample}))


def _read_split(loaded: LoadedSuite, name: str) -> Split:
    path = Path(loaded.manifest.directory) / FILE_NAME
    try:
        splits = _SPLITS.validate_python(tomllib.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        splits = {}
    except ValidationError as error:
        raise UsageError(f"{path}: a split is a list of ids of tasks: {error}") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {unreadable_reason(error)}") from None
    if name not in splits:
        known = ", ".join(splits) or "none"
        raise UsageError(f"{path}: no split is called {name!r}; there are: {known}.")
    if not splits[name]:
        raise UsageError(f"{path}: the split {name!r} has no task.")
    unknown = sorted(splits[name] - {record.id for record in loaded.records})
    if unknown:
        raise UsageError(f"{path}: {name}: the suite has no task {unknown[0]!r}.")
    return Split(size=len(splits[name]), name=name, ids=splits[name])


def splits_text(splits: Mapping[str, Sequence[str]]) -> str:
    """Return the content of a ``splits.toml``."""
    lines = ["# Written by `mcpbench item-analysis`: ids of the tasks of each split."]
    for name, ids in splits.items():
        # A string of JSON is one of TOML, too.
        lines += [f"{name} = [", *(f"    {json.dumps(task_id, ensure_ascii=False)}," for task_id in ids), "]"]
    return "\n".join(lines) + "\n"
