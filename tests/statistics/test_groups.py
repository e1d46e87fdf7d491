import pytest

from pytest_mcpbench.statistics import MetricValue, aggregate, group_by, micro, pass_rates, wilson


def test_an_aggregate_has_every_denominator() -> None:
    attempts = [
        MetricValue("a", 1.0),
        MetricValue("a", 0.0),
        MetricValue("b", 1.0),
        MetricValue("c"),
        MetricValue("d", is_error=True),
        MetricValue("e", 1.0, is_error=True),
    ]
    found = aggregate("coverage", attempts)
    assert (found.macro, found.micro) == (0.75, None)
    assert (found.n, found.tasks, found.errors, found.unscored) == (3, 2, 2, 1)
    assert found.interval == wilson(1.5, 2)


def test_an_aggregate_of_nothing_has_no_value() -> None:
    found = aggregate("coverage", [MetricValue("a", is_error=True)])
    assert (found.macro, found.micro, found.interval, found.n, found.errors) == (None, None, None, 0, 1)


COUNTS = [{"hits": 1.0, "called": 4.0, "expected": 1.0}, {"hits": 3.0, "called": 3.0, "expected": 9.0}]


@pytest.mark.parametrize(("metric", "value"), [("tool_precision", 4 / 7), ("tool_recall", 4 / 10), ("tool_f1", 8 / 17)])
def test_tool_scores_pool_their_counts(metric: str, value: float) -> None:
    assert micro(metric, COUNTS) == pytest.approx(value)


def test_other_metrics_pool_part_and_whole() -> None:
    assert micro("exec", [{"part": 1.5, "whole": 3.0}, {"part": 1.0, "whole": 1.0}]) == 0.625


@pytest.mark.parametrize("counts", [[], [{}], [{"unasked": 1.0}], [{"part": 0.0, "whole": 0.0}]])
def test_what_has_nothing_to_pool_has_no_micro_value(counts: list[dict[str, float]]) -> None:
    assert micro("exec", counts) is None


def test_pass_rates_are_inclusive_at_each_threshold() -> None:
    assert pass_rates([0.5, 0.75, 0.9, 0.1]) == {0.5: 0.75, 0.75: 0.5, 0.9: 0.25}
    assert pass_rates([]) == {}


def test_groups_keep_order_and_drop_nothing() -> None:
    assert group_by(["b1", "a1", "b2"], lambda name: name[0]) == {"b": ["b1", "b2"], "a": ["a1"]}
