"""Benchmark tasks: requests, permitted servers, limits, expectations."""

import hashlib
import json
import re
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, JsonValue, field_serializer, field_validator, model_validator

from pytest_mcpbench.core.context.path import Path, PathSyntaxError
from pytest_mcpbench.core.elicitation import ElicitationCheck, ElicitationRule
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.simulated_user import ConversationCheck, SimulatedUser
from pytest_mcpbench.core.skill import Skill
from pytest_mcpbench.core.world import Effect
from pytest_mcpbench.text.bounded_pattern import pattern_fault

Floor = Annotated[float, Field(ge=0, le=1)]
"""The least value that a score, which is from 0 to 1, must reach."""


class Limits(FrozenModel):
    """Limits of one attempt; ``None`` means no limit."""

    rounds: int | None = Field(20, ge=1)
    """Model calls of one user turn."""
    tool_calls: int | None = Field(100, ge=0)
    """Tool calls of one user turn."""
    seconds: float | None = Field(1800.0, gt=0)
    output_tokens: int | None = Field(None, ge=1)
    """Tokens that the model may write in one reply."""
    total_tokens: int | None = Field(None, ge=1)
    """Input and output tokens of the complete attempt."""
    cost_usd: float | None = Field(None, gt=0)
    repeats: int | None = Field(None, ge=1)
    """Number of identical consecutive calls after which the attempt is stopped."""
    result_characters: int | None = Field(None, ge=1)
    """Length at which a tool result is truncated for the model; the trajectory keeps the full text."""


class SimilarTool(FrozenModel):
    """Alternative tool that is accepted in place of the expected one."""

    tool: str
    server: str | None = None


class ArgumentMatcher(FrozenModel):
    """Values that are accepted for one argument of a reference call: exactly one of the five kinds."""

    at: tuple[str | int, ...] = Field(min_length=1)
    """Keys and indexes that lead to the value inside the arguments; the arguments hold an example there."""
    regex: str | None = None
    """A regular expression that matches the complete text."""
    near: float | None = None
    within: float = Field(0.0, ge=0)
    """``near``: the largest difference."""
    one_of: tuple[JsonValue, ...] = ()
    any: bool = False
    """Any value; the argument must be given."""
    ignore: bool = False
    """Any value, or none."""

    @model_validator(mode="after")
    def _has_one_kind(self) -> "ArgumentMatcher":
        kinds = [self.regex is not None, self.near is not None, bool(self.one_of), self.any, self.ignore]
        if sum(kinds) != 1:
            raise ValueError("a matcher has exactly one of regex, near, one_of, any, ignore")
        return self

    def __repr__(self) -> str:
        if self.regex is not None:
            return f"<text that matches {self.regex!r}>"
        if self.near is not None:
            return f"<{self.near:g} ± {self.within:g}>"
        if self.one_of:
            return f"<one of {', '.join(map(repr, self.one_of))}>"
        return "<any value>" if self.any else "<any value or none>"


class ExpectedCall(FrozenModel):
    """A reference call."""

    id: str = ""
    """Id by which other calls refer to its result (``<id_result>``); ``"1"``, ``"2"``, … by default."""
    tool: str
    server: str | None = None
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    matchers: tuple[ArgumentMatcher, ...] = ()
    """Arguments that are not compared with the reference's values, which are examples of what is accepted."""
    optional: frozenset[str] = frozenset()
    """Arguments that a call may leave out although the reference has them."""
    similar_tools: tuple[SimilarTool, ...] = ()
    result: str | None = None
    """The tool's result when the reference was recorded."""
    is_error_expected: bool = False
    """Whether the call is meant to return an error; ``oracle`` reports any other call of the reference that does."""
    is_unused_expected: bool = False
    """Whether the call belongs to the reference although nothing uses its result; ``oracle`` reports any other."""

    @field_serializer("optional", when_used="json")
    def _sort_optional(self, optional: frozenset[str]) -> list[str]:
        # The order of a set differs from process to process, and with it the hash of the task would.
        return sorted(optional)


