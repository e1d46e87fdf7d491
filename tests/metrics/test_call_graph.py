from pytest_mcpbench.core.task import CallGroup
from pytest_mcpbench.metrics.dag import CallGraph
from tests.builders import expected_call


def _graph(*groups: tuple[tuple[str, str], ...]) -> CallGraph:
    """Each call as (id, argument)."""
    return CallGraph.of(
        tuple(
            CallGroup(calls=tuple(expected_call("t", {"a": argument}, id=name) for name, argument in g)) for g in groups
        )
    )


def test_without_references_a_call_depends_on_every_call_of_the_step_before() -> None:
    graph = _graph((("1", ""), ("2", "")), (("3", ""),), (("4", ""), ("5", "")))

    assert [set(before) for before in graph.predecessors] == [set(), set(), {0, 1}, {2}, {2}]
    assert graph.sinks == (3, 4)
    assert graph.heights == (2, 2, 1, 0, 0)


def test_a_reference_takes_the_place_of_the_step_before() -> None:
    graph = _graph((("1", ""), ("2", "")), (("3", "x <1_result> y"),), (("4", ""),))

    assert [set(before) for before in graph.predecessors] == [set(), set(), {0}, {2}]
    assert graph.sinks == (1, 3)


def test_ids_are_positions_where_they_are_absent() -> None:
    assert [set(before) for before in _graph((("", ""), ("", "<1_result.name>"))).predecessors] == [set(), {0}]


def test_a_reference_to_itself_or_to_no_call_is_none() -> None:
    assert [set(before) for before in _graph((("1", "<1_result> <9_result>"),)).predecessors] == [set()]


def test_empty_groups_are_no_step() -> None:
    assert [set(before) for before in _graph((("1", ""),), (), (("2", ""),)).predecessors] == [set(), {0}]


def test_a_circle_has_no_order() -> None:
    assert _graph((("1", "<2_result>"), ("2", "<1_result>"))).order == ()
