import pytest

from pytest_mcpbench.core.gate.decision import DroppedTask, GateRules, GateTrials, decide, tasks_to_confirm
from pytest_mcpbench.core.gate.result import GateResult, numbers_of
from pytest_mcpbench.reporting.texts.gate import details, headline
from pytest_mcpbench.statistics.exact_tests import TrialPair, Trials

RULES = GateRules()


def _pair(task: str, before: int, after: int, made: int = 1) -> TrialPair:
    return TrialPair(task, Trials(before, made), Trials(after, made))


def _same(count: int) -> tuple[TrialPair, ...]:
    return tuple(_pair(f"same{index}", 1, 1) for index in range(count))


def test_a_task_that_never_passes_again_is_a_regression_and_is_named() -> None:
    trials = GateTrials((_pair("find", 1, 0), *_same(9)), fresh=(_pair("find", 8, 0, 8),))

    verdict = decide(trials, RULES)

    assert (verdict.name, verdict.fails, verdict.worse.confirmed) == ("REGRESSED", True, ("find",))
    assert verdict.worse.p_value == pytest.approx(1 / 12870)


def test_a_loss_in_the_first_trials_alone_is_no_regression() -> None:
    first = GateTrials((_pair("find", 1, 0), *_same(9)))

    assert tasks_to_confirm(first, RULES) == ("find",)
    assert decide(GateTrials(first.screen, fresh=(_pair("find", 7, 8, 8),)), RULES).name == "UNDECIDED"


def test_small_losses_of_many_tasks_are_a_regression_together() -> None:
    tasks = [f"task{index}" for index in range(6)]
    trials = GateTrials(tuple(_pair(task, 1, 0) for task in tasks), tuple(_pair(task, 7, 4, 8) for task in tasks))

    verdict = decide(trials, RULES)

    assert (verdict.name, verdict.worse.confirmed) == ("REGRESSED", ())


def test_improved_tasks_are_confirmed_only_if_no_loss_is() -> None:
    screen = (_pair("lost", 1, 0), _pair("won", 0, 1), *_same(9))
    regressed = GateTrials(screen, (_pair("lost", 8, 0, 8),))
    noise = GateTrials(screen, (_pair("lost", 8, 8, 8),))

    assert tasks_to_confirm(regressed, RULES) == ()
    assert tasks_to_confirm(noise, RULES) == ("won",)
    improved = decide(GateTrials(screen, (*noise.fresh, _pair("won", 0, 8, 8))), RULES)
    assert (improved.name, improved.better.confirmed) == ("IMPROVED", ("won",))


def test_a_loss_and_a_gain_are_a_regression() -> None:
    screen = (_pair("lost", 1, 0), _pair("won", 0, 1))
    trials = GateTrials(screen, (_pair("lost", 8, 0, 8), _pair("won", 0, 8, 8)))

    assert decide(trials, RULES).name == "REGRESSED"


def test_a_task_that_names_a_changed_tool_is_repeated_whatever_its_first_trials_say() -> None:
    first = GateTrials(_same(80), named=("same3",))
    assert tasks_to_confirm(first, RULES) == ("same3",)
    lost = decide(GateTrials(_same(80), (_pair("same3", 8, 0, 8),), named=("same3",)), RULES)
    assert (lost.name, lost.worse.confirmed) == ("REGRESSED", ("same3",))
    result = numbers_of(lost, RULES)
    assert [(each.task, each.direction) for each in result["changed"]] == [("same3", "worse")]  # type: ignore[attr-defined]
    kept = decide(GateTrials(_same(80), (_pair("same3", 8, 8, 8),), named=("same3",)), RULES)
    assert (kept.name, kept.worse.tasks, kept.better.tasks) == ("NOT WORSE", (), ())


def test_a_changed_tool_that_no_passing_task_names_is_not_measured() -> None:
    silent = decide(GateTrials(_same(80), unmeasured=("refund_order",)), RULES)
    assert (silent.name, silent.fails) == ("NOT MEASURED", True)
    gained = GateTrials((_pair("won", 0, 1), *_same(9)), (_pair("won", 0, 8, 8),), unmeasured=("refund_order",))
    assert decide(gained, RULES).name == "NOT MEASURED"
    lost = GateTrials((_pair("lost", 1, 0), *_same(9)), (_pair("lost", 8, 0, 8),), unmeasured=("refund_order",))
    assert decide(lost, RULES).name == "REGRESSED"


