"""Estimates of the attempts of a run: their tasks, tools, prices and earlier attempts, without asking a model."""

import functools
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_mcpbench.agents.users.model import user_messages
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.core.chat import Exchange
from pytest_mcpbench.core.errors import McpBenchError
from pytest_mcpbench.core.model_names import JUDGES_WITHOUT_MODEL, external_agent, is_in_process, panel_members
from pytest_mcpbench.core.planning import first_message_task
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.run_estimate import (
    MESSAGE_TOKENS,
    REPLY_TOKENS,
    RESULT_TOKENS,
    AttemptEstimate,
    Cost,
    EstimatedTask,
    Load,
    Pace,
    RunEstimate,
    SeriesEstimate,
    pace_of_attempts,
    pace_of_reference,
    reference_turns,
    task_size,
)
from pytest_mcpbench.core.simulated_user import SimulatedUser
from pytest_mcpbench.core.speed import Speed
from pytest_mcpbench.core.task import Limits, Task
from pytest_mcpbench.core.trajectory import Conversation
from pytest_mcpbench.core.usage import NO_USAGE, Usage
from pytest_mcpbench.core.variant import model_of
from pytest_mcpbench.models.rate_limited_model import RateLimitedModel
from pytest_mcpbench.options.settings import Settings
from pytest_mcpbench.plugin.collection.item_fixtures import uses_default_agent
from pytest_mcpbench.plugin.collection.jobs import Job, job_of_item
from pytest_mcpbench.plugin.execution.participants import model_plays_user
from pytest_mcpbench.plugin.execution.session import Session
from pytest_mcpbench.reporting.aggregates.spending import short_speed
from pytest_mcpbench.runs.history import AttemptHistory, History
from pytest_mcpbench.runs.lookup import runs_of_project
from pytest_mcpbench.statistics.groups import group_by
from pytest_mcpbench.text.token_estimate import estimate_tokens

_OWN_AGENT = "it has an agent of the project's own"
_NO_MODEL = "asks no model"
_NEW_PROGRAM = "it decides itself what it asks its model, and no earlier attempt of it at this suite is known"

Sized = EstimatedTask | str
"""Size of a task, or why it cannot be attempted."""


