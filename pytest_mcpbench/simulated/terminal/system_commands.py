"""Commands of the simulated shell about the machine, and those that take time: date, env, ps, sleep, python3."""

import re
from collections.abc import Sequence

from pytest_mcpbench.simulated.terminal.command import (
    Asks,
    Result,
    Running,
    Surroundings,
    UsageProblem,
    Waits,
    Wrote,
    options,
    whole_number,
)
from pytest_mcpbench.simulated.terminal.python import Interpreter

PYTHON_VERSION = "Python 3.11.7"
_BANNER = (
    f"{PYTHON_VERSION} (main, Dec  8 2023, 18:56:58) [GCC 11.4.0] on linux\n"
    'Type "help", "copyright", "credits" or "license" for more information.\n'
)
_LONGEST_SEQUENCE = 100_000
_DAY = 24 * 3600 * 1000
_FORMATS = frozenset("aAbBdHIjmMpSuUwWyYZFTDRes%z")


def true(_shell: Surroundings, _arguments: Sequence[str], _stdin: str) -> Result:
    """Nothing, with success."""
    return Result()


def false(_shell: Surroundings, _arguments: Sequence[str], _stdin: str) -> Result:
    """Nothing, without success."""
    return Result(code=1)


def date(shell: Surroundings, arguments: Sequence[str], _stdin: str) -> Result:
    """The simulated time; ``+%F`` and the like, ``-u`` changes nothing."""
    _, rest = options("date", arguments, "u")
    now = shell.now()
    if not rest:
        return Result(f"{now:%a %b} {now.day:>2} {now:%H:%M:%S} UTC {now.year}\n")
    if not rest[0].startswith("+"):
        raise UsageProblem(f"date: invalid date '{rest[0]}'")
    own = {"F": f"{now:%Y-%m-%d}", "T": f"{now:%H:%M:%S}", "e": f"{now.day:>2}", "s": str(int(now.timestamp()))}
    own |= {"Z": "UTC", "z": "+0000", "%": "%", "R": f"{now:%H:%M}", "D": f"{now:%m/%d/%y}"}

    def shown(found: re.Match[str]) -> str:
        if found[1] not in _FORMATS:
            return found[0]
        return own.get(found[1]) or now.strftime(found[0])

    return Result(re.sub("%(.)", shown, rest[0][1:]) + "\n")


def whoami(shell: Surroundings, _arguments: Sequence[str], _stdin: str) -> Result:
    """The user."""
    return Result(shell.user + "\n")


def hostname(shell: Surroundings, _arguments: Sequence[str], _stdin: str) -> Result:
    """The machine."""
    return Result(shell.host + "\n")


def uname(shell: Surroundings, arguments: Sequence[str], _stdin: str) -> Result:
    """``-a -s -n -r -m``."""
    given, _ = options("uname", arguments, "asnrm")
    facts = {"s": "Linux", "n": shell.host, "r": "6.1.0-18-amd64", "m": "x86_64"}
    return Result(" ".join(fact for letter, fact in facts.items() if letter in (given or "s") or "a" in given) + "\n")


def env(shell: Surroundings, arguments: Sequence[str], _stdin: str) -> Result:
    """All exported variables, or those that are named (as ``printenv``)."""
    shown = {name: shell.variables[name] for name in sorted(shell.exported) if name in shell.variables}
    if arguments:
        found = [shown[name] for name in arguments if name in shown]
        return Result("".join(f"{value}\n" for value in found), code=int(len(found) < len(arguments)))
    return Result("".join(f"{name}={value}\n" for name, value in shown.items()))


def export(shell: Surroundings, arguments: Sequence[str], _stdin: str) -> Result:
    """``NAME=value`` or ``NAME``."""
    for one in arguments:
        name, equals, value = one.partition("=")
        if equals:
            shell.variables[name] = value
        shell.exported.add(name)
    return Result()


def seq(_shell: Surroundings, arguments: Sequence[str], _stdin: str) -> Result:
    """Last; first and last; first, step and last."""
    numbers = [whole_number("seq", one, "floating point argument") for one in arguments]
    if not 1 <= len(numbers) <= 3:
        raise UsageProblem("seq: missing operand" if not numbers else f"seq: extra operand '{arguments[3]}'")
    first, step, last = {1: (1, 1, numbers[-1]), 2: (numbers[0], 1, numbers[-1])}.get(len(numbers)) or tuple(numbers)
    if step == 0:
        raise UsageProblem(f"seq: invalid Zero increment value: '{arguments[1]}'")
    made = range(first, last + (1 if step > 0 else -1), step)
    return Result("".join(f"{number}\n" for number in made[:_LONGEST_SEQUENCE]))


