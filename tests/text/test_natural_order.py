from pytest_mcpbench.text.natural_order import natural_key


def test_numbers_in_names_sort_by_their_value() -> None:
    names = ["t2", "t10", "t2b10", "t2b9", "a", ""]
    assert sorted(names, key=natural_key) == ["", "a", "t2", "t2b9", "t2b10", "t10"]


def test_a_number_may_have_any_length() -> None:
    longest = "t" + "1" * 5000
    assert sorted([longest + "2", "t3", longest + "1"], key=natural_key) == ["t3", longest + "1", longest + "2"]
