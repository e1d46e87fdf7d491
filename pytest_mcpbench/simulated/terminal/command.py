"""The interface between the simulated shell and its commands: results, steps, context and option parsing."""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pytest_mcpbench.simulated.terminal.disk import Disk


@dataclass(frozen=True)
class Result:
    """The result of a command that takes no time."""

    out: str = ""
    error: str = ""
    code: int = 0


@dataclass(frozen=True)
class OutputStep:
    """A step in which a running command writes output."""

    text: str
    is_error: bool = False


@dataclass(frozen=True)
class Wait:
    """A step in which a running command waits for a number of milliseconds."""

    milliseconds: int


@dataclass(frozen=True)
class AwaitInput:
    """A step in which a running command waits for a line of input, which is sent to the generator."""


Step = OutputStep | Wait | AwaitInput
Execution = Generator[Step, str, int]
"""A command that takes time: a generator of its steps that returns the exit code."""


class Processes(Protocol):
    """The processes of the machine, for commands that list or end them."""

    def process_table(self) -> Sequence[tuple[int, str, str, float, float]]:
        """Return id, user, command, CPU and memory of each process, sorted by id."""

    def kill(self, pid: int) -> str | None:
        """End a process, and return the reason if that is not possible."""


@dataclass
class ShellContext:
    """The state that a shell shares with its commands."""

    disk: "Disk"
    variables: dict[str, str]
    processes: Processes
    now: Callable[[], datetime]
    user: str
    host: str
    status: int = 0
    """Exit code of the last command."""
    exported: set[str] = field(default_factory=set)


class UsageProblem(Exception):  # noqa: N818 (its message becomes a command's error output)
    """Arguments that a command does not accept; the message is the command's error output."""

    def __init__(self, message: str, code: int = 1) -> None:
        super().__init__(message)
        self.code = code


def options(name: str, arguments: Sequence[str], flags: str, valued: str = "") -> tuple[dict[str, str], list[str]]:
    """Parse single-letter options into a mapping of their values (``""`` for flags) and a list of the other arguments.

    Options may be combined and appear anywhere; ``--`` ends them; ``-5`` means ``-n 5`` if ``n`` takes a value.
    """
    values: dict[str, str] = {}
    operands: list[str] = []
    remaining = list(arguments)
    while remaining:
        argument = remaining.pop(0)
        if argument == "--":
            return values, operands + remaining
        if argument == "-" or not argument.startswith("-"):
            operands.append(argument)
            continue
        if argument.startswith("--"):
            raise UsageProblem(f"{name}: unrecognized option '{argument}'", 2)
        if "n" in valued and argument[1:].isdecimal():
            values["n"] = argument[1:]
            continue
        _parse_letters(name, argument[1:], remaining, (flags, valued), values)
    return values, operands


def _parse_letters(
    name: str, letters: str, remaining: list[str], accepted: tuple[str, str], values: dict[str, str]
) -> None:
    flags, valued = accepted
    for index, letter in enumerate(letters):
        if letter in valued:
            value = letters[index + 1 :] or (remaining.pop(0) if remaining else None)
            if value is None:
                raise UsageProblem(f"{name}: option requires an argument -- '{letter}'", 2)
            values[letter] = value
            return
        if letter not in flags:
            raise UsageProblem(f"{name}: invalid option -- '{letter}'", 2)
        values[letter] = ""


def whole_number(name: str, text: str, description: str = "number of lines") -> int:
    """Parse an argument that must be a number."""
    try:
        return int(text)
    except ValueError:
        raise UsageProblem(f"{name}: invalid {description}: '{text}'") from None
