"""Results of a run as reports read them: one small entry per attempt."""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, Field, JsonValue

from pytest_mcpbench.core.definition_tokens import Definitions, definition_sizes
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.gate.result import GateResult
from pytest_mcpbench.core.record import Outcome, RunRecord, TimedAttempt, series
from pytest_mcpbench.core.root_causes import NOT_COUNTED, root_cause
from pytest_mcpbench.core.score import Gap, Verdict
from pytest_mcpbench.core.scoring import Scoring
from pytest_mcpbench.core.suite import distinct_names, qualified_name
from pytest_mcpbench.core.tool_choice import ToolChoice
from pytest_mcpbench.core.trajectory import ANSWER_ORIGIN, ANSWERED_BY, UNCHECKED_PROGRAM
from pytest_mcpbench.core.usage import NO_USAGE, Usage
from pytest_mcpbench.statistics.groups import group_by

LONGEST_REASON = 300
"""Characters of a reason that an entry has; the record has all reasons in full."""


class RecordRef(FrozenModel):
    """Position of a record on disk."""

    file: str
    offset: int


class ToolUse(FrozenModel):
    """The calls of one tool in one attempt."""

    calls: int
    """Number of calls, except unsent calls, failures of the harness, and calls to servers that replay a recording."""
    successes: int


class PanelVotes(FrozenModel):
    """Votes of a panel of judges in one attempt."""

    labels: tuple[dict[str, str | None], ...] = ()
    """For each question, the label of each member; ``None``: it gave none."""
    decisions: tuple[str | None, ...] = ()
    """For each question, the label of the majority; ``None``: there is none."""
    usage: dict[str, Usage] = Field(default_factory=dict)
    """Usage of each member."""


_NO_VOTES = PanelVotes()


class CascadeStage(FrozenModel):
    """Work of one judge of a cascade in one attempt."""

    asked: int = 0
    """Number of questions."""
    decided: int = 0
    """Number of these on which it gave a label."""
    usage: Usage = NO_USAGE


# Fields of an entry that follow from the evidence of its attempt: each is declared with the function that computes it.


def _tool_use(evidence: AttemptEvidence) -> dict[str, ToolUse]:
    replayed = evidence.replayed_servers
    counted = [
        (f"{call.server or '?'}/{call.called}", cause)
        for call in evidence.calls
        if call.server not in replayed and (cause := root_cause(call)) not in NOT_COUNTED
    ]
    calls, successes = Counter(tool for tool, _ in counted), Counter(tool for tool, cause in counted if cause is None)
    return {tool: ToolUse(calls=count, successes=successes[tool]) for tool, count in calls.items()}


def _root_causes(evidence: AttemptEvidence) -> dict[str, int]:
    return dict(Counter(cause for call in evidence.calls if (cause := root_cause(call)) is not None))


def _repeated_calls(evidence: AttemptEvidence) -> int:
    return sum(call.result is not None and call.result.was_repeated for call in evidence.calls)


def _panel_votes(evidence: AttemptEvidence) -> PanelVotes:
    judged = [verdict for verdict in evidence.verdicts.values() if verdict.votes]
    if not judged:
        return _NO_VOTES
    usage: dict[str, Usage] = {}
    for vote in (vote for verdict in judged for vote in verdict.votes):
        usage[vote.judge] = usage.get(vote.judge, NO_USAGE) + vote.usage
    return PanelVotes(
        labels=tuple({vote.judge: vote.label for vote in verdict.votes} for verdict in judged),
        decisions=tuple(verdict.label for verdict in judged),
        usage=usage,
    )


def _cascade_stages(evidence: AttemptEvidence) -> dict[str, CascadeStage]:
    stages = [stage for verdict in evidence.verdicts.values() for stage in verdict.stages]
    return {
        judge: CascadeStage(
            asked=len(group),
            decided=sum(stage.label is not None for stage in group),
            usage=sum((stage.usage for stage in group), NO_USAGE),
        )
        for judge, group in group_by(stages, lambda stage: stage.judge).items()
    }


@dataclass(frozen=True)
class _OfEvidence:
    """Annotation of a field with its value for an attempt."""

    compute: Callable[[AttemptEvidence], Any]


