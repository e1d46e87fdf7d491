"""Commands of the simulated shell that read text and write it changed: cat, grep, sort and their kin."""

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Any

from pytest_mcpbench.simulated.terminal.command import Result, Surroundings, UsageProblem, options, whole_number
from pytest_mcpbench.simulated.terminal.disk import said

_LONGEST_PATTERN, _MOST_REPEATS = 200, 6
_REPEATED = re.compile(r"[*+}]\\?\)?[*+{]|\)[*+{]|\)\\[+{]")
_CLASSES = {"digit": "0-9", "alpha": "a-zA-Z", "alnum": "a-zA-Z0-9", "space": r"\s", "upper": "A-Z", "lower": "a-z"}


def echo(_shell: Surroundings, arguments: Sequence[str], _stdin: str) -> Result:
    """``-n`` leaves the newline out, ``-e`` reads the escapes of newline and tab."""
    words = list(arguments)
    flags = ""
    while words and re.fullmatch("-[ne]+", words[0]):
        flags += words.pop(0)
    text = " ".join(words)
    if "e" in flags:
        text = text.replace("\\n", "\n").replace("\\t", "\t")
    return Result(text + ("" if "n" in flags else "\n"))


def printf(_shell: Surroundings, arguments: Sequence[str], _stdin: str) -> Result:
    """``%s``, ``%d``, ``%%`` and the escapes; the form is used again until no argument is left."""
    if not arguments:
        raise UsageProblem("printf: usage: printf format [arguments]", 2)
    form, *values = arguments
    form = form.replace("\\n", "\n").replace("\\t", "\t")
    text = ""
    while True:
        text += re.sub(r"%([sd%])", lambda found: "%" if found[1] == "%" else (values.pop(0) if values else ""), form)
        if not values or not re.search("%[sd]", form):
            return Result(text)


def cat(shell: Surroundings, arguments: Sequence[str], stdin: str) -> Result:
    """``-n`` numbers the lines."""
    given, paths = options("cat", arguments, "n")
    texts, problems = _texts("cat", shell, paths, stdin)
    text = "".join(content for _, content in texts)
    if "n" in given:
        text = "".join(f"{number:6}\t{line}\n" for number, line in enumerate(_lines(text), start=1))
    return _result(text, problems)


def tac(shell: Surroundings, arguments: Sequence[str], stdin: str) -> Result:
    """Lines in reverse order."""
    texts, problems = _texts("tac", shell, arguments, stdin)
    return _result(_joined(line for _, text in texts for line in reversed(_lines(text))), problems)


def nl(shell: Surroundings, arguments: Sequence[str], stdin: str) -> Result:
    """Numbers the lines that are not empty."""
    texts, problems = _texts("nl", shell, arguments, stdin)
    made, number = [], 0
    for line in _lines("".join(text for _, text in texts)):
        number += bool(line)
        made.append(f"{number:6}\t{line}" if line else "       ")
    return _result(_joined(made), problems)


def head(shell: Surroundings, arguments: Sequence[str], stdin: str) -> Result:
    """``-n`` lines (10; with ``-`` in front all but so many) or ``-c`` bytes."""

    def part(text: str, given: dict[str, str]) -> str:
        if "c" in given:
            return text.encode()[: whole_number("head", given["c"], "number of bytes")].decode("utf-8", "replace")
        return _joined(_lines(text)[: whole_number("head", given.get("n", "10"))])

    return _parts("head", shell, arguments, stdin, part)


def tail(shell: Surroundings, arguments: Sequence[str], stdin: str) -> Result:
    """``-n`` lines (10; with ``+`` in front from so many on) or ``-c`` bytes."""

    def part(text: str, given: dict[str, str]) -> str:
        if "c" in given:
            count = whole_number("tail", given["c"], "number of bytes")
            return text.encode()[-count:].decode("utf-8", "replace") if count else ""
        wanted = given.get("n", "10")
        count = abs(whole_number("tail", wanted))
        if wanted.startswith("+"):
            return _joined(_lines(text)[max(count - 1, 0) :])
        return _joined(_lines(text)[-count:] if count else [])

    return _parts("tail", shell, arguments, stdin, part)


