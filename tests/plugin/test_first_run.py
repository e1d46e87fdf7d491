"""The tutorial's commands do what it says, and what it shows has the shape of what they print."""

import re
import shlex
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "tutorial" / "first-run.md").read_text(encoding="utf-8")
COMMANDS = [shlex.split(line, comments=True)[1:] for line in re.findall(r"^\$ (pytest .*)$", PAGE, re.MULTILINE)]
FEW = ("-k", "email-003 or email-004")


@pytest.fixture
def anywhere(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.setenv("COLUMNS", "200")
    pytester.makeini("[pytest]\nfilterwarnings = default\n")
    return pytester


def command(beginning: str) -> list[str]:
    """The one command of the page that begins so."""
    (found,) = [words for words in COMMANDS if " ".join(words).startswith(beginning)]
    return found


def columns(lines: list[str]) -> list[str]:
    """The headings of the first table."""
    return re.split(r" {2,}", next(line for line in lines if line.startswith("model ")))


def test_the_first_run_ends_with_the_table_and_the_directory_that_the_page_shows(anywhere: pytest.Pytester) -> None:
    result = anywhere.runpytest_inprocess(*COMMANDS[0], *FEW)
    shown = PAGE.splitlines()
    # The page has a column for the other criterion, too; these few tasks are judged alike by both.
    assert set(columns(result.outlines)) <= {heading.lstrip("…") for heading in columns(shown)}
    assert [line for line in result.outlines if line.startswith("lexical ")]
    assert [line for line in result.outlines if line.startswith("records: .mcpbench/runs/")]
    assert "records: .mcpbench/runs/…" in shown


@pytest.mark.parametrize(("model", "outcome"), [("oracle", "passed"), ("noop", "failed")])
def test_the_reference_passes_and_doing_nothing_fails(anywhere: pytest.Pytester, model: str, outcome: str) -> None:
    result = anywhere.runpytest_inprocess(*command(f"--suite=radar --model={model}"), *FEW)
    assert result.parseoutcomes() == {outcome: 2, "deselected": 513}


def test_one_failing_task_shows_expected_and_actual_calls(anywhere: pytest.Pytester) -> None:
    result = anywhere.runpytest_inprocess(*command("--suite=radar -k email-003"), "--model=noop")
    result.assert_outcomes(failed=1, deselected=514)
    result.stdout.fnmatch_lines(["*expected*actual*"])


@pytest.mark.extra
def test_a_run_goes_on_from_the_last_one(anywhere: pytest.Pytester) -> None:
    anywhere.runpytest_inprocess("--suite=radar", "--model=oracle", "-k", "email-003")
    (resumed,) = [words[-1] for words in COMMANDS if words[-1].startswith("--mcpbench-resume=")]
    result = anywhere.runpytest_inprocess("--suite=radar", "--model=oracle", *FEW, resumed)
    assert result.parseoutcomes() == {"passed": 2, "deselected": 513}


@pytest.mark.extra
@pytest.mark.parametrize(
    ("options", "is_said"),
    [
        (["--model=http://127.0.0.1:9/v1#m"], True),
        (["--model=http://127.0.0.1:9/v1#m", "--mcpbench-judge=keyfacts+http://127.0.0.1:9/v1#j"], False),
        (["--model=oracle"], False),
    ],
    ids=["a model", "a model as judge", "no model"],
)
def test_a_run_without_a_model_as_judge_says_what_can_stay_unscored_and_what_decides_it(
    anywhere: pytest.Pytester, options: list[str], is_said: bool
) -> None:
    result = anywhere.runpytest_inprocess("--suite=atlas", "--co", "-q", "-k", "wren-fee", "-v", *options)
    said = [line for line in result.outlines if "can stay unscored (11 of 12 when measured)" in line]
    assert ["--mcpbench-judge=keyfacts+MODEL" in line for line in said] == [True] * is_said
