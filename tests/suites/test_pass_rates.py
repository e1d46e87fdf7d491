"""Pass rates of the agent without a model, as the manifests of the suites state them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_mcpbench.loaders.manifest import read_manifest
from pytest_mcpbench.reporting.summary import summaries
from pytest_mcpbench.runtime.records import read_report

SUITES = Path(__file__).parents[2] / "suites"
NAMES = sorted(file.parent.name for file in SUITES.glob("*/suite.toml"))


def stated_rate(name: str) -> float:
    file = SUITES / name / "suite.toml"
    return read_manifest(file.read_text(encoding="utf-8"), file, {}).pass_rates["lexical"]


@pytest.mark.extra
@pytest.mark.parametrize("name", NAMES)
def test_the_agent_without_a_model_passes_as_many_tasks_as_stated(name: str, tmp_path: Path) -> None:
    arguments = ["--model=lexical", f"--mcpbench-out={tmp_path / 'run'}", "-q", "-p", "no:xdist"]
    command = [sys.executable, "-m", "pytest", f"--suite={name}:full", *arguments]
    subprocess.run(command, cwd=tmp_path, env=os.environ, check=False)
    (summary,) = summaries(read_report(tmp_path / "run"))
    assert summary.errors == 0
    assert summary.pass_rate == pytest.approx(stated_rate(name), abs=0.015)
