"""Execution of command lines in the simulated shell, step by step, so that simulated time can pass in between."""

from collections.abc import Callable, Generator, Mapping, Sequence
from types import MappingProxyType

from pytest_mcpbench.simulated.terminal import file_commands, system_commands, text_commands
from pytest_mcpbench.simulated.terminal.command import Execution, OutputStep, Result, ShellContext, Step, UsageProblem
from pytest_mcpbench.simulated.terminal.disk import error_message
from pytest_mcpbench.simulated.terminal.syntax import (
    Part,
    ShellSyntaxError,
    SimpleCommand,
    Word,
    parse,
)

Quick = Callable[[ShellContext, Sequence[str], str], Result]
Slow = Callable[[ShellContext, Sequence[str], str | None], Execution]

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


def run(line: str, shell: ShellContext) -> Execution:
    """Run a command line; its exit code is that of the last command."""
    try:
        pipelines = parse(line)
    except ShellSyntaxError as error:
        yield OutputStep(f"{_prefix(shell)}{error}\n", is_error=True)
        return 2
    for pipeline in pipelines:
        if (pipeline.after == "&&" and shell.status) or (pipeline.after == "||" and not shell.status):
            continue
        *earlier, last = pipeline.commands
        stdin: str | None = None
        for command in earlier:
            stdin = yield from _capture(_redirect(command, shell, stdin))
        shell.status = yield from _redirect(last, shell, stdin)
    return shell.status


def names(line: str) -> list[str]:
    """Return the names of all commands in a line, including those in command substitutions.

    The list is empty if the line cannot be parsed.
    """
    try:
        commands = [command for pipeline in parse(line) for command in pipeline.commands]
    except ShellSyntaxError:
        return []
    command_names = []
    for command in commands:
        words = [word for word in command.words if not _is_assignment(word)]
        command_names += ["".join(part.text for part in words[0]).rpartition("/")[2].lower()] if words else []
        for part in (part for word in command.words for part in word):
            command_names += names(part.text) if part.kind.endswith("command") else []
    return command_names


def _capture(running: Execution) -> Generator[Step, str, str]:
    """Run a command and return its output; its error output is passed through."""
    output = ""
    try:
        step = next(running)
        while True:
            if isinstance(step, OutputStep) and not step.is_error:
                output += step.text
                step = next(running)
            else:
                step = running.send((yield step))
    except StopIteration:
        return output


def _redirect(command: SimpleCommand, shell: ShellContext, stdin: str | None) -> Execution:
    """Run a command with its output redirected."""
    try:
        targets, stdin = _targets(command, shell, stdin)
    except OSError as error:
        yield OutputStep(f"{_prefix(shell)}cannot open {error.filename}: {error_message(error)}\n", is_error=True)
        return 2
    running = _command(command, shell, stdin)
    try:
        step = next(running)
        while True:
            if isinstance(step, OutputStep):
                target = targets[int(step.is_error)]
                if target is None or not step.text:
                    if step.text:
                        yield step
                elif target == "&1":
                    yield OutputStep(step.text)
                else:
                    try:
                        shell.disk.write(target, step.text, append=True)
                    except OSError as error:
                        yield OutputStep(f"{_prefix(shell)}{target}: {error_message(error)}\n", is_error=True)
                        return 1
                step = next(running)
            else:
                step = running.send((yield step))
    except StopIteration as end:
        status: int = end.value
        return status


def _targets(command: SimpleCommand, shell: ShellContext, stdin: str | None) -> tuple[list[str | None], str | None]:
    """Return the files for output and error output (``None``: not redirected), and the input."""
    targets: list[str | None] = [None, None]
    for operator, word in command.redirections:
        if word is None:
            targets[1] = targets[0] or "&1"
            continue
        path = "".join(_fields(word, shell)) if word else ""
        if operator == "<":
            try:
                stdin = "" if path == "/dev/null" else shell.disk.read(path)
            except OSError as error:
                raise type(error)(error.errno, "", path) from None
            continue
        append = operator in (">>", "2>>")
        try:
            shell.disk.write(path, "", append=append)
        except OSError as error:
            raise type(error)(error.errno, "", path) from None
        for stream in {">": (0,), ">>": (0,), "2>": (1,), "2>>": (1,), "&>": (0, 1)}[operator]:
            targets[stream] = path
    return targets, stdin