def test_enough_equal_tasks_are_not_worse() -> None:
    assert decide(GateTrials(_same(80)), RULES).name == "NOT WORSE"


def test_too_few_equal_tasks_are_undecided_with_the_number_that_would_be_enough() -> None:
    verdict = decide(GateTrials(_same(20)), RULES)

    assert verdict.name == "UNDECIDED"
    assert verdict.remedies is not None
    assert verdict.remedies.tasks is not None
    assert decide(GateTrials(_same(verdict.remedies.tasks)), RULES).name == "NOT WORSE"
    assert decide(GateTrials(_same(verdict.remedies.tasks - 1)), RULES).name == "UNDECIDED"
    assert decide(GateTrials(_same(20)), GateRules(margin=verdict.remedies.margin + 1e-9)).name == "NOT WORSE"


def test_changes_by_chance_ask_for_more_trials() -> None:
    flips = [_pair(f"up{i}", 0, 1) for i in range(3)] + [_pair(f"down{i}", 1, 0) for i in range(3)]
    fresh = tuple(_pair(pair.task, 4, 4, 8) for pair in flips)

    remedies = decide(GateTrials((*flips, *_same(34)), fresh), RULES).remedies

    assert remedies is not None
    assert remedies.trials == 6
    assert remedies.tasks is not None
    assert remedies.tasks > 40


@pytest.mark.parametrize(("dropped", "expected"), [(2, "NOT WORSE"), (12, "NOT COMPARABLE")])
def test_more_than_a_tenth_of_the_tasks_dropped_is_not_comparable(dropped: int, expected: str) -> None:
    trials = GateTrials(
        _same(90), dropped=tuple(DroppedTask(f"d{index}", "its text changed") for index in range(dropped))
    )

    assert decide(trials, RULES).name == expected


def test_no_task_in_both_arms_is_not_comparable() -> None:
    verdict = decide(GateTrials((), dropped=(DroppedTask("find", "provider"),)), RULES)

    assert (verdict.name, verdict.fails, verdict.interval) == ("NOT COMPARABLE", True, None)


def test_a_baseline_that_never_passes_has_nothing_to_lose() -> None:
    never = tuple(_pair(f"t{index}", 0, 0) for index in range(90))
    gain = (*never[1:], _pair("t0", 0, 1))

    assert decide(GateTrials(never), RULES).name == "NOT COMPARABLE"
    assert decide(GateTrials(gain, (_pair("t0", 0, 8, 8),)), RULES).name == "IMPROVED"


def test_without_fresh_trials_the_first_trials_decide() -> None:
    rules = GateRules(fresh_trials=0)
    trials = GateTrials((_pair("find", 9, 0, 9), *(_pair(f"s{i}", 9, 9, 9) for i in range(3))))

    assert tasks_to_confirm(trials, rules) == ()
    assert (decide(trials, rules).name, decide(trials, rules).worse.confirmed) == ("REGRESSED", ("find",))
    assert decide(GateTrials((_pair("find", 1, 0), *_same(9))), rules).name == "UNDECIDED"


def _unscored(count: int) -> tuple[DroppedTask, ...]:
    return tuple(DroppedTask(f"u{index}", "unscored", is_unscored=True) for index in range(count))


@pytest.mark.parametrize(
    ("measured", "unscored", "name"),
    [
        (73, 0, "NOT WORSE"),
        (73, 5, "UNDECIDED"),
        (400, 5, "NOT WORSE"),
        (400, 20, "UNDECIDED"),
        (90, 11, "NOT COMPARABLE"),
    ],
)
def test_unscored_tasks_are_never_part_of_not_worse(measured: int, unscored: int, name: str) -> None:
    verdict = decide(GateTrials(_same(measured), dropped=_unscored(unscored)), RULES)

    assert (verdict.name, verdict.remedies) == (name, None)


def test_the_headline_says_what_is_not_measured() -> None:
    numbers = numbers_of(decide(GateTrials(_same(73), dropped=_unscored(5)), RULES), RULES)
    result = GateResult.model_validate(
        {"node_id": "s::gate", "suite": "s", "model": "m", "baseline": "baseline", "candidate": "candidate", **numbers}
    )

    assert headline(result) == (
        "UNDECIDED: s, m: no loss is confirmed, but 73 tasks cannot exclude one of 5 points; "
        "5 tasks not measured, because unscored"
    )
    assert (
        "would be decided by a judge that scores the tasks that are not measured (--mcpbench-judge=MODEL)"
        in details(result)
    )
