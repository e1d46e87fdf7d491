"""Stages of the pipeline ``persona``, with a model or with rules in its place."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from pytest_mcpbench.generation.pipeline.candidates import TaskCandidate
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.stages import EachStage, Selection, Stage, WholeStage
from pytest_mcpbench.generation.pipelines.persona.asking import (
    METHODS,
    PROTOTYPE,
    REALISM,
    REWRITING,
    TEXTS,
    ModelWriter,
)
from pytest_mcpbench.generation.pipelines.persona.candidates import (
    ChainCandidate,
    PrototypeCandidate,
    RequestCandidate,
    SituationCandidate,
    TreeCandidate,
    UnitCandidate,
)
from pytest_mcpbench.generation.pipelines.persona.chains import draw_chains
from pytest_mcpbench.generation.pipelines.persona.checkpoints import set_checkpoints
from pytest_mcpbench.generation.pipelines.persona.contexts import inject
from pytest_mcpbench.generation.pipelines.persona.fuzzing import fuzzify
from pytest_mcpbench.generation.pipelines.persona.prototypes import write_prototype
from pytest_mcpbench.generation.pipelines.persona.trees import grow_trees
from pytest_mcpbench.generation.pipelines.persona.units import find_units
from pytest_mcpbench.generation.pipelines.persona.worlds import Worlds


def stages(setup: Setup) -> Sequence[Stage]:
    """Return the stages up to the tasks."""
    worlds = Worlds(setup)

    async def grown(_nothing: Sequence[TreeCandidate]) -> Selection:
        return await grow_trees(worlds)

    async def found(trees: Sequence[TreeCandidate]) -> Selection:
        return await find_units(worlds, trees)

    async def drawn(units: Sequence[UnitCandidate]) -> Selection:
        return draw_chains(setup, units)

    many = setup.concurrency
    first = [WholeStage("trees", TreeCandidate, grown)]
    rest = [
        EachStage("fuzzy", RequestCandidate, partial(fuzzify, worlds), concurrency=many),
        EachStage("checkpoints", TaskCandidate, partial(set_checkpoints, worlds), concurrency=many),
    ]
    if setup.questions is None:
        return [
            *first,
            WholeStage("units", UnitCandidate, found),
            WholeStage("chains", ChainCandidate, drawn),
            EachStage("prototype", PrototypeCandidate, partial(write_prototype, setup)),
            EachStage("context", SituationCandidate, partial(inject, setup)),
            *rest,
        ]
    model = ModelWriter(setup, setup.questions)
    asked = setup.candidates_wanted
    return [
        *first,
        EachStage(
            "methods", TreeCandidate, model.choose_methods, replace(METHODS, candidates=len(setup.servers)), many
        ),
        WholeStage("units", UnitCandidate, found),
        WholeStage("chains", ChainCandidate, drawn),
        EachStage("realism", ChainCandidate, model.judge_realism, replace(REALISM, candidates=asked), many),
        EachStage("prototype", PrototypeCandidate, model.write_prototype, replace(PROTOTYPE, candidates=asked), many),
        EachStage("context", SituationCandidate, model.inject, replace(TEXTS, candidates=asked), many),
        rest[0],
        EachStage("rewrite", RequestCandidate, model.rewrite, replace(REWRITING, candidates=asked), many),
        rest[1],
    ]
