"""In a run without tasks the plugin is silent and cheap."""

import subprocess
import sys
from pathlib import Path

import pytest

_HEAVY = ("mcp", "litellm", "pydantic", "yaml", "numpy", "anyio.from_thread", "jinja2.environment")
_PROBE = f"""
import sys
import pytest
class Probe:
    def pytest_unconfigure(self):
        print("HEAVY", [name for name in {_HEAVY!r} if name in sys.modules])
sys.exit(pytest.main(sys.argv[1:], plugins=[Probe()]))
"""


def _run(directory: Path, *arguments: str) -> str:
    # Without other plugins: some of them import what ours must not.
    command = [sys.executable, "-c", _PROBE, "-p", "no:anyio", "-p", "no:html", "-p", "no:hypothesispytest", *arguments]
    return subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False).stdout


def test_a_run_without_tasks_imports_nothing_heavy_and_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "test_plain.py").write_text("def test_plain(): pass\n")
    output = _run(tmp_path)
    assert "HEAVY []" in output
    assert "mcpbench" not in output.replace("plugins: ", "").replace("mcpbench-0.1.0", "")
    assert not (tmp_path / ".mcpbench").exists()


@pytest.mark.extra
def test_collecting_tasks_imports_neither_mcp_nor_litellm(project: pytest.Pytester) -> None:
    output = _run(project.path, "--co", "-q", "--model=oracle")
    heavy = output.split("HEAVY ")[1]
    assert "mcp" not in heavy
    assert "litellm" not in heavy
