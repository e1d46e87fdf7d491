"""Checks of answers at the edges of numbers and patterns."""

import pytest
from pydantic import ValidationError

from pytest_mcpbench.core.task import AnswerCheck
from pytest_mcpbench.metrics.answer import answer_fault


@pytest.mark.parametrize("answer", ["5 or " + "9" * 400, "5 and 1" + "0" * 320, "5 and " + "9" * 310 + " million"])
def test_a_number_beyond_the_floats_is_another_number(answer: str) -> None:
    fault = answer_fault(AnswerCheck(number=5), answer, "")
    assert fault is not None
    assert "beside 5" in fault


@pytest.mark.parametrize("number", ["1e999", "NaN", "-inf", 10**400])
def test_an_expected_number_is_finite(number: object) -> None:
    with pytest.raises(ValidationError, match=r"finite number|valid number"):
        AnswerCheck.model_validate({"number": number})


@pytest.mark.parametrize("pattern", ["a{99999999999}", "((((", "(" * 5000])
def test_a_text_that_is_no_pattern_is_an_error_of_the_check(pattern: str) -> None:
    with pytest.raises(ValidationError, match="is not a regular expression"):
        AnswerCheck(regex=pattern)
