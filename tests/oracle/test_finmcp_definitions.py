"""tool_* and emr against cases computed by hand from the definitions of FinMCP-Bench (section 3.2, Table 2)."""

import pytest

from pytest_mcpbench.core.score import Score
from pytest_mcpbench.metrics.grouping import Emr, EmrFlat
from pytest_mcpbench.metrics.tool_names import ToolF1, ToolPrecision, ToolRecall
from pytest_mcpbench.statistics import micro
from pytest_mcpbench.statistics.groups import ToolCounts
from tests.builders import a_call, a_task, evidence_of, expected_call

Scores = tuple[Score, ...]

# reference, prediction (groups of tool names) -> TP, TR, TF1 of the conversation, EMR, flat EMR
BY_HAND = [
    # Single tool, right.
    ("Q", "Q", 1, 1, 1, 1, 1),
    # Single tool, over-predicted: 1 of 3 calls is right.
    ("Q", "Q N N", 1 / 3, 1, 1 / 2, 0, 0),
    # Two groups, the first of them parallel; its order does not matter to the paper, but to the authors' code.
    ("QN F", "NQ F", 1, 1, 1, 1, 0),
    # The same calls one after the other: the organisation differs, the flat list does not.
    ("QN F", "Q N F", 1, 1, 1, 0, 1),
    # One of two equal calls: a multiset counts 1 of 2.
    ("QQ", "Q", 1, 1 / 2, 2 / 3, 0, 0),
    # Four reference calls, three made, two of them right: TP 2/3, TR 2/4, TF1 = 2 (2/3)(1/2) / (2/3 + 1/2) = 4/7.
    ("QN FG", "QX F", 2 / 3, 1 / 2, 4 / 7, 0, 0),
    # Nothing in common.
    ("Q", "X", 0, 0, 0, 0, 0),
    # Nothing called.
    ("Q F", "", 0, 0, 0, 0, 0),
]


def _scores(reference: str, prediction: str) -> Scores:
    task = a_task(*(tuple(map(expected_call, group)) for group in reference.split()))
    evidence = evidence_of(*(tuple(map(a_call, group)) for group in prediction.split()), answer="Done.")
    return tuple(metric(task, evidence) for metric in (ToolPrecision(), ToolRecall(), ToolF1(), Emr(), EmrFlat()))


@pytest.mark.parametrize("case", BY_HAND, ids=[f"{case[0]} | {case[1] or 'nothing'}" for case in BY_HAND])
def test_a_conversation_scores_as_computed_by_hand(case: tuple[str, str, float, float, float, float, float]) -> None:
    reference, prediction, *values = case
    assert [score.value for score in _scores(reference, prediction)] == pytest.approx(values)


def test_over_tasks_the_headline_pools_hits_calls_and_references() -> None:
    by_metric = list(zip(*(_scores(case[0], case[1]) for case in BY_HAND), strict=True))
    # Hits 1+1+3+3+1+2+0+0 = 11; calls 1+3+3+3+1+3+1+0 = 15; references 1+1+3+3+2+4+1+2 = 17.
    pooled = [micro(name, (score.counts for score in by_metric[column])) for column, name in enumerate(NAMES)]
    assert pooled == pytest.approx([11 / 15, 11 / 17, 22 / 32])


NAMES = ("tool_precision", "tool_recall", "tool_f1")

# TP, TR and TF1 of the six models in Table 2, column All, in per cent.
TABLE_2_ALL = [
    (64.79, 40.55, 49.88),
    (25.97, 43.84, 32.62),
    (50.36, 32.28, 39.34),
    (58.02, 44.06, 50.08),
    (61.75, 50.53, 55.58),
    (60.22, 68.90, 64.27),
]


@pytest.mark.parametrize(("precision", "recall", "f1"), TABLE_2_ALL)
def test_f1_in_table_2_is_the_harmonic_mean_of_the_pooled_values(precision: float, recall: float, f1: float) -> None:
    hits = 1000.0
    counts = ToolCounts(hits=hits, called=100 * hits / precision, expected=100 * hits / recall)
    assert 100 * counts.f1 == pytest.approx(f1, abs=0.011)
