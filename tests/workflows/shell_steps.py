"""Steps of actions and workflows, run in a shell as GitHub runs them."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class StepResult:
    """What a step left behind."""

    exit_code: int
    text: str
    outputs: Mapping[str, str]
    summary: str


@dataclass(frozen=True)
class Runner:
    """Runner on which a push, not a pull request, started the job."""

    workspace: Path
    inputs: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)

    def run(self, step: Mapping[str, Any]) -> StepResult:
        """Run the commands of a step in the directory and the environment that it states."""
        output, summary = self.workspace / "github-output", self.workspace / "github-summary"
        output.write_text("", encoding="utf-8")
        summary.write_text("", encoding="utf-8")
        # The programs of this environment, which need not be activated, with this checkout.
        path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
        job = {"GITHUB_ACTIONS": "true", "GITHUB_REF": "refs/heads/main", "GITHUB_OUTPUT": str(output)}
        own = {name: self._substitute(value) for name, value in step.get("env", {}).items()}
        outer = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self.workspace / self._substitute(step.get("working-directory", ".")),
            env={
                **outer,
                **job,
                "GITHUB_STEP_SUMMARY": str(summary),
                "PATH": path,
                "PYTHONPATH": str(ROOT),
                **self.environment,
                **own,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
            check=False,
        )
        lines = output.read_text(encoding="utf-8").splitlines()
        outputs = dict(line.split("=", 1) for line in lines)
        return StepResult(done.returncode, done.stdout, outputs, summary.read_text(encoding="utf-8"))

    def _substitute(self, text: str) -> str:
        return re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda match: self.inputs[match[1]], text)
