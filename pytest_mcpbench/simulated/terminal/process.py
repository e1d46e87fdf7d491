"""A simulated process: it writes, waits and asks for input while simulated time passes."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from pytest_mcpbench.simulated.terminal.command import Asks, Running, Waits, Wrote


@dataclass
class Process:
    """One session. Times are milliseconds since the attempt began."""

    pid: int
    command: str
    running: Running
    started: int
    output: str = ""
    unread: str = ""
    is_asking: bool = False
    ended: int | None = None
    exit_code: int | None = None
    """``None`` where it still runs or was ended by a signal."""
    resumes: int = field(default=0)
    """When it goes on, unless it asks for input."""

    @property
    def is_running(self) -> bool:
        return self.ended is None

    def advance(self, now: int) -> None:
        """Let it do all that it does until a moment."""
        while self.is_running and not self.is_asking and self.resumes <= now:
            self._take(None)

    def send(self, line: str, now: int) -> None:
        """Give it a line of input; one that does not ask for any never reads it."""
        if self.is_asking:
            self.is_asking, self.resumes = False, now
            self._take(line)
            self.advance(now)

    def end(self, now: int) -> None:
        """End it by a signal."""
        with suppress(ValueError):  # a shell that ends itself
            self.running.close()
        self.ended = now

    def read(self) -> str:
        """What it has written since the last time."""
        text, self.unread = self.unread, ""
        return text

    def _take(self, line: str | None) -> None:
        try:
            step = next(self.running) if line is None else self.running.send(line)
        except StopIteration as end:
            if self.is_running:
                self.ended, self.exit_code = self.resumes, end.value
            return
        match step:
            case Wrote(text):
                self.output += text
                self.unread += text
            case Waits(milliseconds):
                self.resumes += milliseconds
            case Asks():
                self.is_asking = True


def scripted(steps: Sequence[Mapping[str, Any]]) -> Running:
    """A process that does what its steps say.

    ``{"write": text}``, ``{"wait": milliseconds}``, ``{"exit": code}``, or ``{"ask": {answer: steps}}``, where the
    answer ``*`` stands for any other.
    """
    for step in steps:
        if "exit" in step:
            return int(step["exit"])
        if "wait" in step:
            yield Waits(step["wait"])
        elif "write" in step:
            yield Wrote(step["write"])
        else:
            line = yield Asks()
            answers = step["ask"]
            return (yield from scripted(answers.get(line.strip(), answers["*"])))
    return 0
