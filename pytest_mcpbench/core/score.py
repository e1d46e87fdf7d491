"""Scores with their reasons, the interface of the metrics that give them, and floors, by which a scorecard decides."""

import traceback
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from types import CodeType
from typing import Literal, Protocol, runtime_checkable

from pydantic import Field, PrivateAttr, ValidationInfo, model_validator

from pytest_mcpbench.core.errors import McpBenchError, MetricError, SourceLocation, relative_path
from pytest_mcpbench.core.evidence import REPLAYED, AttemptEvidence
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.judgement import JUDGE_NEEDED, NO_JUDGE_ASKED, UNDECIDED, Question
from pytest_mcpbench.core.scoring import NO_CRITERIA, Criteria, Scoring
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Expected, Task
from pytest_mcpbench.core.trajectory import UNPLAYABLE

_MOST_CHARACTERS = 200


def metric_error(name: str, metric: object, error: Exception) -> MetricError:
    """Return a metric error with the stack frames from the metric's call on; call it in the ``except`` block."""
    what = " ".join(f"{type(error).__name__}: {error}".split())
    return MetricError(f"raised {what[:_MOST_CHARACTERS]}", name, location_of(metric), tuple(_frames(error)))


def location_of(metric: object) -> SourceLocation | None:
    """Return the file, relative to the working directory, and the line of a function or of a class' ``__call__``."""
    calls = (vars(each)["__call__"] for each in type(metric).__mro__ if "__call__" in vars(each))
    function = metric if hasattr(metric, "__code__") else next(calls, None)
    code: CodeType | None = getattr(function, "__code__", None)
    return SourceLocation(relative_path(code.co_filename), line=code.co_firstlineno) if code is not None else None


def _frames(error: Exception) -> Iterator[str]:
    """Yield all frames except the first, which is the caller's."""
    for frame in traceback.extract_tb(error.__traceback__)[1:]:
        yield f"  {relative_path(frame.filename)}:{frame.lineno}: in {frame.name}: {frame.line}"


class UnscoredError(ValueError):
    """A score that does not exist was compared with a number."""


class NotApplicableError(UnscoredError):
    """A score of a metric that has nothing to measure in the task was compared with a number."""


Gap = Literal["needs_reader", "replayed"]
"""Kind of a missing value. ``needs_reader``: no rule decides free words, and a model as judge can. ``replayed``: the
servers replay a recording, which does not show the value."""

_GAPS_OF_TEXTS: dict[str, Gap] = {
    UNDECIDED: "needs_reader",
    NO_JUDGE_ASKED: "needs_reader",
    JUDGE_NEEDED: "needs_reader",
    REPLAYED: "replayed",
}
"""Kinds of missing values by words of the reason, of metrics of users and of earlier records that have only these."""


def _gap_of(reason: str) -> Gap | None:
    return next((gap for text, gap in _GAPS_OF_TEXTS.items() if text in reason), None)


