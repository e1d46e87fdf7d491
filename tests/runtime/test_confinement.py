"""Files that a suite may read into prompts and sandboxes."""

import re
from pathlib import Path

import pytest

from pytest_mcpbench.core.errors import SourceLocation, TaskError
from pytest_mcpbench.runtime.confinement import Confinement
from pytest_mcpbench.runtime.suites.loading import KnownNames, load_suite

SERVER = "server: pytest_mcpbench.simulated.catalogue:calendar"
PLACE = SourceLocation("suite.toml", line=3)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a suite below it, a document beside the suite, and a secret outside of the project."""
    project = tmp_path / "project"
    (project / "suite" / "files").mkdir(parents=True)
    (project / "docs").mkdir()
    (project / "docs" / "skill.md").write_text("# Skill")
    (project / "suite" / "files" / "a.txt").write_text("a")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "id_rsa").write_text("private")
    (project / "suite" / "inner.md").symlink_to("../docs/skill.md")
    (project / "suite" / "outer.md").symlink_to(tmp_path / "outside" / "id_rsa")
    (project / "suite" / "linked").mkdir()
    (project / "suite" / "linked" / "key").symlink_to(tmp_path / "outside" / "id_rsa")
    return project


def is_allowed(path: str | Path, suite: Path, project: Path, *allowed: Path) -> bool:
    try:
        Confinement.of_suite(suite, project, allowed).check(suite / path, PLACE, "skills")
    except TaskError:
        return False
    return True


@pytest.mark.parametrize("path", ["files", "inner.md", "../docs/skill.md", "files/../inner.md"])
def test_a_suite_reads_files_of_its_project(project: Path, path: str) -> None:
    assert is_allowed(path, project / "suite", project)


@pytest.mark.parametrize("path", ["../../outside/id_rsa", "outer.md", "linked", "/etc/passwd", "../.."])
def test_a_suite_reads_nothing_outside_of_its_project(project: Path, path: str) -> None:
    assert not is_allowed(path, project / "suite", project)
    outside = [(project.parent), Path("/etc")]
    assert is_allowed(path, project / "suite", project, *outside)


def test_a_suite_outside_of_the_project_reads_only_its_own_directory(project: Path, tmp_path: Path) -> None:
    suite, elsewhere = project / "suite", tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert is_allowed("files", suite, elsewhere)
    assert not is_allowed("../docs/skill.md", suite, elsewhere)


def test_a_directory_that_contains_the_home_directory_is_no_project(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(project.parent / "home"))
    assert not is_allowed("../docs/skill.md", project / "suite", project.parent)
    assert is_allowed("files", project / "suite", Path("/"))


@pytest.mark.parametrize(
    ("field", "line"),
    [
        ("skills", "skills: [../../outside/id_rsa]"),
        ("context.files", "context: {files: ../../outside}"),
        ("skills", "skills: [outer.md]"),
        ("context.files", "context: {files: linked}"),
    ],
)
def test_a_task_that_reads_from_elsewhere_is_an_error_with_field_path_and_option(
    project: Path, field: str, line: str
) -> None:
    file = project / "suite" / "one.mcpbench.yaml"
    file.write_text(f"{SERVER}\ntasks:\n  - {{id: a, ask: b, answer: c, {line}}}\n")
    names = KnownNames(root=project)
    (record,) = load_suite(file, {}, names).attempts
    outside = re.escape(str((project.parent / "outside").resolve()))
    assert record.task is None
    message = rf"one\.mcpbench\.yaml:3: {field}: .* leads .*{outside}.*--mcpbench-allow-path={outside}"
    assert re.search(message, str(record.error))
    (allowed,) = load_suite(file, {}, KnownNames(root=project, allowed_paths=(project.parent / "outside",))).attempts
    assert allowed.error is None


def test_task_files_of_a_suite_are_confined(project: Path) -> None:
    file = project / "suite" / "suite.toml"
    file.write_text('[[files]]\npath = "../../outside/id_rsa"\nloader = "native"\n')
    (record,) = load_suite(file, {}, KnownNames(root=project)).records
    assert "files: " in str(record.error)
    assert "private" not in str(record.error)


def test_documents_that_the_command_line_names_are_allowed(project: Path) -> None:
    file = project / "suite" / "one.mcpbench.yaml"
    file.write_text(f"{SERVER}\ntasks:\n  - {{id: a, ask: b, answer: c}}\n")
    skill = str(project.parent / "outside" / "id_rsa")
    (record,) = load_suite(file, {"skills": (skill,)}, KnownNames(root=project)).attempts
    assert record.error is None
