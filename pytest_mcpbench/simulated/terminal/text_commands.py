"""Commands of the simulated shell that read text and print it transformed: cat, grep, sort and similar ones."""

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Any

from pytest_mcpbench.simulated.terminal.command import Result, ShellContext, UsageProblem, options, whole_number
from pytest_mcpbench.simulated.terminal.disk import error_message
from pytest_mcpbench.text.bounded_pattern import BoundedPattern, PatternTimeoutError

_MAX_PATTERN, _MAX_REPEATS = 200, 6
_MAX_CHARACTERS = 10_000_000
_MOST_DIGITS = 20
"""Length of the texts, up to the last one, that one command reads."""
_NESTED_REPEAT = re.compile(r"[*+}]\\?\)?[*+{]|\)[*+{]|\)\\[+{]")
_CLASSES = {"digit": "0-9", "alpha": "a-zA-Z", "alnum": "a-zA-Z0-9", "space": r"\s", "upper": "A-Z", "lower": "a-z"}


def echo(_shell: ShellContext, arguments: Sequence[str], _stdin: str) -> Result:
    """Print the arguments; ``-n`` omits the newline, and ``-e`` interprets the escapes of newline and tab."""
    words = list(arguments)
    flags = ""
    while words and re.fullmatch("-[ne]+", words[0]):
        flags += words.pop(0)
    text = " ".join(words)
    if "e" in flags:
        text = text.replace("\\n", "\n").replace("\\t", "\t")
    return Result(text + ("" if "n" in flags else "\n"))


def printf(_shell: ShellContext, arguments: Sequence[str], _stdin: str) -> Result:
    """Print formatted arguments with ``%s``, ``%d`` and ``%%``; the format is reused until no arguments are left."""
    if not arguments:
        raise UsageProblem("printf: usage: printf format [arguments]", 2)
    form, *values = arguments
    form = form.replace("\\n", "\n").replace("\\t", "\t")
    text = ""
    while True:
        text += re.sub(r"%([sd%])", lambda match: "%" if match[1] == "%" else (values.pop(0) if values else ""), form)
        if not values or not re.search("%[sd]", form):
            return Result(text)


def cat(shell: ShellContext, arguments: Sequence[str], stdin: str) -> Result:
    """Print files; ``-n`` numbers the lines."""
    switches, paths = options("cat", arguments, "n")
    texts, problems = _texts("cat", shell, paths, stdin)
    text = "".join(content for _, content in texts)
    if "n" in switches:
        text = "".join(f"{number:6}\t{line}\n" for number, line in enumerate(_lines(text), start=1))
    return _result(text, problems)


def tac(shell: ShellContext, arguments: Sequence[str], stdin: str) -> Result:
    """Print lines in reverse order."""
    texts, problems = _texts("tac", shell, arguments, stdin)
    return _result(_join_lines(line for _, text in texts for line in reversed(_lines(text))), problems)


def nl(shell: ShellContext, arguments: Sequence[str], stdin: str) -> Result:
    """Print lines, numbering those that are not empty."""
    texts, problems = _texts("nl", shell, arguments, stdin)
    numbered, number = [], 0
    for line in _lines("".join(text for _, text in texts)):
        number += bool(line)
        numbered.append(f"{number:6}\t{line}" if line else "       ")
    return _result(_join_lines(numbered), problems)


def head(shell: ShellContext, arguments: Sequence[str], stdin: str) -> Result:
    """Print the first ``-n`` lines (by default 10; a negative number omits lines at the end) or ``-c`` bytes."""

    def part(text: str, switches: dict[str, str]) -> str:
        if "c" in switches:
            return text.encode()[: whole_number("head", switches["c"], "number of bytes")].decode("utf-8", "replace")
        return _join_lines(_lines(text)[: whole_number("head", switches.get("n", "10"))])

    return _print_parts("head", shell, arguments, stdin, part)


def tail(shell: ShellContext, arguments: Sequence[str], stdin: str) -> Result:
    """Print the last ``-n`` lines (by default 10; ``+N`` starts with line N) or ``-c`` bytes."""

    def part(text: str, switches: dict[str, str]) -> str:
        if "c" in switches:
            count = whole_number("tail", switches["c"], "number of bytes")
            return text.encode()[-count:].decode("utf-8", "replace") if count else ""
        count_text = switches.get("n", "10")
        count = abs(whole_number("tail", count_text))
        if count_text.startswith("+"):
            return _join_lines(_lines(text)[max(count - 1, 0) :])
        return _join_lines(_lines(text)[-count:] if count else [])

    return _print_parts("tail", shell, arguments, stdin, part)


