import pytest

from pytest_mcpbench.core.arm import first_trials, fresh_pair, with_fresh_trials
from pytest_mcpbench.core.gate.decision import GateTrials
from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.statistics.exact_tests import TrialPair, Trials
from tests.reporting.samples import an_entry


def _entries(*outcomes: str, **fields: str) -> list[Entry]:
    return [an_entry("t", outcome, trial=trial, **fields) for trial, outcome in enumerate(outcomes, 1)]


@pytest.mark.parametrize(
    ("candidate", "passed"),
    [
        (_entries("passed", "failed"), 1),
        (_entries("error", "error", error_kind="task", error="no tool"), 0),
        (_entries("error", "passed", error_kind="server", error="it died"), 1),
    ],
    ids=["outcomes", "tool gone", "server died"],
)
def test_what_the_candidate_cannot_run_any_more_did_not_pass(candidate: list[Entry], passed: int) -> None:
    trials = first_trials(_entries("passed", "passed"), candidate)

    assert trials.screen == (TrialPair("t", Trials(2, 2), Trials(passed, 2)),)
    assert trials.dropped == ()


@pytest.mark.parametrize(
    ("baseline", "candidate", "reason"),
    [
        (
            _entries("passed"),
            _entries("error", error_kind="model", error="status 500\nmore"),
            "candidate: model: status 500",
        ),
        (
            _entries("error", error_kind="server", error="it died"),
            _entries("passed"),
            "baseline: server: it died",
        ),
        (_entries("passed"), _entries("unscored"), "candidate: unscored: the test was skipped"),
    ],
    ids=["provider", "baseline", "unscored"],
)
def test_what_says_nothing_about_the_definitions_is_dropped(
    baseline: list[Entry], candidate: list[Entry], reason: str
) -> None:
    trials = first_trials(baseline, candidate)

    assert trials.screen == ()
    assert [(each.task, each.reason) for each in trials.dropped] == [("t", reason)]
    assert trials.unscored == (("t",) if "unscored" in reason else ())


def test_fresh_trials_that_a_provider_did_not_answer_are_left_out() -> None:
    failed = _entries("error", error_kind="model", error="status 500")

    assert fresh_pair("t", _entries("passed", "failed"), _entries("passed") + failed) == TrialPair(
        "t", Trials(1, 2), Trials(1, 1)
    )
    trials = with_fresh_trials(GateTrials(()), [fresh_pair("t", _entries("passed"), failed)])
    assert [each.reason for each in trials.dropped] == ["none of its fresh trials could be made"]
