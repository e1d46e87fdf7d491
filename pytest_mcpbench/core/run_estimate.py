"""Estimate of the requests, tokens and cost of attempts, before a model is asked."""

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from statistics import fmean
from typing import Literal

from pytest_mcpbench.core.definition_tokens import definition_tokens
from pytest_mcpbench.core.prompt import conversation, tool_message
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.task import Limits, Task
from pytest_mcpbench.core.tool import Call, ToolSpec
from pytest_mcpbench.core.trajectory import Step
from pytest_mcpbench.core.usage import Usage
from pytest_mcpbench.text.token_estimate import estimate_tokens

REPLY_TOKENS = 150
"""Tokens of one message of a model, without history: some words and the arguments of a call."""
RESULT_TOKENS = 250
"""Tokens of one result, without history: between 104 (toolbench) and 686 (persona) in shipped suites."""
MESSAGE_TOKENS = 25
"""Tokens of a message of a user who answers, without history."""

Role = Literal["agent", "judge", "user"]
Cost = Callable[[Usage], float | None]
"""Function that returns the USD of one request; ``None`` if the price is unknown."""


@dataclass(frozen=True)
class EstimatedTask:
    """Tokens that each request of an attempt at a task contains, whatever the agent does."""

    turns: tuple[int, ...]
    """Tokens of instructions, user messages and recorded replies at the beginning of each turn."""
    tools: int
    """Tokens of the definitions of the exposed tools."""
    limits: Limits
    forgets: bool = False
    """Whether later turns see the recorded replies of earlier ones in place of the agent's own."""
    most_turns: int | None = None
    """Turns that a user who answers may open; ``None``: those of the task."""

    @property
    def most_requests(self) -> int | None:
        """Return the number of requests if every turn uses its limit of rounds; ``None`` without a limit."""
        return None if self.limits.rounds is None else self.limits.rounds * (self.most_turns or len(self.turns))


@dataclass(frozen=True)
class Pace:
    """Mean sizes of attempts, of earlier ones or assumed."""

    requests: float
    """Requests of an attempt."""
    written: float
    """Tokens that the model writes in each."""
    carried: float
    """Tokens of the agent's earlier messages and their results that all requests of an attempt repeat."""
    scale: float = 1.0
    """Tokens of the provider for each estimated one."""
    cached: float = 0.0
    """Share of the tokens read that the provider had cached."""
    seconds: float | None = None
    """Duration of an attempt."""


@dataclass(frozen=True)
class Load:
    """Requests of one attempt or of many, with the tokens that the model reads and writes in them."""

    requests: float = 0.0
    read: float = 0.0
    written: float = 0.0
    cached: float = 0.0
    """Tokens among those read."""

    def __add__(self, other: "Load") -> "Load":
        return Load(
            self.requests + other.requests,
            self.read + other.read,
            self.written + other.written,
            self.cached + other.cached,
        )

    def cost_usd(self, cost: Cost) -> float | None:
        """Return the cost, with requests of equal size."""
        if not self.requests:
            return 0.0
        mean = Usage(
            input_tokens=round(self.read / self.requests),
            output_tokens=round(self.written / self.requests),
            cached_tokens=round(self.cached / self.requests),
        )
        each = cost(mean)
        return None if each is None else each * self.requests


@dataclass(frozen=True)
class AttemptEstimate:
    """Load and cost of one attempt, or of the judge's questions about it."""

    typical: Load = Load()
    most: Load | None = Load()
    """Load if every limit is used; ``None`` without a limit of rounds."""
    cost_usd: float | None = 0.0
    most_cost_usd: float | None = 0.0
    seconds: float | None = None

    @classmethod
    def of(cls, size: EstimatedTask, pace: Pace, cost: Cost) -> "AttemptEstimate":
        """Return the estimate of an attempt at a task."""
        typical, most = typical_load(size, pace), most_load(size, pace)
        limit = size.limits.cost_usd
        about = typical.cost_usd(cost)
        most_cost = most.cost_usd(cost) if most is not None else limit if about is not None else None
        return cls(typical, most, _least(about, limit), _least(most_cost, limit), pace.seconds)

    @classmethod
    def of_loads(cls, typical: Load, most: Load, cost: Cost, limit: float | None = None) -> "AttemptEstimate":
        """Return the estimate of what a judge or a user's model is asked in an attempt; ``limit``: USD at most."""
        return cls(typical, most, _least(typical.cost_usd(cost), limit), _least(most.cost_usd(cost), limit))

    @classmethod
    def of_programs(cls, attempts: Sequence[RunRecord], limits: Limits) -> "AttemptEstimate":
        """Return the mean of earlier attempts of a program, whose requests nobody else knows."""
        usages = [record.evidence.trajectory.usage for record in attempts if record.evidence is not None]
        steps = [len(record.evidence.trajectory.steps) for record in attempts if record.evidence is not None]
        load = Load(
            fmean(steps),
            fmean([usage.input_tokens or 0 for usage in usages]),
            fmean([usage.output_tokens or 0 for usage in usages]),
            fmean([usage.cached_tokens or 0 for usage in usages]),
        )
        whole = total(usage.cost_usd for usage in usages)
        about = None if whole is None else _least(whole / len(usages), limits.cost_usd)
        most = limits.cost_usd if about is not None else None
        return cls(load, None, about, most, fmean([record.seconds for record in attempts]))


