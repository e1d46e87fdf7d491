"""Tape that is replayed: it answers every request from its file and never sends one."""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import JsonValue, TypeAdapter, ValidationError

from pytest_mcpbench.attempt.cassettes.lines import (
    LINE,
    CallLine,
    PortableForm,
    ReplyLine,
    ResourceLine,
    ScoresLine,
    ServerLine,
    TapeHeader,
    TapeLine,
    UserLine,
    VerdictLine,
)
from pytest_mcpbench.attempt.cassettes.requests import (
    EXCHANGES,
    QUESTION,
    SCORED,
    ModelRequest,
    differences,
    digest,
    question_differences,
    scores_key,
    user_key,
    verdict_key,
)
from pytest_mcpbench.attempt.cassettes.tape_ref import TapeRef, tools_file
from pytest_mcpbench.core.chat import ChatMessage, Exchange, Reply
from pytest_mcpbench.core.errors import CassetteError
from pytest_mcpbench.core.format_versions import newer_version
from pytest_mcpbench.core.judgement import Question, Verdict
from pytest_mcpbench.core.tool import ToolResult, ToolSpec
from pytest_mcpbench.files.line_file import first_fault
from pytest_mcpbench.text.json_reading import read_json

_REQUEST: TypeAdapter[ModelRequest] = TypeAdapter(ModelRequest)
_REPLY = TypeAdapter(Reply)
_CALL = TypeAdapter(CallLine)
_RESULT = TypeAdapter(ToolResult)
_FIELDS = frozenset({"name", "description", "input_schema"})
_REMEDY = "Record the attempt again with --mcpbench-record={}"
Line = TypeVar("Line")


class ReplayingTape:
    """Recorded lines of one attempt."""

    def __init__(self, ref: TapeRef, lines: Iterable[TapeLine], *, sandbox: Path) -> None:
        self.ref = ref
        self._portable = PortableForm(sandbox, ref.remove_secrets)
        self._model = ""
        self._reply_lines: list[ReplyLine] = []
        self._replies = _Queues[ReplyLine]()
        self._verdicts = _Queues[VerdictLine]()
        self._users = _Queues[UserLine]()
        self._calls = _Queues[CallLine]()
        self._scores = _Queues[ScoresLine]()
        self._resources = _Queues[ResourceLine]()
        self._servers: dict[str, ServerLine] = {}
        self._asked = 0
        self.missed: CassetteError | None = None
        """Error of the first request that the tape does not have."""
        for line in lines:
            self._keep(line)

    def server(self, name: str) -> ServerLine | None:
        """Return a recorded server; ``None`` if it has to run."""
        return self._servers.get(name)

    def reply(self, request: ModelRequest) -> Reply:
        """Return the recorded reply. Raises CassetteError if there is none."""
        hidden = self._portable.of(_REQUEST, request)
        line = self._replies.next(hidden.key)
        if line is None:
            raise self._miss(self._problem_with(hidden))
        self._asked += 1
        return self._with_tool_names(self._portable.restore(_REPLY, line.reply), request)

    def verdict(self, question: Question) -> Verdict | None:
        """Return the recorded verdict; ``None``, and :attr:`missed`, if there is none."""
        question = self._portable.of(QUESTION, question)
        line = self._verdicts.next(verdict_key(self.ref.judge, question))
        if line is None:
            recorded = [(each.judge, each.question) for each in self._verdicts]
            found = question_differences(self.ref.judge, recorded, question)
            self._miss(f"a question to the judge is not a recorded one: {'; '.join(found)}")
            return None
        return line.verdict

    def user_message(self, identity: str, exchanges: tuple[Exchange, ...]) -> UserLine:
        """Return the recorded message of the user. Raises CassetteError if there is none."""
        hidden = self._portable.of(EXCHANGES, exchanges)
        line = self._users.next(user_key(identity, hidden))
        if line is None:
            count = len([*self._users])
            raise self._miss(
                f"the user's reply to {hidden[-1].agent[:100]!r} in this conversation was not recorded with this "
                f"model, goal and persona; {count} other messages of the user were"
            )
        return line

    def result(self, server: str, tool: str, arguments: dict[str, JsonValue]) -> ToolResult:
        """Return the recorded result of a call. Raises CassetteError if there is none."""
        line = self._calls.next(self._call_key(server, tool, arguments))
        if line is None:
            made = sorted({recorded.tool for recorded in self._calls if recorded.server == server})
            raise self._miss(
                f"no call of {tool} with these arguments was recorded; of the server {server!r} the tape has "
                f"{'calls of ' + ', '.join(made) if made else 'no calls'}"
            )
        return self._portable.restore(_RESULT, line.result)

    def scores(self, dispatcher: str, request: str, tools: Sequence[ToolSpec]) -> Sequence[float]:
        """Return the recorded scores of a dispatcher. Raises CassetteError if there are none."""
        line = self._scores.next(scores_key(dispatcher, *self._portable.of(SCORED, (request, tuple(tools)))))
        if line is None:
            raise self._miss(f"the dispatcher {dispatcher} was not recorded with this request and these tools")
        if len(line.scores) != len(tools):
            raise self._miss(f"the dispatcher {dispatcher} has {len(line.scores)} scores for {len(tools)} tools")
        return line.scores

    def has_resource(self, server: str, uri: str) -> bool:
        """Return whether a resource of a server was read in the recorded attempt."""
        return f"{server} {uri}" in self._resources

    def resource(self, server: str, uri: str) -> ResourceLine | None:
        """Return the next recorded read of a resource; ``None`` if it was never read."""
        return self._resources.next(f"{server} {uri}")

    def _with_tool_names(self, reply: Reply, request: ModelRequest) -> Reply:
        """Return the reply with the name of the tool where the tape has ``[secret NAME]`` in it."""
        names: dict[str, set[str]] = defaultdict(set)
        for tool in request.tools:
            names[self.ref.remove_secrets(tool["name"])].add(tool["name"])
        # Of several tools whose names differ in their secrets alone, nobody knows the right one: the call fails.
        found = {hidden: min(real) for hidden, real in names.items() if len(real) == 1}
        calls = tuple(call.model_copy(update={"name": found.get(call.name, call.name)}) for call in reply.calls)
        return reply if calls == reply.calls else reply.model_copy(update={"calls": calls})

    def _keep(self, line: TapeLine) -> None:
        match line:
            case TapeHeader():
                self._model = line.model
            case ReplyLine():
                self._reply_lines.append(line)
                self._replies.add(line.key, line)
            case VerdictLine():
                self._verdicts.add(line.key, line)
            case UserLine():
                self._users.add(line.key, line)
            case ServerLine():
                self._servers[line.server] = line
            case CallLine():
                self._calls.add(_key_of_call(line.server, line.tool, line.arguments), line)
            case ScoresLine():
                self._scores.add(line.key, line)
            case ResourceLine():
                self._resources.add(f"{line.server} {line.uri}", line)

    def _call_key(self, server: str, tool: str, arguments: dict[str, JsonValue]) -> str:
        line = CallLine.model_validate({"server": server, "tool": tool, "arguments": arguments, "result": ToolResult()})
        hidden = self._portable.of(_CALL, line)
        return _key_of_call(hidden.server, hidden.tool, hidden.arguments)

    def _problem_with(self, request: ModelRequest) -> str:
        """Return the differences from the recorded request at this place of the attempt."""
        if self._asked >= len(self._reply_lines):
            return f"the tape has {len(self._reply_lines)} replies, and the agent asks for another one"
        number = self._asked + 1
        line = self._reply_lines[self._asked]
        recorded = ModelRequest(self._model, self._conversation(line), _tools(self.ref, line.tools), line.settings)
        found = differences(recorded, request)
        return f"request {number} is not the recorded one: {'; '.join(found)}"

    def _conversation(self, line: ReplyLine) -> tuple[ChatMessage, ...]:
        earlier = {each.key: each for each in reversed(self._reply_lines[: self._reply_lines.index(line)])}
        parts = [line.messages]
        while (before := earlier.pop(line.after, None)) is not None:
            parts.append(before.messages)
            line = before
        return tuple(message for part in reversed(parts) for message in part)

    def _miss(self, problem: str) -> CassetteError:
        error = CassetteError(f"{problem}. {_REMEDY.format(self.ref.directory)}", self.ref.file)
        self.missed = self.missed or error
        return error