class RunEstimator:
    """Estimator of the attempts of items."""

    def __init__(self, settings: Settings, session: Session, root: Path, local_models: Collection[str] = ()) -> None:
        self._local = local_models
        self._settings = settings
        self._session = session
        self._root = root
        self._sizes: dict[tuple[int, str], Sized] = {}

    def estimate(self, items: Iterable[pytest.Item]) -> RunEstimate:
        """Return the estimate of the attempts that a run of the items makes."""
        every = [(item, job) for item in items if not any(item.iter_markers("skip")) and (job := job_of_item(item))]
        new = [(item, job) for item, job in every if job.loaded.task is None or not self._session.earlier.has(job)]
        groups = group_by(new, lambda pair: (pair[1].suite.name, pair[1].model))
        series = [each for pairs in groups.values() for each in self._series(pairs)]
        return RunEstimate(tuple(series), len(every) - len(new), self._settings.concurrency)

    def _series(self, pairs: Sequence[tuple[pytest.Item, Job]]) -> Iterable[SeriesEstimate]:
        """Yield the estimate of a model in a suite, and that of its judge if it is a model."""
        jobs = [job for item, job in pairs if not self._has_own_agent(item, job)]
        yield self._of_agent(pairs[0][1], jobs, [_OWN_AGENT] * (len(pairs) - len(jobs)))
        judged = [job for _, job in pairs if job.loaded.task is not None and self._asks_judge(job)]
        if judged:
            for judge in panel_members(judged[0].judge):
                if judge not in JUDGES_WITHOUT_MODEL:
                    yield self._of_judge(judged, judge)
        # A user whose messages come from a cassette, or for an agent that is not asked, costs nothing either.
        talks = [job for _, job in pairs if self._settings.replay is None and model_plays_user(job)]
        if talks:
            yield self._of_user(talks)

    def _of_agent(self, job: Job, jobs: Sequence[Job], unknown: Sequence[str]) -> SeriesEstimate:
        if self._settings.replay is not None or is_in_process(job.written_model, self._settings.aliases):
            source = "replies are replayed" if self._settings.replay is not None else _NO_MODEL
            return SeriesEstimate(job.suite.name, job.model, (AttemptEstimate(),) * len(jobs), source, tuple(unknown))
        if external_agent(job.written_model, self._settings.aliases) is not None:
            return self._of_program(job, jobs, unknown)
        self._measure(jobs)
        sizes = [(each, self._sizes[_key(each)]) for each in jobs]
        sized = [(each, size) for each, size in sizes if isinstance(size, EstimatedTask)]
        problems = [size for _, size in sizes if isinstance(size, str)]
        history = self._history.of(job.suite.name, job.model, model_of(job.model, job.variant.values))
        paces = self._paces(sized, history)
        # A local model without earlier attempts at the suite: its measured speed tells how long they take.
        is_new_here = job.written_model in self._local and not (history and history.is_same_model)
        speed = self._history.speed(job.written_model) if is_new_here else None
        cost = self._cost(job.written_model)
        attempts = [AttemptEstimate.of(size, paces[each.loaded.id], cost) for each, size in sized]
        source = self._source(history, paces.values(), job.written_model)
        if is_new_here:
            attempts = [replace(each, seconds=_seconds(each.typical, speed and speed[1])) for each in attempts]
            if speed is None:
                source += "; how fast the model is on this machine is not known before its first run"
            else:
                source += f"; time at the speed in {_shown(speed[0], self._root)}: {short_speed(speed[1])}"
        return SeriesEstimate(job.suite.name, job.model, tuple(attempts), source, (*unknown, *problems))

    def _of_program(self, job: Job, jobs: Sequence[Job], unknown: Sequence[str]) -> SeriesEstimate:
        """Return the means of the program's own earlier attempts; without any, nothing is known."""
        history = self._history.of_model(job.suite.name, job.model, model_of(job.model, job.variant.values))
        if history is None:
            reasons = (*unknown, *[_NEW_PROGRAM] * len(jobs))
            return SeriesEstimate(job.suite.name, job.model, (), "not known before its first run", reasons)
        own = group_by(history.attempts, lambda record: record.task_id)
        limits = [_task(each).limits or Limits() for each in jobs]
        attempts = [
            AttemptEstimate.of_programs(own.get(each.loaded.id, history.attempts), limit)
            for each, limit in zip(jobs, limits, strict=True)
        ]
        source = f"means of its {len(history.attempts)} attempts in {_shown(history.run, self._root)}"
        return SeriesEstimate(job.suite.name, job.model, tuple(attempts), source, tuple(unknown))

    def _of_user(self, jobs: Sequence[Job]) -> SeriesEstimate:
        """Return the estimate of the model that plays the users of the tasks."""
        job, name = jobs[0], jobs[0].user
        cost = self._cost(name)
        history = self._history.of(job.suite.name, job.model, model_of(job.model, job.variant.values))
        earlier = conversations_with(name, history.attempts if history is not None else ())
        own = group_by(earlier, lambda record: record.task_id)
        attempts = [
            user_estimate(each.task, each.task.user, cost, own.get(each.loaded.id, earlier))
            for each in jobs
            if each.task.user is not None
        ]
        basis = (
            f"as in {len(earlier)} conversations in {_shown(history.run, self._root)}"
            if history is not None and earlier
            else "as many as the reference has replies, or half of the user's `turns`; at most, all of them"
        )
        source = f"messages of the user {basis}; {_about_price(cost)}"
        return SeriesEstimate(job.suite.name, name, tuple(attempts), source, role="user")

    def _of_judge(self, jobs: Sequence[Job], name: str) -> SeriesEstimate:
        job = jobs[0]
        cost = self._cost(name)
        attempts = tuple(judge_estimate(each.task, cost) for each in jobs)
        count = sum(questions(each.task) for each in jobs)
        source = (
            f"{count} claims and checkpoints, of {QUESTION.read:.0f} tokens and {QUESTION.written:.0f} in the "
            f"reply each; stored verdicts are not asked for again; {_about_price(cost)}"
        )
        return SeriesEstimate(job.suite.name, name, attempts, source, role="judge")

    def _asks_judge(self, job: Job) -> bool:
        is_model = any(name not in JUDGES_WITHOUT_MODEL for name in panel_members(job.judge))
        return (
            is_model
            and self._settings.replay is None
            and not job.suite.route
            and bool(self._session.scorer.judged_metrics(job))
        )

    def _has_own_agent(self, item: pytest.Item, job: Job) -> bool:
        if not uses_default_agent(item):
            return True
        if external_agent(job.written_model, self._settings.aliases) is not None:
            return False
        try:
            agent = self._session.agents.agent(job.written_model, job.settings)
        except McpBenchError:
            # A missing key, for example: the estimate needs none.
            return False
        return not self._session.agents.is_built_in(agent)

    def _cost(self, model: str) -> Cost:
        made = self._session.models.models.get(model)
        if not isinstance(made, RateLimitedModel):
            return lambda _usage: 0.0
        price = made.price
        return price.cost if price is not None else lambda _usage: None

    def _measure(self, jobs: Sequence[Job]) -> None:
        """Measure the tasks that are not known yet; a server is asked for its tools once."""
        new = {_key(job): job for job in jobs if _key(job) not in self._sizes}
        if new:
            self._sizes |= self._session.local.executor.call(lambda pool: _sizes(pool, new))

    def _paces(self, sized: Sequence[tuple[Job, EstimatedTask]], history: History | None) -> Mapping[str, Pace]:
        """Return the pace of each task: of its own earlier attempts, of those of its suite, or of its reference."""
        if history is None:
            return {job.loaded.id: pace_of_reference(_task(job)) for job, _ in sized}
        known = {job.task.hash: size for job, size in sized}

        def size(record: RunRecord) -> EstimatedTask | None:
            return known.get(record.task_hash)

        mean = pace_of_attempts(history.attempts, size)
        own = group_by(history.attempts, lambda record: record.task_id)
        return {
            task: replace(pace_of_attempts(own[task], size), scale=mean.scale, cached=mean.cached)
            if task in own
            else mean
            for task in (job.loaded.id for job, _ in sized)
        }

    def _source(self, history: History | None, paces: Iterable[Pace], model: str) -> str:
        price = _about_price(self._cost(model))
        if history is None:
            return (
                "no earlier attempt of a model is known: a request for each group of reference calls and one for the "
                f"answer, {REPLY_TOKENS} tokens a reply and {RESULT_TOKENS} a result; {price}"
            )
        scale = next(iter(paces), Pace(0, 0, 0)).scale
        return (
            f"requests, replies and results as in {len(history.attempts)} attempts of {history.about} in "
            f"{_shown(history.run, self._root)}; {scale:.2f} tokens of the provider for each estimated one; {price}"
        )

    @functools.cached_property
    def _history(self) -> AttemptHistory:
        further = [run for run in (self._settings.resume, self._settings.out) if run is not None]
        return AttemptHistory(runs_of_project(self._root, *further))