class Entry(TimedAttempt):
    """Summary of an attempt for aggregates, small enough to be sent between processes.

    A field that :class:`~pytest_mcpbench.core.record.RunRecord` has too is copied from the record.
    """

    outcome: Outcome
    verdicts: dict[Scoring, Verdict] = Field(default_factory=dict)
    """Verdict by each criterion of the suite; empty for an error and a suite without guards."""
    is_xfail: bool = False
    """True if the failure was expected (xfail)."""
    is_taken_over: bool = False
    """True if an earlier run has made the attempt."""
    scores: dict[str, float | None] = Field(default_factory=dict)
    """``None``: no value, see :attr:`unscored`."""
    unscored: dict[str, str] = Field(default_factory=dict)
    """Metric -> reason why it has no value."""
    gaps: dict[str, Gap] = Field(default_factory=dict)
    """Metric -> kind of its missing value, of those whose value is missing for a reason that reports tell apart."""
    not_applicable: tuple[str, ...] = ()
    """Metrics of :attr:`unscored` that have nothing to measure in this task, and no floor."""
    counts: dict[str, dict[str, float]] = Field(default_factory=dict)
    """Metric -> counts that micro averages pool."""
    floors: dict[str, float] = Field(default_factory=dict)
    reason: str = ""
    """First reason of the first score below its floor, at most :data:`LONGEST_REASON` characters."""
    usage: Annotated[Usage, _OfEvidence(lambda evidence: evidence.trajectory.usage)] = NO_USAGE
    """Usage of the agent."""
    judge_usage: Annotated[Usage, _OfEvidence(lambda evidence: evidence.judge_usage)] = NO_USAGE
    user_usage: Annotated[Usage, _OfEvidence(lambda evidence: evidence.user_usage)] = NO_USAGE
    """Usage of the model that plays the user."""
    # pydantic copies a default that cannot be hashed for each entry; a factory lets all of them share one.
    panel: Annotated[PanelVotes, _OfEvidence(_panel_votes)] = Field(default_factory=lambda: _NO_VOTES)
    """Empty if a single judge, or none, gave the verdicts."""
    cascade: Annotated[dict[str, CascadeStage], _OfEvidence(_cascade_stages)] = Field(default_factory=dict)
    """Judge -> its work; empty if the judge is no cascade."""
    steps: Annotated[int, _OfEvidence(lambda evidence: len(evidence.trajectory.steps))] = Field(0, alias="rounds")
    """Number of messages of the agent, with or without calls; the rounds of a trajectory are those with calls."""
    tool_calls: Annotated[int, _OfEvidence(lambda evidence: len(evidence.calls))] = 0
    tags: dict[str, str] = Field(default_factory=dict)
    failures: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    choice: ToolChoice | None = None
    """Tools and arguments beside those of the reference."""
    tool_use: Annotated[dict[str, ToolUse], _OfEvidence(_tool_use)] = Field(default_factory=dict)
    """``server/tool`` -> its calls."""
    root_causes: Annotated[dict[str, int], _OfEvidence(_root_causes)] = Field(default_factory=dict)
    """Root cause -> number of the failed calls that have it."""
    definitions: Annotated[dict[str, Definitions], _OfEvidence(lambda evidence: definition_sizes(evidence.tools))] = (
        Field(default_factory=dict)
    )
    """Server -> size of its exposed tool definitions."""
    offered: dict[str, Definitions] = Field(default_factory=dict)
    """Server -> size of all of its tool definitions, exposed or not."""
    restarts: Annotated[dict[str, int], _OfEvidence(lambda evidence: evidence.notes.restarts)] = Field(
        default_factory=dict
    )
    """Shared server -> number of its restarts that this attempt has noted."""
    repeated_calls: Annotated[int, _OfEvidence(_repeated_calls)] = 0
    """Number of calls that were made once more, because their server was lost during the call."""
    answered_by: Annotated[str | None, _OfEvidence(lambda evidence: evidence.trajectory.notes.get(ANSWERED_BY))] = None
    """Version of the model as its provider names it in the reply; ``None`` if it names none."""
    unchecked_program: Annotated[
        str | None, _OfEvidence(lambda evidence: evidence.trajectory.notes.get(UNCHECKED_PROGRAM))
    ] = None
    """Version of the program as an agent, if another one was checked."""
    answer_origin: Annotated[str | None, _OfEvidence(lambda evidence: evidence.trajectory.notes.get(ANSWER_ORIGIN))] = (
        None
    )
    """For ``oracle``: where its answer comes from, see :data:`~pytest_mcpbench.core.trajectory.ANSWER_ORIGIN`."""
    error: str | None = None
    error_kind: str | None = None
    record: RecordRef | None = None

    @property
    def is_unanswered(self) -> bool:
        """Return true for an error before any reply of a model, so that its usage says nothing about attempts."""
        return self.outcome == "error" and self.usage == NO_USAGE

    @property
    def why_unscored(self) -> str:
        """Return which metrics lack the value that a floor asks for, and why."""
        missing = (f"{name}: {self.unscored[name]}" for name in self.floors if name in self.unscored)
        return "; ".join(missing) or "the test was skipped"

    @property
    def needs_reader(self) -> bool:
        """Return whether the attempt is unscored for want of a reader: a model as judge decides it."""
        return self.outcome == "unscored" and any(self.gaps.get(name) == "needs_reader" for name in self.floors)

    @property
    def is_replayed(self) -> bool:
        """Return whether the servers replayed a recording, which hides whether a call would succeed."""
        return "replayed" in self.gaps.values()

    def under(self, scoring: Scoring) -> "Entry":
        """Return the entry with the outcome by a criterion; unchanged for an error and a suite without guards."""
        return self.model_copy(update={"outcome": self.verdicts.get(scoring, self.outcome)})

    @property
    def series(self) -> str:
        """Return the series of the attempt: see :func:`~pytest_mcpbench.core.record.series`."""
        return series(self.suite, self.test, self.arm)

    @classmethod
    def of(cls, record: RunRecord, ref: RecordRef | None = None) -> "Entry":
        """Return the entry of a record."""
        scores = record.scorecard.scores
        evidence = record.evidence
        facts = {} if evidence is None else {name: compute(evidence) for name, compute in _OF_EVIDENCE.items()}
        offered = None if evidence is None else evidence.notes.offered_definitions
        return cls(
            **{name: getattr(record, name) for name in _OF_RECORD},
            **facts,
            offered=offered or facts.get("definitions", {}),
            scores={name: score.value for name, score in scores.items()},
            unscored={name: score.unscored for name, score in scores.items() if score.unscored is not None},
            gaps={name: score.gap for name, score in scores.items() if score.gap is not None},
            not_applicable=tuple(
                name for name, score in scores.items() if not score.applies and name not in record.scorecard.floors
            ),
            counts={name: score.counts for name, score in scores.items() if score.counts},
            floors=record.scorecard.floors,
            reason=record.scorecard.main_reason[:LONGEST_REASON],
            error=record.error.message if record.error else None,
            error_kind=record.error.kind if record.error else None,
            record=ref,
        )

    def as_json(self) -> dict[str, Any]:
        """Return plain JSON: any other value in a report would kill a worker of xdist."""
        return self.model_dump(mode="json")