def _print_parts(
    name: str, shell: ShellContext, arguments: Sequence[str], stdin: str, part: Callable[[str, dict[str, str]], str]
) -> Result:
    switches, paths = options(name, arguments, "q", "nc")
    texts, problems = _texts(name, shell, paths, stdin)
    if len(texts) > 1 and "q" not in switches:
        return _result("\n".join(f"==> {path} <==\n{part(text, switches)}" for path, text in texts), problems)
    return _result("".join(part(text, switches) for _, text in texts), problems)


def wc(shell: ShellContext, arguments: Sequence[str], stdin: str) -> Result:
    """Count lines (``-l``), words (``-w``), bytes (``-c``) and characters (``-m``)."""
    switches, paths = options("wc", arguments, "lwcm")
    texts, problems = _texts("wc", shell, paths, stdin)
    rows: list[tuple[list[int], str]] = []
    for path, text in texts:
        by_letter = {"l": text.count("\n"), "w": len(text.split()), "m": len(text), "c": len(text.encode())}
        rows.append(([count for letter, count in by_letter.items() if letter in (switches or "lwc")], path))
    if len(rows) > 1:
        rows.append(([sum(column) for column in zip(*(counts for counts, _ in rows), strict=True)], "total"))
    is_plain = len(rows) == 1 and len(rows[0][0]) == 1
    width = 1 if is_plain else len(str(sum(len(text.encode()) for _, text in texts))) if paths else 7
    lines = [" ".join(f"{count:{width}}" for count in counts) + (f" {path}" if paths else "") for counts, path in rows]
    return _result(_join_lines(lines), problems)


def grep(shell: ShellContext, arguments: Sequence[str], stdin: str) -> Result:
    """Print the lines that match a pattern, unless the search takes too long."""
    try:
        return _grep(shell, arguments, stdin)
    except PatternTimeoutError:
        raise UsageProblem("grep: the search takes too long; use a simpler pattern", 2) from None


def _grep(shell: ShellContext, arguments: Sequence[str], stdin: str) -> Result:
    """Print the lines that match a pattern.

    Supports ``-i -v -n -c -l -o -w -x -F -E -r -h -q``, ``-m`` for the maximum number of matches and ``-e`` for the
    pattern.
    """
    switches, rest = options("grep", arguments, "ivnclowxFErRhqHs", "me")
    if "e" not in switches and not rest:
        raise UsageProblem("Usage: grep [OPTION]... PATTERNS [FILE]...", 2)
    pattern = switches["e"] if "e" in switches else rest.pop(0)
    expression = _expression(pattern, switches)
    is_deep = bool({"r", "R"} & switches.keys())
    paths = (
        [path if rest else path.removeprefix("./") for path in _files_below(shell, rest or ["."])] if is_deep else rest
    )
    texts, problems = _texts("grep", shell, paths, stdin)
    is_named = "H" in switches or ("h" not in switches and (is_deep or len(paths) > 1))
    results = [_grep_text(path if is_named else "", path, text, expression, switches) for path, text in texts]
    lines = [line for matching_lines in results for line in matching_lines]
    has_match = any(_matching_lines(text, expression, switches) for _, text in texts)
    return Result(
        "" if "q" in switches else _join_lines(lines), "".join(problems), 2 if problems else int(not has_match)
    )


def _grep_text(prefix: str, path: str, text: str, expression: BoundedPattern, switches: dict[str, str]) -> list[str]:
    matches = _matching_lines(text, expression, switches)
    if "l" in switches:
        return [path or "(standard input)"] if matches else []
    head = f"{prefix}:" if prefix else ""
    if "c" in switches:
        return [f"{head}{len(matches)}"]
    output = []
    for number, line in matches:
        start = head + (f"{number}:" if "n" in switches else "")
        parts = expression.found(line) if "o" in switches else [line]
        output += [start + part for part in parts]
    return output


def _matching_lines(text: str, expression: BoundedPattern, switches: dict[str, str]) -> list[tuple[int, str]]:
    is_positive = "v" not in switches
    matches = [(n, line) for n, line in enumerate(_lines(text), start=1) if expression.is_found(line) is is_positive]
    return matches[: whole_number("grep", switches["m"], "max count")] if "m" in switches else matches


def _expression(pattern: str, switches: dict[str, str]) -> BoundedPattern:
    if (
        len(pattern) > _MAX_PATTERN
        or len(re.findall("[*+{]", pattern)) > _MAX_REPEATS
        or _NESTED_REPEAT.search(pattern)
    ):
        raise UsageProblem("this simulated shell takes no repeated groups and no pattern that repeats a lot", 2)
    text = re.escape(pattern) if "F" in switches else pattern if "E" in switches else _extended_syntax(pattern)
    text = rf"\b(?:{text})\b" if "w" in switches else rf"^(?:{text})$" if "x" in switches else text
    try:
        text = re.sub(r"\[:(\w+):\]", lambda match: _CLASSES[match[1]], text)
        return BoundedPattern(text, ignores_case="i" in switches)
    except (ValueError, KeyError):
        raise UsageProblem(f"grep: Invalid regular expression: {pattern}", 2) from None


