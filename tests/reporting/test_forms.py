"""The same tables in the terminal, in Markdown and in JSON."""

import json

import pytest

from pytest_mcpbench.core.report import Report
from pytest_mcpbench.core.usage import Usage
from pytest_mcpbench.reporting.aggregates.standings import standings
from pytest_mcpbench.reporting.data import json as as_json
from pytest_mcpbench.reporting.forms.display_text import one_line, pad, visible, width
from pytest_mcpbench.reporting.pull_request import report as pull_request_report
from pytest_mcpbench.reporting.tables.report_tables import detail_tables, main_tables
from pytest_mcpbench.reporting.tables.standings import cost_of_pass
from pytest_mcpbench.reporting.tables.table import Table, filled_table
from pytest_mcpbench.reporting.texts import terminal
from tests.reporting.samples import HOSTILE, LANGUAGES, a_report, an_entry, one_of_each, report_of, scored


def the_report() -> Report:
    return report_of(one_of_each("m") + one_of_each("other"))


def test_the_terminal_shows_results_with_interval_and_denominators() -> None:
    shown = terminal.lines(a_report(scored("a", 1), scored("b", 0), scored("c", None, unscored={"ast": "no judge"})))
    assert shown == [
        "Results:",
        "suite  model  pass rate  95 % interval  n  passed  failed  errors  unscored  tokens  cost  total time",
        "s      m      33 – 67 %   6.1 – 93.9 %  3       1       1       0         1     0+0    $0       0.0 s",
        "(a range of pass rates: from all unscored attempts failed to all passed)",
        "",
        "Metrics:",
        "suite  metric  model   mean  95 % interval  n  unscored",
        "s      ast     m      0.500  0.095 – 0.905  2         1",
        "(a mean is over the n attempts that have a value)",
        "",
        "Unscored:",
        "1 × ast: no judge",
    ]


def test_a_pass_has_no_cost_where_those_that_passed_do_not_tell_theirs() -> None:
    told, untold = Usage(cost_usd=0.01), Usage(cost_usd=None)
    entries = [scored("a", 1, usage=untold), scored("b", 0, usage=told), scored("c", 0, usage=told, model="none")]
    (some, none) = standings(entries)
    assert (cost_of_pass(some), cost_of_pass(none)) == (("?", "no pass tells its cost"), ("no pass", ""))


def test_results_with_guards_and_unscored_attempts_are_one_table_of_80_columns() -> None:
    groups = [(40, "passed", "passed"), (19, "failed", "passed"), (40, "failed", "failed"), (1, "unscored", "unscored")]
    entries = [
        an_entry(f"{outcome}-{paper}-{n}", outcome, model="lexical", verdicts={"paper": paper, "guarded": outcome})
        for count, outcome, paper in groups
        for n in range(count)
    ]
    assert terminal.lines(a_report(*entries), columns=80, is_brief=True)[:3] == [
        "Models:",
        "model    pass rate (guarded)       95 %    n      paper   time",
        "lexical            40 – 41 %  31 – 51 %  100  59 – 60 %  0.0 s",
    ]


def test_a_run_of_five_models_at_five_suites_ends_with_a_screen_of_80_columns() -> None:
    skills = {"ada": 14, "bert": 13, "cleo": 9, "dora": 5, "oracle": 20, "noop": 0}
    entries = [
        scored(f"t{task}", float(task < skill), model=model, suite=f"suite-{suite}", usage=Usage(cost_usd=0.01))
        for model, skill in skills.items()
        for suite in range(5)
        for task in range(20)
    ]
    open_words = "ast: judge 'keyfacts' gave no verdict for 'It rains.': keyfacts cannot decide it: a; use a model"
    floor = {
        "floors": {"ast": 1.0},
        "unscored": {"ast": open_words.removeprefix("ast: ")},
        "gaps": {"ast": "needs_reader"},
    }
    report = a_report(*entries, an_entry("open", "unscored", model="dora", suite="suite-0", **floor))
    shown = [*terminal.lines(report, columns=80, is_brief=True), *terminal.sentence_lines(report, 80)]
    assert (len(shown) <= 25, max(map(width, shown)) <= 80) == (True, True)
    assert shown[:9] == [
        "Models:",
        "model  pass rate       95 %  to the best  significant  cost a pass   time",
        "ada       70.0 %  60 – 78 %         best                   $0.0143  0.0 s",
        "bert      65.0 %  55 – 74 %         −5.0           no      $0.0154  0.0 s",
        "cleo      45.0 %  36 – 55 %        −25.0          yes      $0.0222  0.0 s",
        "dora   25 – 26 %  17 – 35 %        −45.0          yes    ≤ $0.0400  0.0 s",
        "(without a model: noop 0.0 %, oracle 100.0 %; to the best: dora over 100 of 101",
        "tasks)",
        "",
    ]
    told = " ".join(shown)
    assert "no rule could decide the free words of 1 of 401 attempts; a model as judge can: --mcpbench-judge=" in told
    assert "ada passes most: 70.0 % of 100 tasks of 5 suites" in told
    assert "Most failures: dora ast below its floor 75; cleo ast" in told


