"""Runs of pipelines: all stages in order, and then the files of the result."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from pytest_mcpbench.generation.pipeline.candidates import TaskCandidate
from pytest_mcpbench.generation.pipeline.output_files import write_output
from pytest_mcpbench.generation.pipeline.running import Listener, PipelineResult, run_stages
from pytest_mcpbench.generation.pipeline.setup import End, Output, Pipeline, Setup
from pytest_mcpbench.generation.pipeline.suite_text import TASKS_FILE, source_md, tasks_jsonl
from pytest_mcpbench.generation.pipeline.summary import summary
from pytest_mcpbench.generation.proof.stages import proof_stages
from pytest_mcpbench.reporting.number_formats import quantity
from pytest_mcpbench.runtime.secret_filter import SecretFilter


def end_of(pipeline: Pipeline) -> End:
    """Return what follows the stages of a pipeline: the proof of its tasks, and a suite, unless it has its own end."""
    return pipeline.end or End("suite.toml", proof_stages, _write_suite)


async def run_pipeline(
    pipeline: Pipeline, setup: Setup, work: Path, listener: Listener, secrets: SecretFilter
) -> PipelineResult:
    """Run all stages in a work directory; a run that was interrupted there is continued."""
    stages = [*pipeline.stages(setup), *end_of(pipeline).stages(setup)]
    return await run_stages(stages, work, listener, secrets)


def _write_suite(pipeline: Pipeline, setup: Setup, result: PipelineResult, output: Output) -> str:
    """Write the files of the suite: those passed, the tasks, and the account of their origin."""
    tasks = cast("Sequence[TaskCandidate]", result.candidates)
    directory = output.directory
    source = source_md(directory.name, pipeline.source, setup.settings, summary(result.counts))
    edited = write_output(output, {**output.texts, TASKS_FILE: tasks_jsonl(tasks), "SOURCE.md": source})
    shown = os.path.relpath(directory)
    made = quantity(len(tasks), "task")
    return "\n".join([*edited, f"{made}: {shown}. Next: pytest --suite={shown} --model=oracle"])
