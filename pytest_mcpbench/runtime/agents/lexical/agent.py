"""The agent without a model: tools by BM25 over their descriptions, arguments by schema and pattern."""

import re
from collections.abc import Sequence
from datetime import datetime

from pytest_mcpbench.core.chat import ChatMessage, ModelSettings, Reply
from pytest_mcpbench.core.task import Limits, Task
from pytest_mcpbench.core.tool import Call, ToolSpec
from pytest_mcpbench.core.trajectory import NO_USAGE, Trajectory
from pytest_mcpbench.runtime.agent import AgentEnvironment
from pytest_mcpbench.runtime.agents.lexical.choice import Toolbox
from pytest_mcpbench.runtime.agents.lexical.plan import Plan
from pytest_mcpbench.runtime.agents.lexical.results import most_specific
from pytest_mcpbench.runtime.agents.llm import LlmAgent

_LONGEST_ANSWER = 4000


class LexicalAgent:
    """Deterministic, free and fast; a floor that reacts to tool descriptions (docs/explanation/lexical.md)."""

    name = "lexical"

    def __init__(self, limits: Limits | None = None, system: str | None = None) -> None:
        self._limits = limits or Limits()
        self._system = system
        self._toolbox: Toolbox | None = None

    async def attempt(self, task: Task, arena: AgentEnvironment) -> Trajectory:
        words = _Words(self._toolbox_of(arena.tools), _now(task, arena))
        return await LlmAgent(words, limits=self._limits, system=self._system).attempt(task, arena)

    def _toolbox_of(self, tools: tuple[ToolSpec, ...]) -> Toolbox:
        """The index of these tools; that of the last ones is kept, as most tasks of a suite expose the same."""
        if self._toolbox is None or self._toolbox.tools != tools:
            self._toolbox = Toolbox(tools)
        return self._toolbox


class _Words:
    """The place of a model in the agent's loop, for one attempt: one call a reply, then the results as the answer."""

    name = "lexical"

    def __init__(self, toolbox: Toolbox, now: datetime | None) -> None:
        self._toolbox = toolbox
        self._now = now
        self._turns = 0
        self._plan = Plan(toolbox, "", now)
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
        made = Call(id=f"lexical-{self._calls}", name=call.tool, arguments=call.arguments)
        return Reply(calls=(made,), usage=NO_USAGE)

    def _begin_turn(self, messages: Sequence[ChatMessage]) -> None:
        asked = [message.text for message in messages if message.role == "user"]
        if len(asked) > self._turns:
            self._turns = len(asked)
            self._plan = Plan(self._toolbox, asked[-1], self._now)
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
    value = most_specific(text)
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
