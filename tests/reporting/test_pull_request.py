"""Comments on pull requests: what they show openly, what they fold, and what they do when it is too much."""

import re
from typing import Any

import pytest

from pytest_mcpbench.core.arm import fresh_arm
from pytest_mcpbench.core.gate.result import ArmTrials, GateResult, TaskTrials
from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.core.usage import Usage
from pytest_mcpbench.reporting.aggregates.regressions import compare_runs
from pytest_mcpbench.reporting.page.sections.verdict import verdict_section
from pytest_mcpbench.reporting.pull_request import comparison, report
from pytest_mcpbench.reporting.pull_request.comment_parts import (
    FEWEST_ROWS,
    MOST_CHARACTERS,
    CommentPart,
    fair_shares,
    join_parts,
)
from pytest_mcpbench.reporting.pull_request.comparison import ComparedRuns
from pytest_mcpbench.reporting.tables.markdown import escape
from tests.reporting.samples import HOSTILE, a_report, an_entry, report_of, scored
from tests.reporting.samples import one_of_each as records_of_each

_TITLE = re.compile(r"<summary>(.*?)</summary>")
_INNERMOST = re.compile(r"<details><summary>([^<]*)</summary>(?:(?!<details>).)*?</details>", re.DOTALL)


def visible_lines(text: str) -> list[str]:
    """The lines that a reader sees before anything is unfolded."""
    while (outside := _INNERMOST.sub(r"\1", text)) != text:
        text = outside
    return [line for line in text.splitlines() if line]


def choosing(expected: str, called: str, **fields: Any) -> dict[str, Any]:
    return {"choice": {"tools": [{"expected": expected, "called": called}]}, "tool_calls": 1, **fields}


def compared(before: Report, after: Report) -> str:
    return comparison.text(ComparedRuns(before, after, compare_runs(before, after)))


def run_of(rights: int, *, size: int = 60, suite: str = "radar", cost: float = 0.01) -> list[Entry]:
    """A run of which the last tasks fail, for three reasons in turn."""
    usage = Usage(input_tokens=1, output_tokens=1, cached_tokens=0, cost_usd=cost)
    tools = [choosing("search", "list"), choosing("read", "(none)"), choosing("send", "draft")]
    return [
        scored(f"t-{number}", float(number <= rights), suite=suite, usage=usage, **tools[number % 3])
        for number in range(1, size + 1)
    ]


def test_a_comparison_says_in_one_line_what_changed() -> None:
    before, after = a_report(*run_of(55, cost=0.01)), a_report(*run_of(40, cost=0.0106))
    mark, title, line, *_ = visible_lines(compared(before, after))
    assert (mark, title) == ("<!-- pytest-mcpbench comparison -->", "## mcpbench: comparison")
    assert re.fullmatch(
        r"\* ✗ worse: \*\*radar\*\* 91\.7 → 66\.7 % \(−25\.0, interval −\d+\.\d … −\d+\.\d\), cost \+6 %, "
        r"15 tasks worse, 0 better: \*\*fewer passes\*\*",
        line,
    )


def test_the_most_telling_tasks_of_a_comparison_have_different_causes_first() -> None:
    text = compared(a_report(*run_of(55)), a_report(*run_of(40)))
    rows = [line for line in visible_lines(text) if line.startswith("| t-")]
    assert [row.split(" | ")[2] for row in rows] == [
        "send → draft",
        "search → list",
        "read → (none)",
        "send → draft",
        "search → list",
    ]
    assert rows[0] == "| t-41 | 1/1 → 0/1 | send → draft | ast 0 < 1 |"


def test_a_comparison_of_many_suites_shows_the_five_worst_in_under_40_lines() -> None:
    before, after = ([entry for n in range(9) for entry in run_of(rights + n, suite=f"s{n}")] for rights in (40, 30))
    lines = visible_lines(compared(a_report(*before), a_report(*after)))
    assert len(lines) < 40
    assert sum(line.startswith("* ✗ worse: **s") for line in lines) == 5
    assert "* … and 4 more, folded below" in lines