class _Queues(Generic[Line]):
    """Lines by key, in the order of the tape; the last one of a key stays for further requests."""

    def __init__(self) -> None:
        self._lines: dict[str, deque[Line]] = defaultdict(deque)

    def __iter__(self) -> Iterator[Line]:
        return (line for lines in self._lines.values() for line in lines)

    def __contains__(self, key: str) -> bool:
        return key in self._lines

    def add(self, key: str, line: Line) -> None:
        self._lines[key].append(line)

    def next(self, key: str) -> Line | None:
        lines = self._lines.get(key)
        if not lines:
            return None
        return lines.popleft() if len(lines) > 1 else lines[0]


def read_tape(ref: TapeRef, *, sandbox: Path) -> ReplayingTape:
    """Read a tape.

    Raises:
        CassetteError: there is none, or a line of it cannot be read.
    """
    path = Path(ref.directory, ref.file)
    try:
        content = path.read_bytes()
    except OSError as error:
        problem = f"the attempt was not recorded ({error.strerror}). {_REMEDY.format(ref.directory)}"
        raise CassetteError(problem, ref.file) from None
    lines = [*_lines(content, ref)]
    if not lines:
        raise CassetteError(f"it is empty. {_REMEDY.format(ref.directory)}", ref.file)
    _require_earlier_replies(lines, ref)
    return ReplayingTape(ref, lines, sandbox=sandbox)


def _require_earlier_replies(lines: Sequence[TapeLine], ref: TapeRef) -> None:
    """Raise CassetteError for a reply that continues a reply that is not before it."""
    keys = {""}
    for number, line in enumerate(lines, 1):
        if isinstance(line, ReplyLine):
            if line.after not in keys:
                problem = f"line {number} continues the reply {line.after!r}, which is not before it"
                raise CassetteError(f"{problem}. {_REMEDY.format(ref.directory)}", ref.file)
            keys.add(line.key)


def _tools(ref: TapeRef, digest: str) -> list[dict[str, Any]]:
    """Return recorded tool definitions; none if their file is missing or damaged, because they only explain."""
    try:
        tools = read_json(tools_file(ref, digest).read_bytes()) if digest else []
    except (OSError, ValueError):
        return []
    is_list = isinstance(tools, list) and all(isinstance(tool, dict) and tool.keys() >= _FIELDS for tool in tools)
    return tools if is_list else []


def _lines(content: bytes, ref: TapeRef) -> Iterable[TapeLine]:
    for number, line in enumerate(content.splitlines(), 1):
        try:
            yield LINE.validate_json(line)
        except ValidationError as error:
            damage = f"line {number} cannot be read: {first_fault(error)}. {_REMEDY.format(ref.directory)}"
            raise CassetteError(newer_version(line, TapeHeader) or damage, ref.file) from None


def _key_of_call(server: str, tool: str, arguments: dict[str, JsonValue]) -> str:
    return digest([server, tool, arguments])
