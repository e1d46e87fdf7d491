"""Text of servers and models made harmless to look at: no escape sequences, no control or direction characters."""

import re
import unicodedata

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029\ud800-\udfff\ufffe\uffff]")


def visible(text: str) -> str:
    """The text without terminal sequences; every other character that shows nothing or turns the text around is named.

    Line feeds and tabs stay, a carriage return before a line feed goes.
    """
    return _CONTROL.sub(_named, _ANSI.sub("", text).replace("\r\n", "\n"))


def one_line(text: str, limit: int = 300) -> str:
    """The text on one line, cut to ``limit`` characters."""
    flat = " ".join(visible(text[: 4 * limit + 1000]).split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def width(text: str) -> int:
    """Columns that the text takes in a terminal: wide characters two, combining ones none."""
    return sum(_width(character) for character in text) if not text.isascii() else len(text)


def padded(text: str, columns: int, *, to_the_left: bool) -> str:
    """The text filled up with spaces; never cut."""
    filling = " " * (columns - width(text))
    return text + filling if to_the_left else filling + text


def _named(match: re.Match[str]) -> str:
    return f"[U+{ord(match.group()):04X}]"


def _width(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) == "Cf":
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