def _parts(
    name: str, shell: Surroundings, arguments: Sequence[str], stdin: str, part: Callable[[str, dict[str, str]], str]
) -> Result:
    given, paths = options(name, arguments, "q", "nc")
    texts, problems = _texts(name, shell, paths, stdin)
    if len(texts) > 1 and "q" not in given:
        return _result("\n".join(f"==> {path} <==\n{part(text, given)}" for path, text in texts), problems)
    return _result("".join(part(text, given) for _, text in texts), problems)


def wc(shell: Surroundings, arguments: Sequence[str], stdin: str) -> Result:
    """Lines (``-l``), words (``-w``), bytes (``-c``), characters (``-m``)."""
    given, paths = options("wc", arguments, "lwcm")
    texts, problems = _texts("wc", shell, paths, stdin)
    rows = [(_counts(text, given), path) for path, text in texts]
    if len(rows) > 1:
        rows.append(([sum(column) for column in zip(*(counts for counts, _ in rows), strict=True)], "total"))
    is_plain = len(rows) == 1 and len(rows[0][0]) == 1
    width = 1 if is_plain else len(str(sum(len(text.encode()) for _, text in texts))) if paths else 7
    lines = [" ".join(f"{count:{width}}" for count in counts) + (f" {path}" if paths else "") for counts, path in rows]
    return _result(_joined(lines), problems)


def _counts(text: str, given: dict[str, str]) -> list[int]:
    counts = {"l": text.count("\n"), "w": len(text.split()), "m": len(text), "c": len(text.encode())}
    return [count for letter, count in counts.items() if letter in (given or "lwc")]


def grep(shell: Surroundings, arguments: Sequence[str], stdin: str) -> Result:
    """``-i -v -n -c -l -o -w -x -F -E -r -h -q``, ``-m`` for the most matches and ``-e`` for the pattern."""
    given, rest = options("grep", arguments, "ivnclowxFErRhqHs", "me")
    if "e" not in given and not rest:
        raise UsageProblem("Usage: grep [OPTION]... PATTERNS [FILE]...", 2)
    pattern = given["e"] if "e" in given else rest.pop(0)
    expression = _expression(pattern, given)
    is_deep = bool({"r", "R"} & given.keys())
    paths = [path if rest else path.removeprefix("./") for path in _below(shell, rest or ["."])] if is_deep else rest
    texts, problems = _texts("grep", shell, paths, stdin)
    is_named = "H" in given or ("h" not in given and (is_deep or len(paths) > 1))
    found = [_grepped(path if is_named else "", path, text, expression, given) for path, text in texts]
    lines = [line for one in found for line in one]
    has_match = any(_matching(text, expression, given) for _, text in texts)
    return Result("" if "q" in given else _joined(lines), "".join(problems), 2 if problems else int(not has_match))


def _grepped(prefix: str, path: str, text: str, expression: re.Pattern[str], given: dict[str, str]) -> list[str]:
    matching = _matching(text, expression, given)
    if "l" in given:
        return [path or "(standard input)"] if matching else []
    head = f"{prefix}:" if prefix else ""
    if "c" in given:
        return [f"{head}{len(matching)}"]
    shown = []
    for number, line in matching:
        start = head + (f"{number}:" if "n" in given else "")
        parts = [found[0] for found in expression.finditer(line) if found[0]] if "o" in given else [line]
        shown += [start + part for part in parts]
    return shown


def _matching(text: str, expression: re.Pattern[str], given: dict[str, str]) -> list[tuple[int, str]]:
    wanted = "v" not in given
    found = [(n, line) for n, line in enumerate(_lines(text), start=1) if bool(expression.search(line)) is wanted]
    return found[: whole_number("grep", given["m"], "max count")] if "m" in given else found


def _expression(pattern: str, given: dict[str, str]) -> re.Pattern[str]:
    if (
        len(pattern) > _LONGEST_PATTERN
        or len(re.findall("[*+{]", pattern)) > _MOST_REPEATS
        or _REPEATED.search(pattern)
    ):
        raise UsageProblem("this simulated shell takes no repeated groups and no pattern that repeats a lot", 2)
    text = re.escape(pattern) if "F" in given else pattern if "E" in given else _basic(pattern)
    text = rf"\b(?:{text})\b" if "w" in given else rf"^(?:{text})$" if "x" in given else text
    try:
        text = re.sub(r"\[:(\w+):\]", lambda found: _CLASSES[found[1]], text)
        return re.compile(text, re.IGNORECASE if "i" in given else 0)
    except (re.error, KeyError):
        raise UsageProblem(f"grep: Invalid regular expression: {pattern}", 2) from None


