"""The agent without a model: tools by BM25 over their descriptions, arguments by schema and pattern."""

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
    """Deterministic, free and fast; a floor that reacts to tool descriptions (docs/explanation/lexical.md)."""

    name = "lexical"

    def __init__(self, limits: Limits | None = None, system: str | None = None) -> None:
        self._limits = limits or Limits()
        self._system = system
        self._tool_index: ToolIndex | None = None

    async def attempt(self, task: Task, arena: AgentEnvironment) -> Trajectory:
        model = _LexicalModel(self._index_of(arena.tools), _now(task, arena))
        return await LlmAgent(model, limits=self._limits, system=self._system).attempt(task, arena)

    def _index_of(self, tools: tuple[ToolSpec, ...]) -> ToolIndex:
        """The index of these tools; that of the last ones is kept, as most tasks of a suite expose the same."""
        if self._tool_index is None or self._tool_index.tools != tools:
            self._tool_index = ToolIndex(tools)
        return self._tool_index


class _LexicalModel:
    """The place of a model in the agent's loop, for one attempt: one call a reply, then the results as the answer."""

    name = "lexical"

    def __init__(self, tool_index: ToolIndex, now: datetime | None) -> None:
        self._tool_index = tool_index
        self._now = now
        self._turns = 0
        self._plan = CallPlanner(tool_index, "", now)
        self._texts: list[str] = []
        self._calls = 0

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        tools: Sequence[ToolSpec],  # noqa: ARG002 - they are indexed
        settings: ModelSettings,  # noqa: ARG002 - there is nothing to set
    ) -> Reply:
        self._begin_turn(messages)
        self._read_result(messages[-1])
        call = self._plan.next_call()
        if call is None:
            return Reply(text=_answer(self._texts, messages), usage=NO_USAGE)
        self._calls += 1
        call_to_make = Call(id=f"lexical-{self._calls}", name=call.tool, arguments=call.arguments)
        return Reply(calls=(call_to_make,), usage=NO_USAGE)

    def _begin_turn(self, messages: Sequence[ChatMessage]) -> None:
        prompts = [message.text for message in messages if message.role == "user"]
        if len(prompts) > self._turns:
            self._turns = len(prompts)
            self._plan = CallPlanner(self._tool_index, prompts[-1], self._now)
            self._texts = []

    def _read_result(self, message: ChatMessage) -> None:
        if message.role == "tool":
            self._plan.results.append(message.text)
            self._texts.append(message.text)


def _answer(texts: Sequence[str], messages: Sequence[ChatMessage]) -> str:
    """The results' texts and, where that is wanted, the last one's value in ``<answer>`` tags; empty: declined."""
    if not texts:
        return ""
    answer = "\n".join(dict.fromkeys(texts))[:_LONGEST_ANSWER]
    wants_tags = any("<answer>" in message.text for message in messages if message.role in ("system", "user"))
    return f"{answer}\n<answer>{_value(texts[-1])}</answer>" if wants_tags else answer


def _value(text: str) -> str:
    """The most specific value of a result: what stands behind its last ``=`` or ``result:``, if it has one."""
    value = most_specific_value(text)
    behind = re.search(r"(?:=|\b(?:result|answer|value)\b\s*(?:is\b\s*:?|:))\s*([^=\n]+?)\.?\s*$", value, re.IGNORECASE)
    return behind[1] if behind else value


def _now(task: Task, arena: AgentEnvironment) -> datetime | None:
    """The frozen clock, of the sandbox or of the task."""
    now = getattr(getattr(arena, "sandbox", None), "now", None)
    if isinstance(now, datetime):
        return now.replace(tzinfo=None)
    try:
        return datetime.fromisoformat(task.context.now).replace(tzinfo=None) if task.context.now else None
    except ValueError:
        return None
