from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mcpbench.metrics.comparison.containment import (
    contains,
    contains_id,
    disagreements,
    find_ids,
    format_json,
    mentions,
    satisfies,
)

SAME = [
    (1, 1.0),
    ("a", " a "),
    ("ﬁ", "fi"),
    ("2026-03-02T10:00", "2026-03-02T10:00:00Z"),
    ("2026-03-02T10:00:00+08:00", "2026-03-02T02:00:00Z"),
    ({"a": 1}, {"a": 1, "b": 2}),
    ({"a.b": 1}, {"a": {"b": 1}}),
    ([1, {"a": 1}], [1.0, {"a": 1, "b": 2}]),
    (None, None),
]
DIFFERENT = [
    (1, True),
    (1, "1"),
    ("a", "A"),
    ("2026-03-02T10:00:00+08:00", "2026-03-02T10:00:00Z"),
    ({"a": 1}, {}),
    ({"a": None}, {}),
    ([1, 2], [2, 1]),
    ([1], [1, 2]),
    (0, None),
    (False, None),
]


@pytest.mark.parametrize(("wanted", "found"), SAME, ids=repr)
def test_values_agree(wanted: Any, found: Any) -> None:
    assert satisfies(wanted, found)


@pytest.mark.parametrize(("wanted", "found"), DIFFERENT, ids=repr)
def test_values_do_not_agree(wanted: Any, found: Any) -> None:
    assert not satisfies(wanted, found)


@pytest.mark.parametrize(
    ("whole", "part"),
    [
        ({"a": {"b": [{"c": 1}]}}, {"c": 1}),
        ({"a": [1, 2, 3]}, [3, 1]),
        ("there are 12 of them", 12),
        ("the total is 3.5.", 3.5),
        ({"text": "see ou_12, please"}, "ou_12"),
        ("Ann has 3", {"name": "Ann", "n": 3}),
        ("我们周六在莫干山下见面", "莫干山"),
        ({"text": "发布会在杜松展厅举行"}, "杜松展厅"),
        ({"text": "我们周六在莫干山下见面"}, "莫干山"),
        ("共有12人", 12),
        ("编号QS-2026-0417已发", "QS-2026-0417"),
        ("负责人：王明", "王明"),
        ("气温：-5度", -5),
        ("地下12层", 12),
    ],
)
def test_a_part_is_found_at_any_depth(whole: Any, part: Any) -> None:
    assert contains(whole, part)


@pytest.mark.parametrize(
    ("whole", "part"),
    [
        ({"a": 1}, {}),
        ({"a": 1}, ""),
        ({"a": 1}, None),
        ("there are 120", 12),
        ("it is 3.55", 3.5),
        ("it is -12", 12),
        ({"a": 1, "b": {"c": 2}}, {"a": 1, "c": 2}),
        ([{"a": 1}, {"b": 2}], {"a": 1, "b": 2}),
        ("yes", True),
        ("负责人王明月", "王明"),
        ({"name": "王明月"}, "王明"),
        ("预算是12万元", 12),
        ("气温负12度", 12),
        ("零下12度", 12),
        ("预算是3万12元", 12),
        ("3月-5月", -5),
        ("周六见Anna吧", "Ann"),
        ("会议在杜松厅举行", "杜松展厅"),
    ],
)
def test_a_part_is_not_found(whole: Any, part: Any) -> None:
    assert not contains(whole, part)


def test_ids_are_what_stands_under_a_name_for_ids_and_keys_that_look_like_one() -> None:
    value = {"id": 7, "user_id": "u1", "eventIds": ["e1", "e2"], "feishu.cn_1@group": {"width": 3}, "paid": "no"}
    assert find_ids(value) == {"7", "u1", "e1", "e2", "feishu.cn_1@group"}


@pytest.mark.parametrize(("whole", "found"), [({"u1": {}}, True), (["u1"], True), ("by u1.", True), ("u12", False)])
def test_an_id_is_found_as_key_value_or_word(whole: Any, found: bool) -> None:
    assert contains_id(whole, "u1") is found


def test_disagreements_name_the_field_with_both_values() -> None:
    assert disagreements({"a": 1, "b.c": "x", "d": 2}, {"a": 1, "b": {"c": "y"}}) == (
        'b.c is "y", expected "x"',
        "d is absent, expected 2",
    )


def test_a_long_value_is_cut_for_a_message() -> None:
    assert format_json("x" * 10, 5) == '"xxx…'


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda children: st.lists(children, max_size=4) | st.dictionaries(st.text(min_size=1), children, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_every_value_agrees_with_itself(value: Any) -> None:
    assert satisfies(value, value)


@given(JSON, JSON)
def test_every_value_with_something_in_it_is_found_in_a_whole_that_holds_it(part: Any, other: Any) -> None:
    if contains(part, part):
        assert contains({"other": other, "part": [part]}, part)


@pytest.mark.parametrize(
    ("whole", "text", "is_said"),
    [
        ({"text": "See you on 13 March."}, "13 march", True),
        ({"text": "See you on 113 March."}, "13 March", False),
        ({"text": "在3月13日见"}, "3月13日", True),
        ({"body": '{"text": "说\\u597d \\"now\\""}'}, "说好", True),
        ({"body": '{"text": "a \\"b\\""}'}, 'a "b"', True),
        ({"body": "[[Lantern onboarding]]"}, "Lantern onboarding", True),
        ({"id": 312}, "312", True),
        ({"text": "# A\n\nx\n\n# B\n"}, "# A … x … # B", True),
        ({"text": "# A\n\n# B\n\nx"}, "# A … x … # B", False),
        ({"text": "#E4572E"}, "#e4572e", True),
        ({"text": "Harbours"}, "Harbour", False),
        ({"text": "It has 2\u202f566 likes"}, "2,566", True),
        ({"text": "It has 2'566 likes"}, "2566", True),
        ({"text": "Adults pay twelve crowns."}, "12", True),
        ({"text": "Adults pay the twelfth crown."}, "12", False),
        ({"text": "It takes 120 minutes"}, "2 hours", True),
        ({"text": "It takes 120 minutes"}, "2 days", False),
        ({}, "x", False),
    ],
)
def test_what_an_entity_says_is_found_in_whatever_words_around_it(whole: Any, text: str, is_said: bool) -> None:
    assert mentions(whole, text) is is_said