class CallGroup(FrozenModel):
    """Reference calls that may be made in parallel: one assistant message."""

    calls: tuple[ExpectedCall, ...]
    turn: int = 0
    """Index of the user turn that they belong to."""


class Checkpoint(FrozenModel):
    """A statement that a judge (or a rule) answers about the attempt."""

    text: str


class ExecCheckpoint(FrozenModel):
    """A checkpoint of MCP-Persona that is decided by results and state (paper 3.4)."""

    kind: Literal["personalized_search", "generic_search", "operate", "other"]
    """``other``: neither; a successful call of ``tool`` is all that can be checked."""
    value: JsonValue = None
    """Reference value of a search, decoded from JSON if possible."""
    tool: str | None = None
    operation: Literal["create", "modify", "delete", "other"] | None = None
    summary: str = ""
    contexts: tuple[tuple[str, str], ...] = ()
    """Pairs (server, context id) of the trees that an operation concerns."""
    collection: str | None = None
    """Path of the collection that an operation must change, if known."""
    entity: str | None = None
    """Id of the entity that an operation concerns, if known."""
    fields: dict[str, JsonValue] = Field(default_factory=dict)
    """Field values that the created or changed entity must have."""
    contains: tuple[tuple[str, ...], ...] = ()
    """Texts that the entity must contain, each in at least one of several spellings."""

    @property
    def takes_any_tool(self) -> bool:
        """Whether the change is described, so that any tool may make it."""
        is_change = self.kind == "operate" and self.operation in ("create", "modify", "delete")
        return is_change and bool(self.collection or self.fields or self.contains)


class StateCheck(FrozenModel):
    """One statement about the world after the attempt: exactly one of the five verbs, with a path."""

    created: str | None = None
    updated: str | None = None
    deleted: str | None = None
    unchanged: str | None = None
    equals: str | None = None
    world: str | None = None
    """Name of the server whose world is checked; optional if the task has one server."""
    where: dict[str, JsonValue] = Field(default_factory=dict)
    """Fields that the created or updated entity must hold, by dotted name."""
    value: JsonValue = None
    """Expected value at the path, for ``equals``."""
    count: int | None = Field(None, ge=0)
    """How many entities must match; default: at least one."""

    @property
    def verb(self) -> str:
        return next(verb for verb in _VERBS if getattr(self, verb) is not None)

    @property
    def path(self) -> str:
        return str(getattr(self, self.verb))

    def model_post_init(self, _context: Any) -> None:
        given = [verb for verb in _VERBS if getattr(self, verb) is not None]
        if len(given) != 1:
            raise ValueError(
                f"a state check has exactly one of {', '.join(_VERBS)}; this one has {', '.join(given) or 'none'}"
            )
        if self.equals is not None and "value" not in self.model_fields_set:
            raise ValueError("`equals` needs a `value` to compare with; write `value: null` for nothing")
        try:
            Path.parse(self.path)
        except PathSyntaxError as error:
            raise ValueError(str(error)) from error


_VERBS = ("created", "updated", "deleted", "unchanged", "equals")


class VerifyCheck(FrozenModel):
    """Check of a real server by its own read tool after the attempt."""

    tool: str
    server: str | None = None
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    path: str | None = None
    """Dotted path into the decoded result; ``None`` means the complete result."""
    equals: JsonValue = None
    """The expected value; ``null`` is a value too, so look at :attr:`compares_value` first."""
    contains: str | None = None

    @property
    def compares_value(self) -> bool:
        """Return whether the check has the field ``equals``, even with the value null."""
        return "equals" in self.model_fields_set

    @field_validator("path")
    @classmethod
    def _a_path_can_be_read(cls, path: str | None) -> str | None:
        if path is not None and _NO_DOTTED_PATH.search(_INDEXED.sub(".0", path).removeprefix(".")):
            raise ValueError(
                f"{path!r} is not a path; write names and indexes with dots between, as in 'items.0.title'"
            )
        return path


_INDEXED = re.compile(r"\[\d+\]")
_NO_DOTTED_PATH = re.compile(r"[\[\]]|^\.|\.$|\.\.")


