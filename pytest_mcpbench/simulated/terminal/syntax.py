"""The grammar of the simulated shell: words with quotes and ``$``, pipes, lists and redirections.

Other features of a real shell (loops, conditions, functions, subshells, here-documents, background jobs) raise a
:class:`ShellSyntaxError` that says so.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

_OPERATORS = ("2>&1", "2>>", "&>", "&&", "||", ">>", "2>", "|", ";", "\n", ">", "<", "&", "(", ")")
_UNSUPPORTED = frozenset(("for", "while", "until", "if", "case", "function", "{", "!", "[["))
_NAME = re.compile(r"\{(\w+)\}|(\w+)|([?$#])")

Kind = Literal["text", "quoted", "variable", "quoted variable", "command", "quoted command"]


class ShellSyntaxError(Exception):
    """A command line that the simulated shell cannot parse; the message is the shell's."""


@dataclass(frozen=True)
class Part:
    """A piece of a word: literal text, the name of a variable, or a command to substitute by its output."""

    kind: Kind
    text: str


Word = tuple[Part, ...]


@dataclass
class SimpleCommand:
    """One simple command."""

    words: list[Word] = field(default_factory=list)
    redirections: list[tuple[str, Word | None]] = field(default_factory=list)
    """Operator and target, in order; ``2>&1`` has no target."""


@dataclass
class CommandPipeline:
    """Commands connected by pipes; ``after`` is the condition under which the pipeline runs."""

    after: Literal[";", "&&", "||"]
    commands: list[SimpleCommand]


def parse(line: str) -> list[CommandPipeline]:
    """Parse a command line into its pipelines, in order."""
    pipelines = [CommandPipeline(";", [SimpleCommand()])]
    tokens = list(_tokens(line))
    position = 0
    while position < len(tokens):
        token = tokens[position]
        command = pipelines[-1].commands[-1]
        if not isinstance(token, str):
            command.words.append(token)
        elif token in (";", "\n", "&&", "||"):
            pipelines.append(
                CommandPipeline("&&" if token == "&&" else "||" if token == "||" else ";", [SimpleCommand()])
            )
        elif token == "|":
            pipelines[-1].commands.append(SimpleCommand())
        elif token in ("&", "(", ")"):
            raise ShellSyntaxError(f"Syntax error: {token!r} is not supported by this simulated shell")
        else:
            position += token != "2>&1"
            command.redirections.append((token, _target(tokens, position) if token != "2>&1" else None))
        position += 1
    return _validate(pipelines)


def _target(tokens: "list[Word | str]", position: int) -> Word:
    token = tokens[position] if position < len(tokens) else "end of line"
    if isinstance(token, str):
        token_text = "newline" if token == "\n" else token if token == "end of line" else f'"{token}"'
        raise ShellSyntaxError(f"Syntax error: {token_text} unexpected")
    return token


def _validate(pipelines: list[CommandPipeline]) -> list[CommandPipeline]:
    nonempty = [
        candidate
        for candidate in pipelines
        if len(candidate.commands) > 1 or candidate.commands[0].words or candidate.commands[0].redirections
    ]
    for pipeline in nonempty:
        for command in pipeline.commands:
            if not command.words and not command.redirections:
                raise ShellSyntaxError('Syntax error: "|" unexpected')
            first = command.words[0][0] if command.words and command.words[0] else Part("text", "")
            if first.kind == "text" and first.text in _UNSUPPORTED:
                raise ShellSyntaxError(f"Syntax error: {first.text!r} is not supported by this simulated shell")
    return nonempty


def _tokens(line: str) -> Iterator[Word | str]:
    place = 0
    while place < len(line):
        if line[place] in " \t" or line.startswith("\\\n", place):
            place += 1 if line[place] in " \t" else 2
        elif line[place] == "#":
            place = line.find("\n", place) if "\n" in line[place:] else len(line)
        elif line.startswith("<<", place):
            raise ShellSyntaxError("Syntax error: '<<' is not supported by this simulated shell")
        elif operator := next((symbol for symbol in _OPERATORS if line.startswith(symbol, place)), None):
            yield operator
            place += len(operator)
        else:
            word, place = _parse_word(line, place)
            yield word


def _parse_word(line: str, place: int) -> tuple[Word, int]:
    parts: list[Part] = []
    while place < len(line) and line[place] not in " \t\n|;<>&()":
        sign = line[place]
        if sign == "'":
            end = _find_closing(line, place + 1, "'")
            parts.append(Part("quoted", line[place + 1 : end]))
            place = end + 1
        elif sign == '"':
            place = _parse_double_quotes(line, place + 1, parts)
        elif sign == "\\":
            parts.append(Part("quoted", line[place + 1 : place + 2]))
            place += 2
        elif sign in "$`":
            place = _parse_expansion(line, place, parts, quoted=False)
        else:
            parts.append(Part("text", sign))
            place += 1
    merged: list[Part] = []
    for part in parts:
        if merged and part.kind == merged[-1].kind and part.kind in ("text", "quoted"):
            merged[-1] = Part(part.kind, merged[-1].text + part.text)
        else:
            merged.append(part)
    return tuple(merged), place


def _parse_double_quotes(line: str, place: int, parts: list[Part]) -> int:
    parts.append(Part("quoted", ""))
    while place < len(line) and line[place] != '"':
        if line[place] == "\\" and line[place + 1 : place + 2] in ("$", '"', "\\", "`"):
            parts.append(Part("quoted", line[place + 1]))
            place += 2
        elif line[place] in "$`":
            place = _parse_expansion(line, place, parts, quoted=True)
        else:
            parts.append(Part("quoted", line[place]))
            place += 1
    if place >= len(line):
        raise ShellSyntaxError("Syntax error: Unterminated quoted string")
    return place + 1


def _parse_expansion(line: str, place: int, parts: list[Part], *, quoted: bool) -> int:
    if line[place] == "`":
        end = _find_closing(line, place + 1, "`")
        parts.append(Part("quoted command" if quoted else "command", line[place + 1 : end]))
        return end + 1
    if line.startswith("$(", place):
        end = _find_closing_parenthesis(line, place + 1)
        parts.append(Part("quoted command" if quoted else "command", line[place + 2 : end]))
        return end + 1
    match = _NAME.match(line, place + 1)
    if match is None:
        parts.append(Part("quoted", "$"))
        return place + 1
    parts.append(Part("quoted variable" if quoted else "variable", match[1] or match[2] or match[3]))
    return match.end()


def _find_closing(line: str, place: int, sign: str) -> int:
    end = line.find(sign, place)
    if end < 0:
        raise ShellSyntaxError("Syntax error: Unterminated quoted string")
    return end


def _find_closing_parenthesis(line: str, place: int) -> int:
    depth = 0
    for end in range(place, len(line)):
        depth += (line[end] == "(") - (line[end] == ")")
        if depth == 0:
            return end
    raise ShellSyntaxError('Syntax error: end of line unexpected (expecting ")")')
