"""Pipelines that a ``conftest.py`` adds to ``mcpbench generate``: the one of the documentation, and wrong ones."""

from pathlib import Path

import pytest

from pytest_mcpbench.cli.command_line import main
from tests.generation.made_suites import tasks_of

PAGE = Path(__file__).parents[2] / "docs/how-to/generate-a-benchmark.md"
EXAMPLE = PAGE.read_text(encoding="utf-8").partition("# file: conftest.py\n")[2].partition("```")[0]
COMMAND = ["generate", "--server", "shop=fixtures.shop_server:server", "--pipeline", "orders", "--out", "suites/orders"]


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_pipeline_of_the_page_makes_tasks_that_are_proven(project: Path) -> None:
    (project / "conftest.py").write_text(EXAMPLE)
    (project / "orders.txt").write_text("A17 nosuchorder C03")
    assert main([*COMMAND, "--input", "orders.txt"]) == 0
    assert [task["ask"] for task in tasks_of("suites/orders")] == ["How far is order A17?", "How far is order C03?"]


@pytest.mark.parametrize(
    ("conftest", "problem"),
    [
        (EXAMPLE, "--pipeline orders reads files: name them with --input."),
        ("def pytest_mcpbench_make_pipeline(pipeline):\n    return None\n", "--pipeline: there is no 'orders'."),
        (
            "def pytest_mcpbench_make_pipeline(pipeline):\n    raise KeyError(pipeline)\n",
            "conftest.py: the hook pytest_mcpbench_make_pipeline raised KeyError: 'orders' (conftest.py:2, in ",
        ),
        ("import nonesuch\n", "conftest.py: it cannot be imported: ModuleNotFoundError: No module named 'nonesuch' ("),
    ],
    ids=["without its files", "of another name", "raises", "cannot be imported"],
)
def test_what_is_wrong_with_it_is_one_sentence(
    project: Path, capsys: pytest.CaptureFixture[str], conftest: str, problem: str
) -> None:
    (project / "conftest.py").write_text(conftest)
    assert main(COMMAND) == 2
    error = capsys.readouterr().err
    assert problem in error
    assert len(error.splitlines()) == 1
