"""Sections of the page: numbers that agree with the summaries, and reports in which something is missing."""

import base64
import re
from typing import Any

import pytest

from pytest_mcpbench.core.arm import fresh_arm
from pytest_mcpbench.core.gate.result import GateResult
from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.core.scoring import SCORINGS
from pytest_mcpbench.core.usage import NO_USAGE, Usage
from pytest_mcpbench.reporting.aggregates.run_end import wall_seconds
from pytest_mcpbench.reporting.aggregates.telling_tasks import passes_text
from pytest_mcpbench.reporting.data.history import history_points
from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.reporting.page.document import page
from pytest_mcpbench.reporting.page.sections.costs import cost_chart, time_chart
from pytest_mcpbench.reporting.page.sections.downloads import csv_text, task_rows
from pytest_mcpbench.reporting.page.sections.failures import failure_chart
from pytest_mcpbench.reporting.page.sections.glossary import WITHOUT_DESCRIPTION, glossary
from pytest_mcpbench.reporting.page.sections.leaderboard import leaderboard_section, metric_forest, pass_rate_forest
from pytest_mcpbench.reporting.page.sections.matrix import address, cell_class, matrix_section
from pytest_mcpbench.reporting.page.sections.profile import profile_chart, tag_heatmaps
from pytest_mcpbench.reporting.page.sections.report_sections import report_sections
from pytest_mcpbench.reporting.page.sections.standings import standings_markup
from pytest_mcpbench.reporting.page.sections.suite_results import SuiteResults, suite_results
from pytest_mcpbench.reporting.page.sections.verdict import brief_facts, facts
from pytest_mcpbench.reporting.pull_request.report import text as pull_request_text
from pytest_mcpbench.reporting.tables.section import Section
from pytest_mcpbench.reporting.texts.lead_sentence import lead_sentence
from tests.reporting.samples import HOSTILE, a_report, an_entry


def attempts(model: str, passed: int, of: int, **fields: object) -> list[Entry]:
    """Attempts with a metric, of which the first ones pass."""
    given = {"usage": Usage(cost_usd=0.5, input_tokens=100, output_tokens=10), "seconds": 2.0, **fields}
    return [
        an_entry(
            f"t-{index}",
            "passed" if index < passed else "failed",
            **{
                "model": model,
                "scores": {"ast": float(index < passed), "dtsr": 0.5},
                "floors": {"ast": 1.0},
                "tags": {"domain": "mail" if index % 2 else "files"},
                "failures": {} if index < passed else {"rules": ("wrong_tool",)},
                **given,
            },
        )
        for index in range(of)
    ]


def only_suite(*entries: Entry) -> SuiteResults:
    (results,) = suite_results(a_report(*entries))
    return results


def all_sections(report: Report) -> tuple[Section, ...]:
    before, after = report_sections(report)
    return (*before, *after)


TWO_MODELS = (*attempts("a", 6, 8), *attempts("b", 2, 8))


def test_charts_show_the_numbers_of_the_summaries() -> None:
    results = only_suite(*TWO_MODELS, an_entry("t-9", "error", model="b"))
    a, b = results.summaries

    assert pass_rate_forest(results).table.rows == tuple(
        (
            one.model,
            number_formats.percent(one.pass_rate),
            number_formats.percent_interval(one.pass_interval),
            str(one.verdicts),
        )
        for one in (a, b)
    )
    assert metric_forest(results, "ast").table.rows == tuple(
        (
            one.model,
            number_formats.score(one.metrics["ast"].macro),
            number_formats.score_interval(one.metrics["ast"].interval),
            str(one.metrics["ast"].n),
        )
        for one in (a, b)
    )
    assert profile_chart(results).table.rows == (
        ("pass rate", "0.750", "0.250"),
        ("ast", "0.750", "0.250"),
        ("dtsr", "0.500", "0.500"),
    )
    assert failure_chart(results, "rules").table.rows == (("wrong_tool", "25.0 %", "75.0 %"),)
    ((_, by_domain),) = tag_heatmaps(results, "domain", ["pass rate"])
    assert by_domain.table.rows == (
        ("files", "75.0 %", "4", "25.0 %", "4"),
        ("mail", "75.0 %", "4", "25.0 %", "4"),
    )


