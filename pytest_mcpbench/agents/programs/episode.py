"""One attempt of an agent that reaches its tools through proxies: turns, limits, steps and sessions."""

import contextlib
import json
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import anyio
from pydantic import JsonValue

from pytest_mcpbench.agents.agent import AgentEnvironment
from pytest_mcpbench.agents.programs.call_recorder import CallRecorder
from pytest_mcpbench.agents.programs.program import LOADED_MACHINE, ProgramReport, ReportedMessage, Workplace
from pytest_mcpbench.agents.programs.proxy import open_proxies
from pytest_mcpbench.agents.programs.proxy_settings import ProxiedServer, ProxySettings
from pytest_mcpbench.agents.users.dialogue import Dialogue
from pytest_mcpbench.core.chat import ChatMessage
from pytest_mcpbench.core.errors import AgentError, McpBenchError
from pytest_mcpbench.core.prompt import NOT_MADE, gold_messages, result_text, system_prompt
from pytest_mcpbench.core.task import Limits, Task, Turn
from pytest_mcpbench.core.tool import CallRecord, ContextRead, ToolResult, ToolSpec
from pytest_mcpbench.core.trajectory import ANSWERED_BY, Step, StopReason, Trajectory
from pytest_mcpbench.core.usage import NO_USAGE, Usage

# Steps of a turn, from the calls that the proxies have seen and the messages that the program reports.

Groups = Sequence[Sequence[CallRecord]]


def turn_steps(
    turn: int,
    groups: Groups,
    report: ProgramReport,
    *,
    is_complete: bool,
    reads: Sequence[tuple[int, ContextRead]] = (),
) -> tuple[Step, ...]:
    """Return the steps of a turn.

    The calls, their results and their order are those that the proxies have seen. The messages of the program decide
    which calls were made together, and which text came with them, if they name exactly the same calls. Otherwise calls
    that overlapped in time are one step.

    Args:
        turn: Index of the turn.
        groups: Calls that the proxies have seen; those of one group overlapped.
        report: Content of the program's output; its usage is counted with the last step.
        is_complete: Whether the program ended by itself, so that its answer is the last step.
        reads: Resources and prompts that it read, each with the number of groups before it, which says in which step.
    """
    steps = list(_steps_of_messages(turn, groups, report.messages))
    if not steps:
        steps = [Step(turn=turn, calls=tuple(calls), usage=NO_USAGE) for calls in groups]
    if is_complete or not steps:
        steps.append(Step(turn=turn, text=report.answer))
    for before, read in reads:
        at = min(before, len(steps) - 1)
        steps[at] = steps[at].model_copy(update={"reads": (*steps[at].reads, read)})
    end = "refusal" if report.stop == "declined" else None
    steps[-1] = steps[-1].model_copy(update={"usage": report.usage, "finish_reason": end})
    return tuple(steps)


def usage_difference(total: Usage, earlier: Usage) -> Usage:
    """Return what was used since an earlier total; a part that either does not know is unknown."""
    return Usage(
        input_tokens=_difference(total.input_tokens, earlier.input_tokens),
        output_tokens=_difference(total.output_tokens, earlier.output_tokens),
        cached_tokens=_difference(total.cached_tokens, earlier.cached_tokens),
        cost_usd=total.cost_usd,
    )


def _difference(total: int | None, earlier: int | None) -> int | None:
    return None if total is None or earlier is None else total - earlier


def _steps_of_messages(turn: int, groups: Groups, messages: Sequence[ReportedMessage]) -> Iterator[Step]:
    left = [call for group in groups for call in group]
    with_calls = [message for message in messages if message.calls]
    if sum(len(message.calls) for message in with_calls) != len(left):
        return
    found = []
    for message in with_calls:
        calls, left = left[: len(message.calls)], left[len(message.calls) :]
        if not _are_the_same(message.calls, calls):
            return
        found.append(Step(turn=turn, text=message.text, calls=tuple(calls), usage=NO_USAGE))
    yield from found


