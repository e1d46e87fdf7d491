"""What travels to another process, and what comes home: values, as JSON on the way."""

import hashlib
from typing import Any, Literal

from pydantic import ConfigDict, Field

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.runtime.components import AttemptComponents
from pytest_mcpbench.runtime.remote.errors import SerializedError


class Common(FrozenModel):
    """What the attempts of one suite and model share; travels once to each process, as a parcel."""

    suite: SuiteManifest
    """With the servers only that have an address."""
    model: str
    parts: AttemptComponents


class AttemptRequest(FrozenModel):
    """One attempt for another process to make."""

    common: str
    """Digest of the :class:`Common` parcel."""
    files: str | None = None
    """Digest of the archive of the suite's directory; ``None`` where the attempt needs none of it."""
    directory: str | None = None
    """The suite's own directory, where the other process is on the same machine: then nothing of it travels."""
    sandbox: str | None = None
    """The directory of the sandbox, on the same machine; ``None``: one is made there."""
    task: Task
    trial: int


class WorldStates(FrozenModel):
    """A world at both ends of an attempt."""

    before: dict[str, Any]
    after: dict[str, Any] | None = None
    """``None``: as before."""


class Evidence(FrozenModel):
    """What became of the sandbox."""

    model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")

    worlds: dict[str, WorldStates] = Field(default_factory=dict)
    """World -> its trees, the directory under ``files``."""
    files: bytes | None = None
    """Archive of the sandbox directory after the attempt; ``None`` where nothing in it changed."""
    left_behind: bool = False
    """Whether the directory was too large to travel."""


class Answer(FrozenModel):
    """What the other process says to a :class:`AttemptRequest`."""

    kind: Literal["made", "refused", "wanting"]
    reason: str = ""
    """Why it was refused."""
    wanting: tuple[str, ...] = ()
    """Digests of the parcels that it must be given first."""
    evidence: AttemptEvidence | None = None
    error: SerializedError | None = None
    seconds: float = 0.0
    sandbox_evidence: Evidence = Evidence()


class RunnerSettings(FrozenModel):
    """What a process that makes attempts is begun with."""

    version: str
    """Of this package, which must be the same there."""
    concurrency: int
    """Attempts in flight there."""
    aliases: dict[str, Any] = Field(default_factory=dict)
    """``[tool.mcpbench.models]``."""
    environment: dict[str, str] = Field(default_factory=dict, repr=False)
    """The variables that it is given."""


def digest_of(content: bytes) -> str:
    """The name of a parcel: by its content."""
    return hashlib.sha256(content).hexdigest()[:32]
