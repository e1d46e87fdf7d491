"""Failures at the end of a run: ten of them, the causes of all, and more for those who ask for more."""

import pytest

from pytest_mcpbench.reporting.display_text import width

TASKS = 14


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


def listed(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith("FAILED notes.")]


def test_ten_failures_are_listed_then_all_causes_and_the_next_command(many: pytest.Pytester) -> None:
    lines = lines_of(many)
    assert len(listed(lines)) == 10
    start = lines.index("14 of 14 attempts did not pass:")
    assert lines[start + 1 : start + 4] == [
        "  14 no tool called: expected read_note (10), expected add_note (4)",
        "next: mcpbench show out t0",
        "=================================== mcpbench ===================================",
    ]
    assert listed(lines)[:2] == [
        "FAILED notes.mcpbench.yaml::t0[noop] - ast 0 < 1: no call of",
        "FAILED notes.mcpbench.yaml::t10[noop] - ast 0 < 1: no call of",
    ]
    assert max(map(width, lines[start - 20 :])) <= 80


def test_an_ordinary_test_keeps_its_failure(many: pytest.Pytester) -> None:
    text = "\n".join(lines_of(many))
    assert text.count("assert value == 2") == 1
    assert "FAILED test_own.py::test_own - assert 1 == 2" in text
    assert "= 15 failed in " in text


@pytest.mark.parametrize(
    ("arguments", "lines", "messages", "causes"),
    [
        ((), 10, 0, True),
        (("-q",), 0, 0, True),
        (("-v",), 10, 10, True),
        (("-vv",), TASKS, TASKS, False),
        (("--tb=short",), TASKS, TASKS, False),
        (("--tb=no",), 10, 0, True),
        (("-rf",), TASKS, 0, False),
        (("-rA",), TASKS, 0, False),
        (("-rN",), 0, 0, True),
        (("--no-summary",), 0, 0, False),
        (("-x",), 1, 0, False),
        (("--co",), 0, 0, False),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_who_asks_for_more_or_less_gets_it(
    many: pytest.Pytester, arguments: tuple[str, ...], lines: int, messages: int, causes: bool
) -> None:
    shown = lines_of(many, "notes.mcpbench.yaml", *arguments)
    assert len(listed(shown)) == lines
    assert "\n".join(shown).count("required: at least 1") == messages
    assert ("14 of 14 attempts did not pass:" in shown) is causes


def test_ten_failures_or_fewer_need_no_causes(many: pytest.Pytester) -> None:
    lines = lines_of(many, "-k", "t0 or t11")
    assert len(listed(lines)) == 2
    assert not [line for line in lines if "did not pass" in line]


def test_a_run_without_tasks_prints_nothing_of_its_own(many: pytest.Pytester) -> None:
    text = "\n".join(lines_of(many, "test_own.py"))
    assert "mcpbench show" not in text
    assert "= mcpbench =" not in text
    assert "FAILED test_own.py::test_own" in text


@pytest.mark.extra
def test_the_controller_of_xdist_lists_the_failures_of_all_workers(many: pytest.Pytester) -> None:
    result = many.runpytest_subprocess("--model=noop", "-n2", "--mcpbench-out=out")
    lines = result.outlines
    assert len(listed(lines)) == 10
    assert "14 of 14 attempts did not pass:" in lines


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
