"""Messages between a remote executor and its workers; they are sent as JSON."""

import dataclasses
import hashlib
from typing import Any, Literal

from pydantic import ConfigDict, Field, JsonValue

from pytest_mcpbench.attempt.components import AttemptComponents
from pytest_mcpbench.core import errors
from pytest_mcpbench.core.errors import McpBenchError, SourceLocation
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.planning import AttemptDescription
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.trajectory import Trajectory


class SerializedError(FrozenModel):
    """Serialized :class:`~pytest_mcpbench.core.errors.McpBenchError`."""

    name: str
    """Name of the nearest class in :mod:`pytest_mcpbench.core.errors`."""
    facts: dict[str, JsonValue] = Field(default_factory=dict)
    trajectory: Trajectory | None = None

    @classmethod
    def from_error(cls, error: McpBenchError) -> "SerializedError":
        """Serialize an error; a subclass from another module becomes its nearest base class with its full message."""
        # The other process may not be able to import a user's class.
        known = next(kind for kind in type(error).__mro__ if kind.__name__ in _CLASSES)
        facts = {field.name: getattr(error, field.name) for field in dataclasses.fields(known) if field.init}
        if isinstance(facts.get("place"), SourceLocation):
            facts["place"] = dataclasses.asdict(facts["place"])
        if known is not type(error):
            facts["problem"] = str(error)
        return cls(name=known.__name__, facts=facts, trajectory=error.trajectory)

    def to_error(self) -> McpBenchError:
        """Return the error as an exception."""
        facts: dict[str, Any] = dict(self.facts)
        if isinstance(facts.get("place"), dict):
            facts["place"] = SourceLocation(**facts["place"])
        error = _CLASSES[self.name](**facts)
        error.trajectory = self.trajectory
        return error


_CLASSES: dict[str, type[McpBenchError]] = {
    name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, McpBenchError)
}


class AttemptContext(FrozenModel):
    """Data that all attempts of one suite and agent share; it is sent once to each worker, as a blob."""

    suite: SuiteManifest
    """Suite, without servers that are objects of the sending process."""
    components: AttemptComponents


class AttemptRequest(FrozenModel):
    """Request to run one attempt: its plan, of which the suite is part of the context."""

    context: str
    """Digest of the blob with the :class:`AttemptContext`."""
    archive: str | None = None
    """Digest of the blob with the files of the suite's directory; ``None`` if the attempt needs none of them."""
    suite_directory: str | None = None
    """Path of the suite's directory, if the worker runs on the same machine; then no archive is sent."""
    sandbox_directory: str | None = None
    """Path of the sandbox, if the worker runs on the same machine; ``None``: the worker creates a sandbox."""
    task: Task
    description: AttemptDescription
    journal_directory: str | None = None
    """Directory of the run, in which the worker stores the evidence; ``None`` if the sending process does."""


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
