"""Commands of the simulated shell about the machine, and commands that take time: date, env, ps, sleep, python3."""

import re
from collections.abc import Sequence

from pytest_mcpbench.simulated.terminal.command import (
    AwaitInput,
    Execution,
    OutputStep,
    Result,
    ShellContext,
    UsageProblem,
    Wait,
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


def true(_shell: ShellContext, _arguments: Sequence[str], _stdin: str) -> Result:
    """Succeed."""
    return Result()


def false(_shell: ShellContext, _arguments: Sequence[str], _stdin: str) -> Result:
    """Fail."""
    return Result(code=1)


def date(shell: ShellContext, arguments: Sequence[str], _stdin: str) -> Result:
    """Print the simulated time; supports ``+FORMAT``, and ``-u`` has no effect."""
    _, rest = options("date", arguments, "u")
    now = shell.now()
    if not rest:
        return Result(f"{now:%a %b} {now.day:>2} {now:%H:%M:%S} UTC {now.year}\n")
    if not rest[0].startswith("+"):
        raise UsageProblem(f"date: invalid date '{rest[0]}'")
    formats = {"F": f"{now:%Y-%m-%d}", "T": f"{now:%H:%M:%S}", "e": f"{now.day:>2}", "s": str(int(now.timestamp()))}
    formats |= {"Z": "UTC", "z": "+0000", "%": "%", "R": f"{now:%H:%M}", "D": f"{now:%m/%d/%y}"}

    def render(match: re.Match[str]) -> str:
        if match[1] not in _FORMATS:
            return match[0]
        return formats.get(match[1]) or now.strftime(match[0])

    return Result(re.sub("%(.)", render, rest[0][1:]) + "\n")


def whoami(shell: ShellContext, _arguments: Sequence[str], _stdin: str) -> Result:
    """Print the user's name."""
    return Result(shell.user + "\n")


def hostname(shell: ShellContext, _arguments: Sequence[str], _stdin: str) -> Result:
    """Print the name of the machine."""
    return Result(shell.host + "\n")


def uname(shell: ShellContext, arguments: Sequence[str], _stdin: str) -> Result:
    """Print facts about the system; supports ``-a -s -n -r -m``."""
    switches, _ = options("uname", arguments, "asnrm")
    facts = {"s": "Linux", "n": shell.host, "r": "6.1.0-18-amd64", "m": "x86_64"}
    return Result(
        " ".join(fact for letter, fact in facts.items() if letter in (switches or "s") or "a" in switches) + "\n"
    )


def env(shell: ShellContext, arguments: Sequence[str], _stdin: str) -> Result:
    """Print all exported variables, or the values of the named ones (as ``printenv``)."""
    exported = {name: shell.variables[name] for name in sorted(shell.exported) if name in shell.variables}
    if arguments:
        values = [exported[name] for name in arguments if name in exported]
        return Result("".join(f"{value}\n" for value in values), code=int(len(values) < len(arguments)))
    return Result("".join(f"{name}={value}\n" for name, value in exported.items()))


def export(shell: ShellContext, arguments: Sequence[str], _stdin: str) -> Result:
    """Export variables; an argument is ``NAME=value`` or ``NAME``."""
    for argument in arguments:
        name, equals, value = argument.partition("=")
        if equals:
            shell.variables[name] = value
        shell.exported.add(name)
    return Result()


def seq(_shell: ShellContext, arguments: Sequence[str], _stdin: str) -> Result:
    """Print numbers; the arguments are the last one, the first and last, or the first, step and last."""
    numbers = [whole_number("seq", argument, "floating point argument") for argument in arguments]
    if not 1 <= len(numbers) <= 3:
        raise UsageProblem("seq: missing operand" if not numbers else f"seq: extra operand '{arguments[3]}'")
    first, step, last = {1: (1, 1, numbers[-1]), 2: (numbers[0], 1, numbers[-1])}.get(len(numbers)) or tuple(numbers)
    if step == 0:
        raise UsageProblem(f"seq: invalid Zero increment value: '{arguments[1]}'")
    sequence = range(first, last + (1 if step > 0 else -1), step)
    return Result("".join(f"{number}\n" for number in sequence[:_LONGEST_SEQUENCE]))


def ps(shell: ShellContext, arguments: Sequence[str], _stdin: str) -> Result:
    """Print id, CPU, memory, user and command of all processes; arguments have no effect."""
    del arguments
    rows = [
        f"{pid:>7} {user:<9}{cpu:>5} {memory:>5} {command}"
        for pid, user, command, cpu, memory in shell.processes.process_table()
    ]
    return Result("\n".join(["    PID USER      %CPU  %MEM COMMAND", *rows]) + "\n")


def kill(shell: ShellContext, arguments: Sequence[str], _stdin: str) -> Result:
    """End processes by id; the signal makes no difference."""
    pids = [pid for pid in arguments if not pid.startswith("-")]
    problems = []
    for pid in pids:
        problem = shell.processes.kill(whole_number("kill", pid, "process id"))
        problems += [f"kill: ({pid}) - {problem}\n"] if problem else []
    return Result("", "".join(problems), int(bool(problems)))


def sleep(_shell: ShellContext, arguments: Sequence[str], _stdin: str | None) -> Execution:
    """Wait for the sum of the arguments: seconds, or units with the suffix ``m``, ``h`` or ``d``."""
    total = 0.0
    for argument in arguments:
        match = re.fullmatch(r"(\d{1,6}(?:\.\d+)?)([smhd]?)", argument)
        if match is None:
            raise UsageProblem(f"sleep: invalid time interval '{argument}'")
        total += float(match[1]) * {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}[match[2]]
    if not arguments:
        raise UsageProblem("sleep: missing operand")
    yield Wait(round(1000 * total))
    return 0


def follow(shell: ShellContext, arguments: Sequence[str], _stdin: str | None) -> Execution:
    """Print the last lines of a file and everything appended to it later, as ``tail -f``."""
    switches, paths = options("tail", arguments, "fF", "n")
    if len(paths) != 1:
        raise UsageProblem("tail: this simulated tail follows one file")
    text = shell.disk.read(paths[0])
    count = abs(whole_number("tail", switches.get("n", "10")))
    yield OutputStep("".join(text.splitlines(keepends=True)[-count:] if count else []))
    position = len(text)
    for _ in range(_DAY // 500):
        yield Wait(500)
        text = shell.disk.read(paths[0])
        if len(text) > position:
            yield OutputStep(text[position:])
        position = len(text)
    return 0


def python3(shell: ShellContext, arguments: Sequence[str], stdin: str | None) -> Execution:
    """Run Python code from ``-c``, a file or a pipe, print the version (``-V``), or start a session."""
    words = [word for word in arguments if word not in ("-i", "-q", "-u")]
    interpreter = Interpreter()
    if words[:1] in (["-V"], ["--version"]):
        yield OutputStep(f"{PYTHON_VERSION}\n")
        return 0
    if words[:1] == ["-c"] and len(words) > 1:
        return (yield from _script(interpreter, words[1]))
    if words:
        return (yield from _script(interpreter, shell.disk.read(words[0])))
    if stdin is not None:
        return (yield from _script(interpreter, stdin))
    return (yield from _session(interpreter, _BANNER if "-q" not in arguments else ""))


def session(interpreter: Interpreter) -> Execution:
    """Return a Python session that was started earlier, without the banner."""
    return _session(interpreter, "")


def _session(interpreter: Interpreter, banner: str) -> Execution:
    yield OutputStep(banner)
    while True:
        yield OutputStep(">>> ")
        line = yield AwaitInput()
        if re.fullmatch(r"\s*(exit|quit)\(\)\s*", line):
            return 0
        if line.strip():
            out, error = interpreter.run(line.strip())
            yield OutputStep(out)
            if error:
                yield OutputStep(error, is_error=True)


def _script(interpreter: Interpreter, source: str) -> Execution:
    """Run a script without printing the values of expressions; the first error ends it."""
    for statement in source.strip().splitlines():
        out, error = interpreter.run(statement, is_interactive=False)
        yield OutputStep(out)
        if error:
            yield OutputStep(error.replace("<stdin>", "<string>"), is_error=True)
            return 1
    return 0