def test_a_model_of_unknown_cost_is_not_the_cheapest() -> None:
    results = only_suite(*attempts("dear", 8, 8), *attempts("unknown", 4, 8, usage=Usage(cost_usd=None)))

    chart = cost_chart(results)
    assert chart is not None
    assert [row[:2] for row in chart.table.rows] == [("dear", "$0.5000"), ("unknown", "unknown")]
    assert "unknown" in chart.note
    assert cost_chart(only_suite(*attempts("a", 4, 8, usage=Usage(cost_usd=None)))) is None


def test_charts_draw_a_model_with_unscored_attempts_at_the_middle_of_its_range() -> None:
    results = only_suite(*attempts("a", 3, 3), an_entry("u", "unscored", model="a"))

    for chart in (time_chart(results), profile_chart(results)):
        assert chart is not None
        assert "drawn at its middle" in chart.note
        assert "n/a" not in str(chart.table.rows)
    assert profile_chart(results).table.rows[0] == ("pass rate", "0.875")


def test_errors_do_not_lower_the_price_or_the_pass_rate_of_a_model() -> None:
    results = only_suite(*attempts("a", 4, 8), an_entry("t-9", "error", model="a"))

    assert results.summaries[0].pass_rate == 0.5
    chart = time_chart(results)
    assert chart is not None
    assert chart.table.rows[0][2] == "50.0 %"


@pytest.mark.parametrize(
    ("outcomes", "words", "kind"),
    [
        (["passed", "passed"], "2/2", "p"),
        (["passed", "failed"], "1/2", "m"),
        (["failed", "error"], "0/2, 1 error", "f"),
        (["error", "error"], "2 errors", "e"),
        (["passed", "unscored"], "1/2, 1 unscored", "p"),
        ([], "–", ""),
    ],
)
def test_a_cell_of_the_matrix_says_how_many_trials_passed_and_why_others_have_no_verdict(
    outcomes: list[str], words: str, kind: str
) -> None:
    trials = [an_entry("t", outcome, trial=number) for number, outcome in enumerate(outcomes, 1)]
    assert (passes_text(trials), cell_class(trials)) == (words, kind)


def test_the_matrix_hides_rows_in_which_models_agree_and_sorts_tasks_naturally() -> None:
    entries = [
        an_entry(task, outcome, model=model)
        for task, outcomes in (("t-10", ("passed", "failed")), ("t-2", ("passed", "passed")))
        for model, outcome in zip("ab", outcomes, strict=True)
    ]
    body = matrix_section(only_suite(*entries)).body

    assert re.findall(r"<tr( class=same)?><th scope=row class=words><a[^>]*>([^<]*)", body) == [
        (" class=same", "t-2"),
        ("", "t-10"),
    ]
    assert "1 of 2 tasks" in body
    assert '<a href="#s/t-10/b/1">0/1</a>' in body
    assert address(an_entry("a b", suite="s/x", model="m")) == "s%2Fx/a%20b/m/1"


def test_agents_without_a_model_are_not_compared_with_models() -> None:
    entries = [*attempts("claude", 2, 4), *attempts("oracle", 4, 4), *attempts("noop", 0, 4)]
    body = matrix_section(only_suite(*entries)).body

    assert "only one model to compare: noop, oracle work without a model" in body
    assert "only where models differ" not in body


def test_columns_in_which_every_row_is_zero_are_left_out_of_the_results() -> None:
    free = report_sections(a_report(*attempts("a", 1, 2, usage=Usage(cost_usd=0, input_tokens=0, output_tokens=0))))
    paid = report_sections(a_report(*attempts("a", 1, 2)))

    headings = [re.findall(r'<th scope="col">(tokens|cost)</th>', each[0][0].body) for each in (free, paid)]
    assert headings == [[], ["tokens", "cost"]]


