"""Sentences of descriptions, and descriptions without one of them."""

import pytest

from pytest_mcpbench.definitions.mutation import sentences_of, without_sentence


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Search files. Use e.g. `*.md` here!", ["Search files.", "Use e.g. `*.md` here!"]),
        ("Read v1.2 files.\n- path: where\n\n- head: lines", ["Read v1.2 files.", "- path: where", "- head: lines"]),
        ('Say "yes." Then stop', ['Say "yes."', "Then stop"]),
        ("查询天气。例如北京。", ["查询天气。", "例如北京。"]),
        ("", []),
    ],
)
def test_a_text_is_split_where_sentences_or_lines_end(text: str, sentences: list[str]) -> None:
    assert [sentence.text for sentence in sentences_of(text)] == sentences


@pytest.mark.parametrize(
    ("text", "index", "rest"),
    [
        ("One. Two. Three.", 1, "One. Three."),
        ("One. Two.\n\n- a\n- b", 1, "One.\n\n- a\n- b"),
        ("One.\n- a\n- b", 2, "One.\n- a"),
        ("一。二。三。", 1, "一。三。"),
    ],
)
def test_the_separation_of_the_remaining_sentences_stays(text: str, index: int, rest: str) -> None:
    assert without_sentence(text, sentences_of(text)[index]) == rest
