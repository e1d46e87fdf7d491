"""Making of a suite: the stages of a pipeline and of the proof, and the files that come of them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from pytest_mcpbench.generation.directories import write_files
from pytest_mcpbench.generation.pipeline.candidates import TaskCandidate
from pytest_mcpbench.generation.pipeline.running import Listener, PipelineResult, run_stages
from pytest_mcpbench.generation.pipeline.settings import check_settings
from pytest_mcpbench.generation.pipeline.setup import Pipeline, Setup
from pytest_mcpbench.generation.pipeline.suite_text import TASKS_FILE, source_md, tasks_jsonl
from pytest_mcpbench.generation.pipeline.summary import summary
from pytest_mcpbench.generation.proof.stages import proof_stages
from pytest_mcpbench.runtime.secret_filter import SecretFilter


async def make_tasks(
    pipeline: Pipeline, setup: Setup, work: Path, listener: Listener, secrets: SecretFilter
) -> PipelineResult:
    """Run all stages in a work directory; a run that was interrupted there is continued."""
    check_settings(work, setup.settings)
    stages = [*pipeline.stages(setup), *proof_stages(setup)]
    return await run_stages(stages, work, listener, secrets)


def write_suite(
    directory: Path, files: Mapping[str, str], result: PipelineResult, pipeline: Pipeline, setup: Setup
) -> None:
    """Write the files of the suite: those passed, the tasks, and the account of their origin."""
    tasks = cast("Sequence[TaskCandidate]", result.candidates)
    source = source_md(directory.name, pipeline.source, setup.settings, summary(result.counts))
    write_files(directory, {**files, TASKS_FILE: tasks_jsonl(tasks), "SOURCE.md": source})