@pytest.mark.parametrize(
    ("duration", "words"), [(119.9, "119.9 s"), (120, "2.0 min"), (7199, "120.0 min"), (9000, "2.5 h")]
)
def test_long_durations_are_minutes_and_hours(duration: float, words: str) -> None:
    assert number_formats.seconds(duration) == words


def test_a_thousand_tasks_of_three_models_take_less_than_170_kilobytes() -> None:
    entries = [
        an_entry(f"category-{index}", "passed" if index % 3 else "failed", model=model)
        for index in range(1000)
        for model in ("a-model", "b-model", "c-model")
    ]
    assert len(matrix_section(only_suite(*entries)).body.encode()) < 170_000


LEADS = {
    "one model": (attempts("a", 6, 8), "a passes 75.0 % of 8 tasks of s (95 % interval 41 – 93 %)."),
    "two models": (
        list(TWO_MODELS),
        "a passes most: 75.0 % of 8 tasks of s (95 % interval 41 – 93 %). Not significantly less: b (25.0 %).",
    ),
    "one significantly better": (
        [*attempts("a", 20, 20), *attempts("b", 2, 20)],
        "a passes most: 100.0 % of 20 tasks of s (95 % interval 84 – 100 %), significantly more than b (10.0 %).",
    ),
    "a tie": (
        [*attempts("a", 2, 4), *attempts("b", 2, 4)],
        "a, b pass most: 50.0 % of 4 tasks of s (95 % interval 15 – 85 %).",
    ),
    "only errors": (
        [an_entry("t", "error", error="the model cannot be reached\nTraceback")] * 3,
        "No verdict: the model cannot be reached.",
    ),
    "no rule could decide": (
        [
            an_entry(
                f"t{n}",
                "unscored",
                floors={"coverage": 1.0},
                unscored={"coverage": f"open ({n})"},
                gaps={"coverage": "needs_reader"},
            )
            for n in range(3)
        ],
        "No verdict: no rule could decide the free words of 3 of 3 attempts; a model as judge can: "
        "--mcpbench-judge=keyfacts+MODEL, or mcpbench rescore --judge=MODEL.",
    ),
    "errors beside": (
        [*attempts("a", 1, 1), an_entry("t", "error", model="a"), an_entry("u", "unscored", model="a")],
        "a passes 50 – 100 % (1 of 2 decided) of 3 tasks of s (95 % interval 9 – 100 %); not counted: 1 error.",
    ),
    "a leader whatever the others would get": (
        [*attempts("a", 3, 4), *attempts("b", 1, 3), an_entry("u", "unscored", model="b")],
        "a passes most: 75.0 % of 4 tasks of s (95 % interval 30 – 95 %). Not significantly less: "
        "b (25 – 50 % at 0.75 × its cost).",
    ),
    "no leader that is known": (
        [*attempts("a", 3, 3), an_entry("u", "unscored", model="a"), *attempts("b", 7, 8)],
        "Too few attempts are decided to say which model is best: b 87.5 %; a 75 – 100 %.",
    ),
    "no leader among those that errors have left out": (
        [
            *attempts("a", 1, 1),
            *[an_entry(f"u{n}", "error", model="a") for n in range(2)],
            *attempts("b", 0, 1),
            *[an_entry(f"u{n}", "error", model="b") for n in range(2)],
        ],
        "Too few attempts are decided to say which model is best: a 100.0 %; b 0.0 %; not counted: 4 errors of a, b.",
    ),
    "a leader beside a model with errors only": (
        [*attempts("a", 3, 4), *attempts("b", 1, 4), an_entry("u", "error", model="c")],
        "a passes most: 75.0 % of 4 tasks of s (95 % interval 30 – 95 %). Not significantly less: "
        "b (25.0 %); not counted: 1 error of c.",
    ),
    "two suites": (
        [*attempts("a", 6, 8), *attempts("a", 3, 4, suite="z")],
        "a passes 75.0 % of 12 tasks of 2 suites (95 % interval 47 – 91 %).",
    ),
    "a model beside agents without one": (
        [*attempts("claude", 1, 4), *attempts("oracle", 4, 4), *attempts("lexical", 2, 4)],
        "claude passes 25.0 % of 4 tasks of s (95 % interval 5 – 70 %).",
    ),
    "agents without a model": (
        [*attempts("oracle", 4, 4), *attempts("noop", 0, 4), *attempts("lexical", 1, 4)],
        "No model took part. oracle passed 4 of 4 attempts: each of these tasks is solvable as scored; "
        "noop passed 0 of 4 attempts: none passes without a call or an answer; lexical passed 1 of 4 attempts.",
    ),
    "an oracle that fails": (
        [*attempts("oracle", 3, 4), *attempts("noop", 1, 4)],
        "No model took part. oracle passed 3 of 4 attempts: the others are not solvable as scored; "
        "noop passed 1 of 4 attempts: some pass without a call or an answer.",
    ),
    "an agent without a verdict": (
        [an_entry("t-1", "error", model="oracle", error="t.yaml:1: the reference breaks the tool's schema.")],
        "No verdict: t.yaml:1: the reference breaks the tool's schema.",
    ),
    "nothing": ([], "The run has no attempt."),
}


