"""Agent that sees a mutant of a server, and whose calls are recorded under the original names."""

from dataclasses import dataclass
from pathlib import Path

from pytest_mcpbench.core.evidence import ServerFacts
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool import Call, CallRecord, ToolSpec
from pytest_mcpbench.core.trajectory import Trajectory
from pytest_mcpbench.definitions.canonical import ToolDefinition
from pytest_mcpbench.definitions.mutation import Mutant
from pytest_mcpbench.runtime.agent import Agent, AgentEnvironment
from pytest_mcpbench.runtime.model import Model
from pytest_mcpbench.runtime.refusal import refusal
from pytest_mcpbench.runtime.user import User


@dataclass(frozen=True)
class MutantAgent:
    """An agent for which one server of each arena has the definitions of a mutant."""

    agent: Agent
    mutant: Mutant

    @property
    def name(self) -> str:
        return self.agent.name

    async def attempt(self, task: Task, arena: AgentEnvironment) -> Trajectory:
        return await self.agent.attempt(task, MutatedArena(arena, self.mutant))


@dataclass(frozen=True)
class _Shown:
    """A tool as the agent sees it, with the tool of the arena that its calls mean."""

    spec: ToolSpec
    original: ToolSpec | None
    """``None`` for a tool that the mutant adds."""


class MutatedArena:
    """An arena in which the tools of one server are those of a mutant.

    Each call is passed on under the names of the unchanged server, so that references and metrics need not know the
    mutant. A name that the mutant does not have is an unknown one, even if the unchanged server has it.
    """

    def __init__(self, arena: AgentEnvironment, mutant: Mutant) -> None:
        self._arena = arena
        self._mutant = mutant
        self._shown = tuple(_shown_tools(arena.tools, mutant))
        self.tools = tuple(each.spec for each in self._shown)

    @property
    def servers(self) -> tuple[ServerFacts, ...]:
        return self._arena.servers

    @property
    def directory(self) -> Path:
        return self._arena.directory

    def instructions(self, server: str, /) -> str:
        definition = self._mutant.definition
        return definition.instructions if server == definition.name else self._arena.instructions(server)

    @property
    def user(self) -> User | None:
        return self._arena.user

    def taped(self, model: Model) -> Model:
        return self._arena.taped(model)

    @property
    def trial(self) -> int:
        return self._arena.trial

    @property
    def is_recorded(self) -> bool:
        return self._arena.is_recorded

    async def call(self, call: Call) -> CallRecord:
        shown = next((each for each in self._shown if each.spec.name == call.name), None)
        refused = refusal(call, [each.spec.name for each in self._shown])
        if shown is None:
            assert refused is not None, "refusal() rejects unknown tools"
            # Renamed, because the unchanged server may have a tool of this name, and a call of it would look right.
            return refused.model_copy(update={"name": _absent(call.name)})
        if shown.original is None:
            target = {"tool": shown.spec.tool, "server": shown.spec.server}
            return refused.model_copy(update=target) if refused else CallRecord(**call.model_dump(), **target)
        return await self._arena.call(self._original_call(call, shown.original))

    def _original_call(self, call: Call, original: ToolSpec) -> Call:
        renamed = self._mutant.parameter_names.get(original.tool, {}) if self._is_mutated(original) else {}
        gone = set(renamed.values()) - renamed.keys()
        arguments = {
            renamed.get(name, _absent(name) if name in gone else name): value for name, value in call.arguments.items()
        }
        return call.model_copy(update={"name": original.name, "arguments": arguments})

    def _is_mutated(self, tool: ToolSpec) -> bool:
        return tool.server == self._mutant.definition.name


def _absent(name: str) -> str:
    return f"{name} (not offered)"


def _shown_tools(exposed: tuple[ToolSpec, ...], mutant: Mutant) -> list[_Shown]:
    """Return the tools in the mutant's order; those of other servers stay where they are.

    A tool that the mutant adds is shown where the tool is that it resembles.
    """
    server = mutant.definition.name
    own = {tool.tool: tool for tool in exposed if tool.server == server}
    shown = [each for tool in mutant.definition.tools if (each := _shown(tool, own, mutant)) is not None]
    before = next((index for index, tool in enumerate(exposed) if tool.server == server), len(exposed))
    others = [_Shown(tool, tool) for tool in exposed if tool.server != server]
    return [*others[:before], *shown, *others[before:]]


def _shown(tool: ToolDefinition, own: dict[str, ToolSpec], mutant: Mutant) -> _Shown | None:
    """Return a tool of the mutant as the agent sees it; ``None`` if the task does not expose it."""
    original_name = mutant.tool_names.get(tool.name, tool.name)
    is_added = tool.name in mutant.added_tools
    original = own.get(mutant.tools[0] if is_added else original_name)
    if original is None:
        return None
    prefix = original.name.removesuffix(original.tool) if original.name.endswith(original.tool) else ""
    name = original.name if tool.name == original.tool else f"{prefix}{tool.name}"
    spec = tool.spec(original.server).model_copy(update={"name": name})
    return _Shown(spec, None if is_added else original)