def _extended_syntax(pattern: str) -> str:
    """Convert a basic regular expression to an extended one, in which ``+?|(){}`` are special without a backslash."""
    return re.sub(r"\\?[+?|(){}]", lambda match: match[0][1:] if match[0][0] == "\\" else "\\" + match[0], pattern)


def _files_below(shell: ShellContext, paths: Iterable[str]) -> list[str]:
    files = []
    for path in paths:
        place = shell.disk.place(path)
        inner = sorted(file for file in place.rglob("*") if file.is_file() and not file.is_symlink())
        if place.is_dir():
            files += [f"{path.rstrip('/')}/{file.relative_to(place).as_posix()}" for file in inner]
        else:
            files.append(path)
    return files


def sort(shell: ShellContext, arguments: Sequence[str], stdin: str) -> Result:
    """Sort lines; supports ``-r -n -u -f``, ``-k`` for the field and ``-t`` for the field separator."""
    switches, paths = options("sort", arguments, "rnufbh", "kt")
    texts, problems = _texts("sort", shell, paths, stdin)
    lines = [line for _, text in texts for line in _lines(text)]
    field = re.match(r"(\d+)(?:,\d+)?([nr]*)", switches.get("k", ""))
    flags = set(switches) | set(field[2] if field else "")
    position = int(field[1]) if field else 0

    def key(line: str) -> Any:
        parts = line.split(switches.get("t")) if position else [line]
        text = parts[position - 1] if position and position <= len(parts) else "" if position else line
        if "n" in flags:
            number = re.match(r"\s*(-?\d+(?:\.\d+)?)", text)
            return float(number[1]) if number else 0.0
        return text.lower() if "f" in flags else text

    in_order = sorted(sorted(lines), key=key, reverse="r" in flags)
    if "u" in flags:
        in_order = [next(same) for _, same in groupby(in_order, key=key if "n" in flags or field else None)]
    return _result(_join_lines(in_order), problems)


def uniq(shell: ShellContext, arguments: Sequence[str], stdin: str) -> Result:
    """Merge adjacent equal lines; ``-c`` counts them, ``-d`` prints only repeated and ``-u`` only unique lines."""
    switches, paths = options("uniq", arguments, "cdu")
    texts, problems = _texts("uniq", shell, paths[:1], stdin)
    groups = [(line, len(list(same))) for _, text in texts for line, same in groupby(_lines(text))]
    selected = [(line, n) for line, n in groups if not ("d" in switches and n == 1) and not ("u" in switches and n > 1)]
    return _result(_join_lines(f"{n:7} {line}" if "c" in switches else line for line, n in selected), problems)


def cut(shell: ShellContext, arguments: Sequence[str], stdin: str) -> Result:
    """Print the fields ``-f``, separated by ``-d``, or the characters ``-c`` of each line; lists are like ``1,3-5``."""
    switches, paths = options("cut", arguments, "s", "dfc")
    texts, problems = _texts("cut", shell, paths, stdin)
    if "f" not in switches and "c" not in switches:
        raise UsageProblem("cut: you must specify a list of bytes, characters, or fields")
    separator = switches.get("d", "\t")
    lines = [line for _, text in texts for line in _lines(text)]
    if "c" in switches:
        return _result(_join_lines("".join(_select(line, switches["c"])) for line in lines), problems)
    selected = [
        separator.join(_select(line.split(separator), switches["f"])) if separator in line else line for line in lines
    ]
    return _result(_join_lines(selected), problems)


def _select(items: Sequence[str], positions: str) -> list[str]:
    indices = set()
    for part in positions.split(","):
        first, dash, last = part.partition("-")
        if not re.fullmatch(r"\d*-?\d*", part) or not part.strip("-"):
            raise UsageProblem(f"cut: invalid field value '{part}'")
        end = last or (len(items) if dash else first)
        indices |= set(range(_position(first or 1, items), _position(end, items) + 1))
    return [item for index, item in enumerate(items, start=1) if index in indices]


def _position(number: str | int, items: Sequence[str]) -> int:
    """Return a position, with one behind the last item for all of those."""
    return len(items) + 1 if len(str(number)) > _MOST_DIGITS else min(int(number), len(items) + 1)


