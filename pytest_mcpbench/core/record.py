"""Record of an attempt on disk, one JSON line."""

from typing import Literal, NamedTuple

from pydantic import Field, ValidationInfo, model_validator

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.score import Scorecard, Verdict
from pytest_mcpbench.core.scoring import Scoring
from pytest_mcpbench.core.tool_choice import ComparisonRow, ToolChoice

Outcome = Literal["passed", "failed", "error", "unscored"]


class AttemptKey(NamedTuple):
    """Identity of an attempt; attempts that differ only in the trial are trials of each other."""

    suite: str
    test: str | None
    task_id: str
    model: str
    trial: int
    file: str = ""
    """The file of the suite, as in node ids: suites of one name in different files are different suites."""
    arm: str = ""


def suite_file(node_id: str, test: str | None) -> str:
    """Return the file in the node id of a task's own item; empty for a test that a user wrote."""
    return "" if test else node_id.partition("::")[0]


def series(suite: str, test: str | None, arm: str = "") -> str:
    """Return the name under which attempts are aggregated: the suite, with the user's own test or the arm if any."""
    name = f"{suite} ({test})" if test else suite
    return f"{name} [{arm}]" if arm else name


class AttemptIdentity(FrozenModel):
    """The attempt that a record, an entry or a journal is about, and where its task stands."""

    suite: str
    task_id: str
    model: str
    trial: int = 1
    arm: str = ""
    """Arm of a comparison, such as ``baseline``; empty in a run without arms."""
    swept: dict[str, str] = Field(default_factory=dict)
    """Values of the conditions that ``--mcpbench-sweep`` varies, by name; they are part of :attr:`model` too."""
    node_id: str = ""
    source: str = ""
    """File of the task or test, relative to pytest's root directory; empty if it is outside of it."""
    line: int = 0
    """Line of the task or test in its file, from 1; 0 if it is not known."""
    test: str | None = None
    """Node id of the test that people wrote themselves, without the task; ``None`` for the suite's own."""

    @property
    def file(self) -> str:
        """Return the file of the suite; empty for a test that a user wrote, which is identified by its own node id."""
        return suite_file(self.node_id, self.test)

    @property
    def attempt(self) -> AttemptKey:
        """Return the key of the attempt."""
        return AttemptKey(self.suite, self.test, self.task_id, self.model, self.trial, self.file, self.arm)


class TimedAttempt(AttemptIdentity):
    """An attempt with its begin and duration, and the moment that orders its records."""

    started_at: str = ""
    """Moment at which the run that keeps the record reached the attempt, in ISO 8601 and UTC; empty if it is not known.

    Records are ordered by it, so that the last run to reach an attempt counts.
    """
    original_start: str = ""
    """Begin of an attempt that an earlier run or a crashed worker has made; empty for any other."""
    seconds: float = 0.0

    @property
    def begin(self) -> str:
        """Return the moment at which the attempt began, :attr:`seconds` before its end; empty if it is not known."""
        return self.original_start or self.started_at


class ErrorFacts(FrozenModel):
    """Error that prevented an attempt or its scores."""

    kind: str
    """Who must act: see :data:`pytest_mcpbench.core.errors.ErrorKind`."""
    message: str


class RunRecord(TimedAttempt):
    """An attempt with its scores; enough to score it again and to show it."""

    version: Literal[1, 2] = 2
    """Version of the file's line; reading converts version 1, which counts trials from 0."""
    task_hash: str
    settings_hash: str = ""
    """Digest of the settings that can change an attempt; resuming compares it."""
    outcome: Outcome
    """Outcome of the attempt, regardless of an expected failure in pytest."""
    verdicts: dict[Scoring, Verdict] = Field(default_factory=dict)
    """Verdict by each criterion of the suite, from the same scores; empty for an error and a suite without guards."""
    is_xfail: bool = False
    """True if the failure was expected (xfail)."""
    is_taken_over: bool = False
    """True if an earlier run has made the attempt, and the run of this record has taken it over."""
    error: ErrorFacts | None = None
    scorecard: Scorecard = Scorecard(scores={})
    evidence: AttemptEvidence | None = Field(None, alias="run")
    """``None`` if the attempt never started. The JSON key is ``run``."""
    failures: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Taxonomy (``rules``, ``atlas``, ``radar``, ``toolbench``) -> failure labels."""
    choice: ToolChoice | None = None
    """Tools and arguments beside those of the reference; ``None`` if the task says nothing about calls."""
    tags: dict[str, str] = Field(default_factory=dict)
    prompt: str = ""
    """The last user message."""
    turns: tuple[str, ...] = ()
    """All user messages in order; empty in records of version 0.1."""
    system_prompt: str = ""
    """Instructions and user's context that the agent reads before the first message."""
    expected: tuple[str, ...] = ()
    """The reference, a line a part, for reports."""
    comparison: tuple[ComparisonRow, ...] = ()
    """Reference calls and actual calls side by side, for reports."""

    @model_validator(mode="after")
    def _can_be_shown(self) -> "RunRecord":
        """Refuse values that no report can show, so that only the damaged line is left out, not the whole report."""
        without_score = self.scorecard.floors.keys() - self.scorecard.scores.keys()
        if without_score:
            raise ValueError(f"scorecard.floors: there is no score of {', '.join(sorted(without_score))}")
        return self

    @model_validator(mode="after")
    def _convert_version_1(self, info: ValidationInfo) -> "RunRecord":
        """Return the record with its trial counted from 1."""
        # Lines of 0.1 leave out what has its default value: the version, and the trial if it is the first.
        is_old = self.version == 1 or (info.mode == "json" and "version" not in self.model_fields_set)
        if not is_old:
            return self
        trial = self.trial + 1 if "trial" in self.model_fields_set else 1
        evidence = self.evidence and self.evidence.with_next_trial()
        return self.model_copy(update={"version": 2, "trial": trial, "evidence": evidence})

    @property
    def is_of_a_written_test(self) -> bool:
        """Return whether the attempt belongs to a test that a user wrote, and not to a task's own item.

        Records of version 0.1 may lack :attr:`test`; their node id is that of a Python file.
        """
        return self.test is not None or ".py::" in self.node_id
