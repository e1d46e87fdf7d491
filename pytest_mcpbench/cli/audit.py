"""``mcpbench audit``: change right attempts into wrong ones and list those that pass."""

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from pytest_mcpbench.attempt.player import Player
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.audit.mutants import KINDS
from pytest_mcpbench.audit.outcome import AuditReport, report_lines
from pytest_mcpbench.audit.runner import AuditSettings, audit
from pytest_mcpbench.cli.arguments import positive, share
from pytest_mcpbench.cli.models import call_with_judge
from pytest_mcpbench.cli.output import known_secrets, write_file
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.judgement import Judge
from pytest_mcpbench.core.model_names import DEFAULT_JUDGE
from pytest_mcpbench.core.selection import draw_sample
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.suite_files.discovery import find_suite
from pytest_mcpbench.suite_files.loading import LoadedSuite, load_suite


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("suite", metavar="SUITE", help="the name of a suite, or the path of a suite.toml or task file")
    parser.add_argument("--kind", action="append", choices=KINDS, help="kind of mutant to play (repeatable)")
    parser.add_argument("--task", action="append", metavar="ID", help="task to audit (repeatable)")
    parser.add_argument("--tasks", type=positive, metavar="N", help="number of tasks, drawn at random (default: all)")
    parser.add_argument("--mutants", type=positive, metavar="N", help="most mutants of a task (default: all)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of what is drawn (default: 0)")
    parser.add_argument("--judge", metavar="NAME", help="judge of metrics that need one (default: the suite's)")
    parser.add_argument("--least", type=share, metavar="SHARE", help="exit with 1 if fewer mutants are killed: 0 to 1")
    parser.add_argument("--by-task", action="store_true", help="print the numbers of each task, too")
    parser.add_argument("--json", type=Path, metavar="FILE", help="file for the outcome of every mutant")


def run(options: argparse.Namespace) -> int:
    loaded = load_suite(find_suite(options.suite, Path.cwd()), {})
    suite = loaded.manifest
    known_secrets().add_suite(suite)
    report: AuditReport = call_with_judge(
        _report, suite, _tasks(loaded, options), options, name=options.judge or suite.judge or DEFAULT_JUDGE
    )
    if options.json is not None:
        lines = (json.dumps(asdict(outcome), ensure_ascii=False) for outcome in report.outcomes)
        write_file(options.json, "".join(f"{line}\n" for line in lines))
    print("\n".join(report_lines(report, by_task=options.by_task)))
    killed = report.killed_share
    is_below = options.least is not None and (killed is None or killed < options.least)
    return 1 if is_below or report.unplayable else 0


def _tasks(loaded: LoadedSuite, options: argparse.Namespace) -> list[Task]:
    suite, tasks = loaded.manifest, loaded.tasks
    if options.task:
        known = {task.id: task for task in tasks}
        unknown = [task_id for task_id in options.task if task_id not in known]
        if unknown:
            raise UsageError(f"the suite {suite.name!r} has no task {unknown[0]!r}.")
        return [known[task_id] for task_id in options.task]
    return (
        tasks if options.tasks is None else list(draw_sample(tasks, options.tasks, seed=options.seed, key=suite.name))
    )


async def _report(suite: SuiteManifest, tasks: list[Task], options: argparse.Namespace, judge: Judge) -> AuditReport:
    settings = AuditSettings(tuple(options.kind or ()), options.mutants, seed=options.seed)
    async with ServerPool(root=Path.cwd()) as pool:
        return await audit(Player(suite, pool, judge), tasks, settings, _show_progress)


def _show_progress(finished: int, total: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{finished} of {total} tasks", end="\n" if finished == total else "", file=sys.stderr)
