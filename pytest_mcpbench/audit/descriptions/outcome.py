"""Outcomes of the mutants of a suite's servers, and their totals."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, floor
from typing import Any, Literal

from pytest_mcpbench.core.gate.decision import DroppedTask, GateRules, GateTrials, decide, tasks_needed
from pytest_mcpbench.core.usage import NO_USAGE, Usage
from pytest_mcpbench.definitions.mutation import LURES, REMOVES_TEXT, DefinitionMutant
from pytest_mcpbench.reporting.forms.display_text import one_line
from pytest_mcpbench.statistics.exact_tests import TrialPair, Trials
from pytest_mcpbench.statistics.groups import group_by
from pytest_mcpbench.statistics.intervals import paired_shares
from pytest_mcpbench.text.words import shortened_list

# Decision about one mutant: killed, survived or undecided.

Fate = Literal["killed", "survived", "undecided", "unwatched", "not run"]
"""``killed``: a loss is confirmed. ``survived``: a loss of the margin is excluded. ``undecided``: neither.
``unwatched``: there is no task that could show a loss. ``not run``: the calls were used up."""


@dataclass(frozen=True)
class FateRules:
    """Settings of the decision."""

    gate: GateRules = field(default_factory=GateRules)
    margin: float = 0.2
    """Loss of the pass rate, on the tasks of the mutant, that a survivor excludes."""
    is_deterministic: bool = False
    """Whether all trials of a task are alike, so that one decides."""


@dataclass(frozen=True)
class MutantDecision:
    """Fate of a mutant with its reason."""

    fate: Fate
    reason: str = ""
    """Reason for a fate other than killed and survived."""
    tasks: tuple[str, ...] = ()
    """Tasks of a killed mutant that got worse, the clearest first."""
    needed_trials: int | None = None
    """Trials of each task that would decide, if no task got worse; ``None`` if they are no remedy."""


def tasks_to_confirm(trials: GateTrials, rules: FateRules) -> tuple[str, ...]:
    """Return the tasks that need fresh trials: those that got worse, unless one trial is enough."""
    return () if rules.is_deterministic else trials.worse


def decide_fate(trials: GateTrials, rules: FateRules) -> MutantDecision:
    """Return the fate of a mutant.

    The gate decides whether it is killed. It survives if the first trials exclude a loss of the margin on these tasks:
    a mutant is a question about the tasks that there are, not about tasks like these.
    """
    if rules.is_deterministic and trials.worse:
        return MutantDecision("killed", tasks=trials.worse)
    verdict = decide(trials, rules.gate)
    if verdict.name == "NOT COMPARABLE":
        reasons = "; ".join(f"{each.task}: {each.reason}" for each in trials.dropped[:3])
        return MutantDecision("undecided", f"{len(trials.dropped)} tasks could not be compared ({reasons})")
    if verdict.name == "REGRESSED":
        return MutantDecision(
            "killed", tasks=verdict.worse.confirmed or tuple(each.task for each in verdict.worse.tasks)
        )
    if rules.is_deterministic and not trials.dropped:
        return MutantDecision("survived")
    lowest = paired_shares(*_pooled(trials.screen)).low
    if lowest > -rules.margin:
        return MutantDecision("survived")
    worse = f"{len(trials.worse)} of {len(trials.screen)} tasks got worse"
    not_run = len({*trials.worse} - {pair.task for pair in trials.fresh})
    if not_run:
        of_some = f" for {not_run}" if not_run < len(trials.worse) else ""
        return MutantDecision("undecided", f"{worse}; confirmation{of_some} not run: --max-calls")
    lost = f"{worse}, not confirmed" if trials.worse else "no loss"
    needed = None if trials.worse else tasks_needed(0.0, rules.margin)
    return MutantDecision(
        "undecided",
        f"{lost}; a loss of up to {-lowest * 100:.0f} points is not excluded",
        needed_trials=None if needed is None or not trials.screen else ceil(needed / len(trials.screen)),
    )


def _pooled(pairs: Sequence[TrialPair]) -> tuple[int, int, int, int]:
    """Return the numbers of pairs of trials that passed in both arms, only the second, only the first, and never.

    Trials of the same task are independent, so each of one arm is paired with all of the other; what is no whole
    number is counted as disagreement.
    """
    total = sum(pair.candidate.made for pair in pairs)
    worse = ceil(sum(pair.baseline.passed * _failed(pair.candidate) / pair.candidate.made for pair in pairs))
    better = ceil(sum(_failed(pair.baseline) * pair.candidate.passed / pair.candidate.made for pair in pairs))
    never = floor(sum(_failed(pair.baseline) * _failed(pair.candidate) / pair.candidate.made for pair in pairs))
    return max(0, total - worse - better - never), better, worse, never


def _failed(trials: Trials) -> int:
    return trials.made - trials.passed


NO_TRIALS = GateTrials(())


@dataclass(frozen=True)
class DefinitionMutantOutcome:
    """One mutant with its fate and the trials behind it."""

    mutant: DefinitionMutant
    decision: MutantDecision
    trials: GateTrials = NO_TRIALS
    called_instead: Mapping[str, int] = field(default_factory=dict)
    """Tool -> number of failed trials that called it; of the tasks that got worse."""

    @property
    def fate(self) -> Fate:
        return self.decision.fate

    @property
    def server(self) -> str:
        return self.mutant.definition.name

    @property
    def is_lure(self) -> bool:
        """Return whether the mutant adds something that draws calls."""
        return self.mutant.mutator in LURES

    @property
    def may_be_wasted(self) -> bool:
        """Return whether the mutant survived and has less text, so that the text may earn nothing."""
        return self.fate == "survived" and self.mutant.mutator in REMOVES_TEXT


@dataclass(frozen=True)
class ToolOfServer:
    """A tool of which there are mutants."""

    server: str
    name: str
    tokens: int
    """Estimated tokens of its definition."""
    tasks: tuple[str, ...]
    """Tasks whose first message names it."""
    passing: tuple[str, ...]
    """Those of its tasks that the agent passes with the unchanged definition."""
    is_named_later: bool = False
    """Whether tasks name it in later messages only, which route mode does not reach."""


@dataclass(frozen=True)
class MutationReport:
    """The outcomes of all mutants of a suite with one model."""

    suite: str
    model: str
    tools: tuple[ToolOfServer, ...]
    outcomes: tuple[DefinitionMutantOutcome, ...]
    tasks: int
    """Tasks of the suite."""
    passing: int
    """Tasks that passed at least once with the unchanged definitions; the others can show no loss."""
    dropped: tuple[DroppedTask, ...]
    """Tasks without a result in the baseline, with the reason."""
    trials: int
    fresh_trials: int
    margin: float
    alpha: float
    is_deterministic: bool
    calls: int
    """Attempts that were made, each of one model call."""
    usage: Usage = NO_USAGE

    @property
    def weakened(self) -> tuple[DefinitionMutantOutcome, ...]:
        """The outcomes of the mutants that lack or hide something, which the score is about."""
        return tuple(each for each in self.outcomes if not each.is_lure)

    @property
    def lures(self) -> tuple[DefinitionMutantOutcome, ...]:
        """The outcomes of the mutants that add something which draws calls."""
        return tuple(each for each in self.outcomes if each.is_lure)

    @property
    def score(self) -> float | None:
        """Share of killed mutants among killed and survived ones, without lures; ``None`` if there are neither."""
        return killed_share(self.weakened)

    def of_tool(self, tool: ToolOfServer) -> tuple[DefinitionMutantOutcome, ...]:
        """Return the outcomes of the mutants of one tool alone."""
        return tuple(each for each in self.outcomes if (each.server, each.mutant.tools) == (tool.server, (tool.name,)))

    @property
    def of_several_tools(self) -> tuple[DefinitionMutantOutcome, ...]:
        """The outcomes of mutants that change more than one tool."""
        return tuple(each for each in self.outcomes if len(each.mutant.tools) > 1)

    @property
    def unwatched(self) -> tuple[ToolOfServer, ...]:
        """Tools that no task names."""
        return tuple(tool for tool in self.tools if not tool.tasks and not tool.is_named_later)

    @property
    def named_later(self) -> tuple[ToolOfServer, ...]:
        """Tools that tasks name in later messages only."""
        return tuple(tool for tool in self.tools if tool.is_named_later)

    @property
    def never_passed(self) -> tuple[ToolOfServer, ...]:
        """Tools with tasks, none of which passes with the unchanged definitions."""
        return tuple(tool for tool in self.tools if tool.tasks and not tool.passing)


def fates_of(outcomes: Iterable[DefinitionMutantOutcome]) -> Counter[Fate]:
    """Return the number of mutants by fate."""
    return Counter(outcome.fate for outcome in outcomes)


def killed_share(outcomes: Iterable[DefinitionMutantOutcome]) -> float | None:
    """Return the share of killed mutants among killed and survived ones; ``None`` if there are neither."""
    totals = fates_of(outcomes)
    decided = totals["killed"] + totals["survived"]
    return totals["killed"] / decided if decided else None


# Text and JSON of the fates of mutants: a table of the tools, then each mutant by tool.

_CHANGE_CHARACTERS = 90
_LISTED_TASKS = 4
_LISTED_TEXTS = 5
_FATES: Sequence[Fate] = ("killed", "survived", "undecided", "unwatched", "not run")


def report_lines(report: MutationReport) -> Iterator[str]:
    """Yield the lines that a person reads."""
    totals = fates_of(report.weakened)
    decided = totals["killed"] + totals["survived"]
    share = (
        "no mutant is decided" if report.score is None else f"{report.score:.0%} of {decided} decided mutants killed"
    )
    others = ", ".join(f"{totals[fate]} {fate}" for fate in _FATES[2:] if totals[fate])
    yield f"{report.suite}, {report.model}: {share}" + (f"; {others}" if others else "")
    tasks = f"{report.passing} of {report.tasks} tasks pass with the unchanged definitions; {report.calls} attempts"
    cost = report.usage.cost_usd
    if report.is_deterministic:
        basis = f"{tasks}; {report.model} always does the same, so one trial of a task decides"
    else:
        spent = "" if not cost else f", ${cost:.2f}"
        kills = f"killed: confirmed by {report.fresh_trials} fresh trials, at most {report.alpha:.0%} false"
        basis = (
            f"{tasks}{spent}; {kills}; survived: a loss of {report.margin * 100:.0f} points on its tasks is excluded"
        )
    yield f"  {basis}"
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
        "tools": [
            {
                "server": tool.server,
                "tool": tool.name,
                "tokens": tool.tokens,
                "tasks": list(tool.tasks),
                "passing_tasks": list(tool.passing),
                **_counts(report.of_tool(tool)),
            }
            for tool in report.tools
        ],
        "unwatched_tools": [{"server": tool.server, "tool": tool.name} for tool in report.unwatched],
        "later_tools": [{"server": tool.server, "tool": tool.name} for tool in report.named_later],
        "never_passed_tools": [{"server": tool.server, "tool": tool.name} for tool in report.never_passed],
        "mutants": [_mutant_json(outcome) for outcome in report.outcomes],
    }


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


def _lured(lures: Iterable[DefinitionMutantOutcome]) -> str:
    """Return the number of lures to which tasks were lost, of those that are decided."""
    totals = fates_of(lures)
    decided = totals["killed"] + totals["survived"]
    return f"{totals['killed']}/{decided}" if decided else "-"


def _of_group(title: str, outcomes: Sequence[DefinitionMutantOutcome]) -> Iterator[str]:
    shown = [outcome for outcome in outcomes if outcome.fate not in ("unwatched", "not run")]
    if not shown:
        return
    yield ""
    yield f"{title}:"
    width = max(len(_short_id(outcome)) for outcome in shown)
    for outcome in sorted(shown, key=lambda each: _FATES.index(each.fate)):
        mutant, decision = outcome.mutant, outcome.decision
        tokens = f"{mutant.tokens:+d}" if mutant.tokens else "0"
        change = one_line(mutant.change, _CHANGE_CHARACTERS)
        yield f"  {outcome.fate:9}  {_short_id(outcome):{width}}  {tokens:>5} tokens  {change}"
        details: list[str] = []
        if mutant.also:
            details.append(f"the same as {', '.join(each.rpartition('/')[2] for each in mutant.also)}")
        if outcome.fate == "killed":
            instead = ", ".join(f"{name} ({count})" for name, count in Counter(outcome.called_instead).most_common(3))
            details.append(f"{shortened_list(decision.tasks, _LISTED_TASKS)}: got worse; now called first: {instead}")
        if outcome.fate == "undecided":
            trials = decision.needed_trials
            details.append(decision.reason + (f"; --trials {trials} would decide" if trials else ""))
        yield from (f"             {line}" for line in details)


def _conclusions(report: MutationReport) -> Iterator[str]:
    survivors = [outcome for outcome in report.weakened if outcome.fate == "survived"]
    if survivors:
        texts = sorted((each for each in survivors if each.may_be_wasted), key=lambda each: each.mutant.tokens)
        yield ""
        yield f"{len(survivors)} survivors, each with two readings:"
        yield f"  - agents do as well with it: {len(texts)} of them are texts whose tokens each model call pays for"
        yield "  - no task watches it: a task that only agents with the unchanged definition pass would kill it"
        if texts:
            most = ", ".join(f"{each.mutant.id} ({-each.mutant.tokens})" for each in texts[:_LISTED_TEXTS])
            yield f"most tokens in texts that may be wasted: {most}"
    if report.lures:
        yield ""
        found = "none is decided" if killed_share(report.lures) is None else f"{_lured(report.lures)} made tasks worse"
        yield f"lures, which draw calls to a tool: {found}"
    unseen: list[str] = []
    if report.unwatched:
        unseen.append(f"no task watches: {', '.join(_name(report, tool) for tool in report.unwatched)}")
    if report.named_later:
        names = ", ".join(_name(report, tool) for tool in report.named_later)
        unseen.append(f"only later messages name, which route mode does not reach: {names}")
    if report.never_passed:
        names = ", ".join(f"{_name(report, tool)} ({len(tool.tasks)})" for tool in report.never_passed)
        unseen.append(f"no task passes, so a loss cannot show: {names}")
    yield from ("", *unseen) if unseen else ()
    if report.dropped:
        yield ""
        yield f"{len(report.dropped)} of {report.tasks} tasks have no result:"
    for reason, dropped in group_by(report.dropped, lambda each: each.reason).items():
        yield f"  {shortened_list((each.task for each in dropped), _LISTED_TASKS)}: {one_line(reason)}"


def _short_id(outcome: DefinitionMutantOutcome) -> str:
    """Return the id without the tool's name, which stands above it."""
    mutant = outcome.mutant
    return mutant.id if len(mutant.tools) > 1 else mutant.id[mutant.id.index(f"/{mutant.mutator}") + 1 :]


