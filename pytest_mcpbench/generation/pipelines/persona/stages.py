"""Stages of the pipeline ``persona``, with a model or with rules in its place."""

from collections.abc import Sequence
from functools import partial

from pytest_mcpbench.generation.pipeline.candidates import TaskCandidate
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.stages import EachStage, Selection, Stage, WholeStage
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


def stages(setup: Setup) -> Sequence[Stage]:
    """Return the stages up to the tasks."""

    async def grown(_nothing: Sequence[TreeCandidate]) -> Selection:
        return await grow_trees(setup)

    async def found(trees: Sequence[TreeCandidate]) -> Selection:
        return await find_units(setup, trees)

    async def drawn(units: Sequence[UnitCandidate]) -> Selection:
        return draw_chains(setup, units)

    many = setup.concurrency
    return [
        WholeStage("trees", TreeCandidate, grown),
        WholeStage("units", UnitCandidate, found),
        WholeStage("chains", ChainCandidate, drawn),
        EachStage("prototype", PrototypeCandidate, partial(write_prototype, setup)),
        EachStage("context", SituationCandidate, partial(inject, setup)),
        EachStage("fuzzy", RequestCandidate, partial(fuzzify, setup), concurrency=many),
        EachStage("checkpoints", TaskCandidate, partial(set_checkpoints, setup), concurrency=many),
    ]