@pytest.mark.parametrize(("entries", "sentence"), LEADS.values(), ids=LEADS)
def test_the_verdict_is_one_sentence_with_interval_and_denominator(entries: list[Entry], sentence: str) -> None:
    assert lead_sentence(a_report(*entries)) == sentence


def told_facts(report: Report) -> dict[str, str]:
    return dict([*brief_facts(report), *facts(report)])


def test_facts_say_unknown_where_nothing_is_known() -> None:
    told = told_facts(a_report(an_entry("t", usage=Usage(cost_usd=None))))
    names = ("cost", "tokens (read + written)", "wall time", "conditions")
    assert [told[name] for name in names] == ["unknown"] * 4


def test_facts_leave_out_cost_and_tokens_of_attempts_that_used_none() -> None:
    report = a_report(an_entry("t", usage=Usage(cost_usd=0.0, input_tokens=0, output_tokens=0)))
    assert {"cost", "tokens (read + written)"} & told_facts(report).keys() == set()


def test_counts_of_results_have_commas_between_thousands() -> None:
    body = report_sections(a_report(*attempts("a", 1200, 2400)))[0][0].body
    assert "<td>2,400</td><td>1,200</td><td>1,200</td>" in body


def cells_of(markup: str, row: str) -> list[str]:
    (found,) = re.findall(rf"<tr><th[^>]*>(?:<a[^>]*>)?{row}<.*?</tr>", markup)
    cells = re.findall(r"<td.*?</td>", found.replace("\u2060", "").replace("\u00a0", " "))
    return [re.sub(r"<[^>]+>", "", cell).strip() for cell in cells]


def test_the_first_screen_says_which_model_by_how_much_at_what_price_and_where_it_fails() -> None:
    usage = Usage(input_tokens=100, output_tokens=10, cost_usd=0.02)
    entries = [
        *attempts("dear", 20, 20, usage=usage.model_copy(update={"cost_usd": 0.2})),
        *attempts("cheap", 3, 20, usage=usage, seconds=2.0),
        an_entry("late", "error", model="cheap", usage=usage, seconds=2.0),
        *attempts("oracle", 20, 20),
    ]
    markup = str(standings_markup(entries))
    assert cells_of(markup, "dear") == ["100.0 % 84 – 100 %", "best", "–", "$0.2000", "$0.2000", "2.0 s", "–"]
    assert cells_of(markup, "cheap") == [
        *(
            "15.0 % 5 – 36 %",
            "−85.0 significant over 20 of 21 tasks",
            "1 error",
            "$0.0200",
            "$0.1400",
            "2.0 s",
            "ast below its floor 17",
        ),
    ]
    assert 'href="#?model=cheap&amp;cause=ast+below+its+floor"' in markup
    assert "without a model: oracle 100.0 %" in markup
    assert "Pass rates by suite" not in markup


