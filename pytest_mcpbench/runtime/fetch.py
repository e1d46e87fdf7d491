"""Downloads the files of a public benchmark, pinned and checked, into a cache directory."""

import hashlib
import json
import os
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from pytest_mcpbench.core.errors import UsageError

HUB = "https://huggingface.co"
_MANIFEST = "fetched.json"
_CONNECT_SECONDS = 10.0
_BLOCK = 1 << 20


@dataclass(frozen=True)
class PublicSet:
    """A benchmark's data on the Hugging Face hub."""

    name: str
    repository: str
    patterns: tuple[str, ...]
    """Which files of the repository are tasks."""
    licence: str
    revision: str | None = None
    """The commit to download; ``None``: today's, which is then kept in the record."""
    sha256: Mapping[str, str] = field(default_factory=dict)
    """File -> digest, where it is known beforehand."""
    note: str = ""

    @property
    def page(self) -> str:
        """Where a person finds the files."""
        return f"{HUB}/datasets/{self.repository}/tree/{self.revision or 'main'}"


PUBLIC_SETS: Mapping[str, PublicSet] = {
    "atlas": PublicSet(
        name="atlas",
        repository="ScaleAI/MCP-Atlas",
        patterns=("MCP-Atlas.parquet",),
        licence="CC-BY-4.0",
        revision="8c563b55d7c967755f474299848049834d624617",
        sha256={"MCP-Atlas.parquet": "2d7bc052f14cbcb3b8294293481053f7111d256f9c9deaa96f3ff632d19958d0"},
        note="500 tasks; reading them needs pyarrow (pip install 'pytest-mcpbench[fetch]').",
    ),
    "toolbench": PublicSet(
        name="toolbench",
        repository="MCPToolBench/MCPToolBenchPP",
        patterns=("*.json", "*.jsonl", "*.parquet"),
        licence="none is given: look at the repository before you redistribute anything",
        note="The same files are in the folder data/ of https://github.com/mcp-tool-bench/MCPToolBenchPP.",
    ),
    "finmcp": PublicSet(
        name="finmcp",
        repository="DianJin/FinMCP-Bench",
        patterns=("test/*.json", "*.json"),
        licence="CC-BY-NC-SA-4.0: not for commercial use",
        note="The formats were checked against revision fa3ffa6.",
    ),
}


@dataclass(frozen=True)
class FetchResult:
    """What lies in the cache directory now."""

    public_set: PublicSet
    directory: Path
    revision: str | None
    files: Mapping[str, str]
    """Path relative to the directory -> sha256."""
    newly_pinned: tuple[str, ...] = ()
    """Files whose digest nobody knew beforehand; a later download must give the same."""

    def __str__(self) -> str:
        lines = [f"{self.public_set.name}: {len(self.files)} files in {self.directory}"]
        lines += [f"  {path}  sha256 {digest}" for path, digest in self.files.items()]
        lines += [f"revision: {self.revision or 'unknown (put there by hand)'}", f"licence: {self.public_set.licence}"]
        if self.newly_pinned:
            lines.append(
                f"no sha256 was known beforehand for {len(self.newly_pinned)} of them: those above are kept in "
                f"{_MANIFEST} and checked from now on"
            )
        if self.public_set.note:
            lines.append(self.public_set.note)
        lines.append(f"run: pytest --suite={self.public_set.name} --mcpbench-data={self.directory}")
        return "\n".join(lines)


class Hub(Protocol):
    """Where data sets are downloaded from."""

    def commit(self, public_set: PublicSet) -> str:
        """The full hash of the revision to download."""
        ...

    def download(self, public_set: PublicSet, commit: str, directory: Path) -> None:
        """Put the files of the patterns under the directory, by their paths in the repository."""
        ...


class HuggingFaceHub:
    """The Hugging Face hub through its own client, which is an extra."""

    def __init__(self, endpoint: str = HUB) -> None:
        self._endpoint = endpoint

    def commit(self, public_set: PublicSet) -> str:
        hub = _import_client()
        self._check_connection()
        if public_set.revision is not None:
            return public_set.revision
        return str(hub.HfApi(endpoint=self._endpoint).dataset_info(public_set.repository).sha)

    def download(self, public_set: PublicSet, commit: str, directory: Path) -> None:
        _import_client().snapshot_download(
            public_set.repository,
            repo_type="dataset",
            revision=commit,
            allow_patterns=list(public_set.patterns),
            local_dir=directory,
            endpoint=self._endpoint,
        )

    def _check_connection(self) -> None:
        """Fails at once where there is no network; the client itself tries for half a minute."""
        request = urllib.request.Request(self._endpoint, method="HEAD")
        try:
            urllib.request.urlopen(request, timeout=_CONNECT_SECONDS).close()
        except urllib.error.HTTPError as answer:
            answer.close()