async def _sizes(pool: ServerPool, jobs: Mapping[tuple[int, str], Job]) -> dict[tuple[int, str], Sized]:
    return {key: await _size(pool, job) for key, job in jobs.items()}


async def _size(pool: ServerPool, job: Job) -> Sized:
    if job.loaded.task is None:
        return str(job.loaded.error or "the record is no task")
    task = _task(job)
    try:
        return task_size(task, await pool.exposed_tools(task, job.suite))
    except McpBenchError as error:
        return str(error)


def _task(job: Job) -> Task:
    """Return the task as the agent sees it."""
    return first_message_task(job.task) if job.suite.route else job.task


def _key(job: Job) -> tuple[int, str]:
    return id(job.suite), job.loaded.id


def _seconds(load: Load, speed: Speed | None) -> float | None:
    """Return the time in which a model of this speed reads and writes; ``None`` if the speed is unknown."""
    if speed is None or speed.read_per_second is None or speed.written_per_second is None:
        return None
    computed = load.read * (1 - (speed.cached_share or 0.0))
    return computed / speed.read_per_second + load.written / speed.written_per_second


def _about_price(cost: Cost) -> str:
    million = cost(Usage(input_tokens=1_000_000, output_tokens=0)), cost(Usage(input_tokens=0, output_tokens=1_000_000))
    if million[0] is None or million[1] is None:
        return "the price is unknown"
    return f"price: ${million[0]:g} a million tokens read, ${million[1]:g} written"


