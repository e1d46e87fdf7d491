from typing import Any

import pytest

from pytest_mcpbench.metrics.bfcl import AcceptedCall, BfclFunction, CallVerdict, FunctionCall, check_call, standardize
from tests.oracle.bfcl_tasks import check_calls

FUNCTION = BfclFunction(
    "f",
    {
        "city": {"type": "string"},
        "count": {"type": "integer"},
        "ratio": {"type": "float"},
        "flag": {"type": "boolean"},
        "names": {"type": "array", "items": {"type": "string"}},
        "pair": {"type": "tuple", "items": {"type": "float"}},
        "about": {"type": "dict"},
        "people": {"type": "array", "items": {"type": "dict"}},
    },
    ["city"],
)
CITY = {"city": ["Rome", "Roma"]}

# (what it shows, arguments, acceptable values, error type)
CASES: list[tuple[str, dict[str, Any], dict[str, list[Any]], str | None]] = [
    ("an option", {"city": "Roma"}, CITY, None),
    ("case and signs do not count", {"city": "R.o-m A"}, CITY, None),
    ("a lost sign is not noticed", {"city": "-33.8,151.2"}, {"city": ["33.8,151.2"]}, None),
    ("a tab counts", {"city": "Rome\t"}, CITY, "value_error:string"),
    ("a required parameter", {}, CITY, "simple_function_checker:missing_required"),
    ("not in the answer", {"city": "Rome", "flag": True}, CITY, "simple_function_checker:unexpected_param"),
    ("not marked optional", {"city": "Rome"}, {**CITY, "flag": [True]}, "simple_function_checker:missing_optional"),
    ("marked optional", {"city": "Rome"}, {**CITY, "flag": [True, ""]}, None),
    ("a boolean is no integer", {"city": "Rome", "count": True}, {**CITY, "count": [1]}, "type_error:simple"),
    ("a float is no integer", {"city": "Rome", "count": 5.0}, {**CITY, "count": [5]}, "type_error:simple"),
    ("an integer is a float", {"city": "Rome", "ratio": 5}, {**CITY, "ratio": [5.0]}, None),
    ("but not in a list", {"city": "Rome", "pair": [1, 2]}, {**CITY, "pair": [[1.0, 2.0]]}, "type_error:nested"),
    ("numbers are exact", {"city": "Rome", "ratio": 0.1 + 0.2}, {**CITY, "ratio": [0.3]}, "value_error:others"),
    ("a variable", {"city": "Rome", "count": "n"}, {**CITY, "count": ["n"]}, None),
    ("a variable is exact", {"city": "Rome", "count": "N"}, {**CITY, "count": ["n"]}, "value_error:others"),
    (
        "lists have an order",
        {"city": "Rome", "names": ["b", "a"]},
        {**CITY, "names": [["a", "b"]]},
        "value_error:list/tuple",
    ),
    ("texts in lists", {"city": "Rome", "names": ["A."]}, {**CITY, "names": [["a"]]}, None),
    ("an object", {"city": "Rome", "about": {"a": "X"}}, {**CITY, "about": [{"a": ["x"], "b": [1, ""]}]}, None),
    (
        "a key too many",
        {"city": "Rome", "about": {"z": 1}},
        {**CITY, "about": [{"a": ["", 1]}]},
        "value_error:dict_key",
    ),
    ("a key too few", {"city": "Rome", "about": {}}, {**CITY, "about": [{"a": [1]}]}, "value_error:dict_key"),
    (
        "another value of a key",
        {"city": "Rome", "about": {"a": 2}},
        {**CITY, "about": [{"a": [1]}]},
        "value_error:dict_value",
    ),
    ("objects", {"city": "Rome", "people": [{"a": 1}]}, {**CITY, "people": [[{"a": [1]}]]}, None),
    (
        "fewer objects",
        {"city": "Rome", "people": []},
        {**CITY, "people": [[{"a": [1]}]]},
        "value_error:list_dict_count",
    ),
    ("no list is acceptable", {"city": "Rome", "about": {}}, {**CITY, "about": [""]}, "dict_checker:unclear"),
]


@pytest.mark.parametrize(("arguments", "options", "error_type"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_verdicts_on_one_call(arguments: dict[str, Any], options: dict[str, list[Any]], error_type: str | None) -> None:
    verdict = check_call(FUNCTION, FunctionCall("f", arguments), options)

    assert (verdict.is_valid, verdict.error_type) == (error_type is None, error_type)


def test_an_answer_of_another_type_than_the_released_checker_can_read_is_wrong_and_no_crash() -> None:
    for value, options in (({"a": 2}, [{"a": 1}]), ({"a": 1}, [5]), ([5], [[{"a": [1]}]])):
        name = "people" if isinstance(value, list) else "about"
        assert not check_call(
            FUNCTION, FunctionCall("f", {"city": "Rome", name: value}), {**CITY, name: options}
        ).is_valid


@pytest.mark.parametrize(
    ("kind", "calls", "error_type"),
    [
        ("simple", 2, "simple_function_checker:wrong_count"),
        ("multiple", 0, "multiple_function_checker:wrong_count"),
        ("parallel", 2, "parallel_function_checker_no_order:wrong_count"),
    ],
)
def test_a_wrong_number_of_calls_has_its_own_error_type(kind: Any, calls: int, error_type: str) -> None:
    verdict = check_calls([FUNCTION], [FunctionCall("f", {"city": "Rome"})] * calls, [AcceptedCall("f", CITY)], kind)

    assert (verdict.is_valid, verdict.error_type) == (False, error_type)


def test_parallel_calls_are_paired_as_well_as_they_can_be() -> None:
    answers = [AcceptedCall("f", {"city": ["Rome", "Oslo"]}), AcceptedCall("f", {"city": ["Rome"]})]
    calls = [FunctionCall("f", {"city": "Rome"}), FunctionCall("f", {"city": "Oslo"})]

    assert check_calls([FUNCTION], calls, answers, "parallel") == CallVerdict(True)
    assert check_calls([FUNCTION], calls[:1] * 2, answers[1:] * 2, "parallel") == CallVerdict(True)
    assert check_calls([FUNCTION], calls[1:] * 2, answers, "parallel").error_type == (
        "parallel_function_checker_no_order:cannot_find_match"
    )


def test_texts_are_standardized() -> None:
    assert standardize("It's A_b-c/d.e,f*g^h: \t") == 'it"sabcdefgh:\t'
