"""Runs of ``oracle`` on a suite in a process of its own."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

_COMMAND = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "ignore", "--model", "oracle")


def run_oracle(directory: Path, *options: str, timeout_seconds: float) -> "subprocess.CompletedProcess[str]":
    """Run the suite of a directory, in which the records are stored."""
    command = [*_COMMAND, "--suite", str(directory), "--mcpbench-out", str(directory / "out"), *options]
    return subprocess.run(command, capture_output=True, text=True, cwd=directory, timeout=timeout_seconds, check=False)


def records_of_run(directory: Path) -> list[dict[str, Any]]:
    """Return the records that :func:`run_oracle` has stored."""
    files = (directory / "out").glob("records-*.jsonl")
    return [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
