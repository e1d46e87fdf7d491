"""Tape of one attempt: wrappers of its model, its judge, its user, its dispatcher and its servers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_mcpbench.agents.dispatchers import LEXICAL, Dispatcher
from pytest_mcpbench.agents.users.dialogue import User, UserReply, WrappedUser
from pytest_mcpbench.attempt.cassettes.lines import CallLine, ResourceLine, ServerLine
from pytest_mcpbench.attempt.cassettes.recording import RecordingTape
from pytest_mcpbench.attempt.cassettes.replaying import ReplayingTape, read_tape
from pytest_mcpbench.attempt.cassettes.requests import ModelRequest
from pytest_mcpbench.attempt.cassettes.tape_ref import TapeRef
from pytest_mcpbench.core.chat import ChatMessage, Exchange, ModelSettings, Reply
from pytest_mcpbench.core.elicitation import Elicitation
from pytest_mcpbench.core.errors import CassetteError
from pytest_mcpbench.core.evidence import ServerFacts
from pytest_mcpbench.core.judgement import AttemptJudge, Judge, Question, Verdict
from pytest_mcpbench.core.model_names import JUDGES_WITHOUT_MODEL
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.tool import ContextMethod, ToolResult, ToolSpec
from pytest_mcpbench.core.trajectory import UserMessage
from pytest_mcpbench.models.model import Model
from pytest_mcpbench.servers.server_connection import ServerConnection, ServerRespondent


@dataclass(frozen=True)
class RecordedDispatcher:
    """Dispatcher that records its scores."""

    dispatcher: Dispatcher
    tape: RecordingTape

    @property
    def name(self) -> str:
        return self.dispatcher.name

    async def scores(self, request: str, tools: Sequence[ToolSpec]) -> Sequence[float]:
        """Ask the dispatcher and record its scores."""
        scores = await self.dispatcher.scores(request, tools)
        self.tape.add_scores(self.name, request, tools, scores)
        return scores


@dataclass(frozen=True)
class ReplayedDispatcher:
    """Dispatcher whose model is never asked."""

    name: str
    tape: ReplayingTape

    async def scores(self, request: str, tools: Sequence[ToolSpec]) -> Sequence[float]:
        """Return the recorded scores. Raises CassetteError if there are none."""
        return self.tape.scores(self.name, request, tools)


@dataclass(frozen=True)
class RecordedJudge:
    """Judge that records each verdict, also one from its cache."""

    judge: Judge
    tape: RecordingTape

    @property
    def name(self) -> str:
        return self.judge.name

    @property
    def identity(self) -> str:
        return self.judge.identity

    async def decide(self, question: Question) -> Verdict:
        """Ask the judge and record its verdict."""
        verdict = await self.judge.decide(question)
        self.tape.add_verdict(question, verdict)
        return verdict


@dataclass(frozen=True)
class RecordedAttemptJudge(RecordedJudge):
    """Judge of all questions about an attempt that records each verdict."""

    judge: AttemptJudge

    async def decide_attempt(self, questions: Sequence[Question], context: Mapping[str, str]) -> list[Verdict]:
        """Ask the judge and record its verdicts."""
        verdicts = await self.judge.decide_attempt(questions, context)
        for question, verdict in zip(questions, verdicts, strict=True):
            self.tape.add_verdict(question, verdict)
        return verdicts


@dataclass(frozen=True)
class ReplayedJudge:
    """Judge that is never asked."""

    name: str
    tape: ReplayingTape
    identity: str = ""

    async def decide(self, question: Question) -> Verdict:
        """Return the recorded verdict, or one with an error."""
        verdict = self.tape.verdict(question)
        if verdict is not None:
            return verdict
        return Verdict(label=None, judge=self.name, prompt_version="", error=str(self.tape.missed))


@dataclass(frozen=True)
class RecordedModel:
    """Model that records each reply."""

    model: Model
    tape: RecordingTape

    @property
    def name(self) -> str:
        return self.model.name

    async def complete(
        self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec], settings: ModelSettings
    ) -> Reply:
        """Ask the model and record its reply."""
        # Before the model is asked: the agent goes on to append to its list of messages.
        request = ModelRequest.of(self.tape.ref.model, messages, tools, settings)
        reply = await self.model.complete(messages, tools, settings)
        self.tape.add_reply(request, reply)
        return reply


@dataclass(frozen=True)
class ReplayedModel:
    """Model that is never asked."""

    name: str
    tape: ReplayingTape

    async def complete(
        self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec], settings: ModelSettings
    ) -> Reply:
        """Return the recorded reply. Raises CassetteError if there is none."""
        return self.tape.reply(ModelRequest.of(self.tape.ref.model, messages, tools, settings))


class RecordedServer:
    """Connection that records what the attempt reads through it."""

    def __init__(self, connection: ServerConnection, tape: RecordingTape) -> None:
        self._connection = connection
        self._tape = tape
        tape.add(
            ServerLine(
                server=self.ref.name, facts=connection.facts, tools=connection.tools, warnings=connection.warnings
            )
        )

    @property
    def ref(self) -> ServerRef:
        return self._connection.ref

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        return self._connection.tools

    @property
    def facts(self) -> ServerFacts:
        return self._connection.facts

    @property
    def warnings(self) -> tuple[str, ...]:
        return self._connection.warnings

    @property
    def pid(self) -> int | None:
        return self._connection.pid

    @property
    def directory(self) -> Path | None:
        return self._connection.directory

    async def ready(self) -> None:
        await self._connection.ready()

    async def call(
        self, tool: str, arguments: dict[str, Any], respondent: ServerRespondent | None = None
    ) -> ToolResult:
        """Call the tool and record the result."""
        result = await self._connection.call(tool, arguments, respondent)
        self._tape.add(CallLine(server=self.ref.name, tool=tool, arguments=arguments, result=result))
        return result

    async def request(self, method: ContextMethod, arguments: dict[str, Any]) -> ToolResult:
        """Make the request and record the result, like a call of a tool of the method's name."""
        result = await self._connection.request(method, arguments)
        self._tape.add(CallLine(server=self.ref.name, tool=method, arguments=arguments, result=result))
        return result

    async def has_resource(self, uri: str) -> bool:
        return await self._connection.has_resource(uri)

    async def read_text(self, uri: str) -> str | None:
        """Read the resource and record its text."""
        text = await self._connection.read_text(uri)
        self._tape.add(ResourceLine(server=self.ref.name, uri=uri, text=text))
        return text


