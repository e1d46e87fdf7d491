"""A tiny arena in memory: tools are functions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_mcpbench.agents.context_reader import ContextReader
from pytest_mcpbench.agents.tool_search import ToolSearcher
from pytest_mcpbench.agents.users.dialogue import User
from pytest_mcpbench.agents.users.respondent import Respondent
from pytest_mcpbench.core.conditions import Presentation
from pytest_mcpbench.core.evidence import ServerFacts
from pytest_mcpbench.core.prompt import WHOLE, ResultView
from pytest_mcpbench.core.tool import Call, CallRecord, ToolResult, ToolSpec
from pytest_mcpbench.models.model import Model

Answer = Callable[[dict[str, Any]], ToolResult | str]


@dataclass
class TinyArena:
    """Answers each call by the function of its tool's name; what is not exposed is a problem."""

    tools: tuple[ToolSpec, ...]
    answers: Mapping[str, Answer] = field(default_factory=dict)
    servers: tuple[ServerFacts, ...] = ()
    trial: int = 1
    lacks_results: bool = False
    user: User | None = None
    searcher: ToolSearcher | None = None
    reader: ContextReader | None = None
    presentation: Presentation | None = None
    result_view: ResultView = WHOLE
    respondent: Respondent | None = None
    made: list[Call] = field(default_factory=list)

    directory: Path = Path()

    def taped(self, model: Model) -> Model:
        return model

    async def call(self, call: Call) -> CallRecord:
        self.made.append(call)
        tool = next((tool for tool in self.tools if tool.name == call.name), None)
        if tool is None:
            refusal = ToolResult.failure(f"There is no tool {call.name!r}.", "protocol")
            return CallRecord(**call.model_dump(), problem="unknown_tool", result=refusal)
        answer = self.answers[call.name](call.arguments) if call.name in self.answers else "done"
        result = ToolResult.of_text(answer) if isinstance(answer, str) else answer
        return CallRecord(**call.model_dump(), tool=tool.tool, server=tool.server, result=result)
