import itertools

import hypothesis.strategies as st
from hypothesis import given

from pytest_mcpbench.metrics.comparison.matching import maximum_matching

TABLES = st.integers(0, 5).flatmap(
    lambda columns: st.lists(st.lists(st.booleans(), min_size=columns, max_size=columns), max_size=5)
)


def test_a_row_moves_to_another_column_where_a_later_row_needs_its_own() -> None:
    assert maximum_matching([[True, True], [True, False]]) == {0: 1, 1: 0}


def test_rows_that_fit_everything_are_paired_in_order() -> None:
    assert maximum_matching([[True] * 3] * 3) == {0: 0, 1: 1, 2: 2}


def test_given_pairs_stay_where_no_other_row_needs_their_columns() -> None:
    assert maximum_matching([[True] * 3] * 3, start={0: 1, 1: 0}) == {0: 1, 1: 0, 2: 2}
    rows = [[True, True, True], [True, True, True], [True, False, False]]
    assert maximum_matching(rows, start={0: 1, 1: 0}) == {0: 1, 1: 2, 2: 0}


def test_nothing_is_paired_where_nothing_fits() -> None:
    assert maximum_matching([[False], [False]]) == {}
    assert maximum_matching([]) == {}


@given(TABLES)
def test_no_pairing_is_larger_and_every_pair_fits(table: list[list[bool]]) -> None:
    pairs = maximum_matching(table)

    assert all(table[row][column] for row, column in pairs.items())
    assert len(set(pairs.values())) == len(pairs)
    assert len(pairs) == _largest(table)


@given(TABLES, st.integers(0, 5))
def test_pairs_to_start_with_change_neither_the_size_nor_the_rows_that_have_one(
    table: list[list[bool]], rows: int
) -> None:
    start = maximum_matching(table[:rows])
    pairs = maximum_matching(table, start)

    assert all(table[row][column] for row, column in pairs.items())
    assert len(set(pairs.values())) == len(pairs) == _largest(table)
    assert start.keys() <= pairs.keys()


@given(TABLES, st.randoms())
def test_the_order_of_rows_and_columns_does_not_change_the_size(table: list[list[bool]], random) -> None:  # type: ignore[no-untyped-def]  # hypothesis' own type of Random is private
    columns = list(range(len(table[0]) if table else 0))
    random.shuffle(columns)
    shuffled = [[row[column] for column in columns] for row in table]
    random.shuffle(shuffled)

    assert len(maximum_matching(shuffled)) == len(maximum_matching(table))


def _largest(table: list[list[bool]]) -> int:
    """By trying every injection of rows into columns."""
    columns = [*range(len(table[0]) if table else 0), *[None] * len(table)]
    sizes = [
        sum(column is not None and table[row][column] for row, column in enumerate(chosen))
        for chosen in itertools.permutations(columns, len(table))
    ]
    return max(sizes, default=0)
