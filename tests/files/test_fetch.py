"""Downloading public sets."""

import functools
import hashlib
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.files.fetch import (
    PUBLIC_SETS,
    GitHub,
    HuggingFaceHub,
    PublicSet,
    cache_directory,
    fetch,
    fetch_set,
)

CONTENT = b'[{"id": 1}]'
DIGEST = hashlib.sha256(CONTENT).hexdigest()
COMMIT = "c0ffee"
UNPINNED = PublicSet(name="demo", repository="x/demo", patterns=("test/*.json",), licence="CC-BY-4.0")
PINNED = PublicSet(
    name="demo", repository="x/demo", patterns=("a.json",), licence="MIT", revision=COMMIT, sha256={"a.json": DIGEST}
)


@dataclass
class LocalHub:
    """A hub whose repository is a mapping; counts its downloads."""

    files: Mapping[str, bytes]
    downloads: list[str] = field(default_factory=list)

    def commit(self, public_set: PublicSet) -> str:
        return public_set.revision or COMMIT

    def download(self, public_set: PublicSet, commit: str, directory: Path) -> None:
        self.downloads.append(f"{public_set.repository}@{commit}")
        for path, content in self.files.items():
            (directory / path).parent.mkdir(parents=True, exist_ok=True)
            (directory / path).write_bytes(content)


def test_a_set_is_downloaded_once_and_its_digests_are_kept(tmp_path: Path) -> None:
    hub = LocalHub({"test/a.json": CONTENT, "README.md": b"x"})
    first = fetch_set(UNPINNED, tmp_path / "demo", hub)
    second = fetch_set(UNPINNED, tmp_path / "demo", hub)
    assert (first.files, first.newly_pinned, first.revision) == ({"test/a.json": DIGEST}, ("test/a.json",), COMMIT)
    assert (second.files, second.newly_pinned, second.revision) == (first.files, (), COMMIT)
    assert hub.downloads == [f"x/demo@{COMMIT}"]


def test_what_was_fetched_is_told_with_licence_digests_and_the_next_command(tmp_path: Path) -> None:
    told = str(fetch_set(UNPINNED, tmp_path, LocalHub({"test/a.json": CONTENT})))
    assert told.splitlines() == [
        f"demo: 1 files in {tmp_path}",
        f"  test/a.json  sha256 {DIGEST}",
        f"revision: {COMMIT}",
        "licence: CC-BY-4.0",
        "1 of them had no known sha256: the digests above are stored in fetched.json and verified from now on",
        f"run: pytest --suite=demo --mcpbench-data={tmp_path}",
    ]


def test_a_file_that_was_put_there_by_hand_is_checked_without_network(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(CONTENT)
    hub = LocalHub({})
    found = fetch_set(PINNED, tmp_path, hub)
    assert (found.files, found.newly_pinned, hub.downloads) == ({"a.json": DIGEST}, (), [])


def test_a_file_with_another_digest_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b"other")
    with pytest.raises(UsageError, match="the file is damaged or another version") as caught:
        fetch_set(PINNED, tmp_path, LocalHub({}))
    assert DIGEST in str(caught.value)


def test_a_file_that_changed_since_it_was_recorded_is_refused(tmp_path: Path) -> None:
    fetch_set(UNPINNED, tmp_path, LocalHub({"test/a.json": CONTENT}))
    (tmp_path / "test" / "a.json").write_bytes(b"other")
    with pytest.raises(UsageError, match="Delete it and fetch again"):
        fetch_set(UNPINNED, tmp_path, LocalHub({}))


def test_without_network_the_message_says_what_to_do_by_hand(tmp_path: Path) -> None:
    pytest.importorskip("huggingface_hub")
    with pytest.raises(UsageError) as caught:
        fetch("atlas", tmp_path, HuggingFaceHub("http://127.0.0.1:9"))
    told = str(caught.value)
    assert told.startswith(
        "atlas: could not be downloaded (<urlopen error [Errno 111] Connection refused>).\nBy hand: download "
    )
    for part in ("MCP-Atlas.parquet", "https://huggingface.co/datasets/ScaleAI/MCP-Atlas", str(tmp_path), "CC-BY-4.0"):
        assert part in told


def test_an_unknown_set_is_named_with_those_that_there_are(tmp_path: Path) -> None:
    with pytest.raises(
        UsageError, match="no public set is called 'radar'; there are: atlas, finmcp, persona, toolbench"
    ):
        fetch("radar", tmp_path)


def test_a_damaged_record_says_so(tmp_path: Path) -> None:
    (tmp_path / "fetched.json").write_text("{")
    with pytest.raises(UsageError, match="delete it and fetch again"):
        fetch_set(PINNED, tmp_path, LocalHub({}))


def test_the_cache_may_be_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MCPBENCH_CACHE", "/somewhere")
    assert cache_directory() == Path("/somewhere")


@pytest.mark.parametrize("name", PUBLIC_SETS)
def test_each_set_names_its_licence_and_files(name: str) -> None:
    public_set = PUBLIC_SETS[name]
    assert (public_set.name, bool(public_set.licence), bool(public_set.patterns)) == (name, True, True)


@pytest.fixture
def github(tmp_path: Path) -> Iterator[GitHub]:
    """GitHub's two addresses on one local server, which serves files."""
    root = tmp_path / "github"
    contents = {"repos/x/demo/commits/HEAD": b'{"sha": "c0ffee"}', "x/demo/c0ffee/data/en_release_data.json": CONTENT}
    for path, content in contents.items():
        (root / path).parent.mkdir(parents=True)
        (root / path).write_bytes(content)
    handler = functools.partial(SilentHandler, directory=str(root))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever).start()
        address = f"http://127.0.0.1:{server.server_port}"
        yield GitHub(address, address)
        server.shutdown()


class SilentHandler(SimpleHTTPRequestHandler):
    def log_message(self, *_arguments: object) -> None: ...


ON_GITHUB = PublicSet(
    name="demo",
    repository="x/demo",
    patterns=("*_release_data.json",),
    licence="MIT",
    github_paths=("data/en_release_data.json",),
)


def test_a_set_on_github_is_downloaded_at_its_newest_commit(tmp_path: Path, github: GitHub) -> None:
    found = fetch_set(ON_GITHUB, tmp_path / "demo", github)
    assert (found.revision, found.files) == ("c0ffee", {"data/en_release_data.json": DIGEST})


def test_a_file_that_github_lacks_leaves_nothing_behind(tmp_path: Path, github: GitHub) -> None:
    public_set = replace(ON_GITHUB, github_paths=(*ON_GITHUB.github_paths, "data/zh_release_data.json"))
    with pytest.raises(UsageError, match="404") as caught:
        fetch_set(public_set, tmp_path / "demo", github)
    assert "https://github.com/x/demo/tree/main/data" in str(caught.value)
    assert [path.name for path in (tmp_path / "demo" / "data").iterdir()] == ["en_release_data.json"]


def test_persona_says_where_its_files_are(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        fetch("persona", tmp_path, GitHub("http://127.0.0.1:9"))
    told = str(caught.value)
    for part in ("data/tasks/en_release_data.json", "https://github.com/wwh0411/MCP-Persona/tree/main/data/tasks"):
        assert part in told
