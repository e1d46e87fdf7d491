"""Messages between a remote executor and its workers; they are sent as JSON."""

import hashlib
from typing import Any, Literal

from pydantic import ConfigDict, Field

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.runtime.attempt_records import AttemptDescription
from pytest_mcpbench.runtime.components import AttemptComponents
from pytest_mcpbench.runtime.remote.errors import SerializedError


class AttemptContext(FrozenModel):
    """Data that all attempts of one suite and model share; it is sent once to each worker, as a blob."""

    suite: SuiteManifest
    """Suite, without servers that are objects of the sending process."""
    model: str
    components: AttemptComponents


class AttemptRequest(FrozenModel):
    """Request to run one attempt."""

    context: str
    """Digest of the blob with the :class:`AttemptContext`."""
    archive: str | None = None
    """Digest of the blob with the files of the suite's directory; ``None`` if the attempt needs none of them."""
    suite_directory: str | None = None
    """Path of the suite's directory, if the worker runs on the same machine; then no archive is sent."""
    sandbox_directory: str | None = None
    """Path of the sandbox, if the worker runs on the same machine; ``None``: the worker creates a sandbox."""
    task: Task
    trial: int
    description: AttemptDescription | None = None
    """Description for the journal; ``None`` if the sending process stores the evidence."""
    journal_directory: str | None = None
    """Directory of the run, in which the worker stores the evidence if it runs on the same machine."""


class WorldStates(FrozenModel):
    """State of a world before and after an attempt."""

    before: dict[str, Any]
    after: dict[str, Any] | None = None
    """``None`` if the state did not change."""


class SandboxState(FrozenModel):
    """Worlds and files of a sandbox after an attempt."""

    model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")

    worlds: dict[str, WorldStates] = Field(default_factory=dict)
    """States by the name of the world; the directory is the world ``files``."""
    files: bytes | None = None
    """Archive of the directory after the attempt; ``None`` if nothing in it changed."""
    is_incomplete: bool = False
    """``True`` if the directory was too large to be sent."""


class AttemptResponse(FrozenModel):
    """Answer of a worker to an :class:`AttemptRequest`."""

    kind: Literal["finished", "rejected", "blobs_missing"]
    reason: str = ""
    """Reason of a rejection."""
    missing_blobs: tuple[str, ...] = ()
    """Digests of blobs that the worker must receive before it can run the attempt."""
    evidence: AttemptEvidence | None = None
    error: SerializedError | None = None
    seconds: float = 0.0
    sandbox: SandboxState = SandboxState()


class RunnerSettings(FrozenModel):
    """Settings that a worker is started with."""

    version: str
    """Version of this package on the sending side; the worker must have the same."""
    concurrency: int
    """Maximum number of attempts in flight in the worker."""
    aliases: dict[str, Any] = Field(default_factory=dict)
    """``[tool.mcpbench.models]``."""
    isolation: Literal["auto", "bwrap", "none"] = "none"
    """``--mcpbench-isolation``, which each machine resolves for itself."""
    environment: dict[str, str] = Field(default_factory=dict, repr=False)
    """Environment variables to set in the worker; not part of the repr, because they contain API keys."""


def digest_of(content: bytes) -> str:
    """Return the digest by which a blob is referred to."""
    return hashlib.sha256(content).hexdigest()[:32]
