"""Archives of directories: their bytes depend on the files alone."""

import os
from pathlib import Path

import pytest

from pytest_mcpbench.files import archive


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    suite = tmp_path / "suite"
    for name in ("server.py", "seeds/mail.json", ".git/config", "__pycache__/a.pyc", "tasks.yaml"):
        path = suite / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    (suite / "link").symlink_to("server.py")
    (suite / "empty").mkdir()
    return suite


def portable_names(directory: Path) -> list[str]:
    found = archive.portable_paths(directory, without=[directory / "tasks.yaml"])
    return sorted(path.relative_to(directory).as_posix() for path in found)


def pack(directory: Path) -> bytes:
    return archive.pack(directory, archive.portable_paths(directory), limit_bytes=1000)


def test_what_is_hidden_or_made_anew_stays(directory: Path) -> None:
    assert portable_names(directory) == ["empty", "link", "seeds/mail.json", "server.py"]


def test_the_same_files_give_the_same_bytes(directory: Path) -> None:
    before = pack(directory)
    os.utime(directory / "server.py", (1, 1))
    assert pack(directory) == before


def test_files_links_and_empty_directories_arrive(directory: Path, tmp_path: Path) -> None:
    copy = archive.extract_once(pack(directory), tmp_path / "node" / "digest")
    assert (copy / "seeds" / "mail.json").read_text() == "seeds/mail.json"
    assert (copy / "link").readlink() == Path("server.py")
    assert (copy / "empty").is_dir()


def test_a_directory_that_is_there_is_not_unpacked_again(directory: Path, tmp_path: Path) -> None:
    copy = archive.extract_once(pack(directory), tmp_path / "node")
    (copy / "server.py").unlink()
    assert not (archive.extract_once(pack(directory), copy) / "server.py").exists()


def test_too_much_is_refused(directory: Path) -> None:
    with pytest.raises(archive.ArchiveTooLargeError):
        archive.pack(directory, archive.portable_paths(directory), limit_bytes=10)