class PreparingCall(FrozenModel):
    """A call that brings a server into the state from which a task starts, or back into it."""

    tool: str
    server: str | None = None
    """Optional if one server offers the tool."""
    arguments: dict[str, JsonValue] = Field(default_factory=dict)


class AnswerCheck(FrozenModel):
    """A check of an answer in sentences: exactly one of the five kinds."""

    contains: tuple[str, ...] = ()
    """Texts that must all occur, as whole words, without regard to case."""
    regex: str | None = None
    """A regular expression that must be found."""
    number: float | None = Field(None, allow_inf_nan=False)
    """The only number, besides those of the request, that the answer states."""
    one_of: tuple[str, ...] = ()
    exact: str | None = None
    tolerance: float = Field(0.0, ge=0, allow_inf_nan=False)
    """``number``: the largest difference."""
    example: str | None = None
    """An answer that passes, for ``oracle``; needed for ``regex`` only."""

    @property
    def kind(self) -> str:
        """Return the kind of the check, the name of the field that is set."""
        return next(kind for kind in ANSWER_KINDS if getattr(self, kind) not in (None, ()))

    @property
    def right_answer(self) -> str:
        """Return an answer that passes."""
        value = getattr(self, self.kind)
        if self.example is not None or self.kind == "regex":
            return self.example or ""
        return " ".join(value) if self.kind == "contains" else value[0] if self.kind == "one_of" else f"{value}"

    @model_validator(mode="after")
    def _has_one_kind(self) -> "AnswerCheck":
        kinds = [kind for kind in ANSWER_KINDS if getattr(self, kind) not in (None, ())]
        if len(kinds) != 1:
            raise ValueError(f"an answer has exactly one of {', '.join(ANSWER_KINDS)}; this one has {len(kinds)}")
        if fault := pattern_fault(self.regex or ""):
            raise ValueError(fault)
        return self


ANSWER_KINDS = ("contains", "regex", "number", "one_of", "exact")