@dataclass(frozen=True)
class SeriesEstimate:
    """Estimate of all attempts of one model, or all questions to one judge, in a suite."""

    suite: str
    model: str
    attempts: tuple[AttemptEstimate, ...]
    source: str
    """Where the numbers come from."""
    unknown: tuple[str, ...] = ()
    """One reason for each attempt that cannot be estimated."""
    role: Role = "agent"
    """Part that the model plays."""

    @property
    def is_judge(self) -> bool:
        return self.role == "judge"

    @property
    def typical(self) -> Load:
        return sum((attempt.typical for attempt in self.attempts), Load())

    @property
    def cost_usd(self) -> float | None:
        """Return the cost of all attempts; ``None`` if that of any is unknown."""
        return None if self.unknown else total(attempt.cost_usd for attempt in self.attempts)

    @property
    def most_cost_usd(self) -> float | None:
        """Return the cost if every attempt uses its limits; ``None`` if there is none, or the price is unknown."""
        return None if self.unknown else total(attempt.most_cost_usd for attempt in self.attempts)

    @property
    def seconds(self) -> float | None:
        """Return the duration of all attempts, one after the other; ``None`` if that of any is unknown."""
        return None if self.unknown else total(attempt.seconds for attempt in self.attempts)


@dataclass(frozen=True)
class RunEstimate:
    """Estimate of a run."""

    series: tuple[SeriesEstimate, ...]
    reused: int = 0
    """Attempts that a resumed run takes over."""
    concurrency: int = 1

    @property
    def cost_usd(self) -> float | None:
        return total(each.cost_usd for each in self.series)

    @property
    def most_cost_usd(self) -> float | None:
        return total(each.most_cost_usd for each in self.series)

    @property
    def seconds(self) -> float | None:
        """Return the duration with as many attempts at once as the run has; ``None`` if it is unknown."""
        whole = total(each.seconds for each in self.series if each.role == "agent")
        return None if whole is None else whole / self.concurrency


def total(parts: Iterable[float | None]) -> float | None:
    """Return the sum; ``None`` if any part is unknown."""
    known = list(parts)
    return None if None in known else math.fsum(part for part in known if part is not None)


def _least(cost: float | None, limit: float | None) -> float | None:
    """Return the smaller of cost and limit; an unknown cost stays unknown, because its limit cannot be enforced."""
    return cost if cost is None or limit is None else min(cost, limit)


def task_size(task: Task, tools: Sequence[ToolSpec]) -> EstimatedTask:
    """Return the size of a task with its briefing and limits."""
    turns = [
        sum(_message_tokens(message.text, message.calls) for message in conversation(task, [()] * count, tools))
        for count in range(1, len(task.turns) + 1)
    ]
    while len(turns) < reference_turns(task):
        turns.append(turns[-1] + MESSAGE_TOKENS)
    forgets = any(turn.gold for turn in task.turns)
    most_turns = task.user.turns if task.user is not None else None
    return EstimatedTask(tuple(turns), definition_tokens(tools).total, task.limits or Limits(), forgets, most_turns)


def reference_turns(task: Task) -> int:
    """Return the number of turns of a task, or of its reference's conversation with a user who answers."""
    return max(len(task.turns), len(task.expected.replies))


def pace_of_reference(task: Task) -> Pace:
    """Return the pace of an agent that makes the reference calls of each turn, group by group, and then answers."""
    added: list[list[float]] = [[] for _ in range(reference_turns(task))]
    for group in task.expected.calls:
        turn = added[min(group.turn, len(added) - 1)]
        turn.append(REPLY_TOKENS + RESULT_TOKENS * len(group.calls))
    for turn in added:
        turn.append(REPLY_TOKENS)
    forgets = any(turn.gold for turn in task.turns)
    return Pace(sum(map(len, added)), REPLY_TOKENS, _carried(added, forgets=forgets))


