"""Options that cannot be meant end the run before it begins, with one sentence that names the option."""

import pytest

from pytest_mcpbench.options.option import Range
from tests.plugin.conftest import usage_error


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("--trials=0", "--mcpbench-trials must be at least 1, not 0"),
        ("--mcpbench-concurrency=0", "--mcpbench-concurrency must be at least 1, not 0"),
        ("--mcpbench-rounds=0", "--mcpbench-rounds must be at least 1, not 0"),
        ("--mcpbench-tool-calls=-5", "--mcpbench-tool-calls must be at least 0, not -5"),
        ("--mcpbench-alpha=2", "--mcpbench-alpha must be more than 0 and at most 0.5, not 2"),
        ("--mcpbench-seconds=-1", "--mcpbench-seconds must be more than 0, not -1"),
        ("--mcpbench-seconds=0", "--mcpbench-seconds must be more than 0, not 0"),
        ("--mcpbench-seconds=nan", "--mcpbench-seconds must be more than 0, not nan"),
        ("--mcpbench-temperature=-0.5", "--mcpbench-temperature must be at least 0, not -0.5"),
        ("--mcpbench-top-k=0", "--mcpbench-top-k must be at least 1, not 0"),
        ("--mcpbench-distractors=-3", "--mcpbench-distractors must be at least 0, not -3"),
        ("--mcpbench-context-distractors=-1", "--mcpbench-context-distractors must be at least 0, not -1"),
        (f"--mcpbench-resume={'a' * 300}", "--mcpbench-resume: the path cannot be used: File name too long"),
        (f"--mcpbench-page={'a' * 300}", "--mcpbench-page: the path cannot be used: File name too long"),
        (f"--mcpbench-markdown={'a' * 300}", "--mcpbench-markdown: the path cannot be used: File name too long"),
        ("--mcpbench-floor=ast=2", "--mcpbench-floor: ast=2 must be from 0 to 1, not 2: scores are from 0 to 1"),
        ("--mcpbench-floor=ast", "--mcpbench-floor takes METRIC=VALUE, for example ast=0.9, not 'ast'"),
    ],
)
def test_a_number_out_of_range_is_a_usage_error(project: pytest.Pytester, argument: str, message: str) -> None:
    assert usage_error(project, argument) == message


@pytest.mark.parametrize("option", ["suite", "context-pool", "baseline"])
def test_a_path_that_is_too_long_is_a_usage_error(project: pytest.Pytester, option: str) -> None:
    assert "a" * 300 in usage_error(project, f"--mcpbench-{option}={'a' * 300}")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "mcpbench_trials = abc",
            "mcpbench_trials in tox.ini must be a whole number: invalid literal for int() with base 10: 'abc'",
        ),
        (
            "mcpbench_seconds = long",
            "mcpbench_seconds in tox.ini must be a number: could not convert string to float: 'long'",
        ),
        ("mcpbench_rounds = 0", "mcpbench_rounds in tox.ini must be at least 1, not 0"),
        (
            "mcpbench_floor = ast=2",
            "mcpbench_floor in tox.ini: ast=2 must be from 0 to 1, not 2: scores are from 0 to 1",
        ),
        (
            "mcpbench_floor = ast",
            "mcpbench_floor in tox.ini takes METRIC=VALUE, for example ast=0.9, not 'ast'",
        ),
    ],
)
def test_a_wrong_ini_value_is_named_with_its_file(project: pytest.Pytester, line: str, message: str) -> None:
    project.makeini(f"[pytest]\n{line}\n")
    assert usage_error(project) == message


@pytest.mark.parametrize("option", ["--mcpbench-resume", "--mcpbench-data"])
def test_a_directory_that_is_not_there_is_a_usage_error(project: pytest.Pytester, option: str) -> None:
    assert usage_error(project, f"{option}=nix") == f"{option}: there is no directory {project.path / 'nix'}"


@pytest.mark.parametrize("option", ["--mcpbench-skill", "--mcpbench-context-pool"])
def test_a_name_that_no_file_can_have_is_a_usage_error(project: pytest.Pytester, option: str) -> None:
    error = usage_error(project, f"{option}=a\0b")
    assert error.startswith(f"{option}: ")
    assert "cannot be read: embedded null byte" in error


@pytest.mark.parametrize(
    ("within", "text"),
    [
        (Range(least=1), "at least 1"),
        (Range(above=0), "more than 0"),
        (Range(least=0, most=1), "from 0 to 1"),
        (Range(), "a finite number"),
    ],
)
def test_a_range_says_what_it_takes(within: Range, text: str) -> None:
    assert str(within) == text
