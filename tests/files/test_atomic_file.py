"""Files are replaced as a whole, and what is no file stays what it is."""

import os
from pathlib import Path

import pytest

from pytest_mcpbench.files.atomic_file import replace_file, replacing


def test_a_file_is_replaced_as_a_whole_or_stays_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "report"
    replace_file(file, b"old")
    with pytest.raises(UnicodeEncodeError), replacing(file) as scratch:
        scratch.write_text("half \ud800", encoding="utf-8")
    assert [(path, path.read_bytes()) for path in tmp_path.iterdir()] == [(file, b"old")]
    replace_file(file, b"new")
    assert [(path, path.read_bytes()) for path in tmp_path.iterdir()] == [(file, b"new")]


def test_a_pipe_is_written_to_and_not_replaced_by_a_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    try:
        replace_file(pipe, b"report")
        assert os.read(reader, 100) == b"report"
    finally:
        os.close(reader)
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]
