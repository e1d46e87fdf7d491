"""``action.yml``: its metadata are those of a composite action, and its steps do what they say."""

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest
import yaml
from pydantic import BaseModel, ConfigDict, Field

from pytest_mcpbench import __version__
from pytest_mcpbench.generation.first_suite.project_files import ci_files
from tests.workflows.shell_steps import ROOT, Runner

PAGE = ROOT / "docs" / "reference" / "action.md"
TASKS = """\
server: fixtures.servers.in_process:without_arguments
tasks:
  - {id: ping, ask: Is the server there?, tool: ping}
"""


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Input(Strict):
    """Every input has a default, so that none is required."""

    description: str = Field(min_length=10)
    default: str


class Output(Strict):
    description: str = Field(min_length=10)
    value: str = Field(pattern=r"^\$\{\{ steps\.[\w-]+\.outputs\.[\w-]+ \}\}$")


class Step(Strict):
    id: str | None = None
    name: str | None = None
    condition: str | None = Field(None, alias="if", pattern=r"^\$\{\{ .* \}\}$")


class ShellStep(Step):
    run: str
    shell: Literal["bash"]
    directory: str | None = Field(None, alias="working-directory")
    env: dict[str, str] = {}


class ActionStep(Step):
    uses: str = Field(pattern=r"^[\w-]+/[\w-]+@v\d+$")
    arguments: dict[str, str] = Field({}, alias="with")


class Runs(Strict):
    using: Literal["composite"]
    steps: list[ShellStep | ActionStep] = Field(min_length=1)


class Branding(Strict):
    icon: str
    color: Literal["white", "black", "yellow", "blue", "green", "orange", "red", "purple", "gray-dark"]


class Action(Strict):
    """Metadata of a composite action, as GitHub documents them."""

    name: str = Field(min_length=1)
    # GitHub shows no more of it in a search.
    description: str = Field(max_length=125)
    author: str | None = None
    branding: Branding | None = None
    inputs: dict[str, Input]
    outputs: dict[str, Output] = {}
    runs: Runs


def load(text: str) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load(text)
    return content


ACTION = load((ROOT / "action.yml").read_text(encoding="utf-8"))
OF_INIT = load(ci_files("github")[".github/actions/mcpbench/action.yml"])
STEPS = {step.get("id") or step.get("run", "")[:20]: step for step in ACTION["runs"]["steps"]}


def step(beginning: str) -> dict[str, Any]:
    """Return the step with this id, or whose commands begin with this text."""
    found: list[dict[str, Any]] = [step for name, step in STEPS.items() if name.startswith(beginning)]
    (only,) = found
    return only


