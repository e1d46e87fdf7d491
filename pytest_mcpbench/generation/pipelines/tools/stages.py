"""Stages of the pipeline ``tools``, with a model or with rules in its place."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from pytest_mcpbench.generation.pipeline.candidates import TaskCandidate
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.stages import EachStage, Outcome, Selection, Stage, WholeStage
from pytest_mcpbench.generation.pipelines.tools.asking import ModelWriter
from pytest_mcpbench.generation.pipelines.tools.candidates import (
    ChainCandidate,
    PlannedCall,
    RequestCandidate,
    TemplateCandidate,
    ToolCandidate,
)
from pytest_mcpbench.generation.pipelines.tools.collecting import collect, try_arguments
from pytest_mcpbench.generation.pipelines.tools.requests import RuleWriter, fill
from pytest_mcpbench.generation.pipelines.tools.sampling import sample


def stages(setup: Setup) -> Sequence[Stage]:
    """Return the stages up to the tasks."""

    async def collected(_nothing: Sequence[ToolCandidate]) -> Selection:
        return await collect(setup)

    async def tried(tools: Sequence[ToolCandidate]) -> Selection:
        return await try_arguments(setup, tools)

    async def sampled(tools: Sequence[ToolCandidate]) -> Selection:
        return sample(setup, tools)

    async def task(candidate: RequestCandidate) -> Outcome:
        return [_task_candidate(candidate, setup)]

    writer = RuleWriter(setup.servers, setup.dictionaries, setup.settings.seed)
    if setup.questions is None:
        return [
            WholeStage("collect", ToolCandidate, collected),
            WholeStage("values", ToolCandidate, tried),
            EachStage("words", ToolCandidate, writer.check_words),
            WholeStage("sample", ChainCandidate, sampled),
            EachStage("template", TemplateCandidate, writer.write_template),
            EachStage("fill", RequestCandidate, fill),
            EachStage("rewrite", RequestCandidate, writer.rewrite),
            EachStage("sense", RequestCandidate, writer.check_sense),
            EachStage("task", TaskCandidate, task),
        ]
    model, many = ModelWriter(setup, setup.questions), setup.concurrency

    async def sampled_of_pairs(tools: Sequence[ToolCandidate]) -> Selection:
        pairs = await model.judge_categories(tools)
        drawn = sample(setup, tools, pairs.kept)
        return Selection(drawn.kept, [*pairs.dropped, *drawn.dropped])

    return [
        WholeStage("collect", ToolCandidate, collected),
        EachStage("propose", ToolCandidate, model.propose_values, model.asking("propose"), many),
        WholeStage("values", ToolCandidate, tried),
        WholeStage("sample", ChainCandidate, sampled_of_pairs, model.asking("categories")),
        EachStage("filter", ChainCandidate, model.filter_chain, model.asking("filter"), many),
        EachStage("template", TemplateCandidate, model.write_template, model.asking("template"), many),
        EachStage("fill", RequestCandidate, fill),
        EachStage("rewrite", RequestCandidate, model.rewrite, model.asking("rewrite"), many),
        EachStage("sense", RequestCandidate, writer.check_sense),
        EachStage("task", TaskCandidate, task),
    ]


def _task_candidate(candidate: RequestCandidate, setup: Setup) -> TaskCandidate:
    """Return the task in the native format."""
    steps = groupby(candidate.calls, key=lambda call: call.step)
    groups = [[_call(call) for call in group] for _, group in steps]
    servers = sorted({call.server for call in candidate.calls})
    tags = {
        "category": "+".join(candidate.categories),
        "calls": str(len(candidate.calls)),
        "language": candidate.language,
    }
    context = {"context": {"files": setup.files.name}} if setup.files is not None else {}
    task = {"id": candidate.id, "ask": candidate.request, "servers": servers, **context, "calls": groups, "tags": tags}
    return TaskCandidate(id=candidate.id, task=task)


def _call(call: PlannedCall) -> dict[str, Any]:
    similar = [{"tool": name, "server": call.server} for name in call.equal_tools]
    fields = {"id": call.id, "server": call.server, "tool": call.tool, "arguments": call.arguments}
    return {**fields, **({"similar_tools": similar} if similar else {})}
