"""A simulated process, which writes, waits and asks for input as simulated time passes."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from pytest_mcpbench.simulated.terminal.command import AwaitInput, Execution, OutputStep, Wait


@dataclass
class Process:
    """One session; times are milliseconds since the start of the attempt."""

    pid: int
    command: str
    running: Execution
    started: int
    output: str = ""
    unread: str = ""
    is_asking: bool = False
    ended: int | None = None
    exit_code: int | None = None
    """``None`` if it is still running or was ended by a signal."""
    resumes: int = field(default=0)
    """The time at which it continues, unless it is waiting for input."""

    @property
    def is_running(self) -> bool:
        return self.ended is None

    def advance(self, now: int) -> None:
        """Run the process up to a moment."""
        while self.is_running and not self.is_asking and self.resumes <= now:
            self._step(None)

    def send(self, line: str, now: int) -> None:
        """Send a line of input; a process that is not waiting for input ignores it."""
        if self.is_asking:
            self.is_asking, self.resumes = False, now
            self._step(line)
            self.advance(now)

    def end(self, now: int) -> None:
        """End the process by a signal."""
        with suppress(ValueError):  # raised if a shell ends itself
            self.running.close()
        self.ended = now

    def read(self) -> str:
        """Return the output since the last call."""
        text, self.unread = self.unread, ""
        return text

    def _step(self, line: str | None) -> None:
        try:
            step = next(self.running) if line is None else self.running.send(line)
        except StopIteration as end:
            if self.is_running:
                self.ended, self.exit_code = self.resumes, end.value
            return
        match step:
            case OutputStep(text):
                self.output += text
                self.unread += text
            case Wait(milliseconds):
                self.resumes += milliseconds
            case AwaitInput():
                self.is_asking = True


def run_script(steps: Sequence[Mapping[str, Any]]) -> Execution:
    """Run a process that follows a list of steps.

    A step is ``{"write": text}``, ``{"wait": milliseconds}``, ``{"exit": code}``, or ``{"ask": {answer: steps}}``,
    where ``*`` matches any other answer.
    """
    for step in steps:
        if "exit" in step:
            return int(step["exit"])
        if "wait" in step:
            yield Wait(step["wait"])
        elif "write" in step:
            yield OutputStep(step["write"])
        else:
            line = yield AwaitInput()
            answers = step["ask"]
            return (yield from run_script(answers.get(line.strip(), answers["*"])))
    return 0