def _shown(run: Path, root: Path) -> str:
    return str(run.relative_to(root) if run.is_relative_to(root) else run)


# Estimates of what is asked beside the agent's model: judges, and models that play users.

QUESTION = Load(requests=1, read=900, written=100)
"""Load of one question to a judge, without earlier verdicts."""


def judge_estimate(task: Task, cost: Cost) -> AttemptEstimate:
    """Return the estimate of the questions about an attempt."""
    count = questions(task)
    load = Load(count, QUESTION.read * count, QUESTION.written * count)
    return AttemptEstimate.of_loads(load, load, cost)


def questions(task: Task) -> int:
    """Return the number of claims and checkpoints of a task."""
    return len(task.expected.claims) + len(task.expected.checkpoints)


def user_estimate(task: Task, user: SimulatedUser, cost: Cost, earlier: Sequence[RunRecord]) -> AttemptEstimate:
    """Return the estimate of the messages that a model writes as the user in an attempt.

    Args:
        task: The task.
        user: Its user.
        cost: Price of the model.
        earlier: Attempts at the task or its suite in which the same model played the user; without any, the agent's
            turns are those of the reference.
    """
    messages = min(reference_turns(task) if task.expected.replies else (user.turns + 1) // 2, user.turns)
    typical = _load(task, user, messages) if not earlier else _mean_load(earlier)
    return AttemptEstimate.of_loads(typical, _load(task, user, user.turns), cost, user.cost_usd)


def conversations_with(name: str, attempts: Sequence[RunRecord]) -> list[RunRecord]:
    """Return the attempts in which a model of this name played the user, and its tokens are known."""
    return [
        record
        for record in attempts
        if (said := _conversation(record)) is not None
        and said.user == name
        and all(message.usage.output_tokens is not None for message in said.messages)
    ]


def _load(task: Task, user: SimulatedUser, messages: int) -> Load:
    """Return the load of a number of messages, each of which follows the whole conversation so far."""
    first = user_messages(user, [Exchange(task.turns[0].user, "")])
    fixed = sum(estimate_tokens(message.text) for message in first)
    read = sum(fixed + REPLY_TOKENS + (REPLY_TOKENS + MESSAGE_TOKENS) * before for before in range(messages))
    return Load(messages, read, messages * MESSAGE_TOKENS)


def _mean_load(earlier: Sequence[RunRecord]) -> Load:
    said = [conversation for record in earlier if (conversation := _conversation(record)) is not None]
    usage = sum((message.usage for each in said for message in each.messages), NO_USAGE)
    count = len(said)
    # The first message is the task's; each further one was a request.
    return Load(
        sum(len(each.messages) - 1 for each in said) / count,
        (usage.input_tokens or 0) / count,
        (usage.output_tokens or 0) / count,
        (usage.cached_tokens or 0) / count,
    )


def _conversation(record: RunRecord) -> Conversation | None:
    return record.evidence.trajectory.conversation if record.evidence is not None else None
