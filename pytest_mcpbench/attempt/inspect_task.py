"""Suites as tasks of Inspect: a model of Inspect attempts them as in a run, and the metrics of the suite decide."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inspect_ai import Task as InspectTask
from inspect_ai.dataset import json_dataset
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    GenerateConfig,
    ModelOutput,
    get_model,
)
from inspect_ai.scorer import CORRECT, INCORRECT, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.scorer import Score as InspectScore
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolCall, ToolInfo, ToolParams

from pytest_mcpbench.agents.llm import LlmAgent
from pytest_mcpbench.agents.users.factory import make_user
from pytest_mcpbench.attempt.player import Player
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.core.chat import CONTEXT_FULL, ChatMessage, ModelSettings, Reply
from pytest_mcpbench.core.errors import McpBenchError, ModelError, UsageError
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.model_names import DEFAULT_JUDGE, NO_USER
from pytest_mcpbench.core.planning import Overrides, plan_task, planned_metric_settings
from pytest_mcpbench.core.score import scorecard
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool import Call, ToolSpec
from pytest_mcpbench.core.usage import Usage
from pytest_mcpbench.definitions.schema_structure import inlined_schema
from pytest_mcpbench.files.project_file import project_table
from pytest_mcpbench.judges.factory import make_judge
from pytest_mcpbench.metrics.catalogue import resolve
from pytest_mcpbench.models.factory import Models
from pytest_mcpbench.models.tool_names import ToolNames
from pytest_mcpbench.suite_files.discovery import find_suite
from pytest_mcpbench.suite_files.loading import KnownNames, load_suite

_EVIDENCE = "mcpbench_evidence"


def suite_task(module: str, *, suite: str, root: str, judge: str = "", user: str = "") -> InspectTask:
    """Return the task of a module that ``mcpbench export --format inspect-task`` has written.

    Args:
        module: ``__file__`` of the module, which stands beside its dataset.
        suite: Name of the suite, or its path relative to the module.
        root: Root of the project, relative to the module.
        judge: Judge of metrics that need one, by default the suite's.
        user: Model that plays users who have a goal, by default the suite's.
    """
    file = Path(module)
    place = {"suite": str(find_suite(suite, file.parent)), "root": str((file.parent / root).resolve())}
    return InspectTask(
        dataset=json_dataset(str(file.with_suffix(".jsonl"))),
        solver=attempt(**place, judge=judge, user=user),
        scorer=verdict(**place),
        # As in a run: an error is one of its sample, and the others go on.
        fail_on_error=False,
    )


@solver
def attempt(suite: str, root: str, judge: str = "", user: str = "") -> Solver:
    """Solver that attempts the task on the servers of its suite, with the messages and limits of a run."""
    manifest, tasks = _loaded(suite, root)

    async def play(state: TaskState) -> TaskState:
        task = tasks.get(str(state.sample_id))
        if task is None or task.hash != state.metadata["hash"]:
            problem = "is not in the suite" if task is None else "has changed since it was exported"
            raise UsageError(f"the task {state.sample_id} {problem}; run `mcpbench export` again.")
        model = _InspectModel(get_model())
        async with Models(project_table(Path(root)).get("models", {})) as models, ServerPool(root=Path(root)) as pool:
            player = Player(manifest, pool, make_judge(judge or manifest.judge or DEFAULT_JUDGE, models))
            name = user or manifest.user or NO_USER
            person = None if manifest.route else make_user(task, name, models, trial=state.epoch)
            result = await player.play(task, LlmAgent(model), trial=state.epoch, user=person)
        if result.error is not None:
            raise result.error
        state.messages, state.output = model.messages, model.output
        state.store.set(_EVIDENCE, result.evidence.model_dump(mode="json"))
        return state

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 (the loop is that of a run)
        try:
            return await play(state)
        except McpBenchError as error:
            # Inspect shows the repr of an error, and what ours say is their text.
            raise RuntimeError(str(error)) from error

    return solve


@scorer(metrics=[accuracy(), stderr()])
def verdict(suite: str, root: str) -> Scorer:
    """Scorer that gives the verdict of a run, and no value to an attempt that has none."""
    manifest, tasks = _loaded(suite, root)

    async def score(state: TaskState, target: Target) -> InspectScore:  # noqa: ARG001 (tasks have their references)
        stored = state.store.get(_EVIDENCE)
        if stored is None:
            return InspectScore.unscored(reason="scoring_failed", explanation="Inspect has ended the attempt.")
        plan = plan_task(manifest, tasks[str(state.sample_id)], Overrides())
        metrics = {name: resolve(name, planned_metric_settings(manifest, name)) for name in plan.floors}
        card = scorecard(plan.task, AttemptEvidence.model_validate(stored), metrics, plan.floors)
        reasons = {
            "unscored": [f"{name}: {card.scores[name].unscored}" for name in card.unscored],
            "failed": [f"{name}: {reason}" for name in card.shortfalls for reason in card.scores[name].reasons],
        }
        details = {
            "answer": state.output.completion,
            "explanation": "\n".join(reasons.get(card.verdict, [])),
            "metadata": {name: score.value for name, score in card.scores.items()},
        }
        if card.verdict == "unscored":
            return InspectScore.unscored(reason="scoring_failed", **details)
        return InspectScore(value=CORRECT if card.passed else INCORRECT, **details)

    return score


@functools.cache
def _loaded(suite: str, root: str) -> tuple[SuiteManifest, dict[str, Task]]:
    """Return a suite and its tasks by id."""
    loaded = load_suite(Path(suite), {}, KnownNames(servers=None, root=Path(root)))
    return loaded.manifest, {task.id: task for task in loaded.tasks}


@dataclass
class _InspectModel:
    """Model of Inspect in one conversation, with its messages for Inspect's log."""

    model: Any
    messages: list[Any] = field(default_factory=list)
    output: Any = field(default_factory=ModelOutput)

    @property
    def name(self) -> str:
        return str(self.model)

    async def complete(
        self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec], settings: ModelSettings
    ) -> Reply:
        names = ToolNames(tool.name for tool in tools)
        self.messages = [_message(message, names) for message in messages]
        self.output = await self.model.generate(
            self.messages,
            tools=[
                ToolInfo(
                    name=names.to_provider(tool.name),
                    description=tool.description,
                    parameters=ToolParams.model_validate(inlined_schema(tool.input_schema, tool.input_schema)),
                )
                for tool in tools
            ],
            # All other settings are those of `inspect eval`.
            config=GenerateConfig(max_tokens=settings.max_output_tokens),
        )
        if self.output.error:
            raise ModelError(self.output.error, self.name)
        self.messages = [*self.messages, self.output.message]
        return _reply(self.output, names)


