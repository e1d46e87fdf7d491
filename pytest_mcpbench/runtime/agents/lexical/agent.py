"""Agent without a model: it ranks tools with BM25 and fills arguments by schema and pattern."""

import re
from collections.abc import Sequence
from datetime import datetime

from pytest_mcpbench.core.chat import ChatMessage, ModelSettings, Reply
from pytest_mcpbench.core.task import Limits, Task
from pytest_mcpbench.core.tool import Call, ToolSpec
from pytest_mcpbench.core.trajectory import NO_USAGE, Trajectory
from pytest_mcpbench.runtime.agent import AgentEnvironment
from pytest_mcpbench.runtime.agents.lexical.call_planning import CallPlanner
from pytest_mcpbench.runtime.agents.lexical.result_values import most_specific_value
from pytest_mcpbench.runtime.agents.lexical.tool_ranking import ToolIndex
from pytest_mcpbench.runtime.agents.llm import LlmAgent

_LONGEST_ANSWER = 4000


class LexicalAgent:
    """Deterministic, free and fast baseline that reacts to tool descriptions (docs/explanation/lexical.md)."""

    name = "lexical"

    def __init__(self, limits: Limits | None = None, system: str | None = None) -> None:
        self._limits = limits or Limits()
        self._system = system
        self._tool_index: ToolIndex | None = None

    async def attempt(self, task: Task, arena: AgentEnvironment) -> Trajectory:
        model = _LexicalModel(self._index_of(arena.tools), _now(task, arena))
        agent = LlmAgent(model, limits=self._limits, system=self._system, may_be_silent=True)
        return await agent.attempt(task, arena)

    def _index_of(self, tools: tuple[ToolSpec, ...]) -> ToolIndex:
        """Return the index of these tools, which is cached because most tasks of a suite expose the same tools."""
        if self._tool_index is None or self._tool_index.tools != tools:
            self._tool_index = ToolIndex(tools)
        return self._tool_index


class _LexicalModel:
    """Substitute for a model in the agent loop of one attempt: one call per reply, then an answer from results."""

    name = "lexical"

    def __init__(self, tool_index: ToolIndex, now: datetime | None) -> None:
        self._tool_index = tool_index
        self._now = now
        self._turns = 0
        self._planner = CallPlanner(tool_index, "", now)
        self._texts: list[str] = []
        self._calls = 0

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        tools: Sequence[ToolSpec],  # noqa: ARG002 - the index contains them
        settings: ModelSettings,  # noqa: ARG002 - there are no settings
    ) -> Reply:
        self._start_turn(messages)
        self._read_result(messages[-1])
        call = self._planner.next_call()
        if call is None:
            text = _answer(self._texts, messages)
            return Reply(text=text, usage=NO_USAGE, finish_reason=None if text else "refusal")
        self._calls += 1
        tool_call = Call(id=f"lexical-{self._calls}", name=call.tool, arguments=call.arguments)
        return Reply(calls=(tool_call,), usage=NO_USAGE)

    def _start_turn(self, messages: Sequence[ChatMessage]) -> None:
        prompts = [message.text for message in messages if message.role == "user"]
        if len(prompts) > self._turns:
            self._turns = len(prompts)
            self._planner = CallPlanner(self._tool_index, prompts[-1], self._now)
            self._texts = []

    def _read_result(self, message: ChatMessage) -> None:
        if message.role == "tool":
            self._planner.results.append(message.text)
            self._texts.append(message.text)


def _answer(texts: Sequence[str], messages: Sequence[ChatMessage]) -> str:
    """Return the texts of the results; empty, and so declined, without results.

    If a message mentions ``<answer>`` tags, the last result's value follows in such tags.
    """
    if not texts:
        return ""
    answer = "\n".join(dict.fromkeys(texts))[:_LONGEST_ANSWER]
    needs_tags = any("<answer>" in message.text for message in messages if message.role in ("system", "user"))
    return f"{answer}\n<answer>{_value(texts[-1])}</answer>" if needs_tags else answer


def _value(text: str) -> str:
    """Return the most specific value of a result: the text after its last ``=`` or ``result:``, if there is one."""
    value = most_specific_value(text)
    labelled_value = re.search(
        r"(?:=|\b(?:result|answer|value)\b\s*(?:is\b\s*:?|:))\s*([^=\n]+?)\.?\s*$", value, re.IGNORECASE
    )
    return labelled_value[1] if labelled_value else value


def _now(task: Task, arena: AgentEnvironment) -> datetime | None:
    """Return the frozen clock of the sandbox or the task; ``None`` if there is none."""
    now = getattr(getattr(arena, "sandbox", None), "now", None)
    if isinstance(now, datetime):
        return now.replace(tzinfo=None)
    try:
        return datetime.fromisoformat(task.context.now).replace(tzinfo=None) if task.context.now else None
    except ValueError:
        return None
