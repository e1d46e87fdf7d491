"""Error classes whose messages state the subject, the location, the problem and the remedy.

The class says who must act; the facts are fields; ``str()`` makes the sentence.
"""

import os
import traceback
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pytest_mcpbench.core.trajectory import Trajectory

ErrorKind = Literal[
    "usage",
    "task",
    "server",
    "model",
    "agent",
    "judge",
    "sandbox",
    "engine",
    "worker",
    "metric",
    "storage",
    "cassette",
    "internal",
]


@dataclass(frozen=True, slots=True)
class SourceLocation:
    """Location of a record or setting: a file and, if known, a line (from 1) or an index (from 0)."""

    file: str
    line: int | None = None
    index: int | None = None

    def __str__(self) -> str:
        if self.line is not None:
            return f"{self.file}:{self.line}"
        if self.index is not None:
            return f"{self.file}[{self.index}]"
        return self.file


@dataclass(eq=False)
class McpBenchError(Exception):
    """Base class of errors that prevent an attempt or its scores; never counted as a score."""

    problem: str
    trajectory: "Trajectory | None" = field(default=None, init=False, repr=False)
    """The trajectory up to the error that ended the attempt."""
    kind = "internal"

    def __str__(self) -> str:
        return self.problem


@dataclass(eq=False)
class UsageError(McpBenchError):
    """An option, an ini value or a hook is wrong; whoever runs pytest must act."""

    kind = "usage"


@dataclass(eq=False)
class TaskError(McpBenchError):
    """A record of a task file, or a suite.toml, is wrong; the author of the file must act."""

    place: SourceLocation
    field: str | None = None
    remedy: str | None = None
    kind = "task"

    def __str__(self) -> str:
        where = f"{self.place}: {self.field}: " if self.field else f"{self.place}: "
        return where + self.problem + (f" {self.remedy}" if self.remedy else "")


@dataclass(eq=False)
class ServerError(McpBenchError):
    """A server did not start, did not answer or died; its author or the configuration must act."""

    server: str
    phase: Literal["configure", "start", "list", "call", "close"]
    stderr: str = ""
    returncode: int | None = None
    kind = "server"

    def __str__(self) -> str:
        sentence = f"server {self.server!r} failed to {self.phase}: {self.problem}"
        if self.returncode is not None:
            sentence += f" (exit code {self.returncode})"
        if self.stderr.strip():
            sentence += "\nlast lines of its stderr:\n" + self.stderr.rstrip()
        return sentence


@dataclass(eq=False)
class CallNotSentError(ServerError):
    """Loss of a server before a call reached it, so that the call has had no effect."""


@dataclass(eq=False)
class ReplyLostError(ServerError):
    """Loss of one reply on the network, so that nobody knows whether the call has had an effect."""


@dataclass(eq=False)
class ModelError(McpBenchError):
    """A model's provider could not be reached or refused; the provider or the key's owner must act."""

    model: str
    status: int | None = None
    attempts: int = 1
    is_unreachable: bool = False
    """True if nothing listens at the provider's address."""
    is_refused: bool = False
    """True if no other request can succeed: the provider refuses the key, does not know the model, or cannot be reached
    and never could."""
    kind = "model"

    def __str__(self) -> str:
        tries = f" after {self.attempts} attempts" if self.attempts > 1 else ""
        return f"model {self.model!r}: {self.problem}{tries}"


@dataclass(eq=False)
class AgentError(McpBenchError):
    """The program of an external agent could not work; whoever provides the program must act."""

    agent: str
    output: str = ""
    """Text that shows what went wrong."""
    origin: str = "last lines of its stderr"
    """Heading of the output."""
    kind = "agent"

    def __str__(self) -> str:
        sentence = f"{self.agent}: {self.problem}"
        return f"{sentence}\n{self.origin}:\n{self.output.rstrip()}" if self.output.strip() else sentence


@dataclass(eq=False)
class MetricError(McpBenchError):
    """A metric raised an error or did not return a score; its author must act."""

    metric: str
    place: SourceLocation | None = None
    """Location of the metric's definition, if known."""
    frames: tuple[str, ...] = ()
    """Stack frames from the metric to the raise, one line each."""
    kind = "metric"

    def __str__(self) -> str:
        where = f" ({self.place})" if self.place else ""
        return "\n".join((f"metric {self.metric!r}{where} {self.problem}", *self.frames))


@dataclass(eq=False)
class SandboxError(McpBenchError):
    """A world or a scratch directory could not be created or read."""

    kind = "sandbox"


@dataclass(eq=False)
class EngineError(McpBenchError):
    """The machines that run attempts were lost or cannot run any; their operator must act."""

    kind = "engine"


@dataclass(eq=False)
class StorageError(McpBenchError):
    """Evidence or a record cannot be written; whoever provides the disk must act."""

    file: str
    kind = "storage"

    @property
    def cause(self) -> str:
        """The file and the problem, without a remedy."""
        return f"{self.file}: cannot be written: {self.problem}."

    def __str__(self) -> str:
        return f"{self.cause} Free some space, then continue with --mcpbench-resume."


@dataclass(eq=False)
class CassetteError(McpBenchError):
    """A replayed tape lacks what an attempt asks for; whoever keeps the cassette must record it again."""

    tape: str
    """Path of the tape in its cassette."""
    kind = "cassette"

    def __str__(self) -> str:
        return f"cassette: {self.tape}: {self.problem}"


def unreadable_reason(error: OSError | ValueError) -> str:
    """Return why a document cannot be read."""
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8"
    return getattr(error, "strerror", None) or str(error)


def error_with_place(error: BaseException) -> str:
    """Return the class, the message and the place of an exception that nobody expected, in one line."""
    message = " ".join(traceback.format_exception_only(error)[-1].split())
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return message
    return f"{message} ({relative_path(frames[-1].filename)}:{frames[-1].lineno}, in {frames[-1].name})"


def hook_problem(name: str, error: Exception) -> str:
    """Return the sentence about an exception that a hook of the user's raised."""
    return f"the hook {name} raised {error_with_place(error)}"


def relative_path(file: str) -> str:
    """Return a path relative to the working directory if it is below it."""
    from_here = os.path.relpath(file)
    return file if from_here.startswith(os.pardir) else from_here
