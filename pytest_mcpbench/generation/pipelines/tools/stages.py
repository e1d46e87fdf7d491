"""Stages of the pipeline ``tools``, with a model or with rules in its place."""

from collections.abc import Sequence
from functools import partial
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
    if setup.questions is None:
        return _stages_by_rules(setup)
    return _stages_with_model(setup, ModelWriter(setup, setup.questions))


def _stages_by_rules(setup: Setup) -> list[Stage]:
    rules = _rule_writer(setup)
    return [
        WholeStage("collect", ToolCandidate, partial(_collect_tools, setup)),
        WholeStage("values", ToolCandidate, partial(try_arguments, setup)),
        EachStage("words", ToolCandidate, rules.check_words),
        WholeStage("sample", ChainCandidate, partial(_draw_chains, setup)),
        EachStage("template", TemplateCandidate, rules.write_template),
        EachStage("fill", RequestCandidate, fill),
        EachStage("rewrite", RequestCandidate, rules.rewrite),
        EachStage("sense", RequestCandidate, rules.check_sense),
        EachStage("task", TaskCandidate, partial(_make_task, setup)),
    ]


def _stages_with_model(setup: Setup, model: ModelWriter) -> list[Stage]:
    many = setup.concurrency
    return [
        WholeStage("collect", ToolCandidate, partial(_collect_tools, setup)),
        EachStage("propose", ToolCandidate, model.propose_values, model.asking("propose"), many),
        WholeStage("values", ToolCandidate, partial(try_arguments, setup)),
        WholeStage("sample", ChainCandidate, partial(_draw_judged_chains, setup, model), model.asking("categories")),
        EachStage("filter", ChainCandidate, model.filter_chain, model.asking("filter"), many),
        EachStage("template", TemplateCandidate, model.write_template, model.asking("template"), many),
        EachStage("fill", RequestCandidate, fill),
        EachStage("rewrite", RequestCandidate, model.rewrite, model.asking("rewrite"), many),
        EachStage("sense", RequestCandidate, _rule_writer(setup).check_sense),
        EachStage("task", TaskCandidate, partial(_make_task, setup)),
    ]


def _rule_writer(setup: Setup) -> RuleWriter:
    return RuleWriter(setup.servers, setup.dictionaries, setup.settings.seed)


async def _collect_tools(setup: Setup, _nothing: Sequence[ToolCandidate]) -> Selection:
    return await collect(setup)


async def _draw_chains(setup: Setup, tools: Sequence[ToolCandidate]) -> Selection:
    return sample(setup, tools)


async def _draw_judged_chains(setup: Setup, model: ModelWriter, tools: Sequence[ToolCandidate]) -> Selection:
    """Draw chains across those pairs of categories that the model finds reasonable."""
    pairs = await model.judge_categories(tools)
    drawn = sample(setup, tools, pairs.kept)
    return Selection(drawn.kept, [*pairs.dropped, *drawn.dropped])


async def _make_task(setup: Setup, candidate: RequestCandidate) -> Outcome:
    return [_task_candidate(candidate, setup)]


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
