"""Worlds that users build: what `mcpbench new-server` writes, and the how-to page, followed to the letter."""

import re
import sys
from pathlib import Path

import pytest

from pytest_mcpbench.cli import main

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "build-a-world.md"
BLOCK = re.compile(r"```(?:python|yaml)\n# file: (\S+)\n(.*?)```", re.DOTALL)

NOTES_SERVER = """
from mcp.server import MCPServer

server = MCPServer("notes")
notes = {}

@server.tool()
def write_note(title: str, text: str) -> str:
    notes[title] = text
    return "written"

@server.tool()
def list_notes() -> str:
    return "\\n".join(notes)

@server.tool()
def read_note(title: str) -> dict:
    return {"text": notes[title], "author": {"name": "Ann"}}

server.run()
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makeini("[pytest]\nfilterwarnings = default\n")
    return pytester


@pytest.fixture
def followed(project: pytest.Pytester) -> pytest.Pytester:
    """A directory with the files of the page; the blocks of one file follow each other."""
    project.makeconftest("")
    files: dict[str, str] = {}
    for name, text in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        files[name] = f"{files[name]}\n\n{text}" if name in files else text
    for name, text in {**files, "notes_server.py": NOTES_SERVER}.items():
        (project.path / name).write_text(text.replace("mcpbench serve", f"{sys.executable} command.py serve"))
    (project.path / "command.py").write_text("from pytest_mcpbench.cli import main\nmain()\n")
    return project


def test_every_block_of_the_page_belongs_to_a_file() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert len(BLOCK.findall(page)) == len(re.findall(r"```(?:python|yaml)\n", page))


@pytest.mark.long
def test_what_the_page_builds_can_be_solved_but_not_by_doing_nothing(followed: pytest.Pytester) -> None:
    result = followed.runpytest_inprocess("--model=oracle", "--model=noop", "-p", "no:cacheprovider", "-rA")
    tests, tasks = 3, 3 + 1 + 1
    result.assert_outcomes(passed=tests + tasks, failed=tasks)
    assert len(re.findall(r"^PASSED .*\[oracle\]$", result.stdout.str(), re.MULTILINE)) == tasks


@pytest.mark.extra
def test_a_new_server_works_at_once_and_doing_nothing_fails_its_task(
    project: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["new-server", "My shop!"]) == 0
    written = {"conftest.py", "my_shop_server.py", "test_my_shop_server.py", "my_shop.mcpbench.yaml"}
    assert {path.name for path in (project.path / "my_shop").iterdir()} == written
    assert capsys.readouterr().out.endswith("now: pytest my_shop\n")
    result = project.runpytest_inprocess("my_shop", "--model=lexical", "--model=oracle", "--model=noop", "-rA")
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["FAILED *[[]noop[]]*"])


def test_a_new_server_can_be_written_to_another_directory(project: pytest.Pytester) -> None:
    assert main(["new-server", "shop", "--directory", "here"]) == 0
    assert (project.path / "here" / "shop_server.py").is_file()


def test_a_new_server_overwrites_nothing(project: pytest.Pytester, capsys: pytest.CaptureFixture[str]) -> None:
    project.mkdir("shop").joinpath("conftest.py").write_text("mine = 1\n")
    assert main(["new-server", "shop"]) == 2
    assert "there is already: shop/conftest.py" in capsys.readouterr().err
    assert [path.name for path in (project.path / "shop").iterdir()] == ["conftest.py"]


def test_a_new_server_needs_a_name(project: pytest.Pytester, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("", "9lives", "!?", "import", "../"):
        assert main(["new-server", name]) == 2
        assert "is no name for a server" in capsys.readouterr().err
    assert [path.name for path in project.path.iterdir()] == ["tox.ini"]
