"""Requests to a model as a tape sees them: their keys, and the differences between two of them."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from pytest_mcpbench.core.chat import ChatMessage, Exchange, ModelSettings
from pytest_mcpbench.core.frozen import DEFERRED
from pytest_mcpbench.core.judgement import Question
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.judges.prompts import TEMPLATES

_MESSAGES: TypeAdapter[tuple[ChatMessage, ...]] = TypeAdapter(tuple[ChatMessage, ...], config=DEFERRED)
QUESTION = TypeAdapter(Question)
"""Serializer of a question to a judge."""
EXCHANGES: TypeAdapter[tuple[Exchange, ...]] = TypeAdapter(tuple[Exchange, ...], config=DEFERRED)
"""Serializer of a conversation with a user."""
SCORED: TypeAdapter[tuple[str, tuple[ToolSpec, ...]]] = TypeAdapter(tuple[str, tuple[ToolSpec, ...]], config=DEFERRED)
"""Serializer of a request with the tools that a dispatcher ranks."""
_NOT_SENT = {"timeout_seconds", "deadline"}
"""Settings about waiting, which do not change a reply."""
_MOST_DIFFERENCES = 5
_EXCERPT = 60
"""Characters of a text that a difference shows, on each side."""


@dataclass(frozen=True)
class ModelRequest:
    """Everything that determines a reply: model, messages, tool definitions and settings."""

    model: str
    messages: tuple[ChatMessage, ...]
    tools: list[dict[str, Any]]
    settings: dict[str, Any]

    @classmethod
    def of(
        cls, model: str, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec], settings: ModelSettings
    ) -> "ModelRequest":
        """Return the request with only those parts of tools and settings that a provider reads."""
        shown = [
            {"name": t.name, "description": t.description, "input_schema": t.input_schema}
            | ({"defer_loading": True} if t.is_deferred else {})
            for t in tools
        ]
        return cls(model, tuple(messages), shown, settings.model_dump(mode="json", exclude=_NOT_SENT))

    @property
    def key(self) -> str:
        """Digest of the request."""
        return digest([self.model, _MESSAGES.dump_python(self.messages, mode="json"), self.tools, self.settings])

    @property
    def tools_digest(self) -> str:
        """Digest of the tool definitions; empty without tools."""
        return digest(self.tools) if self.tools else ""


def digest(value: Any) -> str:
    """Return the digest of a JSON value, regardless of the order of its keys."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def differences(recorded: ModelRequest, asked: ModelRequest) -> list[str]:
    """Return a sentence for each part of the request that is not as it was recorded, at most five."""
    found = [*_differences(recorded, asked)]
    more = len(found) - _MOST_DIFFERENCES
    return [*found[:_MOST_DIFFERENCES], *([f"and {more} more differences"] if more > 0 else [])]


def question_differences(judge: str, recorded: Sequence[tuple[str, Question]], asked: Question) -> list[str]:
    """Return the differences from the recorded question about the same statement, or say that there is none."""
    judges = sorted({name for name, _ in recorded} - {judge})
    if judges:
        return [f"the judge was {', '.join(judges)}, now {judge}"]
    same = next((question for _, question in recorded if question.statement == asked.statement), None)
    if same is None:
        return [f"{len(recorded)} verdicts were recorded, none on {asked.statement[:100]!r}"]
    before, after = same.model_dump(), asked.model_dump()
    found = [f"{name}: {_changed_text(before[name], after[name])}" for name in after if before[name] != after[name]]
    return found or ["the version of the judge's prompt is another"]


def _differences(recorded: ModelRequest, asked: ModelRequest) -> Iterator[str]:
    if recorded.model != asked.model:
        yield f"the model was {recorded.model}, now {asked.model}"
    before, after = recorded.settings, asked.settings
    for name in sorted({*before, *after}):
        if before.get(name) != after.get(name):
            yield f"{name} was {_json(before.get(name))}, now {_json(after.get(name))}"
    yield from _tool_differences(recorded.tools, asked.tools)
    yield from _message_differences(recorded.messages, asked.messages)


def _tool_differences(recorded: list[dict[str, Any]], asked: list[dict[str, Any]]) -> Iterator[str]:
    before, after = ({tool["name"]: tool for tool in tools} for tools in (recorded, asked))
    if gone := [name for name in before if name not in after]:
        yield f"tools that were there are missing: {', '.join(gone)}"
    if new := [name for name in after if name not in before]:
        yield f"tools are new: {', '.join(new)}"
    for name in before:
        for field in ("description", "input_schema"):
            if name in after and before[name][field] != after[name][field]:
                yield f"{field} of the tool {name}: {_changed_text(before[name][field], after[name][field])}"
    if not gone and not new and [*before] != [*after]:
        yield "the order of the tools is another"


def _message_differences(recorded: Sequence[ChatMessage], asked: Sequence[ChatMessage]) -> Iterator[str]:
    for number, (before, after) in enumerate(zip(recorded, asked, strict=False), 1):
        if before == after:
            continue
        place = f"message {number} ({after.role})"
        if before.role != after.role:
            yield f"{place} was of the role {before.role}"
        elif before.text != after.text:
            yield f"{place}: {_changed_text(before.text, after.text)}"
        else:
            yield f"{place} has other calls or contents"
    if len(recorded) != len(asked):
        yield f"the conversation had {len(recorded)} messages, now {len(asked)}"


def _changed_text(before: Any, after: Any) -> str:
    """Return the first place where two values differ, with a few characters around it."""
    old, new = (value if isinstance(value, str) else _json(value) for value in (before, after))
    same = next((index for index, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]), len(old))
    begin = max(0, min(same, len(new)) - _EXCERPT // 3)
    return f"was {_excerpt(old, begin)}, now {_excerpt(new, begin)}"


def _excerpt(text: str, begin: int) -> str:
    part = text[begin : begin + _EXCERPT]
    return repr(("…" if begin else "") + part + ("…" if begin + _EXCERPT < len(text) else ""))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def scores_key(dispatcher: str, request: str, tools: Sequence[ToolSpec]) -> str:
    """Return the key of a dispatcher's scores: its model, the request, and the tools as it reads them."""
    read = [[tool.server, tool.name, tool.description, tool.input_schema] for tool in tools]
    return digest([dispatcher, request, read])


def user_key(identity: str, exchanges: tuple[Exchange, ...]) -> str:
    """Return the key of a user's message: what determines the user, and the conversation so far."""
    return digest([identity, [list(each) for each in exchanges]])


def verdict_key(judge: str, question: Question) -> str:
    """Return the key of a verdict: the judge, the version of its prompt, and the question."""
    return digest([judge, TEMPLATES[question.kind].version, question.key])
