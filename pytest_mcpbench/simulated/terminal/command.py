"""What a command of the simulated shell is given and gives back."""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pytest_mcpbench.simulated.terminal.disk import Disk


@dataclass(frozen=True)
class Result:
    """The end of a command that takes no time."""

    out: str = ""
    error: str = ""
    code: int = 0


@dataclass(frozen=True)
class Wrote:
    """A running command has written something."""

    text: str
    is_error: bool = False


@dataclass(frozen=True)
class Waits:
    """A running command goes on after so many milliseconds."""

    milliseconds: int


@dataclass(frozen=True)
class Asks:
    """A running command waits for a line of input, which it is sent."""


Step = Wrote | Waits | Asks
Running = Generator[Step, str, int]
"""A command that takes time: its steps, and its exit code at the end."""


class Processes(Protocol):
    """The processes of the machine, for commands that show or end them."""

    def listed(self) -> Sequence[tuple[int, str, str, float, float]]:
        """Id, user, command, CPU and memory of each, by id."""

    def kill(self, pid: int) -> str | None:
        """End a process; what hinders it, if anything."""


@dataclass
class Surroundings:
    """What a shell and the commands in it share."""

    disk: "Disk"
    variables: dict[str, str]
    processes: Processes
    now: Callable[[], datetime]
    user: str
    host: str
    status: int = 0
    """Exit code of the last command."""
    exported: set[str] = field(default_factory=set)


class UsageProblem(Exception):  # noqa: N818 (it becomes what a command says)
    """Arguments that a command does not understand; the message is what it says."""

    def __init__(self, message: str, code: int = 1) -> None:
        super().__init__(message)
        self.code = code


def options(name: str, arguments: Sequence[str], flags: str, valued: str = "") -> tuple[dict[str, str], list[str]]:
    """The options of one letter, with their values (``""`` for flags), and what else there is.

    Options may be joined and stand anywhere; ``--`` ends them; ``-5`` is ``-n 5`` where ``n`` takes a value.
    """
    found: dict[str, str] = {}
    rest: list[str] = []
    left = list(arguments)
    while left:
        one = left.pop(0)
        if one == "--":
            return found, rest + left
        if one == "-" or not one.startswith("-"):
            rest.append(one)
            continue
        if one.startswith("--"):
            raise UsageProblem(f"{name}: unrecognized option '{one}'", 2)
        if "n" in valued and one[1:].isdigit():
            found["n"] = one[1:]
            continue
        _letters(name, one[1:], left, (flags, valued), found)
    return found, rest


def _letters(name: str, letters: str, left: list[str], known: tuple[str, str], found: dict[str, str]) -> None:
    flags, valued = known
    for place, letter in enumerate(letters):
        if letter in valued:
            value = letters[place + 1 :] or (left.pop(0) if left else None)
            if value is None:
                raise UsageProblem(f"{name}: option requires an argument -- '{letter}'", 2)
            found[letter] = value
            return
        if letter not in flags:
            raise UsageProblem(f"{name}: invalid option -- '{letter}'", 2)
        found[letter] = ""


def whole_number(name: str, text: str, what: str = "number of lines") -> int:
    """An argument that must be a number."""
    try:
        return int(text)
    except ValueError:
        raise UsageProblem(f"{name}: invalid {what}: '{text}'") from None