def test_errors_before_any_reply_are_in_no_mean_cost_and_errors_that_were_paid_are() -> None:
    errors = [an_entry("t-8", "error", model="a"), an_entry("t-9", "error", model="a", usage=Usage(cost_usd=1.0))]
    entries = [*attempts("a", 1, 1), *errors]
    cells = cells_of(str(standings_markup(entries)), "a")
    assert cells[3:5] == ["$0.7500 of 2 attempts", "$1.50"]
    (summary,) = only_suite(*entries).summaries
    assert (summary.known_usage.cost_usd.known, summary.known_usage.cost_usd.attempts) == (1.5, 2)
    (point,) = history_points(a_report(*entries))
    assert (point.cost_usd, point.attempts) == (0.75, 3)


def test_agents_without_a_model_have_no_columns_of_cost() -> None:
    markup = str(standings_markup(attempts("oracle", 1, 1, usage=NO_USAGE)))
    assert "time</th>" in markup
    assert "cost a" not in markup


def test_a_difference_beside_a_range_says_over_how_many_tasks_it_is() -> None:
    open_tasks = (an_entry(f"t-{n}", "unscored", model="b") for n in range(7, 10))
    entries = [*attempts("a", 10, 10), *attempts("b", 0, 7), *open_tasks]
    assert cells_of(str(standings_markup(entries)), "b")[:2] == [
        "0 – 30 % 0 – 60 %",
        "−100.0 significant over 7 of 10 tasks",
    ]
    assert "−100.0 (significant, over 7 of 10 tasks)" in pull_request_text(a_report(*entries))


def test_the_leaderboard_of_a_suite_with_guards_has_the_pass_rates_by_both_criteria() -> None:
    entries = [
        an_entry("1", "failed", verdicts={"paper": "passed", "guarded": "failed"}),
        an_entry("2", "passed", verdicts={"paper": "passed", "guarded": "passed"}),
    ]
    (results,) = suite_results(a_report(*entries))
    shown = {scoring: pass_rate_forest(results, scoring) for scoring in SCORINGS}
    assert [figure.table.rows[0][1] for figure in shown.values()] == ["100.0 %", "50.0 %"]
    body = leaderboard_section(results).body
    assert re.findall(r"<strong>(Pass rate.*?)</strong>", body) == ["Pass rate, guarded", "Pass rate, paper"]
    (without,) = suite_results(a_report(an_entry("1")))
    assert "Pass rate, paper" not in leaderboard_section(without).body


def test_both_criteria_are_columns_of_the_models_where_a_suite_has_guards() -> None:
    def verdicts(paper: str, guarded: str) -> dict[str, Any]:
        return {"outcome": guarded, "verdicts": {"paper": paper, "guarded": guarded}}

    kinds = [("passed", "passed"), ("passed", "failed"), ("unscored", "unscored"), ("failed", "failed")]
    guarded = [an_entry(f"{n}", model="a", **verdicts(*kind)) for n, kind in enumerate(kinds)]
    markup, _, _ = str(standings_markup([*guarded, *attempts("b", 1, 4, suite="plain")])).partition("Pass rates by")
    assert cells_of(markup, "a")[2:4] == ["1 unscored", "50 – 75 %"]
    assert cells_of(markup, "a")[0].startswith("25 – 50 % ")
    assert cells_of(markup, "b")[2:4] == ["–", "–"]
    headings = re.findall(r"<th scope=.col.[^>]*>([^<]*)", markup)
    assert headings[1:5] == ["pass rate (guarded)", "to the best", "open", "paper"]
    assert ">paper<" not in str(standings_markup(attempts("b", 1, 4)))


