"""Running command lines in the simulated shell, step by step, so that simulated time can pass between the steps."""

from collections.abc import Callable, Generator, Mapping, Sequence
from types import MappingProxyType

from pytest_mcpbench.simulated.terminal import file_commands, system_commands, text_commands
from pytest_mcpbench.simulated.terminal.command import Result, Running, Step, Surroundings, UsageProblem, Wrote
from pytest_mcpbench.simulated.terminal.disk import said
from pytest_mcpbench.simulated.terminal.syntax import Command, Part, Pipeline, ShellSyntaxError, Word, parsed

Quick = Callable[[Surroundings, Sequence[str], str], Result]
Slow = Callable[[Surroundings, Sequence[str], str | None], Running]

QUICK: Mapping[str, Quick] = MappingProxyType(
    {
        **{
            function.__name__: function
            for function in (
                *(text_commands.echo, text_commands.printf, text_commands.cat, text_commands.tac, text_commands.nl),
                *(text_commands.head, text_commands.tail, text_commands.wc, text_commands.grep, text_commands.sort),
                *(text_commands.uniq, text_commands.cut, text_commands.tr, text_commands.sed, text_commands.rev),
                *(text_commands.sha256sum, file_commands.pwd, file_commands.cd, file_commands.ls, file_commands.find),
                *(file_commands.du, file_commands.mkdir, file_commands.rmdir, file_commands.rm, file_commands.touch),
                *(file_commands.cp, file_commands.mv, file_commands.basename, file_commands.dirname),
                *(system_commands.true, system_commands.false, system_commands.date, system_commands.whoami),
                *(system_commands.hostname, system_commands.uname, system_commands.env, system_commands.export),
                *(system_commands.seq, system_commands.ps, system_commands.kill),
            )
        },
        "printenv": system_commands.env,
    }
)
"""Commands that take no time."""

SLOW: Mapping[str, Slow] = MappingProxyType(
    {"sleep": system_commands.sleep, "python3": system_commands.python3, "python": system_commands.python3}
)
"""Commands that take time or ask for input."""


def run(line: str, shell: Surroundings) -> Running:
    """A command line; its exit code is that of the last command."""
    try:
        pipelines = parsed(line)
    except ShellSyntaxError as problem:
        yield Wrote(f"{_prefix(shell)}{problem}\n", is_error=True)
        return 2
    for pipeline in pipelines:
        if (pipeline.after == "&&" and shell.status) or (pipeline.after == "||" and not shell.status):
            continue
        shell.status = yield from _pipeline(pipeline, shell)
    return shell.status


def names(line: str) -> list[str]:
    """The names of all commands in a line, also of those whose output is put into it; empty where it cannot be read."""
    try:
        commands = [command for pipeline in parsed(line) for command in pipeline.commands]
    except ShellSyntaxError:
        return []
    found = []
    for command in commands:
        words = [word for word in command.words if not _is_assignment(word)]
        found += ["".join(part.text for part in words[0]).rpartition("/")[2].lower()] if words else []
        for part in (part for word in command.words for part in word):
            found += names(part.text) if part.kind.endswith("command") else []
    return found


def _pipeline(pipeline: Pipeline, shell: Surroundings) -> Running:
    stdin: str | None = None
    status = 0
    for place, command in enumerate(pipeline.commands):
        is_last = place == len(pipeline.commands) - 1
        if is_last:
            return (yield from _redirected(command, shell, stdin))
        stdin, status = yield from _captured(_redirected(command, shell, stdin))
    return status


def _captured(running: Running) -> Generator[Step, str, tuple[str, int]]:
    """What a command writes, instead of writing it; its errors are written all the same."""
    written = ""
    try:
        step = next(running)
        while True:
            if isinstance(step, Wrote) and not step.is_error:
                written += step.text
                step = next(running)
            else:
                step = running.send((yield step))
    except StopIteration as end:
        return written, end.value


def _redirected(command: Command, shell: Surroundings, stdin: str | None) -> Running:
    """A command whose output goes where its redirections lead."""
    try:
        targets, stdin = _targets(command, shell, stdin)
    except OSError as error:
        yield Wrote(f"{_prefix(shell)}cannot open {error.filename}: {said(error)}\n", is_error=True)
        return 2
    running = _command(command, shell, stdin)
    try:
        step = next(running)
        while True:
            if isinstance(step, Wrote):
                target = targets[int(step.is_error)]
                if target is None or not step.text:
                    if step.text:
                        yield step
                elif target == "&1":
                    yield Wrote(step.text)
                else:
                    shell.disk.write(target, step.text, append=True)
                step = next(running)
            else:
                step = running.send((yield step))
    except StopIteration as end:
        status: int = end.value
        return status