def cache_directory() -> Path:
    """``$MCPBENCH_CACHE``, else ``pytest-mcpbench`` in the user's cache directory."""
    chosen = os.environ.get("MCPBENCH_CACHE")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pytest-mcpbench"


def fetch(name: str, directory: Path | None = None, hub: Hub | None = None) -> FetchResult:
    """Download a public set unless its files are already there, and check them.

    Files that were put there by hand are checked like downloaded ones.

    Raises:
        UsageError: the name is not known, there is no network or no client, or a file has another digest.
    """
    if name not in PUBLIC_SETS:
        raise UsageError(f"no public set is called {name!r}; there are: {', '.join(sorted(PUBLIC_SETS))}")
    return fetch_set(PUBLIC_SETS[name], directory or cache_directory() / name, hub or HuggingFaceHub())


def fetch_set(public_set: PublicSet, directory: Path, hub: Hub) -> FetchResult:
    """:func:`fetch` of any set from any hub."""
    manifest = _read_manifest(directory)
    expected = {**manifest.files, **public_set.sha256}
    if not _is_complete(public_set, directory, expected):
        manifest = _Manifest(_download(public_set, directory, hub), manifest.files)
    files = {path: file_sha256(directory / path) for path in _find_files(public_set, directory)}
    _check_digests(files, expected, directory)
    _write_manifest(directory, _Manifest(manifest.revision, files))
    return FetchResult(
        public_set, directory, manifest.revision, files, tuple(path for path in files if path not in expected)
    )


def file_sha256(path: Path) -> str:
    """The digest of a file, read in blocks."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _import_client() -> Any:
    try:
        import huggingface_hub
    except ImportError:
        raise _NoClientError from None
    return huggingface_hub


class _NoClientError(Exception):
    """huggingface_hub is not installed."""


def _download(public_set: PublicSet, directory: Path, hub: Hub) -> str:
    """The commit that was downloaded. Every failure says what a person can do."""
    directory.mkdir(parents=True, exist_ok=True)
    try:
        commit = hub.commit(public_set)
        hub.download(public_set, commit, directory)
    except _NoClientError:
        raise UsageError(
            _manual_instructions("huggingface_hub is not installed", public_set, directory, client=True)
        ) from None
    except Exception as error:  # whatever the client or its HTTP library raises is reported with the way around it
        first_line = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise UsageError(
            _manual_instructions(f"could not be downloaded ({first_line})", public_set, directory)
        ) from error
    return commit


def _manual_instructions(reason: str, public_set: PublicSet, directory: Path, *, client: bool = False) -> str:
    install = "Install it with: pip install 'pytest-mcpbench[fetch]'. Or, without it: " if client else "By hand: "
    digests = "".join(f"\n  {path}: sha256 {digest}" for path, digest in public_set.sha256.items())
    return (
        f"{public_set.name}: {reason}.\n{install}download {', '.join(public_set.patterns)} from {public_set.page} "
        f"on a machine with network, put what you get into {directory}, and run this command again: "
        f"it checks the files and needs no network then.{digests}\nlicence: {public_set.licence}"
    )


def _find_files(public_set: PublicSet, directory: Path) -> list[str]:
    """The files of the patterns that lie in the directory, sorted; never our own record or the client's."""
    found = {
        path.relative_to(directory).as_posix()
        for pattern in public_set.patterns
        for path in directory.rglob(pattern)
        if path.is_file()
    }
    return sorted(path for path in found if path != _MANIFEST and not path.startswith("."))


def _is_complete(public_set: PublicSet, directory: Path, expected: Mapping[str, str]) -> bool:
    """Whether all files that are known are there or, where none is, any."""
    files_present = _find_files(public_set, directory)
    return bool(files_present) and set(expected) <= set(files_present)


def _check_digests(files: Mapping[str, str], expected: Mapping[str, str], directory: Path) -> None:
    for path, digest in files.items():
        if expected.get(path, digest) != digest:
            raise UsageError(
                f"{directory / path} has the sha256 {digest}, {expected[path]} is expected: "
                "the file is damaged or another version. Delete it and fetch again."
            )


@dataclass(frozen=True)
class _Manifest:
    """What an earlier call found."""

    revision: str | None
    files: Mapping[str, str]


def _read_manifest(directory: Path) -> _Manifest:
    try:
        content = json.loads((directory / _MANIFEST).read_text(encoding="utf-8"))
        return _Manifest(content["revision"], dict(content["files"]))
    except FileNotFoundError:
        return _Manifest(None, {})
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{directory / _MANIFEST} cannot be read ({error}); delete it and fetch again") from None


def _write_manifest(directory: Path, manifest: _Manifest) -> None:
    content = {"revision": manifest.revision, "files": dict(manifest.files)}
    (directory / _MANIFEST).write_text(json.dumps(content, indent=1, sort_keys=True) + "\n", encoding="utf-8")