def test_rates_by_suite_are_those_of_the_suites_and_link_to_their_attempts() -> None:
    markup = str(standings_markup([*attempts("a", 3, 4), *attempts("a", 1, 4, suite="z"), *attempts("b", 2, 4)]))
    by_suite = markup[markup.index("Pass rates by suite") :]
    assert cells_of(by_suite, "a") == ["75.0 % 30 – 95 %", "25.0 % 5 – 70 %"]
    assert cells_of(by_suite, "b") == ["50.0 % 15 – 85 %", "–"]
    assert 'href="#?suite=z&amp;model=a"' in by_suite


def test_the_best_rate_of_a_suite_is_marked_once_no_verdict_can_change_it() -> None:
    def best_of_a(a: int) -> int:
        open_ = [*attempts("b", 1, 3), an_entry("t-4", "unscored", model="b")]
        every = [*attempts("a", a, 4), *open_, *attempts("a", 4, 4, suite="z"), *attempts("b", 4, 4, suite="z")]
        return str(standings_markup(every)).partition("Pass rates by suite")[2].count('class="best"')

    assert (best_of_a(1), best_of_a(3)) == (0, 1)


def test_the_verdicts_of_all_gates_stand_before_everything_else() -> None:
    gate = GateResult(
        node_id="gate", suite="s", model="m", baseline="old", candidate="new", verdict="REGRESSED", fails=True, tasks=3
    )
    open_gate = gate.model_copy(update={"model": "n", "verdict": "UNDECIDED", "fails": False})
    body = report_sections(a_report(*TWO_MODELS, gates=(open_gate, gate)))[0][0].body

    assert re.match(
        r'<p class="verdict gate failed">REGRESSED.*?</p><p class="verdict gate unscored">UNDECIDED.*?</p>'
        "<details class=fold><summary>s, n: UNDECIDED</summary>",
        body,
    )


def test_arms_are_no_suites_and_have_their_pass_rates_on_the_first_screen() -> None:
    arms = {"v1": "passed", "candidate": "failed", fresh_arm("v1"): "passed", fresh_arm("candidate"): "failed"}
    report = a_report(*(an_entry(task, arms[arm], arm=arm) for arm in arms for task in ("1", "2")))
    assert told_facts(report)["attempts"] == "8 (1 suite, 2 tasks, 1 agent)"
    body = (
        report_sections(report)[0][0].body.partition('<dl class="facts')[0].replace("\u2060", "").replace("\u00a0", " ")
    )
    assert re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", body)).endswith("model v1 candidate s m 100.0 % 0.0 % ")


def test_wall_time_is_that_of_the_clock_since_the_latest_start() -> None:
    starts = ("2026-01-01T00:00:00+00:00", "2026-01-02T00:00:01+00:00", "2026-01-02T00:00:08+00:00")
    entries = [an_entry(str(index), started_at=start, seconds=2.0) for index, start in enumerate(starts)]

    assert wall_seconds(a_report(*entries, facts={"resumed_at": "2026-01-02T00:00:00+00:00"})) == 9.0
    assert wall_seconds(a_report(*entries)) == 24 * 60 * 60 + 10
    assert wall_seconds(a_report(*entries, an_entry("u", started_at=""))) is None


EDGE_CASES = {
    "no attempt": [],
    "one attempt": attempts("a", 1, 1),
    "only errors": [an_entry("t", "error", error="gone", error_kind="server")],
    "nothing scored": [
        an_entry("t", "unscored", scores={"ast": None}, floors={"ast": 1.0}, unscored={"ast": "no judge"})
    ],
    "hostile names": [
        an_entry(
            HOSTILE, "failed", suite=HOSTILE, model=HOSTILE, tags={HOSTILE: HOSTILE}, failures={HOSTILE: (HOSTILE,)}
        ),
        an_entry("t", "passed", suite=HOSTILE, model="m", tags={HOSTILE: "x"}),
    ],
    "suites of similar names": [*attempts("a", 1, 2, suite="n (a)"), *attempts("a", 1, 2, suite="n a")],
}