def _basic(pattern: str) -> str:
    """A basic regular expression as an extended one: ``+?|(){}`` mean something only behind a backslash."""
    return re.sub(r"\\?[+?|(){}]", lambda found: found[0][1:] if found[0][0] == "\\" else "\\" + found[0], pattern)


def _below(shell: Surroundings, paths: Iterable[str]) -> list[str]:
    found = []
    for path in paths:
        place = shell.disk.place(path)
        inner = sorted(one for one in place.rglob("*") if one.is_file() and not one.is_symlink())
        if place.is_dir():
            found += [f"{path.rstrip('/')}/{one.relative_to(place).as_posix()}" for one in inner]
        else:
            found.append(path)
    return found


def sort(shell: Surroundings, arguments: Sequence[str], stdin: str) -> Result:
    """``-r -n -u -f``, ``-k`` for the field and ``-t`` for what stands between fields."""
    given, paths = options("sort", arguments, "rnufbh", "kt")
    texts, problems = _texts("sort", shell, paths, stdin)
    lines = [line for _, text in texts for line in _lines(text)]
    field = re.match(r"(\d+)(?:,\d+)?([nr]*)", given.get("k", ""))
    flags = set(given) | set(field[2] if field else "")
    key = _sort_key(int(field[1]) if field else 0, given.get("t"), flags)
    in_order = sorted(sorted(lines), key=key, reverse="r" in flags)
    if "u" in flags:
        in_order = [next(same) for _, same in groupby(in_order, key=key if "n" in flags or field else None)]
    return _result(_joined(in_order), problems)


def _sort_key(field: int, separator: str | None, flags: set[str]) -> Callable[[str], Any]:
    def key(line: str) -> Any:
        fields = line.split(separator) if field else [line]
        text = fields[field - 1] if field and field <= len(fields) else "" if field else line
        if "n" in flags:
            number = re.match(r"\s*(-?\d+(?:\.\d+)?)", text)
            return float(number[1]) if number else 0.0
        return text.lower() if "f" in flags else text

    return key


def uniq(shell: Surroundings, arguments: Sequence[str], stdin: str) -> Result:
    """Neighbours that are alike as one line; ``-c`` counts, ``-d`` only repeated, ``-u`` only single ones."""
    given, paths = options("uniq", arguments, "cdu")
    texts, problems = _texts("uniq", shell, paths[:1], stdin)
    groups = [(line, len(list(same))) for _, text in texts for line, same in groupby(_lines(text))]
    kept = [(line, n) for line, n in groups if not ("d" in given and n == 1) and not ("u" in given and n > 1)]
    return _result(_joined(f"{n:7} {line}" if "c" in given else line for line, n in kept), problems)


def cut(shell: Surroundings, arguments: Sequence[str], stdin: str) -> Result:
    """``-f`` fields with ``-d`` between them, or ``-c`` characters; lists like ``1,3-5``."""
    given, paths = options("cut", arguments, "s", "dfc")
    texts, problems = _texts("cut", shell, paths, stdin)
    if "f" not in given and "c" not in given:
        raise UsageProblem("cut: you must specify a list of bytes, characters, or fields")
    separator = given.get("d", "\t")
    lines = [line for _, text in texts for line in _lines(text)]
    if "c" in given:
        return _result(_joined("".join(_chosen(line, given["c"])) for line in lines), problems)
    made = [separator.join(_chosen(line.split(separator), given["f"])) if separator in line else line for line in lines]
    return _result(_joined(made), problems)


def _chosen(items: Sequence[str], wanted: str) -> list[str]:
    places = set()
    for part in wanted.split(","):
        first, dash, last = part.partition("-")
        if not re.fullmatch(r"\d*-?\d*", part) or not part.strip("-"):
            raise UsageProblem(f"cut: invalid field value '{part}'")
        places |= set(range(int(first or 1), int(last or (len(items) if dash else first)) + 1))
    return [item for place, item in enumerate(items, start=1) if place in places]


