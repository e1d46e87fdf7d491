from pytest_mcpbench.core.task import CallGroup
from pytest_mcpbench.metrics.dag import CallGraph, LevelMatching
from tests.builders import expected_call


def _chain(length: int) -> CallGraph:
    return CallGraph.of(tuple(CallGroup(calls=(expected_call("t"),)) for _ in range(length)))


def test_of_equal_calls_the_one_that_keeps_the_order_is_taken() -> None:
    fits = [[True, True, True], [True, False, True], [False, True, True]]

    assert LevelMatching(_chain(3), fits, [1, 2, 0]).pairs() == {0: 2, 1: 0, 2: 1}


def test_calls_of_one_message_cannot_follow_each_other() -> None:
    assert LevelMatching(_chain(2), [[True, True]] * 2, [0, 0]).pairs() is None


def test_a_long_chain_of_equal_calls_is_searched_fast() -> None:
    size = 40
    fits = [[True] * size] * size

    assert LevelMatching(_chain(size), fits, list(range(size))).pairs() == {i: i for i in range(size)}
    assert LevelMatching(_chain(size), fits, [0, *range(size - 1)]).pairs() is None
