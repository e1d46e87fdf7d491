"""Source files of the shipped suites: mistakes are told with file, line and field."""

import re
from pathlib import Path

import pytest

from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.generation.source.calls import ReferenceCall, Step
from pytest_mcpbench.generation.source.files import SourceEntry, read_entries


class Wish(SourceEntry):
    ask: str
    calls: tuple[Step, ...] = ()
    after: "tuple[Wish, ...]" = ()


def read(directory: Path, text: str) -> tuple[Wish, ...]:
    file = directory / "wishes.yaml"
    file.write_text(text, encoding="utf-8")
    return read_entries(file, Wish)


def test_an_entry_knows_its_place_and_a_list_in_the_list_of_calls_is_one_step(tmp_path: Path) -> None:
    text = "- ask: A\n- ask: B\n  calls:\n    - [a: {x: 1}, b: {}]\n    - c:\n  after:\n    - ask: C\n"
    (_, wish) = read(tmp_path, text)
    assert (wish.place.line, wish.after[0].place.line) == (2, 7)
    assert wish.calls == (
        (ReferenceCall(tool="a", arguments={"x": 1}), ReferenceCall(tool="b", arguments={})),
        (ReferenceCall(tool="c", arguments={}),),
    )


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match=r"wishes.yaml: the file cannot be read: No such file or directory\.$"):
        read_entries(tmp_path / "wishes.yaml", Wish)
    (tmp_path / "wishes.yaml").write_bytes(b"- ask: \xff")
    with pytest.raises(TaskError, match=r"wishes.yaml: the file is not UTF-8\.$"):
        read_entries(tmp_path / "wishes.yaml", Wish)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- {ask: A, calls: []}\n- ask: B\n  cals: []\n", ":3: cals: there is no such field"),
        ("- {ask: A, calls: []}\n- ask: 7\n  calls: []\n", ":2: ask: must be text, not a number."),
        ("- calls: []\n", ":1: ask: is missing."),
        (
            "- ask: A\n  calls:\n    - a: {}\n      b: {}\n",
            ":3: calls[0][0]: a call is `tool: {argument: value}`, not a mapping of 2 keys.",
        ),
        ("ask: A\n", ":1: the file must be a list of entries."),
        ("- ask: A: B\n", ":1: not valid YAML: mapping values are not allowed"),
        ("- {ask: A, ask: B}\n", ":1: the key 'ask' is duplicated."),
        ("", ": the file must have one document, not 0."),
    ],
)
def test_a_mistake_is_told_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(TaskError, match=re.escape(f"wishes.yaml{message}")):
        read(tmp_path, text)
