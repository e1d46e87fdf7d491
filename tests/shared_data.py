"""Where the public benchmarks' files lie that tests read."""

import os
from pathlib import Path

import pytest

_BESIDE_THE_PROJECT = Path(__file__).parents[2] / "shared"
DATA = Path(os.environ.get("MCPBENCH_SHARED", _BESIDE_THE_PROJECT)) / "data"


def shared_file(name: str) -> Path:
    """The path of a file under ``data/``; the test is skipped, naming it, where it is missing."""
    path = DATA / name
    if not path.exists():
        pytest.skip(f"{path} is missing")
    return path
