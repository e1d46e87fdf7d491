"""Display of text from servers and models without escape sequences and control characters, and its width."""

import re
import unicodedata
from typing import Any

from pytest_mcpbench.core.call_text import SHORT_VALUE

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029\ud800-\udfff\ufffe\uffff]")

_VALUE = re.compile(r"""(?<!\w)(?:'[^'\\]*(?:\\.[^'\\]*)*'?|"[^"\\]*(?:\\.[^"\\]*)*"?)""", re.DOTALL)
"""A quoted value, closed or not: a pattern that always matches takes linear time."""
_LIST = re.compile(r"\[[^][]*\]")
_LONGEST_REASON = 100_000
_COMMAND = re.compile(
    r"(?m)(?<=^:)(?=:[\w-]+[ :])|(?<=##)(?=\[|vso\[|teamcity\[)|^(?P<indent>[^\S\n]+:)(?=:[\w-]+[ :])"
)


def visible(text: str) -> str:
    """Remove terminal sequences and replace control and direction characters by their code points (``[U+202E]``).

    Line feeds and tabs stay; a carriage return before a line feed is removed.
    """
    plain = _ANSI.sub("", text).replace("\r\n", "\n")
    return _CONTROL.sub(lambda match: f"[U+{ord(match.group()):04X}]", plain)


def visible_values(value: Any) -> Any:
    """Return JSON with :func:`visible` applied to every text in it, names of fields included."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {visible(name): visible_values(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [visible_values(each) for each in value]
    return value


def terminal_safe(text: str) -> str:
    """Return visible text in which no line is a command to the program that shows the log of a CI job.

    GitHub executes ``::stop-commands::`` at the start of a line and ``##[…]`` anywhere, Azure ``##vso[…]``, TeamCity
    ``##teamcity[…]``. A space makes them text. Sections of GitLab need a carriage return, which is no control any more.
    """
    return _COMMAND.sub(r"\g<indent> ", visible(text))


def one_line(text: str, limit: int = 300) -> str:
    """Return the text on one line, truncated to ``limit`` characters."""
    flat = " ".join(visible(text[: 4 * limit + 1000]).split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def spreadsheet_safe(text: str) -> str:
    """Return the text; one that a spreadsheet would run as a formula begins with an apostrophe."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def short_reason(reason: str, limit: int = 600) -> str:
    """Return a reason of a score on one line with its long values cut, so that what is said of them stays."""
    short = _VALUE.sub(lambda value: _cut(value.group()), reason[:_LONGEST_REASON])
    return one_line(_LIST.sub(lambda value: _cut(value.group()), short), limit)


def _cut(value: str) -> str:
    is_closed = value[-1] == {"[": "]"}.get(value[0], value[0])
    return f"{value[: SHORT_VALUE - 2]}…{value[-1]}" if is_closed and len(value) > SHORT_VALUE else value


def width(text: str) -> int:
    """Return the number of terminal columns of a text: two for wide characters, none for combining ones."""
    return sum(_width(character) for character in text) if not text.isascii() else len(text)


def pad(text: str, columns: int, *, to_the_left: bool) -> str:
    """Pad the text with spaces; longer text stays unchanged."""
    filling = " " * (columns - width(text))
    return text + filling if to_the_left else filling + text


def wrap_columns(text: str, columns: int) -> list[str]:
    """Wrap a line at spaces; longer words are split. Wide characters count as two columns."""
    lines = [""]
    for word in text.split(" "):
        for piece in _pieces(word, columns):
            candidate = f"{lines[-1]} {piece}" if lines[-1] else piece
            if width(candidate) <= columns:
                lines[-1] = candidate
            else:
                lines.append(piece)
    return lines


def cut_columns(text: str, columns: int) -> str:
    """Return the text, cut at the end so that it fits into a line of the terminal."""
    return text if width(text) <= columns else f"{_pieces(text, columns - 1)[0]}…"


def _pieces(word: str, columns: int) -> list[str]:
    """Split a word into pieces that fit."""
    pieces: list[list[str]] = [[]]
    used = 0
    for character in word:
        if used + _width(character) > columns:
            pieces.append([])
            used = 0
        pieces[-1].append(character)
        used += _width(character)
    return ["".join(piece) for piece in pieces]


def _width(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) == "Cf":
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