def test_a_task_that_the_second_run_lost_is_worse() -> None:
    before, after = run_of(60), run_of(60)[:-1]
    after[0] = an_entry("t-1", "error", suite="radar", error="no such host\nstderr", error_kind="server")
    text = compared(a_report(*before), a_report(*after))
    assert "2 tasks worse (2 of them without a verdict), 0 better" in text
    assert "| t-1 | 1/1 → 1 error | server: no such host |" in text
    assert "| t-60 | 1/1 → – | not in the second run |" in text


def test_better_tasks_are_not_worse_ones() -> None:
    text = compared(a_report(*run_of(40)), a_report(*run_of(55)))
    assert "(+25.0, interval +" in text
    assert "0 tasks worse, 15 better: **more passes**" in text


def test_the_line_says_which_tasks_outweigh_when_fewer_of_them_decide_the_difference() -> None:
    def trials(task: str, passed: int) -> list[Entry]:
        return [scored(task, float(trial < passed), trial=trial) for trial in range(3)]

    gained = [(f"gain-{n}", 0, 3) for n in range(4)]
    lost = [(f"loss-{n}", 3, 2) for n in range(9)]
    before = a_report(*(entry for task, passed, _ in gained + lost for entry in trials(task, passed)))
    after = a_report(*(entry for task, _, passed in gained + lost for entry in trials(task, passed)))
    assert "9 tasks worse, 4 better (these by more trials each)" in compared(before, after)
    assert "4 tasks worse (these by more trials each), 9 better" in compared(after, before)


@pytest.mark.parametrize(
    ("costs", "shown"),
    [((0.0, 0.0), ", 0 tasks worse"), ((0.0, 0.5), "cost $0 → $0.5000 an attempt"), ((None, 1.0), "cost unknown")],
)
def test_cost_is_shown_as_far_as_it_is_known(costs: tuple[float | None, float], shown: str) -> None:
    before, after = (
        a_report(*(scored(str(n), 1, usage=Usage(input_tokens=0, output_tokens=0, cost_usd=cost)) for n in range(3)))
        for cost in costs
    )
    assert shown in compared(before, after)


def test_a_report_begins_with_the_mark_the_verdict_and_the_causes() -> None:
    error = an_entry("c", "error", error="x|y", error_kind="server")
    text = report.text(a_report(scored("a", 1), scored("b", 0, **choosing("search", "list"), reason="no call"), error))
    assert text.startswith(
        "<!-- pytest-mcpbench report -->\n## mcpbench\n\n"
        "✗ **The run failed.**\n"
        "* **1 error:** server: x&#124;y\n"
        "* **failed:** 1 of 3 attempts: 1 wrong tool\n"
        "* 1 of 3 attempts passed, 1 failed, 1 with an error.\n"
    )
    assert "| b | 0/1 | search → list | ast 0 < 1: no call |" in text
    assert "| c | 1 error |  | server: x&#124;y |" in text


def test_no_model_is_the_best_as_long_as_verdicts_could_make_another_one_so() -> None:
    open_ = [an_entry(f"t{n}", "unscored", model="claude", unscored={"effects": "no judge"}) for n in range(3)]
    half = [scored(f"t{n}", float(n > 0), model="gpt") for n in range(3)]
    text = report.text(a_report(*open_, *half))
    assert not [line for line in text.splitlines() if "| best" in line]
    assert "| gpt | 66.7 % |" in text
    assert "1 unscored" in text
    assert "0/1" not in [cell.strip() for line in text.splitlines() if "no judge" in line for cell in line.split("|")]
    decided = report.text(a_report(*half, *(scored(f"t{n}", 0, model="claude") for n in range(3))))
    assert [line for line in decided.splitlines() if "| best" in line]


def test_the_control_without_calls_and_expected_failures_tell_nothing() -> None:
    entries = [scored(f"t{n}", 0, model="noop") for n in range(9)] + [scored("a", 0, model="claude", reason="no call")]
    assert "| a | 0/1 | ast 0 < 1: no call |" in visible_lines(report.text(a_report(*entries)))
    assert "<summary>Failed" not in report.text(a_report(scored("x", 0, is_xfail=True)))