def tr(_shell: Surroundings, arguments: Sequence[str], stdin: str) -> Result:
    """Characters for characters; ``-d`` deletes, ``-s`` squeezes; ranges, ``[:upper:]`` and ``[:lower:]``."""
    given, sets = options("tr", arguments, "dsc")
    if not sets:
        raise UsageProblem("tr: missing operand")
    old = _characters(sets[0])
    if "d" in given:
        return Result("".join(sign for sign in stdin if (sign in old) is ("c" in given)))
    squeezed = old if "s" in given else ""
    new = _characters(sets[1]) if len(sets) > 1 else squeezed
    if not new:
        raise UsageProblem(f"tr: missing operand after '{sets[0]}'")
    text = stdin.translate({ord(sign): new[min(place, len(new) - 1)] for place, sign in enumerate(old)})
    return Result(
        "".join(s for p, s in enumerate(text) if not (p and s == text[p - 1] and s in new)) if "s" in given else text
    )


def _characters(wanted: str) -> str:
    named = {"[:upper:]": "A-Z", "[:lower:]": "a-z", "[:digit:]": "0-9", "[:space:]": " \t\n", "\\n": "\n", "\\t": "\t"}
    for name, signs in named.items():
        wanted = wanted.replace(name, signs)
    return re.sub(
        r"(\w)-(\w)", lambda found: "".join(map(chr, range(ord(found[1]), min(ord(found[2]), 0x17F) + 1))), wanted
    )


def sed(shell: Surroundings, arguments: Sequence[str], stdin: str) -> Result:
    """``s/old/new/`` with ``g`` and ``i``, ``Np`` and ``N,Mp`` with ``-n``, ``Nd`` and ``N,Md``."""
    given, rest = options("sed", arguments, "nEr", "e")
    script = given["e"] if "e" in given else rest.pop(0) if rest else ""
    texts, problems = _texts("sed", shell, rest, stdin)
    lines = [line for _, text in texts for line in _lines(text)]
    if lined := re.fullmatch(r"(\d+)(?:,(\d+|\$))?([pd])", script):
        first, last = int(lined[1]), len(lines) if lined[2] == "$" else int(lined[2] or lined[1])
        chosen = [line for n, line in enumerate(lines, start=1) if (first <= n <= last) is (lined[3] == "p")]
        return _result(_joined(chosen), problems)
    if not (found := re.fullmatch(r"s(?P<mark>[/|#,])(.*?)(?P=mark)(.*?)(?P=mark)([gi]*)", script)):
        raise UsageProblem(f"sed: this simulated sed does not know the script '{script}'")
    expression = _expression(
        found[2], {"i": ""} if "i" in found[4] else {} | ({"E": ""} if given.keys() & {"E", "r"} else {})
    )
    new = re.sub(r"(?<!\\)&", r"\\g<0>", found[3])
    return _result(_joined(expression.sub(new, line, count=0 if "g" in found[4] else 1) for line in lines), problems)


def rev(shell: Surroundings, arguments: Sequence[str], stdin: str) -> Result:
    """Each line backwards."""
    texts, problems = _texts("rev", shell, arguments, stdin)
    return _result(_joined(line[::-1] for _, text in texts for line in _lines(text)), problems)


def sha256sum(shell: Surroundings, arguments: Sequence[str], stdin: str) -> Result:
    """A digest of each file."""
    texts, problems = _texts("sha256sum", shell, arguments, stdin)
    return _result(
        _joined(f"{hashlib.sha256(text.encode()).hexdigest()}  {path or '-'}" for path, text in texts), problems
    )


def _texts(name: str, shell: Surroundings, paths: Sequence[str], stdin: str) -> tuple[list[tuple[str, str]], list[str]]:
    """Path and text of each file that can be read (the input where none is named), and what is wrong with others."""
    texts, problems = [], []
    for path in paths or ["-"]:
        if path == "-":
            texts.append(("", stdin))
            continue
        try:
            texts.append((path, shell.disk.read(path)))
        except OSError as error:
            problems.append(f"{name}: {path}: {said(error)}\n")
    return texts, problems


def _result(text: str, problems: Sequence[str]) -> Result:
    return Result(text, "".join(problems), int(bool(problems)))


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


def _joined(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
