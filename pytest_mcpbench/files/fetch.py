"""Download of public benchmarks, pinned and verified, into a cache directory."""

import hashlib
import json
import os
import shutil
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.text.json_reading import read_json

HUB = "https://huggingface.co"
GITHUB = "https://github.com"
_GITHUB_API = "https://api.github.com"
_GITHUB_FILES = "https://raw.githubusercontent.com"
_MANIFEST = "fetched.json"
_CONNECT_SECONDS = 10.0
_BLOCK = 1 << 20


@dataclass(frozen=True)
class PublicSet:
    """Files of a benchmark on the Hugging Face hub or on GitHub."""

    name: str
    repository: str
    patterns: tuple[str, ...]
    """Patterns of the files that contain tasks."""
    licence: str
    revision: str | None = None
    """Commit to download; ``None``: the current one, which is then stored in the manifest."""
    sha256: Mapping[str, str] = field(default_factory=dict)
    """Digests of files, if they are known in advance."""
    note: str = ""
    github_paths: tuple[str, ...] = ()
    """Paths of the files, if the repository is on GitHub."""

    @property
    def page(self) -> str:
        """Web page with the files."""
        if self.github_paths:
            folder = self.github_paths[0].rpartition("/")[0]
            return f"{GITHUB}/{self.repository}/tree/{self.revision or 'main'}/{folder}"
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
        licence="not specified: check the repository before you redistribute the files",
        note="The same files are in the folder data/ of https://github.com/mcp-tool-bench/MCPToolBenchPP.",
    ),
    "finmcp": PublicSet(
        name="finmcp",
        repository="DianJin/FinMCP-Bench",
        patterns=("test/*.json", "*.json"),
        licence="CC-BY-NC-SA-4.0: not for commercial use",
        note="The formats were checked against revision fa3ffa6.",
    ),
    "persona": PublicSet(
        name="persona",
        repository="wwh0411/MCP-Persona",
        patterns=("*_release_data.json",),
        licence="MIT, as the README says; the repository has no licence file",
        note="173 tasks, in English and in Chinese, with their worlds.",
        github_paths=("data/tasks/en_release_data.json", "data/tasks/zh_release_data.json"),
    ),
}


@dataclass(frozen=True)
class FetchResult:
    """Content of the cache directory after a fetch."""

    public_set: PublicSet
    directory: Path
    revision: str | None
    files: Mapping[str, str]
    """sha256 by path relative to the directory."""
    newly_pinned: tuple[str, ...] = ()
    """Files without a digest known in advance; later downloads must have the same digest."""

    def __str__(self) -> str:
        lines = [f"{self.public_set.name}: {len(self.files)} files in {self.directory}"]
        lines += [f"  {path}  sha256 {digest}" for path, digest in self.files.items()]
        lines += [f"revision: {self.revision or 'unknown (copied by hand)'}", f"licence: {self.public_set.licence}"]
        if self.newly_pinned:
            lines.append(
                f"{len(self.newly_pinned)} of them had no known sha256: the digests above are stored in "
                f"{_MANIFEST} and verified from now on"
            )
        if self.public_set.note:
            lines.append(self.public_set.note)
        lines.append(f"run: pytest --suite={self.public_set.name} --mcpbench-data={self.directory}")
        return "\n".join(lines)


class Hub(Protocol):
    """Source of downloads."""

    def commit(self, public_set: PublicSet) -> str:
        """Return the full hash of the revision to download."""
        ...

    def download(self, public_set: PublicSet, commit: str, directory: Path) -> None:
        """Download the files that match the patterns to the directory, with their paths in the repository."""
        ...


class HuggingFaceHub:
    """Hugging Face hub, accessed with its own client, which is an optional dependency."""

    def __init__(self, endpoint: str = HUB) -> None:
        self._endpoint = endpoint

    def commit(self, public_set: PublicSet) -> str:
        hub = _import_client()
        # The client itself retries for half a minute.
        request = urllib.request.Request(self._endpoint, method="HEAD")
        try:
            urllib.request.urlopen(request, timeout=_CONNECT_SECONDS).close()
        except urllib.error.HTTPError as answer:
            answer.close()
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


