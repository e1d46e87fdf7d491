"""Run of a pipeline by ``mcpbench generate``."""

import argparse
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio

from pytest_mcpbench.cli.generation_messages import Confirmation, show_progress, spending_text, tell
from pytest_mcpbench.cli.generation_setup import NO_MODEL, ConnectedSuite, make_setup
from pytest_mcpbench.cli.local_models import served_aliases
from pytest_mcpbench.cli.output import known_secrets
from pytest_mcpbench.cli.planned_suite import plan_output, prepare_suite
from pytest_mcpbench.cli.server_names import import_from_working_directory
from pytest_mcpbench.core.errors import McpBenchError, UsageError
from pytest_mcpbench.core.suggestions import hint
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.trajectory import NO_USAGE
from pytest_mcpbench.definitions.canonical import ServerDefinition
from pytest_mcpbench.generation import pipelines
from pytest_mcpbench.generation.making import end_of, run_pipeline
from pytest_mcpbench.generation.pipeline.running import Listener, PipelineResult
from pytest_mcpbench.generation.pipeline.settings import check_settings
from pytest_mcpbench.generation.pipeline.setup import Output, Pipeline, Setup
from pytest_mcpbench.generation.pipeline.summary import nothing_left, summary
from pytest_mcpbench.runtime.models.factory import Models
from pytest_mcpbench.runtime.run_lock import RunLock
from pytest_mcpbench.runtime.server_pool import ServerPool


def generate_suite(options: argparse.Namespace) -> int:
    """Run the pipeline that the options describe; return 0 if it led to a task, otherwise 1."""
    import_from_working_directory()
    pipeline = _pipeline(options)
    output = plan_output(options, pipeline)
    suite = prepare_suite(output, options.files)
    names = [name for name in (options.model, options.solver) if name and name != NO_MODEL]
    with served_aliases(",".join(names)) as aliases:
        known_secrets().add_models(names, aliases)
        return anyio.run(_generate, options, pipeline, output, suite, aliases)


def _pipeline(options: argparse.Namespace) -> Pipeline:
    """Return the pipeline. Raises UsageError if an option that it needs is missing."""
    if options.pipeline not in pipelines.NAMES:
        raise UsageError(f"--pipeline: there is no {options.pipeline!r}. {hint(options.pipeline, pipelines.NAMES)}")
    pipeline = pipelines.pipeline(options.pipeline)
    if pipeline.needs_model and options.model == NO_MODEL:
        raise UsageError(f"--pipeline {options.pipeline} needs a model: name one with --model.")
    if options.model == NO_MODEL and any(name != "English" for name in options.language or ()):
        raise UsageError("--language: rules write English only; name a model with --model.")
    if pipeline.needs_inputs and not options.input:
        raise UsageError(f"--pipeline {options.pipeline} reads files: name them with --input.")
    return pipeline


async def _generate(
    options: argparse.Namespace, pipeline: Pipeline, output: Output, suite: SuiteManifest, aliases: Mapping[str, Any]
) -> int:
    lock = RunLock(output.work, option="--work")
    lock.acquire()
    try:
        async with Models(aliases) as models, ServerPool(root=Path.cwd(), models=models) as pool:
            definitions: dict[str, ServerDefinition] = {}
            for name, ref in suite.servers.items():
                show_progress("servers", len(definitions), len(suite.servers))
                definitions[name] = await pool.definition(ref, files=options.files)
            show_progress("servers", len(definitions), len(definitions))
            setup = make_setup(options, ConnectedSuite(suite, definitions, pool, models), output)
            check_settings(output.work, setup.settings)
            result = await _run(pipeline, setup, output, Confirmation(options, models))
            return _finish(pipeline, setup, result, output)
    finally:
        lock.release()


async def _run(pipeline: Pipeline, setup: Setup, output: Output, confirmation: Confirmation) -> PipelineResult:
    listener = Listener(confirmation, show_progress, tell)
    try:
        return await run_pipeline(pipeline, setup, output.work, listener, known_secrets())
    except (McpBenchError, anyio.get_cancelled_exc_class()):
        tell(f"everything so far is in {os.path.relpath(output.work)}; repeat the command to go on from there")
        raise


def _finish(pipeline: Pipeline, setup: Setup, result: PipelineResult, output: Output) -> int:
    """Print what became of the candidates, and write the files if any are left."""
    print(summary(result.counts))
    if setup.replies is not None and setup.replies.usage != NO_USAGE:
        print(spending_text(setup.replies.usage, setup.questions.asked if setup.questions is not None else 0))
    if not result.candidates:
        tell(f"{nothing_left(result.counts)}; the files in {os.path.relpath(output.work)} have all reasons")
        return 1
    print(end_of(pipeline).write(pipeline, setup, result, output))
    return 0