def _name(report: MutationReport, tool: ToolOfServer) -> str:
    servers = {each.server for each in report.tools}
    return tool.name if len(servers) == 1 else f"{tool.server}/{tool.name}"


def _counts(outcomes: Sequence[DefinitionMutantOutcome]) -> dict[str, Any]:
    """Return the numbers by fate, of weakened mutants and of lures apart."""
    weakened, lures = ([each for each in outcomes if each.is_lure == is_lure] for is_lure in (False, True))
    return {**_fates_json(weakened), "score": killed_share(weakened), "lures": _fates_json(lures)}


def _fates_json(outcomes: Iterable[DefinitionMutantOutcome]) -> dict[str, int]:
    totals = fates_of(outcomes)
    return {fate.replace(" ", "_"): totals[fate] for fate in _FATES}


def _mutant_json(outcome: DefinitionMutantOutcome) -> dict[str, Any]:
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
        "trials": [
            {
                "task": first.task,
                "first": _pair_json(first),
                "fresh": _pair_json(fresh[first.task]) if first.task in fresh else None,
            }
            for first in trials.screen
        ],
        "dropped": [{"task": each.task, "reason": each.reason} for each in trials.dropped],
    }


def _pair_json(pair: TrialPair) -> dict[str, dict[str, int]]:
    return {"baseline": _trials_json(pair.baseline), "mutant": _trials_json(pair.candidate)}


def _trials_json(trials: Trials) -> dict[str, int]:
    return {"passed": trials.passed, "made": trials.made}
