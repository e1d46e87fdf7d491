"""Files that a suite may read into prompts and sandboxes."""

import json
import os
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_mcpbench.core.errors import SourceLocation, TaskError, UsageError
from pytest_mcpbench.files.confinement import Confinement
from pytest_mcpbench.suite_files.loading import KnownNames, load_suite

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


_TASKS = "tasks:\n  - {id: a, ask: b, answer: c}\n"
_HOSTILE_PATHS = (
    *(
        "../../outside/id_rsa",
        "outer.md",
        "linked",
        "loop",
        "loop/x",
        "pipe",
        "/",
        "//",
        "/dev/zero",
        "/proc/self/environ",
    ),
    *("a\0b", "\0", "a" * 300, "a/" * 3_000, "..", "../..", "../../outside/*", "***/x", "[", "\n", "~root/x", "C:\\x"),
    "file:///etc/passwd",
)
_READERS = {
    "skills": f"{SERVER}\ntasks:\n  - {{id: a, ask: b, answer: c, skills: [PATH]}}\n",
    "context.files": f"{SERVER}\ntasks:\n  - {{id: a, ask: b, answer: c, context: {{files: PATH}}}}\n",
    "context_pool": f"{SERVER}\ncontext_pool: PATH\ncontext_distractors: 2\n{_TASKS}",
    "effects.file": f"{SERVER}\neffects: {{file: PATH}}\n{_TASKS}",
    "mcp_json": f"mcp_json: PATH\n{_TASKS}",
}
"""Stand-alone task files that read a path."""
_ALSO_READABLE = {"skills": (), "context.files": ("file:", "~", "C:", "[", "***", "\n")}
"""Paths that are names of directories that do not exist, which an attempt finds out."""


def outcome(file: Path, text: str, project: Path) -> str:
    """Return the error of loading a file, or of its only task; empty if there is none."""
    file.write_text(text, encoding="utf-8")
    try:
        loaded = load_suite(file, {}, KnownNames(root=project))
    except (TaskError, UsageError) as error:
        return str(error)
    assert "private" not in repr(loaded)
    return "".join(str(record.error) for record in loaded.attempts if record.error)


@pytest.mark.parametrize("field", [*_READERS, "files"])
def test_a_hostile_path_is_an_error_that_shows_no_content(field: str, project: Path) -> None:
    os.mkfifo(project / "suite" / "pipe")
    (project / "suite" / "loop").symlink_to("loop")
    for path in _HOSTILE_PATHS:
        is_toml = field == "files"
        file = project / "suite" / ("suite.toml" if is_toml else "one.mcpbench.yaml")
        text = f'[[files]]\npath = {json.dumps(path)}\nloader = "native"\n' if is_toml else _READERS[field]
        error = outcome(file, text.replace("PATH", json.dumps(path)), project)
        if path.startswith(_ALSO_READABLE.get(field) or ("?",)):
            continue
        assert error, path
        assert "private" not in error


@pytest.mark.extra
@settings(max_examples=50, deadline=None, database=None, suppress_health_check=[*HealthCheck])
@given(
    st.sampled_from(sorted(_READERS)),
    st.lists(st.sampled_from(["..", "outer.md", "linked", "key", "files", "~", "\0", "outside", "*", "//", "\\"])).map(
        "/".join
    )
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
)
def test_no_path_reads_what_is_outside(field: str, path: str) -> None:
    with tempfile.TemporaryDirectory() as directory:
        project = Path(directory) / "project"
        (project / "suite" / "linked").mkdir(parents=True)
        (project.parent / "outside").mkdir()
        (project.parent / "outside" / "key").write_text("private")
        (project / "suite" / "linked" / "key").symlink_to(project.parent / "outside" / "key")
        file = project / "suite" / "one.mcpbench.yaml"
        error = outcome(file, _READERS[field].replace("PATH", json.dumps(path)), project)
        assert "private" not in error


def test_a_directory_with_a_pipe_is_not_copied(project: Path) -> None:
    os.mkfifo(project / "suite" / "files" / "pipe")
    text = _READERS["context.files"].replace("PATH", "files")
    error = outcome(project / "suite" / "one.mcpbench.yaml", text, project)
    assert error.endswith("pipe is a device, a pipe or a socket, and not a file or a directory.")
