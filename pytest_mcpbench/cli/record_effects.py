"""``mcpbench record-effects``: play the references of a suite and write down what they change."""

import argparse
import sys
from pathlib import Path

import anyio

from pytest_mcpbench.attempt.player import Player
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.audit.recording import Recording, record_effects
from pytest_mcpbench.cli.output import known_secrets, write_file
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.loaders.effects import write_effects
from pytest_mcpbench.suite_files.discovery import find_suite
from pytest_mcpbench.suite_files.loading import load_tasks, read_suite


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("suite", metavar="SUITE", help="the name of a suite, or the path of a suite.toml or task file")
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="file to write (default: that of [effects] in suite.toml)"
    )


def run(options: argparse.Namespace) -> int:
    suite = read_suite(find_suite(options.suite, Path.cwd()))
    known_secrets().add_suite(suite)
    # The file that is to be written may not exist yet.
    tasks = list(load_tasks(suite.model_copy(update={"effects": None})).tasks)
    recording = anyio.run(_recording, suite, tasks)
    if options.out is None and suite.effects is None:
        raise UsageError(f"the suite {suite.name!r} has no [effects] with a file; name one with --out FILE.")
    out = options.out or Path(suite.directory) / (suite.effects.file if suite.effects else "")
    write_file(out, write_effects(recording.effects))
    for task_id, problem in recording.problems.items():
        print(f"mcpbench: {task_id}: {problem}", file=sys.stderr)
    print(f"{len(recording.effects)} of {len(tasks)} tasks: {out}")
    return 1 if recording.problems else 0


async def _recording(suite: SuiteManifest, tasks: list[Task]) -> Recording:
    async with ServerPool(root=Path.cwd()) as pool:
        return await record_effects(Player(suite, pool), tasks)
