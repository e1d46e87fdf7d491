"""``mcpbench audit``: make wrong attempts, or right ones, from references and list those that are scored otherwise."""

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import anyio

from pytest_mcpbench.attempt.player import Player
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.audit import mutants, right
from pytest_mcpbench.audit.outcome import AuditReport, report_lines
from pytest_mcpbench.audit.runner import AuditSettings, Reword, audit
from pytest_mcpbench.cli.arguments import positive, share
from pytest_mcpbench.cli.models import named_judge, served_aliases
from pytest_mcpbench.cli.output import write_file
from pytest_mcpbench.cli.suites import load_named_suite
from pytest_mcpbench.core.chat import ChatMessage, ModelSettings
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.model_names import DEFAULT_JUDGE
from pytest_mcpbench.core.selection import draw_sample
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.thoughts import without_thoughts
from pytest_mcpbench.models.factory import Models
from pytest_mcpbench.models.model import Model
from pytest_mcpbench.suite_files.discovery import find_suite
from pytest_mcpbench.suite_files.loading import LoadedSuite


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("suite", metavar="SUITE", help="the name of a suite, or the path of a suite.toml or task file")
    parser.add_argument("--right", action="store_true", help="play right variants of the references, which must pass")
    parser.add_argument(
        "--model", metavar="NAME", help="model that writes texts and answers in other words; with --right"
    )
    parser.add_argument(
        "--kind",
        action="append",
        choices=(*mutants.KINDS, *right.KINDS),
        metavar="KIND",
        help="kind of mutant or right variant to play (repeatable)",
    )
    parser.add_argument("--task", action="append", metavar="ID", help="task to audit (repeatable)")
    parser.add_argument("--tasks", type=positive, metavar="N", help="number of tasks, drawn at random (default: all)")
    parser.add_argument("--mutants", type=positive, metavar="N", help="most mutants of a task (default: all)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of what is drawn (default: 0)")
    parser.add_argument("--judge", metavar="NAME", help="judge of metrics that need one (default: the suite's)")
    parser.add_argument(
        "--least",
        type=share,
        metavar="SHARE",
        help="exit with 1 if a smaller share of the wrong attempts fails, or of the right ones passes: 0 to 1",
    )
    parser.add_argument("--by-task", action="store_true", help="print the numbers of each task, too")
    parser.add_argument("--json", type=Path, metavar="FILE", help="file for the outcome of every mutant")


def run(options: argparse.Namespace) -> int:
    if options.model and not options.right:
        raise UsageError("--model writes right variants in other words; add --right.")
    loaded = load_named_suite(find_suite(options.suite, Path.cwd()))
    suite = loaded.manifest
    tasks, judge = _tasks(loaded, options), options.judge or suite.judge or DEFAULT_JUDGE
    with served_aliases(",".join(filter(None, (judge, options.model)))) as aliases:
        report: AuditReport = anyio.run(_report, suite, tasks, options, aliases, judge)
    if options.json is not None:
        lines = (json.dumps(asdict(outcome), ensure_ascii=False) for outcome in report.outcomes)
        write_file(options.json, "".join(f"{line}\n" for line in lines))
    print("\n".join(report_lines(report, by_task=options.by_task)))
    reached = report.scored_as_meant
    is_below = options.least is not None and (reached is None or reached < options.least)
    # Records beside the chosen tasks were not to be audited.
    is_incomplete = bool(report.unplayable or (loaded.errors and not options.task))
    return 1 if is_below or is_incomplete else 0


def _tasks(loaded: LoadedSuite, options: argparse.Namespace) -> list[Task]:
    suite, tasks = loaded.manifest, loaded.tasks
    if options.task:
        known = {task.id: task for task in tasks}
        broken = {record.id for record in loaded.records if record.error is not None}
        for task_id in options.task:
            if task_id in broken:
                raise UsageError(f"the task {task_id!r} of the suite {suite.name!r} cannot be read.")
            if task_id not in known:
                raise UsageError(f"the suite {suite.name!r} has no task {task_id!r}.")
        return [known[task_id] for task_id in options.task]
    return (
        tasks if options.tasks is None else list(draw_sample(tasks, options.tasks, seed=options.seed, key=suite.name))
    )


async def _report(
    suite: SuiteManifest, tasks: list[Task], options: argparse.Namespace, aliases: Mapping[str, Any], judge: str
) -> AuditReport:
    async with Models(aliases) as models, ServerPool(root=Path.cwd()) as pool:
        settings = AuditSettings(
            tuple(options.kind or ()),
            options.mutants,
            is_right=options.right,
            reword=_rewording_by(models.get(options.model)) if options.model else None,
            seed=options.seed,
        )
        player = Player(suite, pool, named_judge(judge, models))
        return await audit(player, tasks, settings, _show_progress)


_REWORD = """\
Write the user's text again in other words, so that a careful reader takes from it exactly the same statements: all \
numbers, names, dates and conditions stay, nothing is added and nothing is left out. Keep what stands between tags \
such as <answer> as it is. Reply with the new text alone."""


def _rewording_by(model: Model) -> Reword:
    async def reword(text: str) -> str:
        messages = [ChatMessage(role="system", text=_REWORD), ChatMessage(role="user", text=text)]
        reply = await model.complete(messages, (), ModelSettings())
        return without_thoughts(reply.text).strip()

    return reword


def _show_progress(finished: int, total: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{finished} of {total} tasks", end="\n" if finished == total else "", file=sys.stderr)
