"""Suites that commands read."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_mcpbench.cli.output import known_secrets
from pytest_mcpbench.suite_files.loading import LoadedSuite, load_suite


def open_suite(path: Path, conditions: Mapping[str, Any] | None = None) -> LoadedSuite:
    """Return a suite, and name its records that cannot be read on standard error; its secrets are never printed."""
    loaded = load_suite(path, conditions or {})
    known_secrets().add_suite(loaded.manifest)
    for error in loaded.errors:
        print(f"mcpbench: {error}", file=sys.stderr)
    return loaded
