"""Text and JSON of the fates of mutants: a table of the tools, then each mutant by tool."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pytest_mcpbench.audit.descriptions.fates import Fate
from pytest_mcpbench.audit.descriptions.outcome import (
    MutantOutcome,
    MutationReport,
    ToolOfServer,
    fates_of,
    killed_share,
)
from pytest_mcpbench.core.statistics.groups import group_by
from pytest_mcpbench.core.statistics.stratified import TrialPair, Trials
from pytest_mcpbench.reporting.display_text import one_line

_CHANGE_CHARACTERS = 90
_LISTED_TASKS = 4
_LISTED_TEXTS = 5
_FATES: Sequence[Fate] = ("killed", "survived", "undecided", "unwatched", "not run")


def report_lines(report: MutationReport) -> Iterator[str]:
    """Yield the lines that a person reads."""
    yield _headline(report)
    yield f"  {_basis(report)}"
    yield ""
    yield from _table(report)
    for tool in report.tools:
        yield from _of_group(_name(report, tool), report.of_tool(tool))
    yield from _of_group("several tools", report.of_several_tools)
    yield from _conclusions(report)


def report_json(report: MutationReport) -> dict[str, Any]:
    """Return the report as a JSON object."""
    return {
        "suite": report.suite,
        "model": report.model,
        "tasks": report.tasks,
        "passing_tasks": report.passing,
        "dropped": [{"task": each.task, "reason": each.reason} for each in report.dropped],
        "trials": report.trials,
        "fresh_trials": report.fresh_trials,
        "margin": report.margin,
        "alpha": report.alpha,
        "is_deterministic": report.is_deterministic,
        "calls": report.calls,
        "usage": report.usage.model_dump(mode="json"),
        **_counts(report.outcomes),
        "tools": [_tool_json(report, tool) for tool in report.tools],
        "unwatched_tools": [{"server": tool.server, "tool": tool.name} for tool in report.unwatched],
        "later_tools": [{"server": tool.server, "tool": tool.name} for tool in report.named_later],
        "never_passed_tools": [{"server": tool.server, "tool": tool.name} for tool in report.never_passed],
        "mutants": [_mutant_json(outcome) for outcome in report.outcomes],
    }


def _headline(report: MutationReport) -> str:
    totals = fates_of(report.weakened)
    decided = totals["killed"] + totals["survived"]
    share = (
        "no mutant is decided" if report.score is None else f"{report.score:.0%} of {decided} decided mutants killed"
    )
    others = ", ".join(f"{totals[fate]} {fate}" for fate in _FATES[2:] if totals[fate])
    return f"{report.suite}, {report.model}: {share}" + (f"; {others}" if others else "")


def _basis(report: MutationReport) -> str:
    tasks = f"{report.passing} of {report.tasks} tasks pass with the unchanged definitions; {report.calls} attempts"
    cost = report.usage.cost_usd
    if report.is_deterministic:
        return f"{tasks}; {report.model} always does the same, so one trial of a task decides"
    spent = "" if not cost else f", ${cost:.2f}"
    kills = f"killed: confirmed by {report.fresh_trials} fresh trials, at most {report.alpha:.0%} false"
    return f"{tasks}{spent}; {kills}; survived: a loss of {report.margin * 100:.0f} points on its tasks is excluded"


def _table(report: MutationReport) -> Iterator[str]:
    width = max([len("tool"), *(len(_name(report, tool)) for tool in report.tools)])
    yield f"{'tool':{width}}  tokens  tasks" + "".join(f"{fate:>11}" for fate in _FATES) + "  score   lured"
    for tool in report.tools:
        outcomes = report.of_tool(tool)
        weakened = [each for each in outcomes if not each.is_lure]
        totals, share = fates_of(weakened), killed_share(weakened)
        score = "-" if share is None else f"{share:.0%}"
        tasks = f"{len(tool.passing)}/{len(tool.tasks)}"
        counts = "".join(f"{totals[fate] or '':>11}" for fate in _FATES)
        lured = _lured(each for each in outcomes if each.is_lure)
        yield f"{_name(report, tool):{width}}  {tool.tokens:>6}  {tasks:>5}{counts}  {score:>5}  {lured:>6}"


def _lured(lures: Iterable[MutantOutcome]) -> str:
    """Return the number of lures to which tasks were lost, of those that are decided."""
    totals = fates_of(lures)
    decided = totals["killed"] + totals["survived"]
    return f"{totals['killed']}/{decided}" if decided else "-"


def _of_group(title: str, outcomes: Sequence[MutantOutcome]) -> Iterator[str]:
    shown = [outcome for outcome in outcomes if outcome.fate not in ("unwatched", "not run")]
    if not shown:
        return
    yield ""
    yield f"{title}:"
    width = max(len(_short_id(outcome)) for outcome in shown)
    for outcome in sorted(shown, key=lambda each: _FATES.index(each.fate)):
        yield (
            f"  {outcome.fate:9}  {_short_id(outcome):{width}}  {_token_change(outcome):>5} tokens"
            f"  {one_line(outcome.mutant.change, _CHANGE_CHARACTERS)}"
        )
        yield from (f"             {line}" for line in _details(outcome))


def _details(outcome: MutantOutcome) -> Iterator[str]:
    if outcome.mutant.also:
        yield f"the same as {', '.join(each.rpartition('/')[2] for each in outcome.mutant.also)}"
    if outcome.fate == "killed":
        instead = ", ".join(f"{name} ({count})" for name, count in Counter(outcome.called_instead).most_common(3))
        yield f"{_first_names(outcome.decision.tasks)}: got worse; now called first: {instead}"
    if outcome.fate == "undecided":
        trials = outcome.decision.needed_trials
        yield outcome.decision.reason + (f"; --trials {trials} would decide" if trials else "")


def _conclusions(report: MutationReport) -> Iterator[str]:
    yield from _readings([outcome for outcome in report.weakened if outcome.fate == "survived"])
    if report.lures:
        yield ""
        found = "none is decided" if killed_share(report.lures) is None else f"{_lured(report.lures)} made tasks worse"
        yield f"lures, which draw calls to a tool: {found}"
    unseen = list(_tools_without_effect(report))
    yield from ("", *unseen) if unseen else ()
    if report.dropped:
        yield ""
        yield f"{len(report.dropped)} of {report.tasks} tasks have no result:"
    for reason, dropped in group_by(report.dropped, lambda each: each.reason).items():
        yield f"  {_first_names([each.task for each in dropped])}: {one_line(reason)}"


def _tools_without_effect(report: MutationReport) -> Iterator[str]:
    """Yield the tools of which a mutant cannot be noticed, by their reasons."""
    if report.unwatched:
        yield f"no task watches: {', '.join(_name(report, tool) for tool in report.unwatched)}"
    if report.named_later:
        names = ", ".join(_name(report, tool) for tool in report.named_later)
        yield f"only later messages name, which route mode does not reach: {names}"
    if report.never_passed:
        names = ", ".join(f"{_name(report, tool)} ({len(tool.tasks)})" for tool in report.never_passed)
        yield f"no task passes, so a loss cannot show: {names}"


def _first_names(names: Sequence[str]) -> str:
    more = f" and {len(names) - _LISTED_TASKS} more" if len(names) > _LISTED_TASKS else ""
    return ", ".join(names[:_LISTED_TASKS]) + more


def _readings(survivors: Sequence[MutantOutcome]) -> Iterator[str]:
    """Yield the two meanings that a survivor can have."""
    if not survivors:
        return
    texts = sorted((each for each in survivors if each.may_be_wasted), key=lambda each: each.mutant.tokens)
    yield ""
    yield f"{len(survivors)} survivors, each with two readings:"
    yield f"  - agents do as well with it: {len(texts)} of them are texts whose tokens each model call pays for"
    yield "  - no task watches it: a task that only agents with the unchanged definition pass would kill it"
    if texts:
        most = ", ".join(f"{each.mutant.id} ({-each.mutant.tokens})" for each in texts[:_LISTED_TEXTS])
        yield f"most tokens in texts that may be wasted: {most}"


def _token_change(outcome: MutantOutcome) -> str:
    """Return the change in tokens with its sign."""
    return f"{outcome.mutant.tokens:+d}" if outcome.mutant.tokens else "0"


def _short_id(outcome: MutantOutcome) -> str:
    """Return the id without the tool's name, which stands above it."""
    mutant = outcome.mutant
    return mutant.id if len(mutant.tools) > 1 else mutant.id[mutant.id.index(f"/{mutant.mutator}") + 1 :]


