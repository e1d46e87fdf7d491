import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mcpbench.statistics import LabelAgreement, agreement
from pytest_mcpbench.statistics.agreement import panel_agreement


def _table(yes_yes: int, yes_no: int, no_yes: int, no_no: int) -> list[tuple[str, str]]:
    cells = {("yes", "yes"): yes_yes, ("yes", "no"): yes_no, ("no", "yes"): no_yes, ("no", "no"): no_no}
    return [pair for pair, times in cells.items() for _ in range(times)]


def test_kappa_is_that_of_the_textbook_table() -> None:
    found = agreement(_table(20, 5, 10, 15))
    assert (found.n, found.agreement) == (50, 0.7)
    assert found.kappa == pytest.approx(0.4)
    assert found.confusion == {("no", "no"): 15, ("no", "yes"): 10, ("yes", "no"): 5, ("yes", "yes"): 20}
    assert found.labels["yes"] == LabelAgreement(first=25, second=30, both=20, agreement=0.7, kappa=found.kappa)


def test_each_label_is_measured_against_the_rest() -> None:
    found = agreement([("a", "a"), ("b", "c"), ("c", "b"), ("a", "a")])
    assert (found.agreement, found.labels["a"].kappa) == (0.5, 1)
    assert found.labels["b"].agreement == 0.5


def test_raters_who_give_one_label_only_have_no_kappa() -> None:
    found = agreement([("a", "a")] * 3)
    assert (found.agreement, found.kappa) == (1, None)


def test_nothing_has_no_agreement() -> None:
    with pytest.raises(ValueError, match="no item"):
        agreement([])


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1))
def test_kappa_does_not_depend_on_who_is_first(pairs: list[tuple[str, str]]) -> None:
    found, swapped = agreement(pairs), agreement([(second, first) for first, second in pairs])
    assert found.kappa == swapped.kappa
    assert found.kappa is None or -1 <= found.kappa <= 1
    assert sum(found.confusion.values()) == len(pairs)


def test_alpha_is_that_of_krippendorffs_example_with_missing_labels() -> None:
    # Krippendorff 2011, section C: four observers, twelve units, nominal data, alpha = 0.743.
    observers = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")
    found = panel_agreement([[labels[unit] for labels in observers if labels[unit] != "."] for unit in range(12)])
    assert found.alpha == pytest.approx(0.743, abs=0.0005)
    assert (found.items, found.unanimous) == (11, 8)


@pytest.mark.parametrize("items", [[], [["a"]], [["a", "a"], ["a"]]], ids=["none", "one rater", "one label"])
def test_labels_that_cannot_differ_have_no_alpha(items: list[list[str]]) -> None:
    assert panel_agreement(items).alpha is None