@dataclass(frozen=True)
class ReplayedServer:
    """Connection to a server that is not started."""

    ref: ServerRef
    recorded: ServerLine
    tape: ReplayingTape
    pid: None = None
    directory: None = None

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        return self.recorded.tools

    @property
    def facts(self) -> ServerFacts:
        return self.recorded.facts

    @property
    def warnings(self) -> tuple[str, ...]:
        return self.recorded.warnings

    async def ready(self) -> None:
        """Do nothing: there is no server that could fail."""

    async def call(
        self, tool: str, arguments: dict[str, Any], _respondent: ServerRespondent | None = None
    ) -> ToolResult:
        """Return the recorded result, with its questions and answers. Raises CassetteError if there is none."""
        return self.tape.result(self.ref.name, tool, arguments)

    async def request(self, method: ContextMethod, arguments: dict[str, Any]) -> ToolResult:
        """Return the recorded result. Raises CassetteError if there is none."""
        return self.tape.result(self.ref.name, method, arguments)

    async def has_resource(self, uri: str) -> bool:
        return self.tape.has_resource(self.ref.name, uri)

    async def read_text(self, uri: str) -> str | None:
        """Return the text of the next recorded read; ``None`` if the resource was never read."""
        line = self.tape.resource(self.ref.name, uri)
        return line.text if line is not None else None


@dataclass(frozen=True)
class RecordedUser(WrappedUser):
    """User that records each message."""

    tape: RecordingTape

    async def reply(self, exchanges: Sequence[Exchange]) -> UserReply:
        """Ask the user and record the message."""
        reply = await self.user.reply(exchanges)
        self.tape.add_user_message(self.identity, tuple(exchanges), reply.message, reply.end)
        return reply

    async def elicited(self, exchanges: Sequence[Exchange], asked: Elicitation) -> Elicitation | None:
        """Ask the user and record the answer like a message."""
        answered = await self.user.elicited(exchanges, asked)
        if answered is not None:
            message = UserMessage(text=answered.model_dump_json(), usage=answered.usage)
            self.tape.add_user_message(self.identity, _with_question(exchanges, asked), message, None)
        return answered


@dataclass(frozen=True)
class ReplayedUser:
    """User that is never asked."""

    name: str
    identity: str
    tape: ReplayingTape

    async def reply(self, exchanges: Sequence[Exchange]) -> UserReply:
        """Return the recorded message. Raises CassetteError if there is none."""
        line = self.tape.user_message(self.identity, tuple(exchanges))
        return UserReply(line.message, line.end)

    async def elicited(self, exchanges: Sequence[Exchange], asked: Elicitation) -> Elicitation:
        """Return the recorded answer. Raises CassetteError if there is none."""
        line = self.tape.user_message(self.identity, _with_question(exchanges, asked))
        return Elicitation.model_validate_json(line.message.text)


def _with_question(exchanges: Sequence[Exchange], asked: Elicitation) -> tuple[Exchange, ...]:
    return (*exchanges[:-1], Exchange(exchanges[-1].user, asked.model_dump_json()))


class _Recorder:
    """Tape in a recorder."""

    def __init__(self, tape: RecordingTape) -> None:
        self._tape = tape

    def model(self, model: Model) -> Model:
        return RecordedModel(model, self._tape)

    def judge(self, judge: Judge) -> Judge:
        if judge.name in JUDGES_WITHOUT_MODEL:
            return judge
        if isinstance(judge, AttemptJudge):
            return RecordedAttemptJudge(judge, self._tape)
        return RecordedJudge(judge, self._tape)

    def user(self, user: User) -> User:
        return RecordedUser(user, self._tape) if user.identity else user

    def dispatcher(self, dispatcher: Dispatcher) -> Dispatcher:
        return dispatcher if dispatcher.name in LEXICAL else RecordedDispatcher(dispatcher, self._tape)

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
        return dispatcher if dispatcher.name in LEXICAL else ReplayedDispatcher(dispatcher.name, self._tape)

    def replayed(self, server: ServerRef) -> ReplayedServer | None:
        recorded = self._tape.server(server.name)
        return ReplayedServer(server, recorded, self._tape) if recorded is not None else None

    def opened(self, connection: ServerConnection) -> ServerConnection:
        return connection

    def finish(self) -> CassetteError | None:
        return self._tape.missed


def open_cassette_tape(ref: TapeRef, *, task: str, trial: int, sandbox: Path) -> _Recorder | _Player:
    """Return the tape of an attempt that is recorded or replayed; the arguments are those of ``open_tape``."""
    if ref.mode == "record":
        return _Recorder(RecordingTape(ref, task=task, trial=trial, sandbox=sandbox))
    return _Player(read_tape(ref, sandbox=sandbox))