def _name(report: MutationReport, tool: ToolOfServer) -> str:
    servers = {each.server for each in report.tools}
    return tool.name if len(servers) == 1 else f"{tool.server}/{tool.name}"


def _counts(outcomes: Sequence[MutantOutcome]) -> dict[str, Any]:
    """Return the numbers by fate, of weakened mutants and of lures apart."""
    weakened, lures = ([each for each in outcomes if each.is_lure == is_lure] for is_lure in (False, True))
    return {**_fates_json(weakened), "score": killed_share(weakened), "lures": _fates_json(lures)}


def _fates_json(outcomes: Iterable[MutantOutcome]) -> dict[str, int]:
    totals = fates_of(outcomes)
    return {fate.replace(" ", "_"): totals[fate] for fate in _FATES}


def _tool_json(report: MutationReport, tool: ToolOfServer) -> dict[str, Any]:
    return {
        "server": tool.server,
        "tool": tool.name,
        "tokens": tool.tokens,
        "tasks": list(tool.tasks),
        "passing_tasks": list(tool.passing),
        **_counts(report.of_tool(tool)),
    }


def _mutant_json(outcome: MutantOutcome) -> dict[str, Any]:
    mutant, decision, trials = outcome.mutant, outcome.decision, outcome.trials
    fresh = {pair.task: pair for pair in trials.fresh}
    return {
        "id": mutant.id,
        "also": list(mutant.also),
        "server": outcome.server,
        "tools": list(mutant.tools),
        "mutator": mutant.mutator,
        "is_lure": outcome.is_lure,
        "change": mutant.change,
        "tokens": mutant.tokens,
        "may_be_wasted": outcome.may_be_wasted,
        "fate": outcome.fate,
        "reason": decision.reason,
        "worse_tasks": list(decision.tasks),
        "called_instead": dict(outcome.called_instead),
        "needed_trials": decision.needed_trials,
        "trials": [_task_json(pair, fresh.get(pair.task)) for pair in trials.screen],
        "dropped": [{"task": each.task, "reason": each.reason} for each in trials.dropped],
    }


def _task_json(first: TrialPair, fresh: TrialPair | None) -> Mapping[str, Any]:
    return {"task": first.task, "first": _pair_json(first), "fresh": _pair_json(fresh) if fresh else None}


def _pair_json(pair: TrialPair) -> dict[str, dict[str, int]]:
    return {"baseline": _trials_json(pair.baseline), "mutant": _trials_json(pair.candidate)}


def _trials_json(trials: Trials) -> dict[str, int]:
    return {"passed": trials.passed, "made": trials.made}