def ps(shell: Surroundings, arguments: Sequence[str], _stdin: str) -> Result:
    """All processes, whatever is asked for: id, CPU, memory, user and command."""
    del arguments
    rows = [
        f"{pid:>7} {user:<9}{cpu:>5} {memory:>5} {command}"
        for pid, user, command, cpu, memory in shell.processes.listed()
    ]
    return Result("\n".join(["    PID USER      %CPU  %MEM COMMAND", *rows]) + "\n")


def kill(shell: Surroundings, arguments: Sequence[str], _stdin: str) -> Result:
    """Ends processes by id, with whatever signal."""
    pids = [one for one in arguments if not one.startswith("-")]
    problems = []
    for one in pids:
        problem = shell.processes.kill(whole_number("kill", one, "process id"))
        problems += [f"kill: ({one}) - {problem}\n"] if problem else []
    return Result("", "".join(problems), int(bool(problems)))


def sleep(_shell: Surroundings, arguments: Sequence[str], _stdin: str | None) -> Running:
    """Seconds, or with ``m``, ``h`` or ``d`` behind; several are added."""
    total = 0.0
    for one in arguments:
        found = re.fullmatch(r"(\d{1,6}(?:\.\d+)?)([smhd]?)", one)
        if found is None:
            raise UsageProblem(f"sleep: invalid time interval '{one}'")
        total += float(found[1]) * {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}[found[2]]
    if not arguments:
        raise UsageProblem("sleep: missing operand")
    yield Waits(round(1000 * total))
    return 0


def follow(shell: Surroundings, arguments: Sequence[str], _stdin: str | None) -> Running:
    """``tail -f``: the last lines of a file, and whatever is added to it later."""
    given, paths = options("tail", arguments, "fF", "n")
    if len(paths) != 1:
        raise UsageProblem("tail: this simulated tail follows one file")
    text = shell.disk.read(paths[0])
    count = abs(whole_number("tail", given.get("n", "10")))
    yield Wrote("".join(text.splitlines(keepends=True)[-count:] if count else []))
    seen = len(text)
    for _ in range(_DAY // 500):
        yield Waits(500)
        text = shell.disk.read(paths[0])
        if len(text) > seen:
            yield Wrote(text[seen:])
        seen = len(text)
    return 0


def python3(shell: Surroundings, arguments: Sequence[str], stdin: str | None) -> Running:
    """``-c`` with a line, ``-V``, a file, lines from a pipe, or a session."""
    words = [one for one in arguments if one not in ("-i", "-q", "-u")]
    interpreter = Interpreter()
    if words[:1] in (["-V"], ["--version"]):
        yield Wrote(f"{PYTHON_VERSION}\n")
        return 0
    if words[:1] == ["-c"] and len(words) > 1:
        return (yield from _script(interpreter, words[1]))
    if words:
        return (yield from _script(interpreter, shell.disk.read(words[0])))
    if stdin is not None:
        return (yield from _script(interpreter, stdin))
    return (yield from _session(interpreter, _BANNER if "-q" not in arguments else ""))


def session(interpreter: Interpreter) -> Running:
    """A Python that has been started before."""
    return _session(interpreter, "")


def _session(interpreter: Interpreter, banner: str) -> Running:
    yield Wrote(banner)
    while True:
        yield Wrote(">>> ")
        line = yield Asks()
        if re.fullmatch(r"\s*(exit|quit)\(\)\s*", line):
            return 0
        if line.strip():
            out, error = interpreter.run(line.strip())
            yield Wrote(out)
            if error:
                yield Wrote(error, is_error=True)


def _script(interpreter: Interpreter, source: str) -> Running:
    """A script: the values of its expressions are not shown, and the first error ends it."""
    for statement in source.strip().splitlines():
        out, error = interpreter.run(statement, is_interactive=False)
        yield Wrote(out)
        if error:
            yield Wrote(error.replace("<stdin>", "<string>"), is_error=True)
            return 1
    return 0
