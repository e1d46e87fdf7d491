"""Equality of short final answers by their normal forms (MCP-RADAR 4.2, Result Accuracy).

The forms: LaTeX wrappers, spaces, a final period and the commas of thousands do not count; words are casefolded;
numbers are equal as exact fractions, with any separators, in words and with another unit; lists with commas are equal
in whatever order.
"""

import itertools
import re
from collections.abc import Callable
from fractions import Fraction

from pytest_mcpbench.text.normal_forms import normal_form
from pytest_mcpbench.text.numbers import same_quantity, with_commas

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_SIGNS = str.maketrans({"−": "-", "–": "-", "⁄": "/", "’": "'", "‘": "'", "“": '"', "”": '"'})
_OPENING, _CLOSING = "([{", ")]}"
_MOST_DIGITS = 1000
_MOST_ITEMS = 200


def strict_form(text: str) -> str:
    """Return the trimmed text in NFKC."""
    return normal_form("NFKC", text.strip()).strip()


def same_answer(left: str, right: str, same_expression: Callable[[str, str], bool] | None = None) -> bool:
    """Return whether two answers are equal; ``same_expression`` decides on parts with different normal forms."""
    first, second = unwrap(left), unwrap(right)
    if ("=" in first) != ("=" in second):
        # Only one has a ``x =``, ``x_1 =`` or ``f(x) =`` in front of its value.
        first, second = (_VARIABLE.sub(lambda found: ", " if found[1] else "", text) for text in (first, second))
    return _same_item(first, second, same_expression) or _same_list(first, second, same_expression)


