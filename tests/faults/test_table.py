"""The page of faults is that of the matrix."""

from fixtures.faults.table import PAGE, page


def test_the_page_of_faults_is_generated_from_the_matrix() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `python -m fixtures.faults.table`"