def _command(command: SimpleCommand, shell: ShellContext, stdin: str | None) -> Execution:
    assignments: list[Word] = []
    while len(assignments) < len(command.words) and _is_assignment(command.words[len(assignments)]):
        assignments.append(command.words[len(assignments)])
    for word in assignments:
        name, _, value = "".join(_fields(word, shell, split=False)).partition("=")
        shell.variables[name] = value
    fields = [field for word in command.words[len(assignments) :] for field in _fields(word, shell)]
    if not fields:
        return 0
    name, *arguments = fields
    try:
        return (yield from _call(name, arguments, shell, stdin))
    except UsageProblem as error_:
        yield OutputStep(f"{error_}\n", is_error=True)
        return error_.code
    except OSError as error:
        yield OutputStep(
            f"{name}: {error.filename or ''}: {error_message(error)}\n".replace(": : ", ": "), is_error=True
        )
        return 1


_MOST_DIGITS = 20


def _call(name: str, arguments: Sequence[str], shell: ShellContext, stdin: str | None) -> Execution:
    base = name.rpartition("/")[2] if name.startswith(("/bin/", "/usr/bin/")) else name
    if base == "tail" and {"-f", "-F"} & set(arguments) and stdin is None:
        return (yield from system_commands.follow(shell, arguments, stdin))
    if base in SLOW:
        return (yield from SLOW[base](shell, arguments, stdin))
    if base == "exit":
        return int(arguments[0][-_MOST_DIGITS:]) if arguments and arguments[0].isdecimal() else shell.status
    if base not in QUICK:
        unknown_command = (
            f"{_prefix(shell)}{name}: not found\n"
            if _is_dash(shell)
            else f"{_prefix(shell)}{name}: command not found\n"
        )
        yield OutputStep(unknown_command, is_error=True)
        return 127
    result = QUICK[base](shell, arguments, stdin or "")
    yield OutputStep(result.out)
    yield OutputStep(result.error, is_error=True)
    return result.code


def _fields(word: Word, shell: ShellContext, *, split: bool = True) -> list[str]:
    """Expand a word into fields; a variable with spaces or a pattern with several matches yields several fields."""
    fields, is_pattern, is_open = [""], False, bool(word)
    for index, part in enumerate(word):
        if part.kind in ("variable", "command") and split:
            first, *more = _expand(part, shell).split() or [""]
            fields[-1] += first
            fields += more
            continue
        text = _expand(part, shell)
        if part.kind == "text":
            is_pattern = is_pattern or any(wildcard in text for wildcard in "*?[")
            if index == 0 and (text == "~" or text.startswith("~/")):
                text = shell.disk.home + text[1:]
        fields[-1] += text
    if is_pattern and split and len(fields) == 1:
        return shell.disk.expand(fields[0]) or fields
    only_expansions = all(part.kind in ("variable", "command") for part in word)
    return [] if is_open and only_expansions and fields == [""] else fields


def _expand(part: Part, shell: ShellContext) -> str:
    if part.kind in ("text", "quoted"):
        return part.text
    if part.kind.endswith("variable"):
        return str(shell.status) if part.text == "?" else shell.variables.get(part.text, "")
    # A command that waits or asks for input is stopped there.
    running = run(part.text, shell)
    output = ""
    for step in running:
        if not isinstance(step, OutputStep):
            break
        output += "" if step.is_error else step.text
    return output.rstrip("\n")


def _is_assignment(word: Word) -> bool:
    return (
        bool(word) and word[0].kind == "text" and word[0].text.partition("=")[0].isidentifier() and "=" in word[0].text
    )


def _prefix(shell: ShellContext) -> str:
    shell_path = shell.variables.get("0", "/bin/sh")
    return f"{shell_path}: 1: " if _is_dash(shell) else f"{shell_path.rpartition('/')[2]}: line 1: "


def _is_dash(shell: ShellContext) -> bool:
    return shell.variables.get("0", "/bin/sh").endswith("/sh")
