"""The command ``mcpbench generate`` in a checkout and in an installed package."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pytest_mcpbench
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.generation import directories
from pytest_mcpbench.generation.command import generate
from pytest_mcpbench.suite_files.discovery import shipped_directory


@pytest.fixture(scope="module")
def site_packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the wheel in a directory like ``site-packages``: there ``suites/`` is inside the package."""
    site = tmp_path_factory.mktemp("site-packages")
    package = Path(pytest_mcpbench.__file__).parent
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(package, site / "pytest_mcpbench", ignore=ignore)
    shutil.copytree(shipped_directory(), site / "pytest_mcpbench" / "suites", ignore=ignore, dirs_exist_ok=True)
    return site


def run_installed(site: Path, directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    code = f"import sys; sys.path.insert(0, {str(site)!r}); from pytest_mcpbench.cli import main; sys.exit(main())"
    command = [sys.executable, "-I", "-B", "-c", code, "generate", *arguments]
    return subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)


@pytest.mark.long
def test_an_installed_package_generates_into_the_requested_directory(site_packages: Path, tmp_path: Path) -> None:
    done = run_installed(site_packages, tmp_path, "atlas", "--out", "other")
    assert (done.returncode, done.stdout.split()) == (0, ["other/tasks.jsonl"]), done.stderr
    assert (tmp_path / "other/tasks.jsonl").read_bytes() == (shipped_directory() / "atlas/tasks.jsonl").read_bytes()


@pytest.mark.long
def test_an_installed_package_generates_into_the_working_directory_and_never_into_itself(
    site_packages: Path, tmp_path: Path
) -> None:
    before = {path: path.stat().st_mtime_ns for path in site_packages.rglob("*")}
    done = run_installed(site_packages, tmp_path, "finmcp")
    assert done.returncode == 0, done.stderr
    assert {path: path.stat().st_mtime_ns for path in site_packages.rglob("*")} == before
    for path in done.stdout.split():
        shipped = shipped_directory() / Path(path).relative_to("suites")
        assert (tmp_path / path).read_bytes() == shipped.read_bytes()


@pytest.mark.long
@pytest.mark.parametrize("suite", ["persona", "radar", "toolbench"])
def test_an_installed_package_has_the_source_files_of_each_suite(
    site_packages: Path, tmp_path: Path, suite: str
) -> None:
    done = run_installed(site_packages, tmp_path, suite, "--out", "other")
    assert done.returncode == 0, done.stderr
    written = [path for path in (tmp_path / "other").rglob("*") if path.is_file()]
    shipped = {path: shipped_directory() / suite / path.relative_to(tmp_path / "other") for path in written}
    assert [path for path in written if path.read_bytes() != shipped[path].read_bytes()] == []
    assert len(written) == len(done.stdout.split())


def test_missing_input_files_are_a_usage_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(directories, "shipped_directory", lambda: tmp_path)
    with pytest.raises(UsageError, match="input files are not installed"):
        generate("atlas", tmp_path / "out")


def test_a_seed_for_a_suite_without_a_random_part_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'finmcp' has no random part"):
        generate("finmcp", tmp_path, seed=1)