class Derivation(FrozenModel):
    """How the answer, and arguments of reference calls, follow from results; only ``oracle`` uses it."""

    calls: tuple[ExpectedCall, ...] = ()
    """Calls that find the answer, after the reference calls; no metric compares them, because others find it too."""
    shown: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Id of a call -> texts that its result must have before the answer is given."""
    answer: str | None = None
    """Jinja template of the answer; ``results[3]`` is the decoded result of the call with the id ``3``. ``None``: what
    the task expects, which follows from the texts that were shown."""
    arguments: dict[str, dict[str, JsonValue]] = Field(default_factory=dict)
    """Id of a call -> argument -> its value, in which texts are templates."""

    @field_validator("arguments", "shown", mode="before")
    @classmethod
    def _ids_are_texts(cls, by_id: Any) -> Any:
        return {str(key): value for key, value in by_id.items()} if isinstance(by_id, dict) else by_id

    @model_validator(mode="after")
    def _the_answer_follows_from_something(self) -> "Derivation":
        if self.answer is None and not self.shown:
            raise ValueError("write `answer`, a template over the results, or `shown`, texts that results must have")
        return self


class Expected(FrozenModel):
    """Expectations of a task; each metric reads the parts that it needs."""

    calls: tuple[CallGroup, ...] = ()
    open_reference: str | None = None
    """Reason why the reference calls cannot be made: values that their author left open."""
    answer: str | None = None
    """The final answer, which the agent writes between ``<answer>`` tags."""
    answer_check: AnswerCheck | None = None
    """A check of the final text, for answers in sentences."""
    derivation: Derivation | None = None
    """The way from the results to the answer; without it ``oracle`` recites what the task expects."""
    claims: tuple[str, ...] = ()
    checkpoints: tuple[Checkpoint, ...] = ()
    exec: tuple[ExecCheckpoint, ...] = ()
    state: tuple[StateCheck, ...] = ()
    effects: tuple[Effect, ...] | None = None
    """The changes that the reference attempt makes; ``None``: not recorded, empty: nothing may change."""
    verify: tuple[VerifyCheck, ...] = ()
    conversation: tuple[ConversationCheck, ...] = ()
    elicitations: tuple[ElicitationCheck, ...] = ()
    resources: tuple[str, ...] = ()
    """URIs of the resources that the agent has to read."""
    loads: tuple[str, ...] | Literal["none"] | None = None
    """Names of the skills that the agent has to load, and no others; ``"none"``: it must load none of those offered."""
    replies: tuple[str, ...] = ()
    """What the reference says to a user that answers, turn by turn, for ``oracle``."""
    forbidden_tools: tuple[str, ...] | Literal["all"] = ()
    """Tools that must not be called; ``"all"``: the right thing is to call none."""

    @field_validator("loads")
    @classmethod
    def _an_empty_list_says_nothing(cls, loads: tuple[str, ...] | str | None) -> tuple[str, ...] | str | None:
        if loads == ():
            raise ValueError('an empty list says nothing; name the skills, or write "none"')
        return loads

    @model_validator(mode="after")
    def _a_derivation_refers_to_calls(self) -> "Expected":
        if self.derivation is not None:
            played = (call for group in self.played_groups() for call in group.calls)
            known = {call.id or str(number) for number, call in enumerate(played, 1)}
            if unknown := sorted({*self.derivation.arguments, *self.derivation.shown} - known):
                raise ValueError(f"derivation: no call is called {', '.join(unknown)}")
        return self

    @property
    def flat_calls(self) -> tuple[ExpectedCall, ...]:
        """Return all reference calls in order, without their grouping."""
        return tuple(call for group in self.calls for call in group.calls)

    def played_groups(self, last_turn: int = 0) -> tuple[CallGroup, ...]:
        """Return the groups of calls that ``oracle`` makes: the reference calls, and those of the derivation.

        The latter belong to the last turn, in which it gives the answer.
        """
        if self.derivation is None:
            return self.calls
        numbered = enumerate(self.derivation.calls, len(self.flat_calls) + 1)
        found = (call if call.id else call.model_copy(update={"id": str(number)}) for number, call in numbered)
        return (*self.calls, *(CallGroup(calls=(call,), turn=last_turn) for call in found))


class Message(FrozenModel):
    """One message of a recorded conversation, as in ``Turn.gold``."""

    role: Literal["assistant", "tool"]
    text: str = ""
    calls: tuple[ExpectedCall, ...] = ()
    """The calls of an assistant message."""
    call_id: str | None = None
    """The ``id`` of the call that a tool message answers."""


class Turn(FrozenModel):
    """One user message."""

    user: str
    gold: tuple[Message, ...] = ()
    """The recorded reply with calls and results, which later turns see in place of the agent's (teacher forcing)."""


def _inside(name: str) -> str:
    path = PurePosixPath(name)
    if path.is_absolute() or not path.parts or ".." in path.parts:
        raise ValueError("a file of an attempt lies in its directory: write a relative path without '..'")
    return name


FileName = Annotated[str, AfterValidator(_inside)]


class Context(FrozenModel):
    """Context of a task: facts about the user, and the initial state of the servers' worlds."""

    necessary: dict[str, str] = Field(default_factory=dict)
    unnecessary: tuple[str, ...] = ()
    seeds: dict[str, JsonValue] = Field(default_factory=dict)
    """Server -> initial tree of its world, or the name of one of the server's seeds."""
    files: str | dict[FileName, str] | None = None
    """Directory that is copied into the attempt's sandbox directory, relative to the suite; or texts by file name."""
    git: bool | str = False
    """Whether the sandbox directory is a git repository, whose only commit has the files; or a file, relative to the
    suite, with the history of the repository as ``git fast-export`` writes it."""
    now: str | None = None
    """The frozen clock, ISO 8601."""
    is_public: bool = False
    """Whether the seeds are a benchmark's own; fields that a server does not read are then a warning, not an error."""


class Source(FrozenModel):
    """Origin of a task."""

    file: str = ""
    place: str = ""
    """File with line or index, for messages."""
    upstream_id: str | None = None
    """The record's own id, if it could not be used as the task's id."""


