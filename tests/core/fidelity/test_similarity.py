import pytest

from pytest_mcpbench.core.fidelity import comparison as measured
from pytest_mcpbench.core.fidelity.comparison import LONGEST, Similarity, missing_libraries, similarity

pytestmark = pytest.mark.extra


@pytest.fixture(autouse=True)
def libraries() -> None:
    """Not where this module is collected: importing them takes seconds."""
    for module in measured.NEEDED:
        pytest.importorskip(module)


def test_equal_responses_are_as_similar_as_can_be() -> None:
    """METEOR takes half of the cube of chunks per word off, even where there is one chunk."""
    made = similarity([('{"id": "a-1", "text": "你好 grüße"}',) * 2])
    assert made is not None
    assert (made.tf_idf, made.rouge, made.bleu) == pytest.approx((1, 1, 1))
    assert made.meteor == pytest.approx(1, abs=0.001)


def test_responses_without_a_word_in_common_are_not_similar() -> None:
    assert similarity([("alpha beta gamma delta", "one two three four")]) == Similarity(
        pairs=1, tf_idf=0, rouge=0, bleu=0, meteor=0
    )


def test_rouge_is_the_recall_of_the_real_responses_words() -> None:
    made = similarity([("alpha beta gamma delta", "alpha beta one two three four")])
    assert made is not None
    assert made.rouge == 0.5


def test_meteor_knows_stems() -> None:
    made = similarity([("event created", "events creating")])
    assert made is not None
    assert made.meteor > 0.9
    assert made.rouge == 0


def test_the_numbers_are_means_over_the_pairs() -> None:
    made = similarity([("alpha beta gamma delta",) * 2, ("alpha beta gamma delta", "one two three four")])
    assert made is not None
    assert (made.pairs, made.tf_idf, made.rouge, made.bleu) == (2, *[pytest.approx(0.5)] * 3)


def test_what_is_cut_of_long_responses_is_counted() -> None:
    made = similarity([("word " * (LONGEST + 1), "word"), ("word", "word")])
    assert made is not None
    assert made.cut == 1


def test_nothing_has_no_similarity() -> None:
    assert similarity([]) is None


def test_missing_libraries_are_named_with_the_extra_that_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    assert missing_libraries() == ""
    monkeypatch.setattr(measured, "NEEDED", {"no_such_module": "no-such-package"})
    assert missing_libraries() == ("response similarity needs no-such-package: pip install 'pytest-mcpbench[fidelity]'")
