"""Stages of the pipeline ``templates``."""

from collections.abc import Sequence
from functools import partial

from pytest_mcpbench.generation.pipeline.candidates import TaskCandidate
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.stages import EachStage, Selection, Stage, WholeStage
from pytest_mcpbench.generation.pipelines.templates.candidates import FilledCandidate, TemplateCandidate
from pytest_mcpbench.generation.pipelines.templates.filling import fill, find_values
from pytest_mcpbench.generation.pipelines.templates.filtering import ANSWERING, drop_known, make_task
from pytest_mcpbench.generation.pipelines.templates.reading import read_templates


def stages(setup: Setup) -> Sequence[Stage]:
    """Return the stages up to the tasks; without a model, tasks that need no tool are not looked for."""
    found: list[Stage] = [
        WholeStage("templates", TemplateCandidate, partial(_read_templates, setup)),
        EachStage("values", TemplateCandidate, partial(find_values, setup), concurrency=setup.concurrency),
        EachStage("fill", FilledCandidate, partial(fill, setup)),
        EachStage("task", TaskCandidate, partial(make_task, setup), concurrency=setup.concurrency),
    ]
    if setup.questions is not None:
        found.append(EachStage("filter", TaskCandidate, partial(drop_known, setup), ANSWERING, setup.concurrency))
    return found


async def _read_templates(setup: Setup, _nothing: Sequence[TemplateCandidate]) -> Selection:
    return read_templates(setup)