class Task(FrozenModel):
    """One benchmark task; ``id`` is unique within its suite."""

    id: str = Field(pattern=r"^[A-Za-z0-9_.-]+$")
    turns: tuple[Turn, ...] = Field(min_length=1)
    user: SimulatedUser | None = None
    """User that answers the agent; ``None``: the user says :attr:`turns` and nothing else."""
    elicit: tuple[ElicitationRule, ...] = ()
    """Answers of the user to questions of servers (elicitation); the first rule that expects a question answers it."""
    system: str | None = None
    """System prompt; ``None``: that of the suite, if it has one."""
    skills: tuple[str, ...] = ()
    """Documents for the agent, besides those of the suite; relative to the suite."""
    offered_skills: tuple[Skill, ...] = ()
    """Those of them that the agent may load, as read from disk: none if they are shown whole."""
    servers: tuple[str, ...] = ()
    """Names of the servers that the task works on; empty: all of the suite."""
    tools: tuple[str, ...] | Literal["all"] = "all"
    """Exposed names that the agent may use, or ``"all"`` tools of its servers."""
    context: Context = Context()
    setup: tuple[PreparingCall, ...] = ()
    """Calls that are made before the attempt, which does not see them."""
    reset: tuple[PreparingCall, ...] = ()
    """Calls that are made after the attempt, whatever its outcome."""
    limits: Limits | None = None
    """``None``: those of the suite."""
    expected: Expected = Expected()
    floors: dict[str, Floor] = Field(default_factory=dict)
    """Metric -> least value; overrides and adds to those of the suite."""
    guards: dict[str, Floor] = Field(default_factory=dict)
    """Metric -> least value that the scoring ``guarded`` asks for besides; overrides and adds to those of the suite."""
    tags: dict[str, str] = Field(default_factory=dict)
    proposal: str | None = None
    """What its author has to do before it is a task; until then only ``oracle`` attempts it."""
    source: Source = Source()

    @model_validator(mode="after")
    def _a_user_that_answers_begins_once(self) -> "Task":
        if self.user is not None and len(self.turns) > 1:
            raise ValueError("a task with a `user` has one message of its own, the first; the user writes the others")
        return self

    @field_validator("tools")
    @classmethod
    def _an_empty_list_is_no_choice(cls, tools: tuple[str, ...] | str) -> tuple[str, ...] | str:
        if not tools:
            raise ValueError('an empty list exposes no tool; name the tools, or write "all"')
        return tools

    @property
    def request(self) -> str:
        """Return all user messages, each on lines of its own."""
        return "\n".join(turn.user for turn in self.turns)

    @property
    def prompt(self) -> str:
        """Return the last user message."""
        return self.turns[-1].user

    @property
    def hash(self) -> str:
        """Return a digest of everything that can change an attempt at the task, which excludes its source."""
        # Fields that later versions have added are left out at their default, so that tasks keep their digests.
        excluded: dict[str, Any] = {"source": True, "proposal": True}
        if not self.context.git:
            excluded["context"] = {"git": True}
        if expected := self._expectations_not_in_hash:
            excluded["expected"] = expected
        later = ("setup", "reset", "user", "elicit", "guards", "offered_skills")
        not_in_hash = excluded | {name: True for name in later if not getattr(self, name)}
        content = self.model_dump(mode="json", exclude=not_in_hash)
        return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:16]

    @property
    def _expectations_not_in_hash(self) -> dict[str, Any]:
        has_matchers = any(call.matchers for call in self.expected.flat_calls)
        later = ("conversation", "elicitations", "resources", "loads", "replies")
        unset: dict[str, Any] = {name: True for name in later if not getattr(self.expected, name)}
        if (derivation := self.expected.derivation) is not None:
            unset["derivation"] = {name: True for name in ("calls", "shown") if not getattr(derivation, name)}
        return unset if has_matchers else unset | _MATCHERS


_MATCHERS: Any = {"calls": {"__all__": {"calls": {"__all__": {"matchers"}}}}}