def pace_of_attempts(attempts: Sequence[RunRecord], size: Callable[[RunRecord], EstimatedTask | None]) -> Pace:
    """Return the mean pace of attempts with evidence.

    Args:
        attempts: One attempt at least.
        size: Function that returns the size of an attempt's task as this run has it; ``None`` for other tasks.
    """
    traces = [_Trace.of(record, size(record)) for record in attempts]
    steps = [step for trace in traces for step in trace.steps]
    # Tokens that the provider counted, with those of its reasoning, or an estimate.
    written = [
        _message_tokens(step.text, step.calls) if step.usage.output_tokens is None else step.usage.output_tokens
        for step in steps
    ]
    measured = [trace for trace in traces if trace.read is not None]
    simulated = sum(trace.simulated for trace in measured)
    read = sum(trace.read or 0 for trace in measured)
    return Pace(
        requests=len(steps) / len(traces),
        written=fmean(written) if written else REPLY_TOKENS,
        carried=fmean([trace.carried for trace in traces]),
        scale=read / simulated if simulated and read else 1.0,
        cached=sum(trace.cached for trace in measured) / read if read else 0.0,
        seconds=fmean([record.seconds for record in attempts]),
    )


def typical_load(size: EstimatedTask, pace: Pace) -> Load:
    """Return the load of an attempt at the mean pace, within its limits."""
    if size.most_requests is not None and pace.requests >= size.most_requests:
        return most_load(size, pace) or Load()
    return _within(size.limits, _load(size, pace))


def most_load(size: EstimatedTask, pace: Pace) -> Load | None:
    """Return the load of an attempt that uses all rounds of all turns; ``None`` without a limit of rounds.

    Results have their mean size, and so have replies unless their length is limited.
    """
    requests = size.most_requests
    if requests is None:
        return None
    # The tokens carried grow with the square of the requests.
    pairs = pace.requests * (pace.requests - 1)
    growth = pace.carried / pairs if pairs > 0 and pace.carried else (REPLY_TOKENS + RESULT_TOKENS) / 2
    carried = growth * requests * (requests - 1)
    written = size.limits.output_tokens or pace.written
    return _within(size.limits, _load(size, replace(pace, requests=requests, carried=carried, written=written)))


def _load(size: EstimatedTask, pace: Pace) -> Load:
    fixed = pace.requests * (size.tools + fmean(size.turns))
    read = pace.scale * (fixed + pace.carried)
    return Load(pace.requests, read, pace.requests * pace.written, read * pace.cached)


def _within(limits: Limits, load: Load) -> Load:
    """Return the load, reduced to the limit of tokens of an attempt."""
    tokens = load.read + load.written
    share = min(1.0, limits.total_tokens / tokens) if limits.total_tokens and tokens else 1.0
    return Load(load.requests * share, load.read * share, load.written * share, load.cached * share)


@dataclass(frozen=True)
class _Trace:
    """Tokens of one earlier attempt: those that the provider counted, and those estimated in the same way as here."""

    steps: tuple[Step, ...]
    carried: float
    simulated: float
    read: int | None
    cached: int

    @classmethod
    def of(cls, record: RunRecord, size: EstimatedTask | None) -> "_Trace":
        assert record.evidence is not None
        trajectory = record.evidence.trajectory
        if size:
            turns = size.turns
        else:
            messages = record.turns or (record.prompt,)
            tokens_of_turns = [estimate_tokens(text) for text in (record.system_prompt, *messages)]
            turns = tuple(accumulate(tokens_of_turns))[1:]
        most = size.limits.result_characters if size else None
        added: list[list[float]] = [[] for _ in turns]
        for step in trajectory.steps:
            results = (tool_message(call, most).text for call in step.calls)
            added_tokens = _message_tokens(step.text, step.calls) + sum(map(estimate_tokens, results))
            added[min(step.turn, len(turns) - 1)].append(added_tokens)
        carried = _carried(added, forgets=size.forgets if size else False)
        tools = definition_tokens(record.evidence.tools).total
        fixed = sum(len(steps) * (tools + tokens) for steps, tokens in zip(added, turns, strict=True))
        usage = trajectory.usage
        return cls(trajectory.steps, carried, fixed + carried, usage.input_tokens, usage.cached_tokens or 0)


def _carried(turns: Sequence[Sequence[float]], *, forgets: bool) -> float:
    """Return the tokens that requests repeat of earlier requests and their results.

    Args:
        turns: Tokens that each request of each turn adds to the conversation.
        forgets: Whether a turn begins without what the agent added in the earlier ones.
    """
    conversations = turns if forgets else [[tokens for turn in turns for tokens in turn]]
    return math.fsum(
        tokens * (len(added) - 1 - position) for added in conversations for position, tokens in enumerate(added)
    )


def _message_tokens(text: str, calls: Iterable[Call]) -> int:
    tokens = estimate_tokens(text)
    for call in calls:
        arguments = call.raw_arguments or json.dumps(call.arguments, ensure_ascii=False)
        tokens += estimate_tokens(call.name) + estimate_tokens(arguments)
    return tokens
