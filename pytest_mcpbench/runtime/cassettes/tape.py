"""Tape of one attempt: wrappers of its model, its judge, its user, its dispatcher and its servers."""

from pathlib import Path
from typing import Protocol

from pytest_mcpbench.core.errors import CassetteError
from pytest_mcpbench.core.model_names import JUDGES_WITHOUT_MODEL
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.runtime.cassettes.recording import RecordingTape
from pytest_mcpbench.runtime.cassettes.replaying import ReplayingTape, read_tape
from pytest_mcpbench.runtime.cassettes.tape_ref import TapeRef
from pytest_mcpbench.runtime.cassettes.taped_dispatcher import RecordedDispatcher, ReplayedDispatcher
from pytest_mcpbench.runtime.cassettes.taped_judge import RecordedJudge, ReplayedJudge
from pytest_mcpbench.runtime.cassettes.taped_model import RecordedModel, ReplayedModel
from pytest_mcpbench.runtime.cassettes.taped_server import RecordedServer, ReplayedServer
from pytest_mcpbench.runtime.cassettes.taped_user import RecordedUser, ReplayedUser
from pytest_mcpbench.runtime.dispatcher import Dispatcher
from pytest_mcpbench.runtime.dispatchers.factory import BM25
from pytest_mcpbench.runtime.judge import Judge
from pytest_mcpbench.runtime.model import Model
from pytest_mcpbench.runtime.servers.server_connection import ServerConnection
from pytest_mcpbench.runtime.user import User


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


class _Recorder:
    """Tape in a recorder."""

    def __init__(self, tape: RecordingTape) -> None:
        self._tape = tape

    def model(self, model: Model) -> Model:
        return RecordedModel(model, self._tape)

    def judge(self, judge: Judge) -> Judge:
        return judge if judge.name in JUDGES_WITHOUT_MODEL else RecordedJudge(judge, self._tape)

    def user(self, user: User) -> User:
        return RecordedUser(user, self._tape) if user.identity else user

    def dispatcher(self, dispatcher: Dispatcher) -> Dispatcher:
        return dispatcher if dispatcher.name == BM25 else RecordedDispatcher(dispatcher, self._tape)

    def replayed(self, server: ServerRef) -> None:  # noqa: ARG002 - required by the protocol
        return None

    def opened(self, connection: ServerConnection) -> ServerConnection:
        is_recorded = self._tape.ref.records_tools and connection.ref.transport != "in_process"
        return RecordedServer(connection, self._tape) if is_recorded else connection

    def finish(self) -> CassetteError | None:
        try:
            self._tape.save()
        except OSError as error:
            return CassetteError(f"it cannot be written: {error.strerror}", self._tape.ref.file)
        return None


class _Player:
    """Tape in a player."""

    def __init__(self, tape: ReplayingTape) -> None:
        self._tape = tape

    def model(self, model: Model) -> Model:
        return ReplayedModel(model.name, self._tape)

    def judge(self, judge: Judge) -> Judge:
        return judge if judge.name in JUDGES_WITHOUT_MODEL else ReplayedJudge(judge.name, self._tape, judge.identity)

    def user(self, user: User) -> User:
        return ReplayedUser(user.name, user.identity, self._tape) if user.identity else user

    def dispatcher(self, dispatcher: Dispatcher) -> Dispatcher:
        return dispatcher if dispatcher.name == BM25 else ReplayedDispatcher(dispatcher.name, self._tape)

    def replayed(self, server: ServerRef) -> ReplayedServer | None:
        recorded = self._tape.server(server.name)
        return ReplayedServer(server, recorded, self._tape) if recorded is not None else None

    def opened(self, connection: ServerConnection) -> ServerConnection:
        return connection

    def finish(self) -> CassetteError | None:
        return self._tape.missed


def open_tape(ref: TapeRef | None, *, task: str, trial: int, sandbox: Path) -> Tape:
    """Return the tape of an attempt.

    Args:
        ref: Reference to it; ``None`` for an attempt without a tape.
        task: Id of the task.
        trial: Number of the trial, from 1.
        sandbox: Scratch directory of the attempt.

    Raises:
        CassetteError: the tape is to be replayed, and there is none that can be read.
    """
    if ref is None:
        return NO_TAPE
    if ref.mode == "record":
        return _Recorder(RecordingTape(ref, task=task, trial=trial, sandbox=sandbox))
    return _Player(read_tape(ref, sandbox=sandbox))
