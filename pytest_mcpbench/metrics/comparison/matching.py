"""Maximum matching, which pairs as many reference calls with calls as possible."""

from collections.abc import Mapping, Sequence


def maximum_matching(fits: Sequence[Sequence[bool]], start: Mapping[int, int] | None = None) -> dict[int, int]:
    """Return row -> column of a largest set of pairs in which no row and no column stands twice.

    ``fits[row][column]`` says whether the two may be paired. Each row takes a free column or, where all that fit are
    taken, one whose row can move to another (an augmenting path; Kuhn 1955, Berge 1957). Taking the first column that
    fits and never moving is not enough: a call that fits two references would take the only one that another fits.

    The pairs of ``start`` must fit. They are kept, except that a row of them moves where another row needs its column.

    The few lines stand here because importing networkx or scipy for them costs each run more than all scoring does.
    """
    paired = start or {}
    row_of = {column: row for row, column in paired.items()}
    for row in range(len(fits)):
        if row not in paired:
            _place(row, fits, row_of, set())
    return {row: column for column, row in sorted(row_of.items(), key=lambda pair: pair[1])}


def _place(row: int, fits: Sequence[Sequence[bool]], row_of: dict[int, int], tried: set[int]) -> bool:
    candidates = [column for column, fit in enumerate(fits[row]) if fit and column not in tried]
    # Free columns first: calls made in the reference's order are paired in that order.
    for column in sorted(candidates, key=lambda column: column in row_of):
        if column in tried:
            continue
        tried.add(column)
        if column not in row_of or _place(row_of[column], fits, row_of, tried):
            row_of[column] = row
            return True
    return False