def test_a_report_of_five_suites_and_three_models_shows_every_suite_in_under_40_lines() -> None:
    models = {"oracle": 1.0, "claude": 0.5, "noop": 0.0}
    failed = {"failures": {"rules": ("wrong_tool",), "radar": ("parameter",)}, **choosing("search", "list")}
    entries = [
        scored(f"{model}-{task}", float(task < 4 * rate), suite=f"s{suite}", model=model, tags=tags, **failed)
        for suite in range(5)
        for model, rate in models.items()
        for task, tags in enumerate([{"domain": "a", "kind": "x"}, {"domain": "b", "kind": "y"}] * 2)
    ]
    lines = visible_lines(report.text(a_report(*entries)))
    assert len(lines) < 40
    (head,) = (line for line in lines if line.startswith("| model | all |"))
    assert [cell.strip() for cell in head.strip("|").split("|")][3:] == [
        "s0",
        "s1",
        "s2",
        "s3",
        "s4",
        "cost a pass",
    ]
    (row,) = (line for line in lines if line.startswith("| claude | 50.0 % |"))
    assert row.count("50.0 %") == 1 + 5
    assert "Without a model: noop 0.0 %, oracle 100.0 %." in lines


def test_a_gate_stands_first_with_its_numbers_and_the_task_that_is_confirmed() -> None:
    arms = [
        scored(f"t{n}", float(arm == "baseline" or n > 1), arm=arm, **choosing("search", "list"))
        for n in range(10)
        for arm in ("baseline", "candidate")
    ]
    flips = [
        TaskTrials(
            task=f"t{n}",
            direction="worse",
            first=(ArmTrials(passed=1, made=1), ArmTrials(passed=0, made=1)),
            fresh=(ArmTrials(passed=5, made=5), ArmTrials(passed=4 * (1 - n), made=5)),
            is_confirmed=bool(n),
        )
        for n in (0, 1)
    ]
    gate = GateResult(
        node_id="f::gate", suite="s", model="m", baseline="baseline", candidate="candidate", verdict="REGRESSED",
        fails=True, tasks=10, changed=tuple(flips),
    )  # fmt: skip
    fresh = [arm.model_copy(update={"arm": fresh_arm(arm.arm)}) for arm in arms]
    lines = visible_lines(report.text(a_report(*arms, *fresh, gates=(gate,))))
    assert (lines[2], lines[4]) == ("✗ **The run failed.**", "* 18 of 20 attempts passed, 2 failed.")
    assert lines[3].startswith(
        "* **REGRESSED: s, m: 1 of 10 tasks got worse (t1), confirmed by fresh trials**; first trials: 100.0 →"
    )
    rows = [line for line in lines if re.match(r"\| t\d", line)]
    assert rows[0] == "| t1 | 6/6 → 0/6, confirmed | search → list | ast 0 < 1 |"


def test_a_report_shows_few_lines_however_much_there_is() -> None:
    entries = [
        scored(f"t{n}", 0, suite=f"s{n % 30}", model=f"m{n % 7}", **choosing(f"a{n}", "b"), tags={"d": str(n % 9)})
        for n in range(600)
    ]
    text = report.text(a_report(*entries))
    assert len(visible_lines(text)) < 40
    assert "21 more suites, folded below" in text


def test_every_part_of_a_long_report_is_cut_and_none_is_dropped() -> None:
    def entries(count: int, length: int) -> list[Entry]:
        error = {"error": "x" * length, "error_kind": "server"}
        return [an_entry(f"t{n}", "error", suite=f"s{n}", **error) for n in range(count)] + run_of(20)

    short, long = (report.text(a_report(*entries(*size))) for size in ((2, 10), (400, 1_000)))
    titles = [re.sub(r"\d+", "", title) for title in _TITLE.findall(short)]
    assert [re.sub(r"\d+", "", title) for title in _TITLE.findall(long)] == titles
    assert len(long) <= MOST_CHARACTERS < 65_536
    assert "more, cut to fit" in long
    assert long.count("<details>") == long.count("</details>")


