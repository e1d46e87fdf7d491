"""An attempt: its plan, with those who take part in it, and its result."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from pytest_mcpbench.agents.agent import Agent
from pytest_mcpbench.agents.users.dialogue import User
from pytest_mcpbench.attempt.arena import Arena
from pytest_mcpbench.attempt.cassettes.tape_ref import TapeRef
from pytest_mcpbench.attempt.components import AttemptComponents
from pytest_mcpbench.core.definition_tokens import definition_sizes
from pytest_mcpbench.core.errors import McpBenchError, StorageError, error_with_place
from pytest_mcpbench.core.evidence import AttemptEvidence, AttemptNotes, ServerFacts, VerifyResult
from pytest_mcpbench.core.judgement import Judge, Question
from pytest_mcpbench.core.planning import AttemptPlan
from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.core.trajectory import Trajectory
from pytest_mcpbench.core.world import WorldRecord
from pytest_mcpbench.runs.evidence_journal import EvidenceJournal, JournalEntry, find_entry

QuestionsOf = Callable[[Task, AttemptEvidence], Iterable[Question]]


@dataclass(frozen=True)
class Attempt:
    """A plan with everything else that is needed to run it.

    The plan says what is attempted, by which model, under which limits and with which floors. Agent (with settings such
    as its temperature), judge and user are objects of one process, which the plan knows by name at most.
    """

    plan: AttemptPlan
    agent: Agent
    sandbox: Sandbox
    questions: QuestionsOf
    """Function that returns the questions of the metrics about the evidence."""
    judge: Judge | None = None
    user: User | None = None
    """User that answers the agent; ``None`` if the user's messages are those of the task."""
    tape: TapeRef | None = None
    """Where the attempt is recorded, or replayed from."""
    components: AttemptComponents | None = None
    """References from which another process builds agent and judge; ``None`` if only this process can."""
    local_only_reason: str = ""
    """Reason, for people, why only this process can run the attempt."""
    journal: EvidenceJournal | None = None
    """Journal in which the evidence is stored when the attempt ends."""


@dataclass(frozen=True)
class AttemptResult:
    """Outcome of one attempt: the collected evidence and, if it failed, the error."""

    evidence: AttemptEvidence
    error: McpBenchError | None = None
    seconds: float = 0.0
    """Duration from opening the servers to the last verdict, without the wait for a free slot."""


@dataclass
class PartialEvidence:
    """Evidence of an attempt as it is collected step by step, so that a failed attempt keeps it up to its error."""

    plan: AttemptPlan
    sandbox: Sandbox
    trajectory: Trajectory | None = None
    tools: tuple[ToolSpec, ...] = ()
    servers: tuple[ServerFacts, ...] = ()
    unavailable_tools: tuple[str, ...] = ()
    worlds: tuple[WorldRecord, ...] = ()
    verified: tuple[VerifyResult, ...] = ()
    notes: AttemptNotes = field(default_factory=AttemptNotes)

    def see_arena(self, arena: Arena) -> None:
        """Collect what an open arena shows."""
        self.tools, self.servers, self.unavailable_tools = arena.tools, arena.servers, arena.unavailable_tools
        offered = arena.offered
        self.notes = AttemptNotes(
            arena=arena.notes,
            dispatcher=arena.dispatch,
            # Of tools that are all exposed the sizes are known.
            offered_definitions=definition_sizes(offered) if len(offered) > len(arena.tools) else {},
        )

    def see_changes(self, arena: Arena) -> None:
        """Collect the tools that servers have added meanwhile."""
        first = {tool.name for tool in self.tools}
        self.tools = (*self.tools, *(tool for name, tool in arena.changes.added.items() if name not in first))
        self.notes = self.notes.model_copy(update={"arena": (*arena.notes, *arena.changes.notes)})

    @property
    def evidence(self) -> AttemptEvidence:
        """Return the evidence so far, with ``{sandbox}`` for the attempt's directory."""
        description = self.plan.description
        evidence = AttemptEvidence(
            task_id=self.plan.task.id,
            model=description.model,
            trial=description.trial,
            trajectory=self.trajectory or Trajectory(),
            tools=self.tools,
            worlds=self.worlds,
            verified=self.verified,
            servers=self.servers,
            unavailable_tools=self.unavailable_tools,
            notes=self.notes,
        )
        return self.sandbox.portable(evidence)

    def note_restarts(self, restarts: Mapping[str, int]) -> None:
        """Note restarts of shared servers, if there were any."""
        if restarts:
            self.notes = self.notes.model_copy(update={"restarts": dict(restarts)})

    def failed(self, error: McpBenchError, seconds: float) -> AttemptResult:
        """Return the result of an attempt that an error ended, with the agent's steps up to it."""
        self.trajectory = self.trajectory or error.trajectory
        return AttemptResult(self.evidence, error, seconds=seconds)


def store_result(attempt: Attempt, result: AttemptResult) -> AttemptResult:
    """Store the evidence of a finished attempt; return the result, with an error if it cannot be stored."""
    try:
        store_evidence(attempt, result.evidence, result.seconds)
    except StorageError as error:
        return replace(result, error=error)
    except Exception as failure:
        # The evidence still reaches the record of the item.
        problem = f"the journal could not be written: {error_with_place(failure)}"
        return replace(result, error=McpBenchError(problem))
    return result


def store_evidence(attempt: Attempt, evidence: AttemptEvidence, seconds: float) -> None:
    """Append the evidence to the journal of the attempt, if it has one. Raises StorageError if that is impossible."""
    if attempt.journal is not None:
        plan = attempt.plan
        attempt.journal.append(
            JournalEntry(attempt=plan.description, task=plan.task, seconds=seconds, evidence=evidence)
        )


def stored_result(attempt: Attempt) -> AttemptResult | None:
    """Return the result of an attempt whose process was lost after it had stored the evidence."""
    entry = find_entry(attempt.journal.directory, attempt.plan.description) if attempt.journal is not None else None
    return AttemptResult(entry.evidence, seconds=entry.seconds) if entry is not None else None
