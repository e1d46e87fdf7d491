"""The worked examples on the reference pages are true."""

import doctest
from pathlib import Path

import pytest

PAGES = Path(__file__).parents[2] / "docs" / "reference" / "metrics"
NAMES = sorted(page.stem for page in PAGES.glob("*.md") if page.stem != "index")


@pytest.mark.parametrize("name", NAMES)
def test_the_examples_of_a_page_give_what_they_say(name: str) -> None:
    found = doctest.testfile(str(PAGES / f"{name}.md"), module_relative=False, encoding="utf-8")
    assert found.failed == 0
    assert found.attempted > 0
