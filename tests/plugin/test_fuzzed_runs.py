"""Mutated files, replies and options end in results and in errors of ours.

``MCPBENCH_FUZZ_INPUTS`` is the number of inputs.
"""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.extra


def test_whole_runs_with_mutated_inputs_raise_nothing_but_our_errors() -> None:
    command = [sys.executable, "-m", "tests.fuzzed_runs"]
    root = Path(__file__).parents[2]
    run = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.endswith("; 0 faults\n")