def _targets(command: Command, shell: Surroundings, stdin: str | None) -> tuple[list[str | None], str | None]:
    """Files for output and errors (``None``: where the shell writes), and the input."""
    targets: list[str | None] = [None, None]
    for operator, word in command.redirections:
        if word is None:
            targets[1] = targets[0] or "&1"
            continue
        path = "".join(_fields(word, shell)) if word else ""
        if operator == "<":
            stdin = _read(path, shell)
            continue
        _open(path, shell, append=operator in (">>", "2>>"))
        for which in {">": (0,), ">>": (0,), "2>": (1,), "2>>": (1,), "&>": (0, 1)}[operator]:
            targets[which] = path
    return targets, stdin


def _read(path: str, shell: Surroundings) -> str:
    try:
        return "" if path == "/dev/null" else shell.disk.read(path)
    except OSError as error:
        raise type(error)(error.errno, "", path) from None


def _open(path: str, shell: Surroundings, *, append: bool) -> None:
    try:
        shell.disk.write(path, "", append=append)
    except OSError as error:
        raise type(error)(error.errno, "", path) from None


def _command(command: Command, shell: Surroundings, stdin: str | None) -> Running:
    assigned: list[Word] = []
    while len(assigned) < len(command.words) and _is_assignment(command.words[len(assigned)]):
        assigned.append(command.words[len(assigned)])
    for word in assigned:
        name, _, value = "".join(_fields(word, shell, split=False)).partition("=")
        shell.variables[name] = value
    fields = [field for word in command.words[len(assigned) :] for field in _fields(word, shell)]
    if not fields:
        return 0
    name, *arguments = fields
    try:
        return (yield from _called(name, arguments, shell, stdin))
    except UsageProblem as problem:
        yield Wrote(f"{problem}\n", is_error=True)
        return problem.code
    except OSError as error:
        yield Wrote(f"{name}: {error.filename or ''}: {said(error)}\n".replace(": : ", ": "), is_error=True)
        return 1


def _called(name: str, arguments: Sequence[str], shell: Surroundings, stdin: str | None) -> Running:
    base = name.rpartition("/")[2] if name.startswith(("/bin/", "/usr/bin/")) else name
    if base == "tail" and {"-f", "-F"} & set(arguments) and stdin is None:
        return (yield from system_commands.follow(shell, arguments, stdin))
    if base in SLOW:
        return (yield from SLOW[base](shell, arguments, stdin))
    if base == "exit":
        return int(arguments[0]) if arguments and arguments[0].isdigit() else shell.status
    if base not in QUICK:
        yield Wrote(_unknown(name, shell), is_error=True)
        return 127
    result = QUICK[base](shell, arguments, stdin or "")
    yield Wrote(result.out)
    yield Wrote(result.error, is_error=True)
    return result.code


def _fields(word: Word, shell: Surroundings, *, split: bool = True) -> list[str]:
    """What a word stands for; several fields where a variable holds spaces or a pattern fits several paths."""
    fields, is_pattern, is_open = [""], False, bool(word)
    for place, part in enumerate(word):
        if part.kind in ("variable", "command") and split:
            first, *others = _expanded(part, shell).split() or [""]
            fields[-1] += first
            fields += others
            continue
        text = _expanded(part, shell)
        if part.kind == "text":
            is_pattern = is_pattern or any(sign in text for sign in "*?[")
            if place == 0 and (text == "~" or text.startswith("~/")):
                text = shell.disk.home + text[1:]
        fields[-1] += text
    if is_pattern and split and len(fields) == 1:
        return shell.disk.expanded(fields[0]) or fields
    only_expansions = all(part.kind in ("variable", "command") for part in word)
    return [] if is_open and only_expansions and fields == [""] else fields


def _expanded(part: Part, shell: Surroundings) -> str:
    if part.kind in ("text", "quoted"):
        return part.text
    if part.kind.endswith("variable"):
        return str(shell.status) if part.text == "?" else shell.variables.get(part.text, "")
    return _output(run(part.text, shell)).rstrip("\n")


def _output(running: Running) -> str:
    """What a command writes without taking time; one that waits or asks is given up there."""
    written = ""
    for step in running:
        if not isinstance(step, Wrote):
            break
        written += "" if step.is_error else step.text
    return written


def _is_assignment(word: Word) -> bool:
    return (
        bool(word) and word[0].kind == "text" and word[0].text.partition("=")[0].isidentifier() and "=" in word[0].text
    )


def _unknown(name: str, shell: Surroundings) -> str:
    return f"{_prefix(shell)}{name}: not found\n" if _is_dash(shell) else f"{_prefix(shell)}{name}: command not found\n"


def _prefix(shell: Surroundings) -> str:
    used = shell.variables.get("0", "/bin/sh")
    return f"{used}: 1: " if _is_dash(shell) else f"{used.rpartition('/')[2]}: line 1: "


def _is_dash(shell: Surroundings) -> bool:
    return shell.variables.get("0", "/bin/sh").endswith("/sh")
