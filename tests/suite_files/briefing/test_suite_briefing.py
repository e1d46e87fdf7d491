"""Records of a suite with what their agents are told, read from disk."""

import re
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.core.errors import SourceLocation
from pytest_mcpbench.core.loading import LoadedTask
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Context, Expected, Task
from pytest_mcpbench.files.confinement import Confinement
from pytest_mcpbench.simulated.engine import Simulation
from pytest_mcpbench.simulated.lark.server import SIMULATION as LARK
from pytest_mcpbench.simulated.xiaohongshu.server import SIMULATION as REDNOTE
from pytest_mcpbench.suite_files.briefing.paragraph_pool import read_pool
from pytest_mcpbench.suite_files.briefing.suite_briefing import SHIPPED_SKILLS, brief_tasks, read_skills
from tests.builders import a_task


def a_suite(directory: Path, **fields: Any) -> SuiteManifest:
    files = ({"path": "tasks.yaml", "loader": "native"},)
    return SuiteManifest(**{"name": "suite", "directory": str(directory), "files": files, **fields})


def confinement_of(suite: SuiteManifest) -> Confinement:
    return Confinement.of_suite(Path(suite.directory), Path(suite.directory))


def a_record(task: Task) -> LoadedTask:
    return LoadedTask(SourceLocation("tasks.yaml", line=3), id=task.id, task=task)


def tasks_of(suite: SuiteManifest, *tasks: Task) -> list[Task]:
    return [
        record.task
        for record in brief_tasks(suite, map(a_record, tasks), confinement_of(suite))
        if record.task is not None
    ]


def test_skills_are_read_beside_the_suite(tmp_path: Path) -> None:
    (tmp_path / "lark").mkdir()
    (tmp_path / "lark" / "SKILL.md").write_text("Look first.")
    (tmp_path / "mail.md").write_text("---\ndescription: Mail\n---\nBe brief.")
    suite = a_suite(tmp_path, skills=("lark", "lark/SKILL.md", str(tmp_path / "mail.md")))
    (task,) = tasks_of(suite, a_task())
    assert task.system == (
        "# Skill: lark\n\nLook first.\n\n# Skill: lark\n\nLook first.\n\n# Skill: mail\n\nMail\n\nBe brief."
    )


_OPENINGS = {
    "lark": "How to ",
    "openclaw-lark": "Lark / Feishu assistant.",
    "openclaw-rednote": "Xiaohongshu (Rednote, 小红书) automation.",
    "rednote": "How to ",
}


@pytest.mark.parametrize("name", SHIPPED_SKILLS)
def test_a_skill_of_the_package_is_found_by_its_name_unless_the_suite_has_one_of_that_name(
    name: str, tmp_path: Path
) -> None:
    (shipped,) = tasks_of(a_suite(tmp_path, skills=(name,)), a_task())
    assert str(shipped.system).startswith(f"# Skill: {name}\n\n{_OPENINGS[name]}")
    (tmp_path / name).mkdir()
    (tmp_path / name / "SKILL.md").write_text("Own.")
    (own,) = tasks_of(a_suite(tmp_path, skills=(name,)), a_task())
    assert own.system == f"# Skill: {name}\n\nOwn."


@pytest.mark.parametrize(("name", "simulation"), [("lark", LARK), ("rednote", REDNOTE)])
def test_a_skill_of_the_package_names_every_tool_of_its_server_and_no_other(name: str, simulation: Simulation) -> None:
    (skill,) = read_skills(name, Path("nowhere"))
    tools = {tool.__name__ for tool in simulation.tools}
    named = set(re.findall(r"`((?:calendar|contact|im)_v\d\w+|[a-z]+_[a-z_]+)`", skill.text))
    assert tools <= named
    assert {each for each in named - tools if each.startswith(("calendar_v", "contact_v", "im_v"))} == set()


def test_a_skill_that_is_not_there_is_an_error_of_the_tasks_that_name_it(tmp_path: Path) -> None:
    suite = a_suite(tmp_path)
    broken, sound = brief_tasks(
        suite, [a_record(a_task(skills=("gone.md",))), a_record(a_task())], confinement_of(suite)
    )
    assert sound.task == a_task()
    assert (broken.task, str(broken.error)) == (
        None,
        f"tasks.yaml:3: skills: gone.md cannot be read: No such file or directory. Paths are relative to {tmp_path}; "
        "skills of the package: lark, openclaw-lark, openclaw-rednote, rednote.",
    )


def test_a_directory_of_skills_has_one_in_each_of_its_directories(tmp_path: Path) -> None:
    for name in ("b", "a", "notes"):
        (tmp_path / "skills" / name).mkdir(parents=True)
    for name in ("b", "a"):
        (tmp_path / "skills" / name / "SKILL.md").write_text(f"---\ndescription: D{name}\n---\nT{name}")
    (task,) = tasks_of(a_suite(tmp_path, skills=("skills",), skill_presentation="offered"), a_task())
    assert [(each.name, each.description, each.text) for each in task.offered_skills] == [
        ("a", "Da", "Ta"),
        ("b", "Db", "Tb"),
    ]


MAIL = "---\nname: mail\ndescription: Mail\n---\nBe brief."
NOT_OFFERED: dict[str, tuple[dict[str, str], Any, str]] = {
    "without a description": (
        {"mail.md": "Be brief."},
        ("mail",),
        "skills: the skill 'mail' has no description, by which a model chooses it. Write `description:` into its front "
        "matter.",
    ),
    "of one name": ({"mail.md": MAIL, "post.md": MAIL}, ("mail",), "skills: two skills are called 'mail'."),
    "that are not there": (
        {"mail.md": MAIL},
        ("mial",),
        "loads: no skill is called 'mial'; there are: mail. Did you mean 'mail'?",
    ),
    "of which there are none": (
        {},
        "none",
        "loads: the task has no skills that could be loaded. Name some in `skills`.",
    ),
}


@pytest.mark.parametrize(("files", "loads", "message"), NOT_OFFERED.values(), ids=NOT_OFFERED.keys())
def test_a_task_cannot_offer_skills(files: dict[str, str], loads: Any, message: str, tmp_path: Path) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    suite = a_suite(tmp_path, skills=tuple(files))
    (record,) = brief_tasks(suite, [a_record(a_task(expected=Expected(loads=loads)))], confinement_of(suite))
    assert str(record.error) == f"tasks.yaml:3: {message}"


def test_distractors_come_from_the_pool(tmp_path: Path) -> None:
    tasks = [a_task(id=name, context=Context(unnecessary=(f"about {name}",))) for name in ("one", "other")]
    one, other = tasks_of(a_suite(tmp_path, context_distractors=len(read_pool())), *tasks)
    assert one.context.unnecessary[0] == "about one"
    assert set(one.context.unnecessary) == {"about one", *read_pool()}
    assert set(other.context.unnecessary) == {"about other", *read_pool()}


def test_a_suite_may_have_a_pool_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "pool.txt").write_text("First\nparagraph.\n\nSecond.\n")
    (task,) = tasks_of(a_suite(tmp_path, context_distractors=5, context_pool="pool.txt"), a_task())
    assert set(task.context.unnecessary) == {"First paragraph.", "Second."}


def test_records_are_as_they_are_where_nothing_is_to_be_told(tmp_path: Path) -> None:
    record, suite = a_record(a_task()), a_suite(tmp_path)
    assert brief_tasks(suite, [record], confinement_of(suite))[0].task is record.task