_OF_EVIDENCE: dict[str, Callable[[AttemptEvidence], Any]] = {
    name: note.compute
    for name, field in Entry.model_fields.items()
    for note in field.metadata
    if isinstance(note, _OfEvidence)
}
_OF_RECORD = tuple(name for name in Entry.model_fields if name in RunRecord.model_fields and name != "error")


class SharedParts:
    """Pool of the parts that entries have in common: attempts at a task, and of a model, are mostly alike.

    An entry that shares its parts needs about 3 kB, and one with parts of its own about 20 kB.
    """

    def __init__(self) -> None:
        # One pool for each field, because 1, 1.0 and True are equal.
        self._parts: dict[str, dict[Hashable, Any]] = defaultdict(dict)
        self._fields = set(Entry.model_fields)

    def share(self, entry: Entry) -> Entry:
        """Return an equal entry whose parts are those of earlier entries where they are equal."""
        parts = {name: self._parts[name].setdefault(_key(part), part) for name, part in vars(entry).items()}
        return Entry.model_construct(self._fields, **parts)


def _key(part: Any) -> Hashable:
    """Return a key of a part, which may contain dictionaries."""
    if isinstance(part, BaseModel):
        return _key(vars(part))
    if isinstance(part, dict):
        return tuple((name, _key(value)) for name, value in part.items())
    return tuple(map(_key, part)) if isinstance(part, tuple) else part


class Report(FrozenModel):
    """All attempts of a run, in the order in which they were reported."""

    entries: tuple[Entry, ...] = ()
    facts: dict[str, JsonValue] = Field(default_factory=dict)
    """Content of ``run.json``: settings, versions, hashes."""
    directory: str | None = None
    """Directory of the records."""
    gates: tuple[GateResult, ...] = ()
    """Verdicts on the arms of a comparison."""
    damaged: int = 0
    """Number of lines of the records and journals that cannot be read, and are left out."""


def with_distinct_suites(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Return the entries with their suites named so that suites of one name in different files are told apart."""
    every = [(short_suite_name(entry), entry) for entry in entries]
    names = distinct_names((name, entry.file) for name, entry in every if not entry.test)
    return tuple(entry.model_copy(update={"suite": names.get((name, entry.file), name)}) for name, entry in every)


def short_suite_name(entry: Entry) -> str:
    """Return the name of the entry's suite without the file that tells it apart from others."""
    return entry.suite.removesuffix(qualified_name("", entry.file)) if entry.file else entry.suite