def test_the_raw_text_of_a_run_with_many_failures_is_short_and_says_what_is_left_out() -> None:
    entries = [scored(f"t{n}", 0, **choosing(f"a{n}", "b"), tags={"d": str(n % 40)}) for n in range(999)]
    text = report.text(a_report(*entries))
    assert len(text.splitlines()) <= 250
    assert re.search(r"… and 8\d\d of 999 more, cut to fit; a report with `--format=html` has all\.", text)
    folded = [part for part in text.split("<details>")[1:] if "more, cut to fit" in part]
    assert all(part.count("\n| ") - 2 >= FEWEST_ROWS for part in folded)
    assert "more, cut to fit" not in "\n".join(visible_lines(text))


def test_no_text_of_a_tool_or_model_is_markup() -> None:
    hostile = report_of(records_of_each("m"))
    harm = choosing(HOSTILE, HOSTILE + "x", reason=HOSTILE)
    before = a_report(*(scored(HOSTILE, 1, suite=HOSTILE, **harm), scored("b", 1, suite=HOSTILE)))
    after = a_report(*(scored(HOSTILE, 0, suite=HOSTILE, **harm), scored("b", 1, suite=HOSTILE)))
    for text in (report.text(hostile), report.text(after), compared(before, after)):
        for forbidden in ("<script", "<img", "@someone", "http://", "\x1b", "<!--run"):
            assert forbidden not in text


@pytest.mark.parametrize(
    "text",
    [
        "&#x202e;",
        "&commat;octocat",
        "www.example.org",
        "WWW.x.org",
        "GH-12",
        "gh-7",
        "!12",
        "%3",
        "$x$",
        "0123456789abcdef" * 2 + "01234567",
    ],
)
def test_no_text_becomes_a_character_a_mention_a_link_or_a_formula(text: str) -> None:
    assert text not in (shown := escape(text))
    for forbidden in ("&#x", "&c", "www.", "gh-", "$"):
        assert forbidden not in shown.lower()
    assert not re.search(r"\b[0-9a-f]{7,}\b", shown)


RED: dict[str, tuple[list[Entry], dict[str, Any], str]] = {
    "a lock": (
        [],
        {"failed_tests": [["lock", "tools.lock.json::lock[a.py]", "1 breaking"]]},
        "**lock:** tools.lock.json",
    ),
    "a snapshot": (
        [],
        {"failed_tests": [["snapshot", "test_a.py::test_tools", "changed"]]},
        "**snapshot:** test\\_a.py",
    ),
    "errors": (
        [an_entry("b", "error", error="no such host", error_kind="server")],
        {},
        "**1 error:** server: no such host",
    ),
    "the budget": (
        [],
        {"end": {"cause": "budget", "reason": "$1 of $1", "selected": 9}, "exit_code": 7},
        "**not complete:** budget used up: 1 of 9 attempts ran",
    ),
    "an interruption": (
        [],
        {"end": {"cause": "interrupted", "reason": "Ctrl-C", "selected": 9}, "exit_code": 2},
        "**not complete:** interrupted: 1 of 9 attempts ran (Ctrl-C)",
    ),
    "an interruption before the verdict of a gate": (
        [scored("a", 1, arm="baseline")],
        {"end": {"cause": "interrupted", "reason": "Ctrl-C", "selected": 9}, "exit_code": 2},
        "attempts ran (Ctrl-C); no verdict on the changed texts of s, m",
    ),
    "an interruption of fresh trials": (
        [scored("a", 1, arm="baseline"), scored("a", 1, arm=fresh_arm("baseline"))],
        {"end": {"cause": "interrupted", "reason": "Ctrl-C", "selected": 2, "tests_left": 3}, "exit_code": 2},
        "interrupted after the last attempt: 2 attempts and 1 fresh trial ran, 3 tests did not end (Ctrl-C); no",
    ),
    "a broken plugin": (
        [],
        {"failed_tests": [["internal error", "RuntimeError", "no disk"]], "exit_code": 3},
        "(exit code 3).\n* **internal error:** RuntimeError: no disk",
    ),
    "something else": ([], {"exit_code": 3}, "(exit code 3: an error of pytest or of a plugin)"),
    "another plugin": ([], {"exit_code": 9}, "(exit code 9: for a reason outside of these tasks)"),
    "nothing selected": ([], {"exit_code": 5}, "(exit code 5: no test was selected)"),
}


