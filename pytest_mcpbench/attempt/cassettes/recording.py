"""Tape that is being recorded; its file appears complete when the attempt has ended, or not at all."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from pytest_mcpbench.attempt.cassettes.lines import (
    LINE,
    PortableForm,
    ReplyLine,
    ScoresLine,
    TapeHeader,
    TapeLine,
    UserLine,
    VerdictLine,
    encode,
)
from pytest_mcpbench.attempt.cassettes.requests import (
    EXCHANGES,
    QUESTION,
    SCORED,
    ModelRequest,
    scores_key,
    user_key,
    verdict_key,
)
from pytest_mcpbench.attempt.cassettes.tape_ref import TapeRef, tools_file
from pytest_mcpbench.core.chat import ChatMessage, Exchange, Reply
from pytest_mcpbench.core.judgement import Question, Verdict
from pytest_mcpbench.core.simulated_user import ConversationEnd
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.core.trajectory import UserMessage
from pytest_mcpbench.files.atomic_file import replace_file

_REQUEST: TypeAdapter[ModelRequest] = TypeAdapter(ModelRequest)


class RecordingTape:
    """Lines of one attempt in the order in which they happened."""

    def __init__(self, ref: TapeRef, *, task: str, trial: int, sandbox: Path) -> None:
        self.ref = ref
        self._portable = PortableForm(sandbox, ref.remove_secrets)
        self._lines: list[TapeLine] = [TapeHeader(task=task, trial=trial, model=ref.model)]
        self._conversations: list[tuple[str, tuple[ChatMessage, ...]]] = []
        """Key and messages of each reply so far."""
        self._tools: dict[str, list[dict[str, Any]]] = {}
        """Tool definitions by their digest."""

    def add(self, line: TapeLine) -> None:
        """Append what a server did."""
        self._lines.append(line)

    def add_reply(self, request: ModelRequest, reply: Reply) -> None:
        """Append a reply of the model, with the part of the conversation that is new."""
        request = self._portable.of(_REQUEST, request)
        self._tools[request.tools_digest] = request.tools
        after, messages = self._new_messages(request.messages)
        self._lines.append(
            ReplyLine(
                key=request.key,
                settings=request.settings,
                tools=request.tools_digest,
                after=after,
                messages=messages,
                reply=reply,
            )
        )
        self._conversations.append((request.key, request.messages))

    def add_verdict(self, question: Question, verdict: Verdict) -> None:
        """Append a verdict of the judge."""
        key = verdict_key(self.ref.judge, self._portable.of(QUESTION, question))
        self._lines.append(VerdictLine(key=key, judge=self.ref.judge, question=question, verdict=verdict))

    def add_user_message(
        self, identity: str, exchanges: tuple[Exchange, ...], message: UserMessage, end: ConversationEnd | None
    ) -> None:
        """Append a message of a model that plays the user."""
        key = user_key(identity, self._portable.of(EXCHANGES, exchanges))
        self._lines.append(UserLine(key=key, said=exchanges[-1].agent, message=message, end=end))

    def add_scores(self, dispatcher: str, request: str, tools: Sequence[ToolSpec], scores: Sequence[float]) -> None:
        """Append the scores of a dispatcher."""
        key = scores_key(dispatcher, *self._portable.of(SCORED, (request, tuple(tools))))
        self._lines.append(ScoresLine(key=key, dispatcher=dispatcher, request=request, scores=tuple(scores)))

    def save(self) -> None:
        """Write the file; an earlier tape of the same attempt is replaced."""
        for digest, tools in self._tools.items():
            path = tools_file(self.ref, digest)
            if tools and not path.exists():
                _write(path, json.dumps(tools, ensure_ascii=False, indent=1).encode())
        lines = (encode(self._portable.of(LINE, line)) for line in self._lines)
        _write(self.ref.directory / self.ref.file, b"".join(lines))

    def _new_messages(self, messages: Sequence[ChatMessage]) -> tuple[str, tuple[ChatMessage, ...]]:
        """Return the key of the latest reply whose conversation these messages continue, and what they add to it."""
        for key, earlier in reversed(self._conversations):
            if tuple(messages[: len(earlier)]) == earlier:
                return key, tuple(messages[len(earlier) :])
        return "", tuple(messages)


def _write(path: Path, content: bytes) -> None:
    """Write a file and its directory; readers see the file only when it is complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, content)