def a_runner(workspace: Path, **inputs: str) -> Runner:
    """Return a runner of the action with these inputs."""
    defaults = {name: value["default"] for name, value in ACTION["inputs"].items()}
    given = {name.replace("_", "-"): value for name, value in inputs.items()}
    assert given.keys() <= defaults.keys()
    return Runner(workspace, {**defaults, **given})


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "server").mkdir()
    (tmp_path / "server" / "ping.mcpbench.yaml").write_text(TASKS, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("action", [ACTION, OF_INIT], ids=["action.yml", "init"])
def test_the_metadata_are_those_of_a_composite_action(action: dict[str, Any]) -> None:
    Action.model_validate(action)


@pytest.mark.parametrize("action", [ACTION, OF_INIT], ids=["action.yml", "init"])
def test_each_input_is_used_and_each_name_that_is_used_exists(action: dict[str, Any]) -> None:
    steps = action["runs"]["steps"]
    used = set(re.findall(r"inputs\.([\w-]+)", yaml.safe_dump(steps)))
    assert used == set(action["inputs"])
    values = (output["value"] for output in action.get("outputs", {}).values())
    assert {re.findall(r"steps\.([\w-]+)", value)[0] for value in values} <= {step.get("id") for step in steps}
    # An input in a command would be code there; it is passed as a variable.
    assert not [step["run"] for step in steps if "${{" in step.get("run", "")]


def test_the_page_of_the_action_has_each_input_and_output() -> None:
    rows = re.findall(r"^\| `([\w-]+)` \| (.*?) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    described = [*ACTION["inputs"].items(), *ACTION["outputs"].items()]
    assert rows == [(name, about["description"]) for name, about in described]


@pytest.mark.long
def test_by_default_pip_installs_the_plugin_at_the_ref_of_the_action(tmp_path: Path) -> None:
    python = tmp_path / "venv" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", "hatchling", "hatch-fancy-pypi-readme"], check=True)
    # What the packages depend on would take a minute to install.
    environment = {
        "PATH": os.pathsep.join((str(python.parent), os.environ["PATH"])),
        "PIP_NO_BUILD_ISOLATION": "false",  # the value is that of the isolation, whatever the variable's name says
        "PIP_NO_DEPS": "1",
        "GITHUB_ACTION_PATH": str(ROOT),
    }
    for package, installed in (("", f"pytest-mcpbench-{__version__}"), ("pytest==9.0.0", "pytest-9.0.0")):
        result = replace(a_runner(tmp_path, package=package), environment=environment).run(step("python -m pip"))
        assert f"Successfully installed {installed}\n" in result.text


@pytest.mark.extra
def test_the_run_leaves_its_report_and_its_arguments_are_split_and_not_run(project: Path) -> None:
    (project / "server" / "conftest.py").write_text(
        "def pytest_addoption(parser):\n    parser.addoption('--said')\n"
        "def pytest_report_header(config):\n    return f'said {config.option.said!r}'\n"
    )
    arguments = "-k 'ping or none' --said='two words; $(touch run)'"
    result = a_runner(project, directory="server", model="oracle", arguments=arguments).run(step("pytest"))
    assert result.exit_code == 0, result.text
    assert result.outputs == {"exit-code": "0", "report": "server/mcpbench-report"}
    report = project / "server" / "mcpbench-report"
    assert {path.name for path in report.iterdir()} == {"report.md", "report.html", "report.json", "junit.xml", "run"}
    assert json.loads((report / "report.json").read_text(encoding="utf-8"))["summaries"][0]["model"] == "oracle"
    assert "said 'two words; $(touch run)'" in result.text
    assert not (project / "server" / "run").exists()


@pytest.mark.extra
def test_a_failure_is_that_of_the_step_and_its_report_is_there(project: Path) -> None:
    result = a_runner(project, directory="server", model="noop").run(step("pytest"))
    assert (result.exit_code, result.outputs["exit-code"]) == (1, "1")
    assert (project / "server" / "mcpbench-report" / "report.md").exists()


@pytest.mark.extra
def test_a_suite_of_the_plugin_is_named(project: Path) -> None:
    runner = a_runner(project, suite="radar", model="oracle", arguments="-k email-011", report="radar")
    result = runner.run(step("pytest"))
    assert result.exit_code == 0, result.text
    assert "1 passed" in result.text


@pytest.mark.long
def test_the_report_is_in_the_summary_of_the_job(project: Path) -> None:
    a_runner(project, directory="server", model="oracle").run(step("pytest"))
    for comment in ("true", "false"):
        runner = a_runner(project, directory="server", model="oracle", comment=comment)
        result = runner.run(step('if [ "$COMMENT"'))
        assert result.exit_code == 0, result.text
        assert "| oracle |" in result.summary
        assert ("nothing to comment on" in result.text) == (comment == "true")


def test_wrong_usage_is_said_in_place_of_the_report_of_an_earlier_run(project: Path) -> None:
    report = project / "server" / "mcpbench-report" / "report.md"
    report.parent.mkdir()
    report.write_text("of an earlier run", encoding="utf-8")
    runner = a_runner(project, directory="server", arguments="--no-such-option")
    assert runner.run(step("pytest")).outputs["exit-code"] == "4"
    result = runner.run(step('if [ "$COMMENT"'))
    assert "usage error:** pytest: unrecognized arguments: --no-such-option" in result.summary
    assert "of an earlier run" not in result.summary


@pytest.mark.extra
def test_lint_annotates_without_failing(project: Path) -> None:
    result = a_runner(project, directory="server").run(step("mcpbench lint"))
    assert result.exit_code == 0
    assert "::error file=ping.mcpbench.yaml,title=MCPB107 no-description::" in result.text
