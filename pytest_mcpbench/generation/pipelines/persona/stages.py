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
    if setup.questions is None:
        return _stages_by_rules(setup, worlds)
    return _stages_with_model(setup, worlds, ModelWriter(setup, setup.questions))


def _stages_by_rules(setup: Setup, worlds: Worlds) -> list[Stage]:
    many = setup.concurrency
    return [
        WholeStage("trees", TreeCandidate, partial(_grow_trees, worlds)),
        WholeStage("units", UnitCandidate, partial(find_units, worlds)),
        WholeStage("chains", ChainCandidate, partial(_draw_chains, setup)),
        EachStage("prototype", PrototypeCandidate, partial(write_prototype, setup)),
        EachStage("context", SituationCandidate, partial(inject, setup)),
        EachStage("fuzzy", RequestCandidate, partial(fuzzify, worlds), concurrency=many),
        EachStage("checkpoints", TaskCandidate, partial(set_checkpoints, worlds), concurrency=many),
    ]


def _stages_with_model(setup: Setup, worlds: Worlds, model: ModelWriter) -> list[Stage]:
    many = setup.concurrency
    methods = replace(METHODS, candidates=len(setup.servers))
    realism, prototype, texts, rewriting = (
        replace(each, candidates=setup.candidates_wanted) for each in (REALISM, PROTOTYPE, TEXTS, REWRITING)
    )
    return [
        WholeStage("trees", TreeCandidate, partial(_grow_trees, worlds)),
        EachStage("methods", TreeCandidate, model.choose_methods, methods, many),
        WholeStage("units", UnitCandidate, partial(find_units, worlds)),
        WholeStage("chains", ChainCandidate, partial(_draw_chains, setup)),
        EachStage("realism", ChainCandidate, model.judge_realism, realism, many),
        EachStage("prototype", PrototypeCandidate, model.write_prototype, prototype, many),
        EachStage("context", SituationCandidate, model.inject, texts, many),
        EachStage("fuzzy", RequestCandidate, partial(fuzzify, worlds), concurrency=many),
        EachStage("rewrite", RequestCandidate, model.rewrite, rewriting, many),
        EachStage("checkpoints", TaskCandidate, partial(set_checkpoints, worlds), concurrency=many),
    ]


async def _grow_trees(worlds: Worlds, _nothing: Sequence[TreeCandidate]) -> Selection:
    return await grow_trees(worlds)


async def _draw_chains(setup: Setup, units: Sequence[UnitCandidate]) -> Selection:
    return draw_chains(setup, units)
