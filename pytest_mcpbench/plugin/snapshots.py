"""Snapshots of tools and of their responses: one readable JSON file for each."""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from pytest_mcpbench.core.sanitizers import Sanitizer, sanitize
from pytest_mcpbench.plugin.collection.known_secrets import known_secrets
from pytest_mcpbench.reporting.texts.tool_changes import changes
from pytest_mcpbench.text.json_reading import read_json


class ToolSchemaSnapshotExtension(SingleFileSnapshotExtension):
    """JSON with the tools in the server's order, sorted keys and unescaped text."""

    file_extension = "tools.json"
    _write_mode = WriteMode.TEXT

    def serialize(self, data: Any, **_options: Any) -> str:
        return json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False) + "\n"

    def diff_lines(self, serialized_data: Any, snapshot_data: Any) -> Iterator[str]:
        """Yield what changed, how to accept it, and the lines that differ."""
        yield from _explanation(str(snapshot_data), str(serialized_data))
        yield from super().diff_lines(serialized_data, snapshot_data)


def _explanation(before: str, after: str) -> Iterator[str]:
    if not before:
        yield "There is no snapshot yet. Write it with: pytest --snapshot-update"
        return
    try:
        snapshot = read_json(before)
    except ValueError as error:
        yield f"the snapshot is not valid JSON: {error}. Write it anew with: pytest --snapshot-update"
        return
    yield from changes(snapshot, json.loads(after))
    yield "If that is right, accept it with: pytest --snapshot-update"
    yield ""


def response_extension(
    sanitizers: Sequence[Sanitizer], directory: Path, config: pytest.Config
) -> type[ToolSchemaSnapshotExtension]:
    """Return the extension for responses of tools, in which the directory, secrets and all matches are replaced."""
    secrets = known_secrets(config)

    class ToolResponseSnapshotExtension(ToolSchemaSnapshotExtension):
        """JSON with the content of a response, sorted keys and unescaped text."""

        file_extension = "response.json"

        def serialize(self, data: Any, **_options: Any) -> str:
            response = data.model_dump(mode="json", exclude_defaults=True) if hasattr(data, "model_dump") else data
            response = sanitize(response, [(re.escape(str(directory)), "{sandbox}"), *sanitizers])
            return super().serialize(secrets.remove_from(response))

    return ToolResponseSnapshotExtension