@pytest.mark.parametrize(("entries", "facts", "reason"), RED.values(), ids=RED)
def test_a_red_run_is_never_said_to_have_passed(entries: list[Entry], facts: dict[str, Any], reason: str) -> None:
    text = report.text(a_report(scored("a", 1), *entries, facts={"exit_code": 1, **facts}))
    assert "✗ **The run failed**" in text
    assert "The run passed" not in text
    assert reason.replace("\\_", "_") in text


def test_an_interrupted_run_has_not_passed_whatever_its_exit_code_became() -> None:
    end = {"cause": "interrupted", "reason": "Ctrl-C", "selected": 9}
    text = report.text(a_report(scored("a", 1), facts={"exit_code": 0, "end": end}))
    assert "✗ **The run failed.**\n* **not complete:** interrupted: 1 of 9 attempts ran" in text


def test_a_missing_verdict_is_said_once_with_its_reason() -> None:
    error = {"error": "the model cannot be reached\nTraceback", "error_kind": "provider"}
    text = report.text(a_report(*(an_entry(f"t{n}", "error", **error) for n in range(9)), facts={"exit_code": 1}))
    assert "* **no verdict:** the model cannot be reached (9 attempts)" in text.splitlines()
    assert "\n".join(visible_lines(text)[:4]).count("cannot be reached") == 1


def test_failures_of_agents_without_a_model_are_no_failures_of_models() -> None:
    text = report.text(a_report(scored("a", 1), scored("a", 0, model="oracle"), facts={"exit_code": 1}))
    assert "* **failed without a model:** 1 attempt of oracle" in text
    assert "1 of 1 attempt passed." in text


def test_failed_tasks_have_their_model_where_several_ran_and_one_failed() -> None:
    text = report.text(a_report(scored("t", 1, model="good"), scored("t", 0, model="bad")))
    assert re.search(r"Failed: 1 task</summary>\n\n\| model \| task .*\n.*\n\| bad \| t \|", text)


def test_tasks_in_which_models_differ_are_named() -> None:
    trials = [scored("same", 0, model=model) for model in "ab"]
    trials += [scored("other", float(model == "a"), model=model, trial=n) for model in "ab" for n in (1, 2)]
    assert "| s | other | 2/2 | 0/2 |" in report.text(a_report(*trials))


def test_the_tasks_in_which_models_differ_are_of_all_suites_in_turn() -> None:
    sizes = {"a": 6, "b": 7, "c": 1}
    trials = [
        scored(f"t{n}", float(model == "x"), suite=suite, model=model)
        for suite, size in sizes.items()
        for n in range(size)
        for model in "xy"
    ]
    rows = [line.split(" | ")[:2] for line in visible_lines(report.text(a_report(*trials))) if " | 1/1 | 0/1 |" in line]
    assert rows == [["| b", "t0"], ["| a", "t0"], ["| c", "t0"], ["| b", "t1"], ["| a", "t1"]]


def test_room_is_shared_fairly() -> None:
    assert fair_shares([10, 100, 1_000], 310) == [10, 100, 200]
    assert fair_shares([5, 5], 100) == [5, 5]
    parts = [CommentPart("head", tuple(f"row {n}" for n in range(500)), "tail"), CommentPart("short")]
    text = join_parts(parts, 300)
    assert text.startswith("head\nrow 0\n")
    assert text.endswith("tail\n\nshort\n")
    assert len(text) <= 300


def test_an_unchecked_program_and_the_client_are_named() -> None:
    other = {"unchecked_program": "2.9.0, checked with 2.1.197"}
    entry = scored("a", 1, model="claude").model_copy(update=other)
    told = Report(entries=(entry,), facts={"suites": {"s": {"conditions": {"client": "codex"}}}})
    for text in (report.text(told), str(verdict_section(told, ()).body)):
        assert "claude ran 2.9.0, checked with 2.1.197: " in text
        assert "Models saw servers as codex shows them" in text
