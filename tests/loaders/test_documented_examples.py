"""The examples of the reference pages are what the loaders read."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.loading import LoadedTask, LoadOptions
from pytest_mcpbench.core.suite import NOT_IN_FILES, SuiteManifest
from pytest_mcpbench.core.task import (
    Context,
    ExecCheckpoint,
    Expected,
    ExpectedCall,
    Limits,
    StateCheck,
    Task,
    Turn,
    VerifyCheck,
)
from pytest_mcpbench.loaders import native
from pytest_mcpbench.loaders.manifest import read_manifest, standalone_manifest
from pytest_mcpbench.loaders.mcp_json import read_mcp_json
from pytest_mcpbench.suite_files.loading import load_suite
from pytest_mcpbench.suite_files.splits import with_part

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"


def blocks(page: str, language: str) -> list[str]:
    """The fenced blocks of a page in one language."""
    return re.findall(rf"```{language}\n(.*?)```", (REFERENCE / page).read_text(encoding="utf-8"), re.DOTALL)


TASK_FILES = blocks("task-format.md", "yaml")


@pytest.mark.parametrize("text", TASK_FILES, ids=range(len(TASK_FILES)))
def test_every_task_file_of_the_page_loads(text: str, tmp_path: Path) -> None:
    loaded = list(native.load(text.encode(), LoadOptions("page.mcpbench.yaml")))
    assert loaded
    assert [str(each.error) for each in loaded if each.error] == []
    suite = standalone_manifest(text, tmp_path / "page.mcpbench.yaml", {"MAPS_KEY": "k"})
    assert [server.problem for server in suite.servers.values() if server.problem] == []


def whole_task() -> Task:
    (text,) = (text for text in TASK_FILES if "id: everything" in text)
    (only,) = native.load(text.encode(), LoadOptions("page.yaml"))
    assert only.task is not None
    return only.task


@pytest.mark.parametrize(
    ("part", "without"),
    [
        # Filled in from where the record stands, and from the skills; not a task yet; instead of further turns.
        (lambda task: task, {"source", "offered_skills", "proposal", "user"}),
        (lambda task: task.turns[0], set()),
        (lambda task: task.context, set()),
        (lambda task: task.limits, set()),
        (lambda task: task.expected, set()),
        (lambda task: task.expected.flat_calls[0], set()),
        (lambda task: task.expected.exec[1], {"value", "entity"}),
        (lambda task: task.expected.state[0], {"updated", "deleted", "unchanged", "equals", "value"}),
        (lambda task: task.expected.verify[0], {"equals"}),
    ],
    ids=[
        model.__name__
        for model in (Task, Turn, Context, Limits, Expected, ExpectedCall, ExecCheckpoint, StateCheck, VerifyCheck)
    ],
)
def test_the_whole_example_shows_every_field(part: Any, without: set[str]) -> None:
    value = part(whole_task())
    assert set(type(value).model_fields) - value.model_fields_set - without == set()


def test_the_example_of_a_user_that_answers_shows_every_field() -> None:
    (text,) = (text for text in TASK_FILES if "id: refund" in text)
    (only,) = native.load(text.encode(), LoadOptions("page.yaml"))
    assert only.task is not None
    assert only.task.user is not None
    checks = only.task.expected.conversation
    parts = [[only.task.user], only.task.user.script, checks]
    for each in parts:
        names = set().union(*(part.model_fields_set for part in each))
        assert names == set(type(each[0]).model_fields)


def test_the_shortest_example_has_at_most_six_lines() -> None:
    assert min(len(text.splitlines()) for text in TASK_FILES) <= 6


(SPLITS,) = [text for text in blocks("suite-toml.md", "toml") if text.startswith("quick")]
SUITES = [text for text in blocks("suite-toml.md", "toml") if text != SPLITS]


@pytest.mark.parametrize("text", SUITES, ids=range(len(SUITES)))
def test_every_suite_of_the_page_is_read(text: str, tmp_path: Path) -> None:
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks" / "a.yaml").write_text("- ask: hi\n")
    (tmp_path / "mcp.json").write_text(blocks("suite-toml.md", "json")[0])
    suite = read_manifest(text, tmp_path / "suite.toml", {"MAIL_KEY": "k", "MAPS_KEY": "k"})
    assert [server.problem for server in suite.servers.values() if server.problem] == []


def test_the_first_suite_of_the_page_shows_every_field() -> None:
    names = set(re.findall(r"^\[*([a-z_]+)", SUITES[0], re.MULTILINE))
    assert set(SuiteManifest.model_fields) - NOT_IN_FILES <= names


def test_the_splits_of_the_page_are_read(tmp_path: Path) -> None:
    ids = [task_id for split in tomllib.loads(SPLITS).values() for task_id in split]
    (tmp_path / "tasks.jsonl").write_text("".join(f'{{"id": "{each}", "ask": "hi"}}\n' for each in ids))
    (tmp_path / "suite.toml").write_text('[[files]]\npath = "tasks.jsonl"\n')
    (tmp_path / "splits.toml").write_text(SPLITS)
    loaded = load_suite(tmp_path / "suite.toml", {})
    parts = [with_part(loaded, name).manifest.sample for name in tomllib.loads(SPLITS)]
    assert [part.size for part in parts if part is not None] == [2, 1]


def test_the_mcp_json_of_the_page_is_read_without_warnings() -> None:
    found = read_mcp_json(blocks("suite-toml.md", "json")[0], "mcp.json", {"MAPS_KEY": "k"})
    assert (set(found.servers), found.warnings) == ({"time", "maps"}, ())


def test_the_loader_of_the_page_works() -> None:
    names: dict[str, Any] = {}
    for text in blocks("formats.md", "python"):
        exec(text, names)
    loaded: list[LoadedTask] = list(names["pytest_mcpbench_loaders"]()["tsv"](b"2+2\t4\noops", LoadOptions("t.tsv")))
    assert [each.task and each.task.expected.answer for each in loaded] == ["4", None]
    assert str(loaded[1].error) == "t.tsv:2: there is no tab; write question, tab, answer."


def test_the_options_of_every_loader_are_on_the_page() -> None:
    from pytest_mcpbench.loaders import atlas, finmcp, persona, radar, toolbench

    page = (REFERENCE / "formats.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL))
    models: dict[str, type[FrozenModel]] = {
        "toolbench": toolbench.ToolbenchOptions,
        "atlas": atlas.AtlasOptions,
        "finmcp": finmcp.FinmcpOptions,
        "radar": radar.RadarOptions,
        "persona": persona.PersonaOptions,
    }
    for name, model in models.items():
        assert set(re.findall(r"^\| `(\w+)` \|", sections[name], re.MULTILINE)) >= set(model.model_fields), name
