"""Normal forms of long texts."""

import time
import unicodedata

import pytest

from pytest_mcpbench.text.normal_forms import Form, normal_form


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
@pytest.mark.parametrize("text", ["Crème brûlée", "ﬁ ½ Å", "가" * 50, "日本語" * 20, "a" + "\u0301\u0327" * 15])
def test_ordinary_texts_have_the_form_of_the_standard_library(form: Form, text: str) -> None:
    assert normal_form(form, text) == unicodedata.normalize(form, text)


def test_long_runs_of_combining_marks_are_read_in_linear_time() -> None:
    started = time.process_time()
    normal_form("NFKC", "a" + "\u0301\u0327" * 50_000)
    assert time.process_time() - started < 2  # the standard library takes more than 15 s