def _are_the_same(reported: Sequence[str], calls: Sequence[CallRecord]) -> bool:
    """Return whether the names that a program reports, which may have a prefix, are those of the calls."""
    left = list(reported)
    for call in calls:
        # The longest name first: that of the tool may end like that of another.
        match = next((name for name in left if name == call.name or name.endswith(call.called)), None)
        if match is None:
            return False
        left.remove(match)
    return True


# Conversation up to a turn as one prompt, for programs that cannot continue a session.

_HEADING = "This is a conversation between a user and you, the assistant, so far. Answer the last message of the user."


def transcript(turns: Sequence[Turn], own: Sequence[Sequence[Step]], tools: Sequence[ToolSpec]) -> str:
    """Return the conversation up to the user's next message.

    Args:
        turns: Messages of the user; a turn with a recorded reply shows that instead of the program's own.
        own: Steps of the program in each turn before.
        tools: Tools under the names that the program sees.
    """
    parts = [_HEADING]
    for index, steps in enumerate(own):
        turn = turns[index]
        parts.append(f"User: {turn.user}")
        parts += _gold_lines(gold_messages(turn, index, tools)) if turn.gold else _step_lines(steps)
    return "\n\n".join((*parts, f"User: {turns[len(own)].user}"))


def _gold_lines(messages: Sequence[ChatMessage]) -> list[str]:
    lines = []
    for message in messages:
        if message.role == "tool":
            lines.append(f"Result: {message.text}")
            continue
        lines += [_call_line(call.name, call.arguments) for call in message.calls]
        lines += [f"Assistant: {message.text}"] if message.text else []
    return lines


def _step_lines(steps: Sequence[Step]) -> list[str]:
    lines = []
    for step in steps:
        lines += [f"Assistant: {step.text}"] if step.text else []
        for call in step.calls:
            lines.append(_call_line(call.name, call.arguments))
            lines += [f"Result: {result_text(call.result)}"] if call.result is not None else []
    return lines


def _call_line(name: str, arguments: object) -> str:
    return f"Assistant calls {name} with {json.dumps(arguments, ensure_ascii=False)}"


class TurnWorker(Protocol):
    """Interface of a program or function that answers the turns of one attempt."""

    @property
    def name(self) -> str:
        """Name of the agent as the user wrote it."""
        ...

    @property
    def model(self) -> str | None:
        """Model that the agent is told to ask."""
        ...

    @property
    def has_sessions(self) -> bool:
        """Return whether a later turn continues the session of the one before."""
        ...

    @property
    def sums_session(self) -> bool:
        """Return whether the report of a later turn has the tokens of the whole session."""
        ...

    @property
    def must_list_tools(self) -> bool:
        """Return whether an attempt is an error in which it lists no tools of a server."""
        ...

    @property
    def unreported_usage(self) -> Usage:
        """Return what a turn without a report has used: unknown, not 0, apart from the cost of a free model."""
        ...

    @property
    def stderr(self) -> str:
        """Last lines that it has written to stderr."""
        ...

    async def work(self, workplace: Workplace) -> ProgramReport:
        """Answer one turn; cancelled at a limit. Raises AgentError if it cannot work."""
        ...

    async def close(self) -> None:
        """End what it keeps between the turns."""
        ...