@pytest.mark.parametrize(
    ("decided", "headings"),
    [
        ([("failed", True)], ("pass rate (guarded)", "95 % interval", "paper")),
        ([("passed", True)], ("pass rate (paper)", "95 % interval", "guarded")),
        ([("failed", True), ("passed", True)], ("pass rate", "95 % interval", "paper", "guarded")),
        ([("passed", False)], ("pass rate", "95 % interval")),
    ],
    ids=["guarded decides", "paper decides", "suites differ", "no guards"],
)
def test_the_pass_rate_is_named_after_the_criterion_that_decides(
    decided: list[tuple[str, bool]], headings: tuple[str, ...]
) -> None:
    verdicts = {"paper": "passed", "guarded": "failed"}
    entries = [
        an_entry("t", outcome, suite=f"s{n}", verdicts=verdicts if guards else {})
        for n, (outcome, guards) in enumerate(decided)
    ]
    (results, *_) = main_tables(a_report(*entries))
    assert results.headings[2 : 2 + len(headings)] == headings
    assert results.headings[2 + len(headings)] == "n"


def test_what_judging_took_has_columns_of_its_own() -> None:
    used = Usage(input_tokens=300, output_tokens=20, cached_tokens=0, cost_usd=0.5)
    shown = terminal.lines(a_report(an_entry("a", judge_usage=used), an_entry("b", judge_usage=used)))
    assert shown[1].endswith("tokens  cost  judge tokens  judge cost  total time")
    assert shown[2].endswith("   0+0    $0        600+40       $1.00       0.0 s")


def test_one_attempt_without_usage_does_not_hide_the_cost_of_the_others() -> None:
    used = Usage(input_tokens=300, output_tokens=20, cached_tokens=0, cost_usd=0.085)
    report = a_report(an_entry("a", usage=used), an_entry("b", usage=used), an_entry("c", usage=Usage()))
    assert terminal.lines(report)[2].endswith("≥ 600+40, 1 unknown  ≥ $0.1700, 1 unknown       0.0 s")
    (summary,) = json.loads(as_json.text(report))["summaries"]
    assert summary["usage"]["cost_usd"] is None
    assert summary["known_usage"]["cost_usd"] == {"known": 0.17, "unknown": 1, "attempts": 3}
    assert terminal.lines(a_report(an_entry("c", usage=Usage())))[2].endswith("?+?     ?       0.0 s")


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_tables_are_as_wide_as_the_terminal_and_lose_no_text(columns: int) -> None:
    wide, narrow = (terminal.lines(the_report(), verbosity=1, columns=each) for each in (None, columns))
    assert max(map(width, narrow)) <= columns < max(map(width, wide))
    letters = {"".join(sorted(set("".join("".join(lines).split())))) for lines in (wide, narrow)}
    assert len(letters) == 1


def test_reasons_for_missing_verdicts_are_as_wide_as_the_terminal() -> None:
    reason = "the judge could not be reached; " * 8
    entry = an_entry("a", "unscored", floors={"ast": 1.0}, unscored={"ast": reason})
    lines = terminal.lines(a_report(entry), columns=60)
    start = lines.index("Unscored:") + 1
    assert " ".join(" ".join(lines[start : start + 6]).split()) == f"1 × ast: {reason.strip()}"
    assert max(map(width, lines)) <= 60


def test_a_heading_stands_once_above_the_columns_that_share_it() -> None:
    table = Table("T", ("model", "AST", "Pass", "n"), (("ada", "1", "22", "3"), ("bert", "20", "3", "4")))
    groups = ("", "maps of towns", "maps of towns", "")
    assert terminal.render_table(table, None, groups) == [
        "T:",
        "       maps of towns",
        "model  AST      Pass  n",
        "ada      1        22  3",
        "bert    20         3  4",
    ]
    assert terminal.render_table(table, 14, groups)[1:4] == ["       ma…", "model  AST", "ada      1"]


def test_a_table_is_continued_below_itself_with_its_text_columns() -> None:
    table = Table("T", ("suite", "passed", "failed"), (("radar", "1", "22"), ("a long name", "20", "3")))
    assert terminal.render_table(table, 20) == [
        "T:",
        "suite        passed",
        "radar             1",
        "a long name      20",
        "",
        "suite        failed",
        "radar            22",
        "a long name       3",
    ]
    assert terminal.render_table(table, 18)[3:6] == ["a long          20", "name", ""]