def parse_number(text: str) -> Fraction | None:
    r"""Return the exact value of ``-1,234.50``, ``1 1/2``, ``\frac{3}{4}`` or ``1.5e3``; ``None`` for anything else."""
    text = re.sub(r"(?<=\d) ?(?=\\[dt]?frac)", " ", _plain(text))
    text = re.sub(r"\\[dt]?frac\{(\d+)\}\{(\d+)\}", r"\1/\2", text)
    if re.fullmatch(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?", text):
        text = text.replace(",", "")
    mixed = re.fullmatch(r"([+-]?)(\d+) (\d+)/(\d+)", text)
    if mixed and int(mixed[4]):
        value = int(mixed[2]) + Fraction(int(mixed[3]), int(mixed[4]))
        return -value if mixed[1] == "-" else value
    if len(text) > _MOST_DIGITS or not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?(/\d+)?", text):
        return None
    numerator, _, denominator = text.partition("/")
    try:
        return Fraction(numerator) / Fraction(denominator or "1")
    except (ValueError, ZeroDivisionError):
        return None


_VARIABLE = re.compile(r"(^|[,;]\s*|\s(?:and|or) )(?:[a-zA-Z]|[α-ω])(?:_?\{?\d\}?)?(?:\([a-zA-Z]\))?\s*=\s*(?!=)")


def _same_item(left: str, right: str, same_expression: Callable[[str, str], bool] | None) -> bool:
    if _plain(left) == _plain(right):
        return True
    values = parse_number(left), parse_number(right)
    if None not in values:
        return values[0] == values[1]
    if same_quantity(left, right) or _same_brackets(left, right, same_expression):
        return True
    return same_expression is not None and same_expression(left, right)


def _same_brackets(left: str, right: str, same_expression: Callable[[str, str], bool] | None) -> bool:
    """Return whether both are ordered items between the same brackets: points, intervals, vectors."""
    brackets = [(text.strip()[:1], text.strip()[-1:]) for text in (left, right)]
    if brackets[0] != brackets[1] or brackets[0][0] not in tuple("([") or brackets[0][1] not in tuple(")]"):
        return False
    first, second = (_items(text.strip()[1:-1]) for text in (left, right))
    if len(first) < 2 or len(first) != len(second):
        return False
    return all(_same_item(one, other, same_expression) for one, other in zip(first, second, strict=True))


def _same_list(left: str, right: str, same_expression: Callable[[str, str], bool] | None) -> bool:
    """Return whether both lists have the same items in any order, each equally often."""
    if parse_number(left) is not None or parse_number(right) is not None:
        return False  # 1,234 is one number, and 234,1 are two
    first, second = _items(_without_braces(left)), _items(_without_braces(right))
    if len(first) != len(second) or not 1 < len(first) <= _MOST_ITEMS:
        return len(first) == len(second) == 1 and first != [left] and _same_item(first[0], second[0], same_expression)
    for item in first:
        found = next((i for i, other in enumerate(second) if _same_item(item, other, same_expression)), None)
        if found is None:
            return False
        del second[found]
    return True


_AND = re.compile(r"(?<=[\d)}]),? and (?=[-+(\\]?\d)")


def _items(text: str) -> list[str]:
    """Split at commas outside brackets; if some commas precede a space, the others separate thousands."""
    text = _AND.sub(", ", text)
    found, depth = [], 0
    for position, character in enumerate(text):
        depth += (character in _OPENING) - (character in _CLOSING)
        found.append((position, depth))
    commas = [position for position, depth in found if text[position] == "," and depth == 0]
    spaced = [position for position in commas if text[position + 1 : position + 2].isspace()]
    cuts = [-1, *(spaced or commas), len(text)]
    return [text[start + 1 : end].strip() for start, end in itertools.pairwise(cuts)]


def _without_braces(text: str) -> str:
    """Return the inside of a set ``{…}``."""
    stripped = re.sub(r"\\([{}])", r"\1", text.strip())
    return stripped[1:-1] if stripped[:1] == "{" and stripped[-1:] == "}" else text


_WRAPPERS = (
    (r"\\[()\[\]]", ""),
    (r"\\(?:left|right)(?![a-zA-Z])", ""),
    (r"(?<!\\)\\[,;:! ]|\\q?quad(?![a-zA-Z])|(?<=\S)~", " "),
    (r"\\[dt]frac(?![a-zA-Z])", r"\\frac"),
    (r"\\%", "%"),
    (r"\^\{?\\circ\}?", "°"),
    (r"(?<!\\)\$\$?([^$]+)(?<!\\)\$\$?", r"\1"),
    (r"\\\$", "$"),
)
_TEXT_COMMAND = re.compile(r"\\(?:text|textbf|textit|mathrm|mathbf|operatorname|boxed|mbox)\s*\{([^{}]*)\}")


_SPACED_GROUPS = re.compile(r"(?P<number>[-+]?\d{1,3}(?: \d{3})+(?:\.\d+)?)(?P<unit>\s*[^\d,;]*)")
"""An answer that is one number with spaces between its groups of digits, and its unit."""
_IN_YEAR = re.compile(r"^(?:in(?: the year)?|on) (?=\d{4}(?:-\d\d-\d\d)?\.?$)", re.IGNORECASE)
_EMPHASIS = re.compile(r'^(\*\*|__|`|\*|_|"(?=[^"]+"\.?$))(.+)\1(?=\.?$)', re.DOTALL)
"""Markdown emphasis or quotation marks around a complete answer."""


def unwrap(text: str) -> str:
    """Return the answer in NFKC, without LaTeX wrappers and final period, and with superscripts written as powers."""
    text = re.sub(r"[⁻⁰¹²³⁴-⁹]+", lambda found: f"^{found[0].translate(_SUPERSCRIPTS)}", text)
    spaced = _SPACED_GROUPS.fullmatch(text.strip())
    text = spaced["number"].replace(" ", "") + spaced["unit"] if spaced else with_commas(text)
    text = normal_form("NFKC", text).translate(_SIGNS)
    for pattern, plain in _WRAPPERS:
        text = re.sub(pattern, plain, text)
    while _TEXT_COMMAND.search(text):
        text = _TEXT_COMMAND.sub(r"\1", text)
    text = _IN_YEAR.sub("", _EMPHASIS.sub(r"\2", text.strip()).strip())
    return text[:-1].rstrip() if text.endswith(".") and not text.endswith("..") else text


def _plain(text: str) -> str:
    """Return the text in casefolded form without spaces; those between two digits stay: ``4 2`` is not ``42``."""
    kept = re.sub(r"(?<=\d)\s+(?=\d)", "\0", text)
    return "".join(kept.split()).replace("\0", " ").casefold()
