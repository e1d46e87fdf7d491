"""The projects in ``examples/`` work where they are copied to, with the files that ``mcpbench init`` writes."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_mcpbench.generation.first_suite.project_files import ci_files
from tests.servers.subjects import INSTALLED

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
NODE_MODULES = INSTALLED / "fastmcp" / "node_modules"
WORKFLOW = ".github/workflows/mcpbench.yml"
INSTALL_STEP = "      - run: pip install pytest-mcpbench # and what your server needs\n"


def copy_of(example: str, directory: Path) -> Path:
    """Return a copy of an example, with the npm packages of its server; skip the test if they are not installed."""
    left_by_runs = shutil.ignore_patterns("node_modules", ".mcpbench", "__pycache__", ".pytest_cache")
    copy = Path(shutil.copytree(EXAMPLES / example, directory / example, ignore=left_by_runs))
    if (copy / "package.json").exists():
        if not NODE_MODULES.is_dir():
            pytest.skip(f"{NODE_MODULES} is missing; .ci/setup installs it")
        (copy / "node_modules").symlink_to(NODE_MODULES)
    return copy


def run_pytest(project: Path) -> subprocess.CompletedProcess[str]:
    # PYTEST_ADDOPTS and the variables of an outer pytest-xdist would change the inner run.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    environment["PYTHONPATH"] = str(ROOT)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-v"]
    return subprocess.run(
        command, cwd=project, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.long
@pytest.mark.parametrize(
    ("example", "server"),
    [
        ("python-sdk", "server.py"),
        ("http-server", "trams"),
        pytest.param("fastmcp-typescript", "kitchen", marks=pytest.mark.npm),
    ],
)
def test_an_example_passes_where_it_is_copied_to(example: str, server: str, tmp_path: Path) -> None:
    result = run_pytest(copy_of(example, tmp_path))
    assert result.returncode == 0, result.stdout + result.stderr
    for item in ("mcpbench.yaml::", f"lock[{server}]", f"lint[{server}]"):
        assert item in result.stdout


@pytest.mark.long
def test_a_changed_description_fails_the_lock_of_an_example(tmp_path: Path) -> None:
    project = copy_of("http-server", tmp_path)
    server = project / "server.py"
    server.write_text(server.read_text(encoding="utf-8").replace("List all stops.", "Stops."), encoding="utf-8")
    result = run_pytest(project)
    assert result.returncode == 1
    assert "lock[trams] FAILED" in result.stdout


@pytest.mark.parametrize(
    ("example", "install"),
    [
        ("python-sdk", INSTALL_STEP),
        (
            "fastmcp-typescript",
            '      - uses: actions/setup-node@v4\n        with: {node-version: "22"}\n      - run: npm install\n'
            + INSTALL_STEP,
        ),
        ("http-server", "      - run: pip install -r requirements.txt\n"),
    ],
)
def test_an_example_has_the_files_that_init_writes_with_its_own_installation(example: str, install: str) -> None:
    written = ci_files("github")
    assert INSTALL_STEP in written[WORKFLOW]
    written[WORKFLOW] = written[WORKFLOW].replace(INSTALL_STEP, install)
    assert {path: (EXAMPLES / example / path).read_text(encoding="utf-8") for path in written} == written