class GitHub:
    """GitHub, accessed over HTTP without a client."""

    def __init__(self, api: str = _GITHUB_API, files: str = _GITHUB_FILES) -> None:
        self._api = api
        self._files = files

    def commit(self, public_set: PublicSet) -> str:
        if public_set.revision is not None:
            return public_set.revision
        with self._open(f"{self._api}/repos/{public_set.repository}/commits/HEAD") as response:
            return str(json.load(response)["sha"])

    def download(self, public_set: PublicSet, commit: str, directory: Path) -> None:
        for path in public_set.github_paths:
            (directory / path).parent.mkdir(parents=True, exist_ok=True)
            with self._open(f"{self._files}/{public_set.repository}/{commit}/{path}") as response:
                # A file appears only when it is complete, as an existing one is not downloaded again.
                file = directory / path
                partial = file.with_suffix(".partial")
                with partial.open("wb") as target:
                    shutil.copyfileobj(response, target)
                partial.replace(file)

    def _open(self, address: str) -> Any:
        try:
            return urllib.request.urlopen(address, timeout=_CONNECT_SECONDS)
        except urllib.error.HTTPError as answer:
            answer.close()
            raise


def cache_directory() -> Path:
    """Return ``$MCPBENCH_CACHE``, or ``pytest-mcpbench`` in the user's cache directory."""
    chosen = os.environ.get("MCPBENCH_CACHE")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pytest-mcpbench"


def fetch(name: str, directory: Path | None = None, hub: Hub | None = None) -> FetchResult:
    """Download a public set, unless its files exist, and verify them.

    Files that were copied there by hand are verified in the same way.

    Raises:
        UsageError: the name is unknown, the network or the client is missing, or a file has another digest.
    """
    if name not in PUBLIC_SETS:
        raise UsageError(f"no public set is called {name!r}; there are: {', '.join(sorted(PUBLIC_SETS))}")
    public_set = PUBLIC_SETS[name]
    hub = hub or (GitHub() if public_set.github_paths else HuggingFaceHub())
    return fetch_set(public_set, directory or cache_directory() / name, hub)


def fetch_set(public_set: PublicSet, directory: Path, hub: Hub) -> FetchResult:
    """Fetch any set from any hub, see :func:`fetch`."""
    try:
        content = read_json((directory / _MANIFEST).read_text(encoding="utf-8"))
        manifest = _Manifest(content["revision"], dict(content["files"]))
    except FileNotFoundError:
        manifest = _Manifest(None, {})
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{directory / _MANIFEST} cannot be read ({error}); delete it and fetch again") from None
    expected = {**manifest.files, **public_set.sha256}
    files_present = _find_files(public_set, directory)
    if not (bool(files_present) and set(expected) <= set(files_present)):
        manifest = _Manifest(_download(public_set, directory, hub), manifest.files)
    files = {path: file_sha256(directory / path) for path in _find_files(public_set, directory)}
    for path, digest in files.items():
        if expected.get(path, digest) != digest:
            raise UsageError(
                f"{directory / path} has the sha256 {digest} instead of {expected[path]}: "
                "the file is damaged or another version. Delete it and fetch again."
            )
    stored = {"revision": manifest.revision, "files": files}
    (directory / _MANIFEST).write_text(json.dumps(stored, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return FetchResult(
        public_set, directory, manifest.revision, files, tuple(path for path in files if path not in expected)
    )


def file_sha256(path: Path) -> str:
    """Return the digest of a file, which is read in blocks."""
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
    """Download the files and return their commit; every error explains how to get the files by hand."""
    directory.mkdir(parents=True, exist_ok=True)
    try:
        commit = hub.commit(public_set)
        hub.download(public_set, commit, directory)
    except _NoClientError:
        raise UsageError(
            _manual_instructions("huggingface_hub is not installed", public_set, directory, client=True)
        ) from None
    except Exception as error:  # the client's HTTP library may raise anything; each error needs the instructions
        first_line = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise UsageError(
            _manual_instructions(f"could not be downloaded ({first_line})", public_set, directory)
        ) from error
    return commit


def _manual_instructions(reason: str, public_set: PublicSet, directory: Path, *, client: bool = False) -> str:
    install = "Install it with: pip install 'pytest-mcpbench[fetch]'. Or, without it: " if client else "By hand: "
    digests = "".join(f"\n  {path}: sha256 {digest}" for path, digest in public_set.sha256.items())
    files = public_set.github_paths or public_set.patterns
    return (
        f"{public_set.name}: {reason}.\n{install}download {', '.join(files)} from {public_set.page} "
        f"on a machine with network access, copy the files to {directory}, and run this command again: "
        f"it then verifies the files without network access.{digests}\nlicence: {public_set.licence}"
    )


def _find_files(public_set: PublicSet, directory: Path) -> list[str]:
    """Return the sorted files that match the patterns, without the manifest and the client's hidden files."""
    paths = {
        path.relative_to(directory).as_posix()
        for pattern in public_set.patterns
        for path in directory.rglob(pattern)
        if path.is_file()
    }
    return sorted(path for path in paths if path != _MANIFEST and not path.startswith("."))


@dataclass(frozen=True)
class _Manifest:
    """Revision and digests that an earlier fetch stored."""

    revision: str | None
    files: Mapping[str, str]
