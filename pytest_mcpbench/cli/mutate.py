"""``mcpbench mutate``: change what agents read of a server, and see which changes its tasks notice."""

import argparse
import json
import sys
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import anyio

from pytest_mcpbench.agents.factory import make_agent
from pytest_mcpbench.attempt.player import Player
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.audit.descriptions.outcome import FateRules, MutationReport, report_json, report_lines
from pytest_mcpbench.audit.descriptions.runner import MutationSettings, measure_mutants, plan_lines, plan_mutation
from pytest_mcpbench.audit.descriptions.subject import TaskSelection, read_subject
from pytest_mcpbench.audit.descriptions.trials import TrialRunner
from pytest_mcpbench.cli.arguments import positive, share
from pytest_mcpbench.cli.models import model_aliases, served_aliases
from pytest_mcpbench.cli.output import write_file
from pytest_mcpbench.cli.suites import load_named_suite
from pytest_mcpbench.core.conditions import NO_DISPATCHER
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.gate.decision import GateRules
from pytest_mcpbench.core.model_names import AGENTS_WITHOUT_MODEL, REPLAY, SCRIPTED, external_agent
from pytest_mcpbench.definitions.mutation import MUTATORS
from pytest_mcpbench.models.factory import Models
from pytest_mcpbench.suite_files.discovery import find_suite
from pytest_mcpbench.suite_files.loading import LoadedSuite

LEXICAL = "lexical"
_FEWEST_FRESH = 5
"""Fresh trials with which the loss of one task can be significant: 5 of 5 that become 0 of 5 have p = 1/252."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "suites", nargs="+", metavar="SUITE", help="the name of a suite, or the path of a suite.toml or task file"
    )
    parser.add_argument("--tool", action="append", default=[], metavar="NAME", help="tool to change (repeatable)")
    parser.add_argument(
        "--mutators",
        default="",
        metavar="NAMES",
        help=f"changes to try, with commas between them: {', '.join(MUTATORS)}",
    )
    parser.add_argument("--model", default=LEXICAL, metavar="NAME", help="lexical, which is free, or a model")
    parser.add_argument(
        "--trials", type=positive, default=1, metavar="N", help="first trials of each task (default: 1)"
    )
    parser.add_argument(
        "--confirm", type=positive, default=8, metavar="N", help="fresh trials of a task that got worse"
    )
    parser.add_argument("--margin", type=share, default=0.2, metavar="SHARE", help="loss that a survivor excludes")
    parser.add_argument("--max-calls", type=positive, metavar="N", help="most model calls to make for a suite")
    parser.add_argument(
        "--concurrency", type=positive, default=4, metavar="N", help="calls at the same time (default: 4)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of everything random (default: 0)")
    parser.add_argument("--plan", action="store_true", help="print the number of calls and make none")
    parser.add_argument("--least", type=share, metavar="SHARE", help="exit with 1 if fewer mutants are killed: 0 to 1")
    parser.add_argument("--json", type=Path, metavar="FILE", help="file for the report as JSON")


def run(options: argparse.Namespace) -> int:
    model = options.model
    if model.startswith((REPLAY, SCRIPTED)) or (model in AGENTS_WITHOUT_MODEL and model != LEXICAL):
        raise UsageError(f"--model {model}: its calls do not depend on descriptions; use {LEXICAL} or a model.")
    if external_agent(model, model_aliases()) is not None:
        raise UsageError(f"--model {model}: only the first message of a model is asked for; use {LEXICAL} or a model.")
    if options.confirm < _FEWEST_FRESH:
        raise UsageError(
            f"--confirm {options.confirm}: fewer than {_FEWEST_FRESH} fresh trials cannot confirm the loss of one task."
        )
    # Route mode scores the first message; a dispatcher would select tools by their unchanged texts.
    conditions = {"route": True, "dispatcher": NO_DISPATCHER, "presentation": None}
    loaded = [load_named_suite(find_suite(name, Path.cwd()), conditions) for name in options.suites]
    with served_aliases(options.model, are_asked=not options.plan) as aliases:
        reports: list[MutationReport] = anyio.run(_reports, loaded, options, aliases)
    for report in reports:
        print()
        print("\n".join(report_lines(report)))
    if options.json is not None:
        text = json.dumps({"suites": [report_json(report) for report in reports]}, ensure_ascii=False, indent=2)
        write_file(options.json, f"{text}\n")
    is_below = options.least is not None and any(
        report.score is None or report.score < options.least for report in reports
    )
    return 1 if is_below or any(suite.errors for suite in loaded) else 0


async def _reports(
    loaded: Iterable[LoadedSuite], options: argparse.Namespace, aliases: Mapping[str, Any]
) -> list[MutationReport]:
    """Return a report of each suite, after the plans of all; none if only the plans are asked for."""
    is_deterministic = options.model == LEXICAL
    rules = FateRules(GateRules(fresh_trials=options.confirm), options.margin, is_deterministic=is_deterministic)
    trials = 1 if is_deterministic else options.trials
    settings = MutationSettings(options.model, rules, trials, options.max_calls, options.seed)
    async with Models(aliases) as models, ServerPool(root=Path.cwd(), models=models) as pool:
        make_model_agent = partial(make_agent, options.model, models)
        make_model_agent()  # an unknown name is reported before a server starts
        measured = []
        for each in loaded:
            player = Player(each.manifest, pool)
            mutators = tuple(name.strip() for name in options.mutators.split(",") if name.strip())
            subject = await read_subject(
                player, each.attempts, pool, TaskSelection(tuple(options.tool), mutators, options.seed)
            )
            print(f"{each.manifest.name}, {options.model}:")
            print("\n".join(plan_lines(plan_mutation(subject, settings))), flush=True)
            measured.append((TrialRunner(player, make_model_agent, concurrency=options.concurrency), subject))
        if options.plan:
            return []
        return [await measure_mutants(*each, settings, _show_progress) for each in measured]


def _show_progress(stage: str, calls: int) -> None:
    if sys.stderr.isatty():
        print(f"{stage}: {calls} calls", file=sys.stderr)
