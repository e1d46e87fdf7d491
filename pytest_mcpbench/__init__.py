"""Benchmark tasks as pytest test cases, for LLM agents and MCP servers.

The names in ``__all__`` are the public interface. Each is imported from its module on first use, so that importing the
package itself imports neither pydantic nor mcp.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_mcpbench import statistics
    from pytest_mcpbench.agents.agent import Agent as Agent
    from pytest_mcpbench.agents.agent import AgentEnvironment as AgentEnvironment
    from pytest_mcpbench.agents.dispatchers import Dispatcher as Dispatcher
    from pytest_mcpbench.agents.programs.program import ProgramReport as ProgramReport
    from pytest_mcpbench.agents.programs.program import Workplace as Workplace
    from pytest_mcpbench.agents.programs.python_agent import PythonAgent as PythonAgent
    from pytest_mcpbench.agents.users.dialogue import Dialogue as Dialogue
    from pytest_mcpbench.agents.users.dialogue import FixedUser as FixedUser
    from pytest_mcpbench.agents.users.dialogue import User as User
    from pytest_mcpbench.clients.profile import ClientProfile as ClientProfile
    from pytest_mcpbench.core.chat import ChatMessage as ChatMessage
    from pytest_mcpbench.core.chat import ModelSettings as ModelSettings
    from pytest_mcpbench.core.chat import Reply as Reply
    from pytest_mcpbench.core.context import Collection as Collection
    from pytest_mcpbench.core.context import ContextTree as ContextTree
    from pytest_mcpbench.core.context import Shape as Shape
    from pytest_mcpbench.core.dispatch import Dispatch as Dispatch
    from pytest_mcpbench.core.errors import (
        McpBenchError as McpBenchError,
    )
    from pytest_mcpbench.core.errors import (
        SandboxError as SandboxError,
    )
    from pytest_mcpbench.core.errors import (
        ServerError as ServerError,
    )
    from pytest_mcpbench.core.errors import (
        SourceLocation as SourceLocation,
    )
    from pytest_mcpbench.core.errors import (
        TaskError as TaskError,
    )
    from pytest_mcpbench.core.errors import (
        UsageError as UsageError,
    )
    from pytest_mcpbench.core.evidence import (
        AttemptEvidence as AttemptEvidence,
    )
    from pytest_mcpbench.core.evidence import (
        ServerFacts as ServerFacts,
    )
    from pytest_mcpbench.core.evidence import (
        VerifyResult as VerifyResult,
    )
    from pytest_mcpbench.core.judgement import Judge as Judge
    from pytest_mcpbench.core.judgement import Question as Question
    from pytest_mcpbench.core.judgement import Verdict as Verdict
    from pytest_mcpbench.core.loading import LoadedTask as LoadedTask
    from pytest_mcpbench.core.loading import Loader as Loader
    from pytest_mcpbench.core.loading import LoadOptions as LoadOptions
    from pytest_mcpbench.core.record import RunRecord as RunRecord
    from pytest_mcpbench.core.report import Entry as Entry
    from pytest_mcpbench.core.report import Report as Report
    from pytest_mcpbench.core.root_causes import cause_of_text as cause_of_text
    from pytest_mcpbench.core.sandbox import Sandbox as Sandbox
    from pytest_mcpbench.core.sandbox import World as World
    from pytest_mcpbench.core.sandbox import world_record as world_record
    from pytest_mcpbench.core.score import (
        JudgedMetric as JudgedMetric,
    )
    from pytest_mcpbench.core.score import (
        Metric as Metric,
    )
    from pytest_mcpbench.core.score import (
        Score as Score,
    )
    from pytest_mcpbench.core.score import (
        Scorecard as Scorecard,
    )
    from pytest_mcpbench.core.server import ServerRef as ServerRef
    from pytest_mcpbench.core.server import ServerTimeouts as ServerTimeouts
    from pytest_mcpbench.core.suite import SuiteManifest as SuiteManifest
    from pytest_mcpbench.core.task import (
        CallGroup as CallGroup,
    )
    from pytest_mcpbench.core.task import (
        Checkpoint as Checkpoint,
    )
    from pytest_mcpbench.core.task import (
        Context as Context,
    )
    from pytest_mcpbench.core.task import (
        ExecCheckpoint as ExecCheckpoint,
    )
    from pytest_mcpbench.core.task import (
        Expected as Expected,
    )
    from pytest_mcpbench.core.task import (
        ExpectedCall as ExpectedCall,
    )
    from pytest_mcpbench.core.task import (
        Limits as Limits,
    )
    from pytest_mcpbench.core.task import (
        Message as Message,
    )
    from pytest_mcpbench.core.task import (
        SimilarTool as SimilarTool,
    )
    from pytest_mcpbench.core.task import (
        Source as Source,
    )
    from pytest_mcpbench.core.task import (
        StateCheck as StateCheck,
    )
    from pytest_mcpbench.core.task import (
        Task as Task,
    )
    from pytest_mcpbench.core.task import (
        Turn as Turn,
    )
    from pytest_mcpbench.core.task import (
        VerifyCheck as VerifyCheck,
    )
    from pytest_mcpbench.core.tool import (
        Call as Call,
    )
    from pytest_mcpbench.core.tool import (
        CallRecord as CallRecord,
    )
    from pytest_mcpbench.core.tool import (
        Content as Content,
    )
    from pytest_mcpbench.core.tool import (
        ToolResult as ToolResult,
    )
    from pytest_mcpbench.core.tool import (
        ToolSpec as ToolSpec,
    )
    from pytest_mcpbench.core.trajectory import Step as Step
    from pytest_mcpbench.core.trajectory import Trajectory as Trajectory
    from pytest_mcpbench.core.usage import Usage as Usage
    from pytest_mcpbench.core.world import Change as Change
    from pytest_mcpbench.core.world import Effect as Effect
    from pytest_mcpbench.core.world import Observation as Observation
    from pytest_mcpbench.core.world import WorldRecord as WorldRecord
    from pytest_mcpbench.generation.pipeline.candidates import TaskCandidate as TaskCandidate
    from pytest_mcpbench.generation.pipeline.setup import Pipeline as Pipeline
    from pytest_mcpbench.generation.pipeline.setup import Setup as Setup
    from pytest_mcpbench.generation.pipeline.stages import Selection as Selection
    from pytest_mcpbench.generation.pipeline.stages import WholeStage as WholeStage
    from pytest_mcpbench.loaders.task_building import load_record as load_record
    from pytest_mcpbench.models.model import Model as Model
    from pytest_mcpbench.runs.data import RunData as RunData
    from pytest_mcpbench.runs.data import load as load
    from pytest_mcpbench.simulated.engine import (
        Entities as Entities,
    )
    from pytest_mcpbench.simulated.engine import (
        Simulation as Simulation,
    )
    from pytest_mcpbench.simulated.engine import (
        ToolFailure as ToolFailure,
    )
    from pytest_mcpbench.statistics.groups import ToolCounts as ToolCounts
    from pytest_mcpbench.text.numbered_steps import split_steps as split_steps
    from pytest_mcpbench.text.token_estimate import estimate_tokens as estimate_tokens

__version__ = "0.1.0"

__all__ = [
    "Agent",
    "AgentEnvironment",
    "AttemptEvidence",
    "Call",
    "CallGroup",
    "CallRecord",
    "Change",
    "ChatMessage",
    "Checkpoint",
    "ClientProfile",
    "Collection",
    "Content",
    "Context",
    "ContextTree",
    "Dialogue",
    "Dispatch",
    "Dispatcher",
    "Effect",
    "Entities",
    "Entry",
    "ExecCheckpoint",
    "Expected",
    "ExpectedCall",
    "FixedUser",
    "Judge",
    "JudgedMetric",
    "Limits",
    "LoadOptions",
    "LoadedTask",
    "Loader",
    "McpBenchError",
    "Message",
    "Metric",
    "Model",
    "ModelSettings",
    "Observation",
    "Pipeline",
    "ProgramReport",
    "PythonAgent",
    "Question",
    "Reply",
    "Report",
    "RunData",
    "RunRecord",
    "Sandbox",
    "SandboxError",
    "Score",
    "Scorecard",
    "Selection",
    "ServerError",
    "ServerFacts",
    "ServerRef",
    "ServerTimeouts",
    "Setup",
    "Shape",
    "SimilarTool",
    "Simulation",
    "Source",
    "SourceLocation",
    "StateCheck",
    "Step",
    "SuiteManifest",
    "Task",
    "TaskCandidate",
    "TaskError",
    "ToolCounts",
    "ToolFailure",
    "ToolResult",
    "ToolSpec",
    "Trajectory",
    "Turn",
    "Usage",
    "UsageError",
    "User",
    "Verdict",
    "VerifyCheck",
    "VerifyResult",
    "WholeStage",
    "Workplace",
    "World",
    "WorldRecord",
    "__version__",
    "cause_of_text",
    "estimate_tokens",
    "load",
    "load_record",
    "split_steps",
    "statistics",
    "world_record",
]

_NAMES_OF_MODULE = {
    "agents.agent": (
        "Agent",
        "AgentEnvironment",
    ),
    "agents.programs.program": (
        "ProgramReport",
        "Workplace",
    ),
    "agents.programs.python_agent": ("PythonAgent",),
    "agents.dispatchers": ("Dispatcher",),
    "agents.users.dialogue": (
        "Dialogue",
        "FixedUser",
        "User",
    ),
    "clients.profile": ("ClientProfile",),
    "core.chat": (
        "ChatMessage",
        "ModelSettings",
        "Reply",
    ),
    "core.context": (
        "Collection",
        "ContextTree",
        "Shape",
    ),
    "core.dispatch": ("Dispatch",),
    "core.errors": (
        "McpBenchError",
        "SandboxError",
        "ServerError",
        "SourceLocation",
        "TaskError",
        "UsageError",
    ),
    "core.evidence": (
        "AttemptEvidence",
        "ServerFacts",
        "VerifyResult",
    ),
    "core.judgement": (
        "Judge",
        "Question",
        "Verdict",
    ),
    "core.loading": (
        "LoadOptions",
        "LoadedTask",
        "Loader",
    ),
    "core.record": ("RunRecord",),
    "core.report": (
        "Entry",
        "Report",
    ),
    "core.root_causes": ("cause_of_text",),
    "core.sandbox": (
        "Sandbox",
        "World",
        "world_record",
    ),
    "core.score": (
        "JudgedMetric",
        "Metric",
        "Score",
        "Scorecard",
    ),
    "core.server": (
        "ServerRef",
        "ServerTimeouts",
    ),
    "core.suite": ("SuiteManifest",),
    "core.task": (
        "CallGroup",
        "Checkpoint",
        "Context",
        "ExecCheckpoint",
        "Expected",
        "ExpectedCall",
        "Limits",
        "Message",
        "SimilarTool",
        "Source",
        "StateCheck",
        "Task",
        "Turn",
        "VerifyCheck",
    ),
    "core.tool": (
        "Call",
        "CallRecord",
        "Content",
        "ToolResult",
        "ToolSpec",
    ),
    "core.trajectory": (
        "Step",
        "Trajectory",
        "Usage",
    ),
    "core.world": (
        "Change",
        "Effect",
        "Observation",
        "WorldRecord",
    ),
    "generation.pipeline.candidates": ("TaskCandidate",),
    "generation.pipeline.setup": (
        "Pipeline",
        "Setup",
    ),
    "generation.pipeline.stages": (
        "Selection",
        "WholeStage",
    ),
    "loaders.task_building": ("load_record",),
    "models.model": ("Model",),
    "runs.data": (
        "RunData",
        "load",
    ),
    "simulated.engine": (
        "Entities",
        "Simulation",
        "ToolFailure",
    ),
    "statistics.groups": ("ToolCounts",),
    "text.numbered_steps": ("split_steps",),
    "text.token_estimate": ("estimate_tokens",),
}
_MODULE_OF_NAME = {name: module for module, names in _NAMES_OF_MODULE.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import a public name on first use."""
    if name == "statistics":
        return importlib.import_module("pytest_mcpbench.statistics")
    if name not in _MODULE_OF_NAME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(f"{__name__}.{_MODULE_OF_NAME[name]}")
    value = globals()[name] = getattr(module, name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