def _message(message: ChatMessage, names: ToolNames) -> Any:
    match message.role:
        case "system":
            return ChatMessageSystem(content=message.text)
        case "user":
            return ChatMessageUser(content=message.text)
        case "tool":
            return ChatMessageTool(content=message.text, tool_call_id=message.call_id)
        case "assistant" if message.echo:
            # With what its provider wants to see again, such as signed thoughts.
            return ChatMessageAssistant.model_validate(message.echo)
        case "assistant":
            calls = [
                ToolCall(id=call.id, function=names.to_provider(call.name), arguments=call.arguments)
                for call in message.calls
            ]
            return ChatMessageAssistant(content=message.text, tool_calls=calls or None)


def _reply(output: Any, names: ToolNames) -> Reply:
    message, reason = output.message, output.stop_reason
    calls = [
        Call(
            id=call.id,
            name=names.from_provider(call.function),
            arguments=call.arguments,
            raw_arguments=call.parse_error,
        )
        for call in message.tool_calls or ()
    ]
    return Reply(
        text=message.text,
        calls=tuple(calls),
        usage=_usage(output.usage) if output.usage else Usage(),
        model=output.model,
        finish_reason=CONTEXT_FULL if reason == "model_length" else reason,
        seconds=output.time or 0.0,
        echo=message.model_dump(mode="json"),
    )


def _usage(usage: Any) -> Usage:
    cached, written = usage.input_tokens_cache_read, usage.input_tokens_cache_write
    return Usage(
        input_tokens=usage.input_tokens + (cached or 0) + (written or 0),
        output_tokens=usage.output_tokens,
        cached_tokens=cached,
        cache_write_tokens=written,
        cost_usd=usage.total_cost,
    )
