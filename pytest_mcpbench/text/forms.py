"""Forms in which one value may be written, wherever a metric compares values.

E-mail addresses, moments, quantities and final line ends are equal here or nowhere; what else may differ is said by
the metric that allows it.
"""

import posixpath
import re
from collections import Counter
from datetime import tzinfo
from email.utils import parseaddr

from pytest_mcpbench.text.moments import same_time
from pytest_mcpbench.text.normal_forms import normal_form
from pytest_mcpbench.text.numbers import same_quantity
from pytest_mcpbench.text.paths import normal_url

_PLAIN_EMAIL = r"[^\s@,;<>]+@[^\s@,;<>]+\.[^\s@,;<>]+"
_EMAIL = re.compile(rf"{_PLAIN_EMAIL}|[^<>]*<[^\s@<>]+@[^\s@<>]+>")
"""An e-mail address with or without a display name."""
_BULLET = re.compile(r"(?:[-*+] \[(?P<box>[ xX])\]|[-*+•]) ")
"""Bullet of a list, with or without a box to tick."""
_STATEMENT = re.compile(
    r"\s*(?:SELECT\s.+\sFROM|INSERT\s+INTO|UPDATE\s.+\sSET|DELETE\s+FROM|(?:CREATE|ALTER|DROP)\s+(?:TABLE|VIEW|INDEX))\s",
    re.IGNORECASE | re.DOTALL,
)
_QUOTED = re.compile(r"""('(?:[^']|'')*'|"[^"]*"|`[^`]*`)""")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_PROSE = ("", ".md", ".txt")
"""Suffixes of files in which bullets and blank lines say nothing."""
_CONFIGURATION = re.compile(r"\..*|\w+file|crontab|fstab|hosts|codeowners", re.IGNORECASE)
"""Names without a suffix of files that are no prose: each line and its place say something."""


def same_form(expected: str, actual: str, zone: tzinfo | None = None) -> bool:
    """Return whether two texts are one value: an address, a moment, a quantity, or a text up to its final line ends.

    ``zone`` is that of times without an offset; without it, such a time is no time with an offset.
    """
    if expected.rstrip("\r\n") == actual.rstrip("\r\n"):
        return True
    if same_email(expected, actual):
        return True
    if "://" in expected and "://" in actual:
        # They may differ in what a URL ignores, and in the case of addresses in their queries.
        *place, query, fragment = normal_url(expected)
        *other_place, other_query, other_fragment = normal_url(actual)
        if (place, fragment) != (other_place, other_fragment) or len(query) != len(other_query):
            return False
        return all(
            name == other_name and (value == other or same_email(value, other))
            for (name, value), (other_name, other) in zip(query, other_query, strict=True)
        )
    return same_time(expected, actual, zone) or same_quantity(expected, actual)


def same_email(left: str, right: str) -> bool:
    """Return whether both texts are one e-mail address; its case and display name do not count.

    A text that is not one whole address, such as ``me`` or ``a@b``, is equal to none: it may be any argument. The
    function of ``metrics/comparison/comparators.py`` takes any texts: there a suite says that they are addresses.
    """
    if not (_EMAIL.fullmatch(left) and _EMAIL.fullmatch(right)):
        return False
    return normal_email(left) == normal_email(right)


def normal_email(text: str) -> str:
    """Return an e-mail address without display name and ``mailto:``, in casefolded form."""
    plain = re.sub(r"^mailto:", "", text.strip(), flags=re.IGNORECASE)
    try:
        address = parseaddr(plain)[1]
    except RecursionError:  # of hundreds of opening brackets
        address = ""
    return (address or text.strip()).casefold()


def statement_tokens(text: str) -> list[str]:
    """Return the tokens of a statement in SQL, casefolded but for what is in quotation marks; none of another text."""
    if not _STATEMENT.match(text):
        return []
    parts = _QUOTED.split(normal_form("NFC", text).rstrip("; \t\r\n"))
    tokens = ([part] if at % 2 else _TOKEN.findall(part.casefold()) for at, part in enumerate(parts))
    return [token for found in tokens for token in found]


def same_words(expected: str, actual: str) -> bool:
    """Return whether two texts in free words differ only in case, spaces, underscores and the sign at their end."""
    first, second = (text.casefold().replace("_", " ").rstrip(" .!。！\n").split() for text in (expected, actual))
    return first == second


def same_note(name: str, before: str, expected: str, actual: str) -> bool:
    """Return whether two edits of a file of prose differ only in blank lines, and in bullets and capitals of new lines.

    A new line may begin with a capital where the expected one does not. A box to tick, and whether it is ticked, says
    something. A line of which the expected edit changes only the bullet or the box is not new.
    """
    if not _is_prose(name):
        return False
    old, wanted, found = _lines(before), _lines(expected), _lines(actual)
    if len(wanted) != len(found) or (Counter(old) & Counter(wanted)) - Counter(found):
        return False
    edited = {_plain(line)[1] for line in Counter(old) - Counter(wanted)}
    return all(
        line == other or (_plain(line)[1] not in edited and _same_new_line(line, other))
        for line, other in zip(wanted, found, strict=True)
    )


def same_lines_elsewhere(name: str, before: str, expected: str, actual: str) -> bool:
    """Return whether two edits of a file of prose only insert lines, and the same ones, but not in the same place."""
    if not _is_prose(name):
        return False
    old = _lines(before)
    (frame, new), (other_frame, other_new) = (_split_lines(_lines(text), Counter(old)) for text in (expected, actual))
    is_insertion = frame == other_frame == old and len(new) == len(other_new)
    return is_insertion and all(map(_same_new_line, new, other_new)) and not same_note(name, before, expected, actual)


def _is_prose(name: str) -> bool:
    suffix = posixpath.splitext(name)[1]
    return suffix in _PROSE and (suffix != "" or not _CONFIGURATION.fullmatch(posixpath.basename(name)))


def _split_lines(lines: list[str], old: Counter[str]) -> tuple[list[str], list[str]]:
    """Return the lines that were there before, and the new ones."""
    kept, new = list[str](), list[str]()
    for line in lines:
        (kept if old[line] > 0 else new).append(line)
        old[line] -= 1
    return kept, new


def _same_new_line(expected: str, actual: str) -> bool:
    (box, line), (other_box, other) = _plain(expected), _plain(actual)
    return box == other_box and other in (line, line[:1].upper() + line[1:])


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def _plain(line: str) -> tuple[str, str]:
    """Return the box to tick in front of a line, empty without one, and the line without bullet and box."""
    bullet = _BULLET.match(line)
    return ((bullet["box"] or "").lower(), line[bullet.end() :]) if bullet else ("", line)