class Score(FrozenModel):
    """A number from 0 to 1, higher is better, or ``None`` with the reason why there is none."""

    value: float | None = Field(ge=0, le=1)
    reasons: tuple[str, ...] = ()
    """Why the value is what it is, with the reasons for losses before those for full marks: reports show the first."""
    unscored: str | None = None
    """Why there is no value."""
    gap: Gap | None = None
    """Kind of the missing value, for reports that tell kinds apart; ``None`` for any other reason."""
    applies: bool = True
    """``False``: there is no value because nothing was asked for (a task without a reference answer), and nobody has to
    act. Aggregates count such attempts apart from those whose score could not be computed."""
    counts: dict[str, float] = Field(default_factory=dict)
    """Numerators and denominators that aggregates pool (``hits``, ``called``, ``expected``, …)."""

    @model_validator(mode="after")
    def _fill_gap(self, info: ValidationInfo) -> "Score":
        """Return a stored score with the kind of its missing value, if only its reason is stored."""
        if self.unscored is None or self.gap is not None or info.mode != "json":
            return self
        gap = _gap_of(self.unscored)
        return self if gap is None else self.model_copy(update={"gap": gap})

    @classmethod
    def of(cls, value: float, reasons: Iterable[str] = (), **counts: float) -> "Score":
        return cls(value=value, reasons=tuple(reasons), counts=counts)

    @classmethod
    def verdict(cls, is_right: bool, reasons: Iterable[str] = ()) -> "Score":
        """Return a score of 1 or 0."""
        return cls(value=float(is_right), reasons=tuple(reasons))

    @classmethod
    def share(cls, part: float, whole: float, reasons: Iterable[str] = ()) -> "Score":
        """Return ``part / whole``; ``whole`` must not be 0: what an empty whole means is the metric's to say."""
        return cls(value=part / whole, reasons=tuple(reasons), counts={"part": part, "whole": whole})

    @classmethod
    def missing(cls, why: str, gap: Gap | None = None) -> "Score":
        """Return an unscored score: there should be a value, but it could not be computed."""
        return cls(value=None, unscored=why, gap=gap or _gap_of(why))

    @classmethod
    def not_applicable(cls, why: str, gap: Gap | None = None) -> "Score":
        """Return no value, because the metric has nothing to measure here."""
        return cls(value=None, unscored=why, gap=gap or _gap_of(why), applies=False)

    def __ge__(self, other: float) -> bool:
        return self._known() >= other

    def __gt__(self, other: float) -> bool:
        return self._known() > other

    def __le__(self, other: float) -> bool:
        return self._known() <= other

    def __lt__(self, other: float) -> bool:
        return self._known() < other

    def __eq__(self, other: object) -> bool:
        if isinstance(other, int | float):
            return self._known() == other
        return super().__eq__(other)

    __hash__ = None  # type: ignore[assignment]  # it has a mapping of counts

    def __float__(self) -> float:
        return self._known()

    def _known(self) -> float:
        if self.value is None and not self.applies:
            raise NotApplicableError(f"not applicable: {self.unscored}")
        if self.value is None:
            raise UnscoredError(f"unscored: {self.unscored}")
        return self.value


Verdict = Literal["passed", "failed", "unscored"]


class Scorecard(FrozenModel):
    """The scores of one attempt, with the least value that each must reach."""

    scores: dict[str, Score]
    floors: dict[str, float] = Field(default_factory=dict)
    """The floors that decide."""
    criteria: dict[Scoring, dict[str, float]] = Field(default_factory=dict)
    """Floors of the suite by criterion, whichever of them decides; empty for a suite without guards."""
    _compute: Callable[[str], Score] | None = PrivateAttr(None)

    def computing(self, compute: Callable[[str], Score]) -> "Scorecard":
        """Return the scorecard that computes further metrics by name when they are asked for.

        ``compute`` raises :class:`KeyError` for the name of a metric that does not exist.
        """
        scorecard = self.model_copy()
        scorecard._compute = compute
        return scorecard

    def __getitem__(self, metric: str) -> Score:
        if metric in self.scores:
            return self.scores[metric]
        if self._compute is None:
            raise KeyError(f"no metric {metric!r} was computed; there are: {', '.join(sorted(self.scores))}")
        return self._compute(metric)

    def __contains__(self, metric: str) -> bool:
        return metric in self.scores

    @property
    def main_reason(self) -> str:
        """Return the first reason of the first score below its floor; empty without one."""
        reasons = (reason for name in self.shortfalls for reason in self.scores[name].reasons)
        return next(reasons, "")

    @property
    def shortfalls(self) -> tuple[str, ...]:
        """Return metrics that have a floor and are below it."""
        return tuple(name for name, floor in self.floors.items() if is_below(self.scores[name].value, floor))

    @property
    def unscored(self) -> tuple[str, ...]:
        """Return metrics that have a floor and no value."""
        return tuple(name for name in self.floors if self.scores[name].value is None)

    @property
    def passed(self) -> bool:
        """Return whether every floor is reached; an unscored metric reaches none."""
        return not self.shortfalls and not self.unscored

    @property
    def verdict(self) -> Verdict:
        """Return the verdict of the floors that decide."""
        return "failed" if self.shortfalls else "unscored" if self.unscored else "passed"

    @property
    def verdicts(self) -> dict[Scoring, Verdict]:
        """Return the verdict by each criterion of the suite."""
        return {name: Scorecard(scores=self.scores, floors=floors).verdict for name, floors in self.criteria.items()}


def is_below(value: float | None, floor: float) -> bool:
    """Return whether a score is below its floor. A score that a sum of floats puts just under its floor is not."""
    return value is not None and value < floor - 1e-12


Metric = Callable[[Task, AttemptEvidence], Score]
"""A pure function; one with settings is a frozen dataclass with ``__call__``."""