def test_names_are_in_natural_order_and_columns_that_no_row_fills_are_left_out() -> None:
    models = [an_entry("t", model=f"single-{number}") for number in (10, 2, 1)]
    results, *_ = main_tables(a_report(*models, *(scored("u", 1.0, model=f"single-{n}") for n in (10, 2, 1))))
    assert [row[1] for row in results.rows] == ["single-1", "single-2", "single-10"]
    assert "rank (UB)" not in results.headings
    assert filled_table("T", ("a", "b", "n"), [("x", "", "1")], 2) == Table("T", ("a", "n"), (("x", "1"),), 1)
    comparison = next(table for table in main_tables(a_report(*models)) if table.title == "Against the best")
    assert not {"p", "detectable"} & set(comparison.headings)


def test_details_are_shown_only_when_asked_for() -> None:
    plain, full = terminal.lines(the_report()), terminal.lines(the_report(), verbosity=1)
    assert full[-len(plain) :] == plain
    titles = [line for line in full if line.endswith(":") and not line.startswith((" ", "Unscored"))]
    assert titles == [f"{table.title}:" for table in (*detail_tables(the_report()), *main_tables(the_report()))]
    assert {"By difficulty:", "What went wrong:", "Errors:", "Tool calls:", "Tool definitions:"} <= set(titles)


def test_no_line_of_the_terminal_holds_a_control_character() -> None:
    control = "\x1b[31m\u202ered"
    hostile = an_entry(control, "error", error=control, error_kind="server", model=control, tags={"kind": control})
    lines = list(terminal.lines(a_report(*the_report().entries, hostile), verbosity=1))

    assert lines == list(map(visible, lines))
    assert not any("\x1b" in line for line in lines)
    assert any(line.split()[:2] == ["s", "[U+202E]red"] for line in lines)


def test_wide_characters_keep_columns_aligned() -> None:
    table = Table("T", ("name", "n"), (("東京", "1"), ("plain", "20")))
    assert terminal.render_table(table) == ["T:", "name    n", "東京    1", "plain  20"]
    assert (width("東京"), width("e\u0301")) == (4, 1)
    assert pad("東", 4, to_the_left=False) == "  東"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07after", "after"),
        ("a\x00b", "a[U+0000]b"),
        ("\u202egnp.exe", "[U+202E]gnp.exe"),
        ("line\r\nnext\ttab", "line\nnext\ttab"),
        ("\ud800", "[U+D800]"),
        (LANGUAGES, LANGUAGES),
    ],
    ids=["colour", "title", "nul", "direction", "lines", "surrogate", "languages"],
)
def test_text_shows_what_it_is(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_one_line_is_cut() -> None:
    assert one_line("a\nb  c" + "d" * 400, 10) == "a b cdddd…"


def test_nothing_in_markdown_is_markup_a_mention_or_a_link() -> None:
    hostile = an_entry("t", "error", error=HOSTILE, error_kind="server", model="[x](javascript:1)")
    text = pull_request_report.text(a_report(hostile))
    assert "<script" not in text
    assert "<img" not in text
    assert "](" not in text
    assert "@someone" not in text
    assert "http://" not in text
    assert "\x1b" not in text


def test_an_empty_report_is_one_too() -> None:
    assert terminal.lines(Report()) == []
    assert "No attempt was made." in pull_request_report.text(Report())
    assert json.loads(as_json.text(Report()))["summaries"] == []


def test_json_has_every_part() -> None:
    content = json.loads(as_json.text(the_report()))
    assert list(content) == [
        "version",
        "facts",
        "end",
        "damaged",
        "spending",
        "directory",
        "gates",
        "summaries",
        "tags",
        "breakdowns",
        "comparisons",
        "tool_selection",
        "tool_choices",
        "judge_panels",
        "ranges_over_models",
        "efficiency",
        "tools",
        "root_causes",
        "definitions",
        "definitions_by_category",
        "definitions_by_task",
        "entries",
    ]
    first = content["summaries"][0]
    assert (first["suite"], first["model"], first["errors"], first["pass_rate"]) == ("s", "m", 1, None)
    assert first["metrics"]["answer"]["not_applicable"] == 2
    assert first["failures"]["rules"]["redundant_calls"] == 1
    assert first["repetition"] == []
    assert content["comparisons"][0]["left"] == "m"
    assert len(content["entries"]) == 14
    assert {"rounds", "steps"} & first.keys() == {"rounds"} == {"rounds", "steps"} & content["entries"][0].keys()


def test_the_headline_of_pooled_metrics_is_said() -> None:
    counts = {"tool_f1": {"hits": 1, "called": 1, "expected": 2}}
    shown = terminal.lines(a_report(scored("a", 1, metric="tool_f1", counts=counts)))
    assert shown[-1] == "(published numbers of tool_f1 are micro averages)"
    assert "micro" in shown[5]