def tr(_shell: ShellContext, arguments: Sequence[str], stdin: str) -> Result:
    """Replace characters; ``-d`` deletes, ``-s`` squeezes; supports ranges, ``[:upper:]`` and ``[:lower:]``."""
    switches, sets = options("tr", arguments, "dsc")
    if not sets:
        raise UsageProblem("tr: missing operand")
    old = _characters(sets[0])
    if "d" in switches:
        return Result("".join(sign for sign in stdin if (sign in old) is ("c" in switches)))
    squeezed = old if "s" in switches else ""
    new = _characters(sets[1]) if len(sets) > 1 else squeezed
    if not new:
        raise UsageProblem(f"tr: missing operand after '{sets[0]}'")
    text = stdin.translate({ord(sign): new[min(place, len(new) - 1)] for place, sign in enumerate(old)})
    return Result(
        "".join(s for p, s in enumerate(text) if not (p and s == text[p - 1] and s in new)) if "s" in switches else text
    )


def _characters(characters: str) -> str:
    classes = {
        "[:upper:]": "A-Z",
        "[:lower:]": "a-z",
        "[:digit:]": "0-9",
        "[:space:]": " \t\n",
        "\\n": "\n",
        "\\t": "\t",
    }
    for name, signs in classes.items():
        characters = characters.replace(name, signs)
    return re.sub(
        r"(\w)-(\w)", lambda match: "".join(map(chr, range(ord(match[1]), min(ord(match[2]), 0x17F) + 1))), characters
    )


def sed(shell: ShellContext, arguments: Sequence[str], stdin: str) -> Result:
    """Edit lines.

    Supports ``s/old/new/`` with ``g`` and ``i``, ``Np`` and ``N,Mp`` with ``-n``, and ``Nd`` and ``N,Md``.
    """
    switches, rest = options("sed", arguments, "nEr", "e")
    script = switches["e"] if "e" in switches else rest.pop(0) if rest else ""
    texts, problems = _texts("sed", shell, rest, stdin)
    lines = [line for _, text in texts for line in _lines(text)]
    if line_command := re.fullmatch(r"(\d+)(?:,(\d+|\$))?([pd])", script):
        first, last = (
            int(line_command[1]),
            len(lines) if line_command[2] == "$" else int(line_command[2] or line_command[1]),
        )
        selected = [line for n, line in enumerate(lines, start=1) if (first <= n <= last) is (line_command[3] == "p")]
        return _result(_join_lines(selected), problems)
    if not (substitution := re.fullmatch(r"s(?P<mark>[/|#,])(.*?)(?P=mark)(.*?)(?P=mark)([gi]*)", script)):
        raise UsageProblem(f"sed: this simulated sed does not know the script '{script}'")
    expression = _expression(
        substitution[2],
        {"i": ""} if "i" in substitution[4] else {} | ({"E": ""} if switches.keys() & {"E", "r"} else {}),
    )
    new = re.sub(r"(?<!\\)&", r"\\g<0>", substitution[3])
    count = 0 if "g" in substitution[4] else 1
    try:
        return _result(_join_lines([expression.replaced(new, line, count=count) for line in lines]), problems)
    except ValueError as error:
        raise UsageProblem(f"sed: {error}") from None


def rev(shell: ShellContext, arguments: Sequence[str], stdin: str) -> Result:
    """Print each line backwards."""
    texts, problems = _texts("rev", shell, arguments, stdin)
    return _result(_join_lines(line[::-1] for _, text in texts for line in _lines(text)), problems)


def sha256sum(shell: ShellContext, arguments: Sequence[str], stdin: str) -> Result:
    """Print the SHA-256 digest of each file."""
    texts, problems = _texts("sha256sum", shell, arguments, stdin)
    return _result(
        _join_lines(f"{hashlib.sha256(text.encode()).hexdigest()}  {path or '-'}" for path, text in texts), problems
    )


def _texts(name: str, shell: ShellContext, paths: Sequence[str], stdin: str) -> tuple[list[tuple[str, str]], list[str]]:
    """Return path and text of each readable file (or the input if none is named), and the errors of the others."""
    texts: list[tuple[str, str]] = []
    problems = []
    for path in paths or ["-"]:
        if sum(len(text) for _, text in texts) > _MAX_CHARACTERS:
            raise UsageProblem(f"{name}: this simulated shell reads at most {_MAX_CHARACTERS} characters at once", 2)
        if path == "-":
            texts.append(("", stdin))
            continue
        try:
            texts.append((path, shell.disk.read(path)))
        except OSError as error:
            problems.append(f"{name}: {path}: {error_message(error)}\n")
    return texts, problems


def _result(text: str, problems: Sequence[str]) -> Result:
    return Result(text, "".join(problems), int(bool(problems)))


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


def _join_lines(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