@runtime_checkable
class JudgedMetric(Protocol):
    """A metric that needs verdicts: it names its questions, which are asked before it is called."""

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score: ...

    def questions(self, task: Task, evidence: AttemptEvidence) -> tuple[Question, ...]:
        """Return the questions for the judge, given evidence without verdicts."""
        ...


@runtime_checkable
class ConditionalMetric(Protocol):
    """A metric whose floor holds for some attempts only."""

    def has_floor(self, task: Task, evidence: AttemptEvidence) -> bool:
        """Return whether a floor of the metric holds for the attempt."""
        ...


def _apply(name: str, metric: Metric, task: Task, evidence: AttemptEvidence) -> Score:
    try:
        result: object = metric(task, evidence)
    except McpBenchError:
        raise
    except Exception as error:
        raise metric_error(name, metric, error) from error
    if not isinstance(result, Score):
        raise MetricError(f"returned {result!r}, not a Score; {_suggestion(result)}", name, location_of(metric))
    return result


def _suggestion(result: object) -> str:
    """Return advice on what the metric should have returned."""
    if isinstance(result, bool):
        return f"return Score.verdict({result})"
    if isinstance(result, int | float):
        return f"return Score.of({result!r})"
    return "return Score.of(number) or, where there is no value, Score.missing(why)"


def scorecard(
    task: Task,
    evidence: AttemptEvidence,
    metrics: Mapping[str, Metric],
    floors: Mapping[str, float],
    criteria: Criteria = NO_CRITERIA,
) -> Scorecard:
    """Return the scores of all metrics for an attempt; none has a value if the agent could not attempt the task.

    Raises:
        MetricError: a metric raised an error or returned something else than a score.
    """
    unplayable = evidence.trajectory.notes.get(UNPLAYABLE)
    if unplayable is not None:
        scores = dict.fromkeys(metrics, Score.missing(unplayable))
    else:
        scores = {name: _apply(name, metric, task, evidence) for name, metric in metrics.items()}
    return scorecard_of(scores, floors, criteria, waived_floors(metrics, task, evidence))


def waived_floors(metrics: Mapping[str, Metric], task: Task, evidence: AttemptEvidence) -> frozenset[str]:
    """Return the metrics whose floor does not hold for an attempt."""
    return frozenset(
        name
        for name, metric in metrics.items()
        if isinstance(metric, ConditionalMetric) and not metric.has_floor(task, evidence)
    )


def scorecard_of(
    scores: Mapping[str, Score],
    floors: Mapping[str, float],
    criteria: Criteria = NO_CRITERIA,
    waived: Collection[str] = (),
) -> Scorecard:
    """Return the scorecard of computed scores, without the waived floors.

    A criterion that needs a score that is missing gives no verdict.
    """
    return Scorecard(
        scores=dict(scores),
        floors={name: floor for name, floor in floors.items() if name in scores and name not in waived},
        criteria={
            criterion: {name: floor for name, floor in least.items() if name not in waived}
            for criterion, least in criteria.items()
            if least.keys() <= scores.keys()
        },
    )


# Floors: the least values that a task's scores must reach.


def floors_of(task: Task, suite: SuiteManifest) -> Mapping[str, float]:
    """Return the suite's floors, overridden by the task's; if neither has any, the implied floors."""
    return {**suite.floors, **task.floors} or implied_floors(task.expected)


def criteria_of(task: Task, suite: SuiteManifest) -> dict[Scoring, dict[str, float]]:
    """Return the floors of each criterion; none if neither the suite nor the task has guards."""
    guards = {**suite.guards, **task.guards}
    if not guards:
        return {}
    floors = dict(floors_of(task, suite))
    return {"paper": floors, "guarded": floors | guards}


def implied_floors(expected: Expected) -> dict[str, float]:
    """Return a floor for each expected part: ``coverage`` 0.75 for claims, 1 for the metric of any other part."""
    parts = {
        "ast": (expected.calls, 1.0),
        "route": (expected.forbidden_tools, 1.0),
        "answer": (expected.answer is not None or expected.answer_check is not None, 1.0),
        "coverage": (expected.claims, 0.75),
        "sr": (expected.checkpoints, 1.0),
        "exec": (expected.exec, 1.0),
        "state": (expected.state, 1.0),
        "verify": (expected.verify, 1.0),
        "conversation": (expected.conversation, 1.0),
        "elicitation": (expected.elicitations, 1.0),
        "resources": (expected.resources, 1.0),
        "skill_triggered": (expected.loads, 1.0),
    }
    return {metric: floor for metric, (part, floor) in parts.items() if part}
