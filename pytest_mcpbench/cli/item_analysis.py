"""``mcpbench item-analysis``: measure which tasks of a suite tell agents of different ability apart."""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import anyio

from pytest_mcpbench.attempt.player import Player
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.audit.items import PlayedTask, analyse, play_tasks, report_lines, splits_of
from pytest_mcpbench.cli.arguments import positive, share
from pytest_mcpbench.cli.models import named_judge, served_aliases
from pytest_mcpbench.cli.output import write_file
from pytest_mcpbench.cli.suites import load_named_suite
from pytest_mcpbench.core.model_names import DEFAULT_JUDGE
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.models.factory import Models
from pytest_mcpbench.suite_files.discovery import find_suite
from pytest_mcpbench.suite_files.splits import FILE_NAME, splits_text

_ABILITIES = (0.6, 0.8, 0.95)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("suite", metavar="SUITE", help="the name of a suite, or the path of a suite.toml or task file")
    parser.add_argument(
        "--ability",
        action="append",
        type=share,
        metavar="P",
        help="probability that a simulated agent gets a part of a decision right (repeatable; default: 0.6, 0.8, 0.95)",
    )
    parser.add_argument("--trials", type=positive, default=20, metavar="N", help="attempts of each (default: 20)")
    parser.add_argument("--by", metavar="TAG", help="tag of the categories (default: that of [sample], or category)")
    parser.add_argument("--judge", metavar="NAME", help="judge of metrics that need one (default: the suite's)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="file for the statistics of each task")
    parser.add_argument("--write-splits", action="store_true", help=f"write {FILE_NAME} beside the suite.toml")


def run(options: argparse.Namespace) -> int:
    loaded = load_named_suite(find_suite(options.suite, Path.cwd()))
    suite = loaded.manifest
    tag = options.by or (suite.sample.tag if suite.sample else None) or "category"
    judge = options.judge or suite.judge or DEFAULT_JUDGE
    with served_aliases(judge) as aliases:
        played, unplayable = anyio.run(_play, suite, loaded.tasks, tag, aliases, judge)
    items = analyse(played, options.ability or _ABILITIES, options.trials)
    splits = splits_of(items)
    if options.json is not None:
        lines = (json.dumps(asdict(item), ensure_ascii=False) for item in items)
        write_file(options.json, "".join(f"{line}\n" for line in lines))
    if options.write_splits and items:
        write_file(Path(suite.directory) / FILE_NAME, splits_text(splits))
    print("\n".join(report_lines(items, splits, played)))
    for task_id in unplayable:
        print(f"not passed by oracle, and left out: {task_id}")
    return 1 if unplayable or loaded.errors else 0


async def _play(
    suite: SuiteManifest, tasks: Sequence[Task], tag: str, aliases: Mapping[str, Any], judge: str
) -> tuple[list[PlayedTask], list[str]]:
    async with Models(aliases) as models, ServerPool(root=Path.cwd()) as pool:
        return await play_tasks(Player(suite, pool, named_judge(judge, models)), tasks, tag, _show_progress)


def _show_progress(finished: int, total: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{finished} of {total} tasks", end="\n" if finished == total else "", file=sys.stderr)
