"""A benchmark in a package of its own, as its page builds it, is installed and runs by its name."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_mcpbench.cli import main

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "publish-a-benchmark.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory into which the package of the page is installed."""
    project, site = tmp_path_factory.mktemp("project"), tmp_path_factory.mktemp("site")
    for name, text in re.findall(r"^```\w*\n# file: (\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL):
        file = project / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    (project / "ticketbench" / "__init__.py").touch()
    options = ("--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--target", str(site))
    subprocess.run([sys.executable, "-m", "pip", "install", *options, str(project)], check=True)
    return site


def run(directory: Path, site: Path, module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(site), str(ROOT)]), "COLUMNS": "200"}
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.long
def test_an_installed_suite_runs_by_its_name_with_its_own_format_and_metric(tmp_path: Path, site: Path) -> None:
    made = run(tmp_path, site, "pytest", "--suite=tickets", "--model=oracle", "--model=noop", "-v", "-p", "no:xdist")
    assert "suites/tickets/suite.toml::slow-printer[oracle] PASSED" in made.stdout
    assert "oracle passes 100.0 % of tickets" in made.stdout
    assert "noop passes 0.0 % of tickets" in made.stdout
    assert re.search(r"^ +no_repetition +noop", made.stdout, re.MULTILINE)


@pytest.mark.extra
def test_the_commands_of_the_page_do_what_it_says_and_a_node_id_selects_a_task(
    pytester: pytest.Pytester, site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytester.syspathinsert(site)
    commands = re.findall(r"^\$ pytest (.+)$", PAGE.partition("\n## 5. Check it\n")[2], re.MULTILINE)
    outcomes = [pytester.runpytest_inprocess(*each.split()).parseoutcomes() for each in commands]
    assert outcomes == [{"passed": 2}, {"failed": 2}]
    node_id = "suites/tickets/suite.toml::slow-printer[oracle]"
    assert pytester.runpytest_inprocess(node_id, "--suite=tickets", "--model=oracle").parseoutcomes() == {"passed": 1}
    capsys.readouterr()
    main(["audit", "tickets"])
    audit = capsys.readouterr().err
    assert "no loader is called 'tickets'." in audit
    assert audit.endswith("Those of packages and conftest files are known in runs of pytest only.\n")


@pytest.mark.extra
def test_commands_and_suggestions_know_installed_suites(tmp_path: Path, site: Path) -> None:
    assert "Did you mean 'tickets'?" in run(tmp_path, site, "pytest", "--suite=tickts").stderr
    declaration = site / "ticketbench-1.0.dist-info" / "entry_points.txt"
    text = declaration.read_text(encoding="utf-8")
    try:
        declaration.write_text(text.replace("ticketbench.suite", "ticketbench.siute"), encoding="utf-8")
        wrong = run(tmp_path, site, "pytest", "--suite=tickets").stderr
    finally:
        declaration.write_text(text, encoding="utf-8")
    assert "ticketbench declares the suite 'tickets'" in wrong
    assert "'ticketbench.siute' is no package, and no directory in one, that contains a suite.toml." in wrong


@pytest.mark.long
def test_a_wrong_record_fails_alone_with_its_line_in_words_of_this_project(
    pytester: pytest.Pytester, site: Path
) -> None:
    pytester.syspathinsert(site)
    suite = pytester.path / "suites" / "tickets"
    suite.mkdir(parents=True)
    for file in (site / "ticketbench" / "suite").iterdir():
        suite.joinpath(file.name).write_bytes(file.read_bytes())
    problems = {
        'x,access,Do it.,open_ticket,"[]"': "ExpectedCall.arguments: must be a mapping, not a list.",
        "a b,access,Do it.,open_ticket,{}": "id: 'a b' may only contain letters, digits, dots, dashes",
        "x,access,Do it.,open_ticket,{": "Expecting property name enclosed in double quotes",
    }
    with (suite / "tasks.csv").open("a", encoding="utf-8") as tasks:
        tasks.writelines(f"{row}\n" for row in problems)
    made = pytester.runpytest_inprocess("--suite=tickets", "--model=oracle")
    made.assert_outcomes(passed=2, errors=3)
    shown = " ".join(made.stdout.str().split())
    for line, problem in enumerate(problems.values(), 4):
        place = f"suites/tickets/suite.toml::line-{line}[oracle] - suites/tickets/tasks.csv:{line}"
        assert f"ERROR {place}: {problem}" in shown
    assert "pydantic" not in shown


def test_a_loader_that_raises_is_named_and_leaves_the_tasks_before(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("""
        from pytest_mcpbench import CallGroup, Expected, LoadedTask, SourceLocation, Task, Turn

        def load(content, options):
            task = Task(id="a", turns=(Turn(user="Hello."),), expected=Expected(answer="x"))
            yield LoadedTask(SourceLocation(options.file, line=1), "a", task=task)
            CallGroup(calls="x")

        def pytest_mcpbench_loaders():
            return {"mine": load}
        """)
    pytester.path.joinpath("suite.toml").write_text(
        '[[files]]\npath = "tasks.txt"\nloader = "mine"\n', encoding="utf-8"
    )
    pytester.path.joinpath("tasks.txt").touch()
    result = pytester.runpytest_inprocess("--suite=.", "--model=oracle", "-p", "no:xdist", "-rA")
    result.assert_outcomes(passed=1, errors=1)
    text = " ".join(result.stdout.str().split())
    assert "tasks.txt: the loader 'mine' raised CallGroup.calls: must be a list, not text. A loader makes each" in text