class Episode:
    """State of one attempt."""

    def __init__(self, worker: TurnWorker, task: Task, arena: AgentEnvironment, notes: dict[str, str]) -> None:
        self._worker = worker
        self._task = task
        self._arena = arena
        self._notes = notes
        self._limits = task.limits or Limits()
        self._recorder = CallRecorder(arena, self._limits)
        self._steps: list[Step] = []
        self._dialogue = Dialogue(task, arena.user)
        self._time = anyio.CancelScope()
        self._turn = 0
        self._has_begun = False
        """Whether the agent has begun to answer a turn."""
        self._session: str | None = None
        self._model: str | None = None
        self._own_calls: list[str] = []
        self._date = ""
        self._own_offer: dict[str, None] = {}
        """Names in the order in which they were first offered."""
        self._own_skills: dict[str, None] = {}
        self._started = time.perf_counter()

    async def play(self, settings: ProxySettings) -> Trajectory:
        """Return the trajectory of all turns, within the time limit.

        Raises:
            McpBenchError: the attempt ended early; the steps so far are its ``trajectory``.
        """
        self._started = time.perf_counter()
        settings = replace(settings, result_characters=self._limits.result_characters)
        try:
            return self._trajectory(await self._play(settings))
        except McpBenchError as error:
            error.trajectory = self._trajectory("answered")
            raise

    async def _play(self, settings: ProxySettings) -> StopReason:
        reason: StopReason = "time_limit"
        error: McpBenchError | None = None
        with _private_directory(self._arena.directory) as home:
            async with open_proxies(self._arena, self._recorder, settings) as servers:
                with anyio.move_on_after(self._limits.seconds) as self._time:
                    if self._arena.respondent is not None:
                        self._arena.respondent.attend(self._dialogue, self._time)
                    try:
                        reason = await self._play_turns(servers, home)
                    except McpBenchError as raised:
                        # Outside of the proxies' task groups, which would wrap it.
                        error = raised
                    finally:
                        await self._worker.close()
        if error is not None:
            raise error
        if reason == "time_limit":
            if not self._steps and not self._recorder.groups:
                problem = f"did nothing within the attempt's time limit of {self._limits.seconds:g} s"
                raise AgentError(problem, self._worker.name, self._worker.stderr)
            self._end_turn(self._unreported, is_complete=False)
        self._require_listings()
        return reason

    async def _play_turns(self, servers: Sequence[ProxiedServer], home: Path) -> StopReason:
        reasons: list[StopReason] = []
        while True:
            self._recorder.start_turn()
            reasons.append(await self._play_turn(self._workplace(self._turn, tuple(servers), home)))
            last = self._steps[-1] if self._steps and self._steps[-1].turn == self._turn else None
            await self._dialogue.ask(last, self._time)
            if not self._dialogue.is_open:
                break
            if (limit := self._exhausted_limit()) is not None:
                return limit
            self._turn += 1
        return next((reason for reason in reasons if reason != "answered"), "answered")

    async def _play_turn(self, workplace: Workplace) -> StopReason:
        # Again for each turn: what the program changes in it has no effect.
        configurations = {server.name: server.configuration for server in workplace.servers}
        workplace.mcp_config.write_text(json.dumps({"mcpServers": configurations}, indent=2), encoding="utf-8")
        self._has_begun = True
        report = await self._until_stopped(workplace)
        if self._recorder.error is not None:
            raise self._recorder.error
        if report is None or self._recorder.stop is not None:
            self._end_turn(self._unreported, is_complete=False)
            return self._recorder.stop or "answered"
        has_said = report.answer.strip() or self._recorder.groups or report.stop
        if not has_said:
            raise AgentError("wrote no answer and called no tool", self._worker.name, self._worker.stderr)
        self._end_turn(report, is_complete=True)
        return report.stop or ("answered" if report.answer.strip() else "declined")

    async def _until_stopped(self, workplace: Workplace) -> ProgramReport | None:
        """Return the report of a turn; ``None`` if a limit or the death of a server ends it."""
        report: ProgramReport | None = None
        error: McpBenchError | None = None
        async with anyio.create_task_group() as group:

            async def end_when_stopped() -> None:
                await self._recorder.stopped.wait()
                group.cancel_scope.cancel()

            group.start_soon(end_when_stopped)
            try:
                report = await self._worker.work(workplace)
            except McpBenchError as raised:
                error = raised  # the task group would wrap it
            group.cancel_scope.cancel()
        if error is not None and not self._recorder.stopped.is_set():
            raise error
        return report

    def _trajectory(self, stop: StopReason) -> Trajectory:
        """Return everything done so far."""
        notes = dict(self._notes)
        notes |= {ANSWERED_BY: self._model} if self._model else {}
        notes |= {"own_tools": ", ".join(self._own_calls)} if self._own_calls else {}
        notes |= {"own_tools_offered": ", ".join(self._own_offer)} if self._own_offer else {}
        notes |= {"own_skills_offered": ", ".join(self._own_skills)} if self._own_skills else {}
        notes |= {"program_date": self._date} if self._date else {}
        notes |= {"task_date": self._task.context.now} if self._date and self._task.context.now else {}
        is_open = self._has_begun and (not self._steps or self._steps[-1].turn < self._turn)
        open_turn = self._turn_steps(self._unreported, is_complete=False) if is_open else ()
        seconds = time.perf_counter() - self._started - self._dialogue.seconds
        conversation = self._dialogue.record
        return Trajectory(
            steps=(*self._steps, *open_turn), stop=stop, seconds=seconds, notes=notes, conversation=conversation
        )

    @property
    def _unreported(self) -> ProgramReport:
        """Return the report of a turn that was ended from outside, which has none of its own."""
        return ProgramReport(usage=self._worker.unreported_usage)

    def _end_turn(self, report: ProgramReport, *, is_complete: bool) -> None:
        """Take over the steps of a turn that has ended, and what its report says of the program."""
        if self._worker.sums_session and self._session is not None and report.session == self._session:
            # The usage of this turn alone.
            earlier = sum((step.usage for step in self._steps), NO_USAGE)
            report = replace(report, usage=usage_difference(report.usage, earlier))
        self._steps += self._turn_steps(report, is_complete=is_complete)
        self._session = report.session
        self._model = report.model or self._model
        self._own_calls += report.own_calls
        self._date = report.date or self._date
        self._own_offer |= dict.fromkeys(report.own_offer)
        self._own_skills |= dict.fromkeys(report.own_skills)

    def _turn_steps(self, report: ProgramReport, *, is_complete: bool) -> tuple[Step, ...]:
        recorder = self._recorder
        return turn_steps(self._turn, recorder.groups, report, is_complete=is_complete, reads=recorder.reads)

    def _workplace(self, turn: int, servers: tuple[ProxiedServer, ...], home: Path) -> Workplace:
        # A recorded reply takes the place of the program's own, which a session would contain.
        has_gold = any(each.gold for each in self._dialogue.turns[:turn])
        session = self._session if turn and self._worker.has_sessions and not has_gold else None
        if turn == 0 or session is not None:
            prompt = self._dialogue.turns[turn].user
        else:
            own = [[step for step in self._steps if step.turn == each] for each in range(turn)]
            prompt = transcript(self._dialogue.turns, own, self._arena.tools)
        return Workplace(
            prompt=prompt,
            system="" if session is not None else system_prompt(self._task),
            servers=servers,
            directory=self._arena.directory,
            home=home,
            mcp_config=home / "mcp.json",
            session=session,
            model=self._worker.model,
            limits=self._limits,
            presentation=self._arena.presentation,
            tools=self._arena.tools,
            call=self._call,
        )

    async def _call(self, name: str, arguments: dict[str, JsonValue]) -> ToolResult:
        record = await self._recorder.call_exposed(name, arguments)
        return record.result or ToolResult.failure(NOT_MADE, "protocol")

    def _exhausted_limit(self) -> StopReason | None:
        usages = [step.usage for step in self._steps]
        tokens = sum((each.input_tokens or 0) + (each.output_tokens or 0) for each in usages)
        if self._limits.total_tokens is not None and tokens >= self._limits.total_tokens:
            return "token_limit"
        cost = sum(each.cost_usd or 0.0 for each in usages)
        return "cost_limit" if self._limits.cost_usd is not None and cost >= self._limits.cost_usd else None

    def _require_listings(self) -> None:
        """Raise AgentError if the program never listed the tools of a server: that is no failure of its model."""
        unlisted = self._recorder.unlisted
        if not self._worker.must_list_tools or not unlisted:
            return
        problem = f"never listed the tools of server {', '.join(map(repr, unlisted))}. {LOADED_MACHINE}"
        remedy = "A program that chooses its servers by itself has `may_skip_servers = true` in [tool.mcpbench.agents]."
        raise AgentError(f"{problem} {remedy}", self._worker.name, self._worker.stderr)


@contextlib.contextmanager
def _private_directory(sandbox: Path) -> Iterator[Path]:
    """Create a directory beside the sandbox, which a state check of files does not see, and remove it at the end."""
    home = Path(tempfile.mkdtemp(prefix="agent-", dir=sandbox.resolve().parent))
    (home / "tmp").mkdir()
    try:
        yield home
    finally:
        shutil.rmtree(home, ignore_errors=True)
