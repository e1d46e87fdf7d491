"""Tape of an attempt: what stands between the attempt and everything that it asks."""

from typing import Protocol

from pytest_mcpbench.agents.dispatchers import Dispatcher
from pytest_mcpbench.agents.users.dialogue import User
from pytest_mcpbench.attempt.cassettes.tape_ref import TapeRef
from pytest_mcpbench.core.errors import CassetteError
from pytest_mcpbench.core.judgement import Judge
from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.models.model import Model
from pytest_mcpbench.servers.server_connection import ServerConnection


class Tape(Protocol):
    """Wrappers of everything that an attempt asks."""

    def model(self, model: Model) -> Model:
        """Return the model that the agent asks instead of this one."""
        ...

    def judge(self, judge: Judge) -> Judge:
        """Return the judge that decides instead of this one."""
        ...

    def user(self, user: User) -> User:
        """Return the user that answers instead of this one."""
        ...

    def dispatcher(self, dispatcher: Dispatcher) -> Dispatcher:
        """Return the dispatcher that ranks the tools instead of this one."""
        ...

    def replayed(self, server: ServerRef) -> ServerConnection | None:
        """Return the recorded server; ``None`` if it has to be started."""
        ...

    def opened(self, connection: ServerConnection) -> ServerConnection:
        """Return the connection that the attempt uses instead of this open one."""
        ...

    def finish(self) -> CassetteError | None:
        """Save a tape that was recorded; return the error of a replayed one that lacked something."""
        ...


class NoTape:
    """Tape of an attempt that is neither recorded nor replayed: everything stays as it is."""

    def model(self, model: Model) -> Model:
        return model

    def judge(self, judge: Judge) -> Judge:
        return judge

    def user(self, user: User) -> User:
        return user

    def dispatcher(self, dispatcher: Dispatcher) -> Dispatcher:
        return dispatcher

    def replayed(self, server: ServerRef) -> None:  # noqa: ARG002 - required by the protocol
        return None

    def opened(self, connection: ServerConnection) -> ServerConnection:
        return connection

    def finish(self) -> None:
        return None


NO_TAPE = NoTape()


def open_tape(ref: TapeRef | None, *, task: str, trial: int, sandbox: Sandbox) -> Tape:
    """Return the tape of an attempt.

    Args:
        ref: Reference to it; ``None`` for an attempt without a tape.
        task: Id of the task.
        trial: Number of the trial, from 1.
        sandbox: Sandbox of the attempt, which recorded replies may name.

    Raises:
        CassetteError: the tape is to be replayed, and there is none that can be read.
    """
    if ref is None:
        return NO_TAPE
    # Imported here: most runs have no cassette.
    from pytest_mcpbench.attempt.cassettes.tape import open_cassette_tape

    return open_cassette_tape(ref, task=task, trial=trial, sandbox=sandbox.path)
