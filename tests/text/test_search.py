import pytest

from pytest_mcpbench.text.search import Index


def test_a_rare_term_says_more_than_a_common_one() -> None:
    index = Index([[(["file", "read"], 1.0)], [(["file", "write"], 1.0)], [(["file", "move"], 1.0)]])

    read, write, move = index.scores({"file": 1.0, "read": 1.0})

    assert read > write == move > 0


def test_a_term_in_a_heavy_field_counts_more() -> None:
    index = Index([[(["mail"], 3.0), (["list"], 0.5)], [(["list"], 3.0), (["mail"], 0.5)]])

    first, second = index.scores({"mail": 1.0})

    assert first > second > 0


def test_terms_that_no_document_has_score_nothing() -> None:
    assert Index([[(["mail"], 1.0)]]).scores({"moon": 1.0}) == [0.0]


@pytest.mark.parametrize("documents", [[], [[]]], ids=["no documents", "an empty document"])
def test_nothing_to_search_is_no_error(documents: list[list[tuple[list[str], float]]]) -> None:
    assert Index(documents).scores({"mail": 1.0}) == [0.0] * len(documents)


def test_the_score_is_that_of_the_formula() -> None:
    index = Index([[(["a", "b"], 1.0)], [(["b", "c"], 1.0)]])

    # idf(a) = ln(1 + 1.5/1.5); both documents have the mean length, so the norm is 1.2.
    assert index.scores({"a": 1.0})[0] == pytest.approx(0.693147 * 2.2 / (1 + 1.2), rel=1e-5)
