"""Pools of paragraphs that distract."""

import re
from pathlib import Path

import pytest

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.suite_files.briefing.paragraph_pool import read_pool


@pytest.mark.parametrize("paragraph", read_pool())
def test_a_paragraph_has_the_length_of_the_papers(paragraph: str) -> None:
    assert 40 <= len(paragraph.split()) <= 100


POOLS = {
    "a text": ("a.txt", "One\ntwo.\n\n\nThree.\n"),
    "JSON": ("a.json", '["One two.", {"text": "Three."}]'),
    "JSON lines": ("a.jsonl", '{"abstract": "One two."}\n"Three."\n'),
    "repeated": ("a.md", "One two.\n\nThree.\n\nOne two."),
}


@pytest.mark.parametrize(("name", "content"), POOLS.values(), ids=POOLS.keys())
def test_a_pool_is_read_from_text_or_json(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    assert read_pool(tmp_path / name) == read_pool(tmp_path) == ("One two.", "Three.")


def test_a_directory_joins_its_files(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text("Second.")
    (tmp_path / "a.json").write_text('["First."]')
    (tmp_path / "c.png").write_bytes(b"no text")
    assert read_pool(tmp_path) == ("First.", "Second.")


WRONG = {
    "empty": ("a.txt", "\n\n", "contains no paragraph"),
    "no JSON": ("a.json", "[", "is not valid JSON"),
    "no text": ("a.jsonl", "{}", "a paragraph must be a text, or an object with one of text, paragraph"),
}


@pytest.mark.parametrize(("name", "content", "problem"), WRONG.values(), ids=WRONG.keys())
def test_a_pool_without_paragraphs_is_an_error(tmp_path: Path, name: str, content: str, problem: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(UsageError, match=re.escape(str(tmp_path / name)) + f".*{problem}"):
        read_pool(tmp_path / name)


def test_a_missing_pool_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        read_pool(tmp_path / "gone.txt")