@pytest.mark.parametrize("entries", EDGE_CASES.values(), ids=EDGE_CASES)
def test_every_report_has_a_page_without_markup_of_others_and_without_an_id_twice(entries: list[Entry]) -> None:
    sections = all_sections(a_report(*entries))
    html = "".join(page(title="t", sections=sections))
    ids = re.findall(r'\bid="([^"]+)"', html)

    assert sorted(ids) == sorted(set(ids))
    assert "<img" not in html
    assert "nan" not in re.sub(r"<[^>]*>", "", html).lower().split()


def test_the_glossary_has_the_used_metrics_only() -> None:
    terms = dict(glossary([only_suite(*TWO_MODELS)], {"ast": "Share of right calls.", "dag_leaf": "…"}))

    assert terms["ast"] == "Share of right calls."
    assert terms["dtsr"] == WITHOUT_DESCRIPTION
    assert "dag_leaf" not in terms
    assert "pass@k" not in terms


def test_a_download_has_a_row_for_each_task_and_no_formula() -> None:
    results = only_suite(*TWO_MODELS, an_entry("=1+1", "error", model="a"))
    text = csv_text(task_rows([results]))

    assert text.splitlines()[:3] == [
        "suite,task,model,trials,passed,failed,errors,unscored",
        "s,'=1+1,a,1,0,0,1,0",
        "s,t-0,a,1,1,0,0,0",
    ]
    body = report_sections(a_report(*results.entries))[1][1].body
    files = re.findall(r'download="([^"]+)" href="data:text/csv;base64,([^"]+)"', body)
    assert base64.b64decode(dict(files)["tasks.csv"]).decode() == text


def test_the_axis_of_cost_is_logarithmic_if_one_model_costs_ten_times_as_much() -> None:
    def is_logarithmic(cheap: float) -> bool:
        models = (attempts("a", 6, 8, usage=Usage(cost_usd=0.1)), attempts("b", 2, 8, usage=Usage(cost_usd=cheap)))
        chart = cost_chart(only_suite(*models[0], *models[1]))
        assert chart is not None
        # The table has plain dollars.
        assert chart.table.headings[1] == "mean cost of an attempt"
        return "mean cost of an attempt, logarithmic" in str(chart.svg())

    assert [is_logarithmic(cheap) for cheap in (0.009, 0.02, 0.0)] == [True, False, False]


def test_the_profile_of_many_models_is_a_heatmap_in_place_of_polygons() -> None:
    results = only_suite(*(entry for model in "abcde" for entry in attempts(model, 3, 4)))
    chart = profile_chart(results)
    assert chart.description.startswith("Heatmap")
    assert chart.table.rows[0] == ("pass rate", *["0.750"] * 5)


@pytest.mark.parametrize(
    ("cost", "shown"),
    [
        (None, "?"),
        (0.0, "$0"),
        (12.345, "$12.35"),
        (0.06664, "$0.0666"),
        (0.00004, "$0.000040"),
        (1e-9, "< $0.000001"),
    ],
)
def test_a_small_price_is_not_shown_as_0(cost: float | None, shown: str) -> None:
    assert number_formats.money(cost) == shown


def test_the_page_begins_with_what_failed_the_run_beside_its_attempts() -> None:
    facts = {
        "settings": {"unscored": "fail"},
        "failed_tests": [["test", "test_a.py::test_a", "no"], ["lock", "tools.lock.json", "'notes' has changed"]],
    }
    report = a_report(*attempts("a", 4, 4), an_entry("t-9", "unscored", model="a")).model_copy(update={"facts": facts})
    body = all_sections(report)[0].body
    places = [body.index(told) for told in ("Lock failed:", "Test failed: ", "unscored attempts: 1 (", "a passes")]
    assert places == sorted(places)
