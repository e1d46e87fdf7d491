"""The end of a run: five failures on a line each, the result in one sentence, and more for those who ask for more."""

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_mcpbench.reporting.forms.display_text import width

TASKS = 14
CHOOSE = "mcpbench: choose a model with --model=NAME"


@pytest.fixture
def many(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A suite of tasks that the agent ``noop`` fails, beside an ordinary test that fails."""
    for name in ("CI", "BUILD_NUMBER", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    tasks = "".join(
        f"  - {{id: t{number}, ask: Read a., tool: {tool}, arguments: {{title: a{number}}}}}\n"
        for number, tool in enumerate(["read_note"] * 10 + ["add_note"] * (TASKS - 10))
    )
    suite = f'servers: {{notes: {{factory: "fixtures.notes_server:server"}}}}\ntasks:\n{tasks}'
    (pytester.path / "notes.mcpbench.yaml").write_text(suite)
    pytester.makepyfile(test_own="def test_own():\n    value = 1\n    assert value == 2\n")
    pytester.makeini("[pytest]\nfilterwarnings = default\n")
    return pytester


def lines_of(many: pytest.Pytester, *arguments: str) -> list[str]:
    result = many.runpytest_inprocess("--model=noop", "-p", "no:xdist", "--mcpbench-out=out", *arguments)
    return [line.rstrip() for line in result.outlines]


def mcpbench() -> str:
    """The command of this environment, whether it is on the path or not."""
    script = Path(sys.executable).with_name("mcpbench")
    on_path = shutil.which("mcpbench")
    return "mcpbench" if on_path and Path(on_path).samefile(script) else str(script)


def listed(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith("FAILED notes.")]


@pytest.mark.parametrize("columns", [80, 120])
def test_five_failures_have_a_line_each_and_the_last_lines_tell_the_result(
    many: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = lines_of(many)
    start = next(number for number, line in enumerate(lines) if "= failed tasks =" in line)
    assert [line[:60] for line in lines[start + 1 : start + 3]] == [
        "FAILED notes.mcpbench.yaml::t0[noop] - no tool called: expec",
        "FAILED notes.mcpbench.yaml::t10[noop] - no tool called: expe",
    ]
    assert lines[start + 6] == "… and 9 more; -rf lists all"
    assert max(map(width, lines[start:])) <= columns
    result = "noop passes 0.0 % of notes (0 – 22 %); most failures: no tool called 14."
    assert lines[-4:-1] == ["", result, f"See one: {mcpbench()} show out t0"]


def test_the_command_below_the_result_shows_the_attempt(many: pytest.Pytester) -> None:
    lines = lines_of(many, "--model=lexical", "notes.mcpbench.yaml")
    command = next(line for line in lines if line.startswith("See one: ")).removeprefix("See one: ")
    shown = subprocess.run(shlex.split(command), capture_output=True, text=True, check=True).stdout
    assert shown.splitlines()[0] == f"notes · t0 · {command.rpartition('=')[2]} · trial 1"


def test_what_an_agent_can_be_expected_to_pass_is_said_before_any_result(many: pytest.Pytester) -> None:
    lines = lines_of(many, "--model=lexical", "notes.mcpbench.yaml")
    said = lines.index("mcpbench: noop is an agent that does nothing: every task is expected to fail")
    assert lines[said + 1] == "mcpbench: lexical uses no model: it fails most tasks of a benchmark"
    assert said < next(number for number, line in enumerate(lines) if line.startswith("notes.mcpbench.yaml "))


def test_who_runs_a_model_beside_lexical_is_not_asked_to_choose_one(many: pytest.Pytester) -> None:
    many.makeconftest("""
        from pytest_mcpbench import PythonAgent

        def pytest_mcpbench_make_agent(model):
            return PythonAgent("mine", lambda turn: "") if model == "mine" else None
        """)
    assert CHOOSE not in lines_of(many, "--model=lexical", "--model=mine", "--collect-only")
    assert CHOOSE in lines_of(many, "--model=lexical", "--collect-only")


def test_a_node_id_longer_than_a_line_stays_in_one_piece(many: pytest.Pytester) -> None:
    file = f"{'notes-' * 13}.mcpbench.yaml"
    (many.path / "notes.mcpbench.yaml").rename(many.path / file)
    assert f"  {file}::t11[noop]" in lines_of(many, "-k", "t11")


def test_an_ordinary_test_keeps_its_failure(many: pytest.Pytester) -> None:
    text = "\n".join(lines_of(many))
    assert text.count("assert value == 2") == 1
    assert "FAILED test_own.py::test_own - assert 1 == 2" in text
    assert "= 15 failed in " in text


@pytest.mark.extra
@pytest.mark.parametrize(
    ("arguments", "lines", "messages", "tables"),
    [
        ((), 5, 0, 1),
        (("-q",), 0, 0, 0),
        (("-v",), 5, 5, 7),
        (("-vv",), TASKS, TASKS, 7),
        (("--tb=short",), TASKS, TASKS, 1),
        (("--tb=no",), 5, 0, 1),
        (("-rf",), TASKS, 0, 1),
        (("-rA",), TASKS, 0, 1),
        (("-rN",), 0, 0, 1),
        (("--no-summary",), 0, 0, 1),
        (("-x",), 1, 0, 1),
        (("--co",), 0, 0, 0),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_who_asks_for_more_or_less_gets_it(
    many: pytest.Pytester, arguments: tuple[str, ...], lines: int, messages: int, tables: int
) -> None:
    shown = lines_of(many, "notes.mcpbench.yaml", *arguments)
    assert len(listed(shown)) == lines
    assert "\n".join(shown).count("required: at least 1") == messages
    assert len([line for line in shown if line.endswith(":") and line[0].isupper()]) == tables


@pytest.mark.parametrize("selected", ["t0 or t11", "t1"], ids=["few", "many in CI"])
def test_few_failures_and_those_in_a_log_of_ci_have_whole_reasons(
    many: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, selected: str
) -> None:
    if selected == "t1":
        monkeypatch.setenv("CI", "true")
    lines = lines_of(many, "-k", selected)
    assert "FAILED notes.mcpbench.yaml::t11[noop] - ast 0 < 1: no call of" in lines
    assert "  add_note(title='a11')" in lines


def test_a_run_without_tasks_prints_nothing_of_its_own(many: pytest.Pytester) -> None:
    text = "\n".join(lines_of(many, "test_own.py"))
    assert "mcpbench show" not in text
    assert "= mcpbench =" not in text
    assert "FAILED test_own.py::test_own" in text


@pytest.mark.long
def test_the_controller_of_xdist_lists_the_failures_of_all_workers(many: pytest.Pytester) -> None:
    result = many.runpytest_inprocess("--model=noop", "-n2", "--mcpbench-out=out")
    lines = result.outlines
    assert len(listed(lines)) == 5
    assert "… and 9 more; -rf lists all" in lines


def test_github_gets_annotations_and_nobody_else(many: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not [line for line in lines_of(many, "notes.mcpbench.yaml") if line.startswith("::")]
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(many.path.parent))
    commands = [line for line in lines_of(many, "notes.mcpbench.yaml") if line.startswith("::")]
    assert len(commands) == 10
    file = f"{many.path.name}/notes.mcpbench.yaml"
    assert commands[0].startswith(
        f"::error file={file},line=3,title=t0 [noop]%3A 0/1 passed::read_note → (none): ast 0"
    )
    assert not [line for line in lines_of(many, "test_own.py") if line.startswith("::")]
