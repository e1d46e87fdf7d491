"""A workplace in memory whose tools are coroutines."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from pytest_mcpbench.agents.context_reader import ContextReader
from pytest_mcpbench.agents.tool_search import ToolSearcher
from pytest_mcpbench.agents.users.dialogue import User
from pytest_mcpbench.agents.users.respondent import Respondent
from pytest_mcpbench.attempt.refusal import refusal
from pytest_mcpbench.core.conditions import Presentation
from pytest_mcpbench.core.evidence import ServerFacts
from pytest_mcpbench.core.prompt import WHOLE
from pytest_mcpbench.core.tool import Call, CallRecord, ToolResult, ToolSpec
from pytest_mcpbench.models.model import Model
from tests.builders import a_tool

Tool = Callable[[dict[str, Any]], Awaitable[ToolResult | str]]


class Workshop:
    """Exposes its tools; those that are ``hidden`` exist and may not be used."""

    def __init__(self, tools: Mapping[str, Tool], hidden: tuple[str, ...] = (), trial: int = 1) -> None:
        self.directory = Path()
        self._tools = tools
        self._hidden = hidden
        self.trial = trial
        self.lacks_results = False
        self.user: User | None = None
        self.searcher: ToolSearcher | None = None
        self.reader: ContextReader | None = None
        self.presentation: Presentation | None = None
        self.result_view = WHOLE
        self.respondent: Respondent | None = None
        self.calls: list[Call] = []

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        return tuple(a_tool(name) for name in self._tools)

    @property
    def servers(self) -> tuple[ServerFacts, ...]:
        return (ServerFacts(name="server"),)

    def taped(self, model: Model) -> Model:
        return model

    async def call(self, call: Call) -> CallRecord:
        self.calls.append(call)
        refused = refusal(call, self._tools, (*self._tools, *self._hidden))
        if refused is not None:
            return refused
        answer = await self._tools[call.name](call.arguments)
        result = ToolResult.of_text(answer) if isinstance(answer, str) else answer
        return CallRecord(**call.model_dump(), tool=call.name, server="server", result=result)


async def echo(arguments: dict[str, Any]) -> str:
    """A tool that says what it was given."""
    return str(arguments)
