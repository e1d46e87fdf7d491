"""Numbers as people write them: ``1,234.5``, ``14 599,50 €``, ``$1.2 million``, ``half``, ``-18.4 %``, ``3 h``.

``numbers`` finds those that a sentence states, ``parse_quantity`` reads a text that is one number with or without a
unit, and ``with_commas`` writes groups of digits in one way. Words and units are data
(:mod:`pytest_mcpbench.text.vocabulary`).
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from pytest_mcpbench.text.late_pattern import late_pattern
from pytest_mcpbench.text.normal_forms import normal_form
from pytest_mcpbench.text.vocabulary import UNITS, Unit, numbers_of

# Digits in groups of three.

_SEPARATORS = "\u00a0\u2007\u2009\u202f'’"
"""Separators that join only digits of one number; an ordinary space also stands between two numbers."""
_CURRENCY_CODES = "USD|EUR|GBP|CHF|CNY|RMB"
_MONEY = rf"(?:US\$|[$€£¥]|(?:{_CURRENCY_CODES})\b|(?:euros?|dollars?|pounds?|yuan|francs?)\b)"
_BEGIN, _END = r"(?<![\w.,'’])", r"(?![\d'’])"
_SPACE = "[ \u00a0\u2007\u2009\u202f]"
_GROUPS = late_pattern(
    rf"{_BEGIN}\d{{1,3}}(?:[{_SEPARATORS}]\d{{3}})+{_END}"
    rf"|{_BEGIN}\d{{1,3}}(?: \d{{3}})+{_END}(?=(?:[.,]\d{{1,2}})?{_SPACE}?{_MONEY})"
    rf"|(?:(?<=[$€£¥])|(?<=(?:{_CURRENCY_CODES}){_SPACE}))\d{{1,3}}(?: \d{{3}})+{_END}",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(rf"[{_SEPARATORS} ]")
_COMMA = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_DECIMAL_COMMA = re.compile(r",(\d{1,2})(?!\d)")


def with_commas(text: str) -> str:
    """Return the text with commas between groups of digits: ``14,599.50`` for ``14 599,50 €`` and ``14'599.50``.

    Any kind of narrow or unbreakable space and an apostrophe separate groups; an ordinary space does in an amount of
    money.
    """
    parts: list[str] = []
    end = 0
    for match in _GROUPS.finditer(text):
        parts += [text[end : match.start()], _SEPARATOR.sub(",", match.group())]
        end = match.end()
        decimals = _DECIMAL_COMMA.match(text, end)
        if decimals:
            parts.append(f".{decimals[1]}")
            end = decimals.end()
    return "".join((*parts, text[end:]))


def without_separators(text: str) -> str:
    """Return the text without anything between groups of digits: ``14599.50`` for ``14 599,50 €`` and ``14,599.50``."""
    return _COMMA.sub("", with_commas(text))


# Numbers in digits and in words, with their units.

Agreement = Literal["same", "close", "other sign", "different"]
"""``same``: equal, or rounded by the answer. ``close``: within the tolerance of MCP-Atlas without being a rounding,
or equal where only one has a unit."""

_SCALES = numbers_of("scales")
_COUNTING = numbers_of("numbers", "en")
_WORDS = {
    **numbers_of("numbers"),
    **numbers_of("amounts"),
    **{
        f"{ten}-{one}": tens + ones
        for ten, tens in _COUNTING.items()
        for one, ones in _COUNTING.items()
        if tens >= 20 and 0 < ones < 10
    },
}
_CHINESE = numbers_of("counted", "zh")
_ORDINALS = numbers_of("ordinals", "en")
_UNIT = (
    r"(?:[kcm]?m[²2]?|sqm|km/h|mph|mi|ft|in|[km]?g|lbs?|oz|[cm]?l|hrs?|h|mins?|secs?|s|ms|[kmgt]b|w|kw|ma"
    r"|usd|eur|gbp|chf|cny|rmb|x)\b"
)
_CURRENCY = rf"(?:US\$|[$€£¥]|{_CURRENCY_CODES})"
_DIGITS = late_pattern(
    rf"(?<![A-Za-z0-9_.])(?P<sign>[-+]|minus\s)?(?P<currency>{_CURRENCY})?\s?"
    r"(?P<value>\d{1,3}(?:\.\d{3})+,\d{1,2}(?!\d)|\d{1,3}(?:,\d{3})+(?:\.\d+)?|(?<!\d,)\d+,\d{1,2}(?![\d,])"
    r"|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|\.\d+)"
    r"(?P<ordinal>st|nd|rd|th)?"
    r"(?:\s?(?P<percent>%|percent\b|per cent\b|percentage points?\b|pp\b|Prozent\b|pour cent\b)"
    r"|\s?(?P<scale>thousand|million|billion|trillion|mn|mio|bn|[kKmMbB](?![A-Za-z0-9_/²])|万|亿))?"
    rf"(?=(?i:{_UNIT})|(?![A-Za-z0-9_]|\.\d))"
)  # fmt: skip
_FRACTION = re.compile(r"(?<![\w./])(-|minus )?(\d{1,3})/(\d{1,3})(?![\w/])")
_ONE_THING = r"(?<!the )(?<!this )(?<!that )(?<!each )(?<!no )(?<!any )(?<!some )one(?! of\b| another\b)"
_SPELLED = "|".join(_ONE_THING if word == "one" else word for word in sorted(_WORDS, key=len, reverse=True))
_NAMED = late_pattern(rf"\b(minus )?({_SPELLED}|{'|'.join(_ORDINALS)})\b", re.IGNORECASE)
_MULTIPLES = numbers_of("scales", "en")
_MULTIPLE = f"hundred|{'|'.join(_MULTIPLES)}"
_SMALL_WORD = "|".join(sorted(_COUNTING, key=len, reverse=True))
_COMPOSED = late_pattern(
    rf"\b(?:{_SMALL_WORD}|a)(?:-(?:{_SMALL_WORD}))? (?:{_MULTIPLE})"
    rf"(?:[ -](?:and )?(?:{_SMALL_WORD}|{_MULTIPLE})(?![\w']))*(?![\w'])",
    re.IGNORECASE,
)
_NAMED_CHINESE = re.compile(rf"([{''.join(_CHINESE)}])(?=个|年|天|小时|分钟|人|次|元|米|公|月)")
_SQUARE = re.compile(r"\s?(?:square (?:metre|meter)s?|Quadratmeter|mètres carrés)\b", re.IGNORECASE)
_DEGREES = re.compile(r"\s?(?:degrees?|Grad|°)\s?(?:(?P<scale>Celsius|Fahrenheit|C|F)\b)?", re.IGNORECASE)
_UNIT_BEHIND = re.compile(
    r"\s?(?:US (?=dollars?\b))?(?P<unit>US\$|[€$£¥]|km/h|[a-zA-Zµ°è]+[²2]?"
    "|[年天周秒米克元]|个月|小时|分钟|公里|公斤|平方米|欧元|美元|日元|人民币)"
)
_BELOW_ZERO = re.compile(r"\s?(?:°\s?C |C )?(?:below zero|unter null)", re.IGNORECASE)
_MONEY_BEHIND = re.compile(r"\s?(?:€|\$|Euro|EUR|Dollar|USD|Franken|CHF)", re.IGNORECASE)
_PARTNER = re.compile(r"\s?(?:to|or|and|-|–|bis|und|ou|oder|et|à|或)\s?$")

_MINUS = str.maketrans("−–‐‑", "----")
_LONGEST_QUANTITY = 80
_MAY_BE_QUANTITY = late_pattern(rf"[^\d]{{0,6}}\d|\s*(?:minus |a )?(?:{_SPELLED}|{_SMALL_WORD})\b", re.IGNORECASE)

_GRAIN_OF_FRACTIONS = 1e-9
"""A fraction is exact."""

RELATIVE_TOLERANCE = 0.05
PERCENTAGE_POINTS = 1.0
"""5 % of a stated number, one point of a percentage (MCP-Atlas, judging protocol)."""


@dataclass(frozen=True)
class Number:
    """A number with its unit and the other information in its notation."""

    value: float
    text: str
    start: int = 0
    end: int = 0
    """End of the number with its unit."""
    is_percent: bool = False
    is_points: bool = False
    """Percentage points, which are also :attr:`is_percent`."""
    is_year: bool = False
    is_ordinal: bool = False
    grain: float = 1.0
    """Value of the last digit."""
    unit: Unit | None = None

    @property
    def dimension(self) -> str:
        """Return the kind of quantity; only numbers of one dimension can be compared."""
        return "percent" if self.is_percent else self.unit.dimension if self.unit else "number"

    @property
    def size(self) -> float:
        """Return the value in the first unit of the dimension."""
        return self.value * (self.unit.factor if self.unit else 1.0)

    def is_same(self, other: "Number") -> bool:
        """Return whether both are one quantity: ``2 h`` and ``120 minutes``, ``1,234`` and ``1234``.

        Numbers without a unit must have equally many decimals: ``1.10`` may be a version, and is not ``1.1``.
        """
        if (self.dimension, self.is_ordinal, self.is_points) != (other.dimension, other.is_ordinal, other.is_points):
            return False
        if self.dimension == "number" and min(self.grain, other.grain) < 1 and self.grain != other.grain:
            return False
        return math.isclose(self.size, other.size, rel_tol=1e-9)

    def agreement(self, other: "Number", *, is_approximate: bool = False) -> Agreement:
        """Compare this number of a claim with a number of an answer."""
        if self.dimension == other.dimension:
            converted = other.size, other.grain * (other.unit.factor if other.unit else 1.0)
        elif self.is_percent and other.unit is None and abs(other.value) <= 1:
            converted = other.value * 100, other.grain * 100
        elif other.is_percent and self.unit is None and abs(self.value) <= 1:
            converted = other.value / 100, other.grain / 100
        else:
            converted = None
        if converted is None:
            lacks_unit = "number" in (self.dimension, other.dimension) and not (self.is_ordinal or other.is_ordinal)
            return "close" if lacks_unit and self.value == other.value else "different"
        mine = self.size
        theirs, grain = converted
        if _is_rounded(mine, theirs, grain) and self.is_ordinal == other.is_ordinal:
            return "same" if self.is_points == other.is_points else "close"
        is_near = abs(mine - theirs) <= (PERCENTAGE_POINTS if self.is_percent else RELATIVE_TOLERANCE * abs(mine))
        if is_near and is_approximate and not (self.is_year or self.is_ordinal):
            return "same"
        if is_near and not self._is_count:
            return "close"
        return "other sign" if mine and _is_rounded(-mine, theirs, grain) else "different"

    @property
    def _is_count(self) -> bool:
        """Return whether the number must agree exactly: a count, a year, a rank or a part of a name."""
        return self.is_ordinal or (self.dimension == "number" and self.grain == 1.0)


def _is_rounded(exact: float, stated: float, grain: float) -> bool:
    """Return whether the stated value is the exact one, or the exact one rounded to the grain of the stated.

    Conversions of units leave an error in the last places; whole numbers of any length differ by at least one.
    """
    if abs(exact - stated) <= min(1e-9 * max(1.0, abs(exact)), 0.49):
        return True
    return abs(exact - stated) <= grain / 2 * 1.0001 and abs(exact - stated) <= RELATIVE_TOLERANCE * abs(exact)


def parse_quantity(text: str) -> Number | None:
    """Return the number that is the whole text, with its unit; ``None`` for any other text."""
    # Digits after a leading zero are a code, a postcode or a telephone number.
    if len(text) > _LONGEST_QUANTITY or re.match(r"\s*\+|\s*0\d", text):
        return None
    return _parse_short(text) if _MAY_BE_QUANTITY.match(text) else None


@lru_cache(maxsize=4096)
def _parse_short(text: str) -> Number | None:
    # Cached, because a wanted value is compared with each value of a result, and by questions and scores alike.
    plain = normal_form("NFKC", with_commas(text.strip())).translate(_MINUS)
    found = numbers(plain)
    return found[0] if len(found) == 1 and (found[0].start, found[0].end) == (0, len(plain)) else None


def parse_number(text: str) -> float | None:
    """Return the number that is the whole text, without a unit: ``1,800.50``, ``twelve``; ``None`` for any other."""
    try:
        return float(text)
    except ValueError:
        found = parse_quantity(text)
        return found.value if found and found.dimension == "number" and not found.is_ordinal else None


def same_quantity(left: str, right: str) -> bool:
    """Return whether two texts are one quantity, as :meth:`Number.is_same` has it."""
    first, second = parse_quantity(left), parse_quantity(right)
    return first is not None and second is not None and first.is_same(second)


def numbers(text: str) -> tuple[Number, ...]:
    """Return all numbers of a plain text, in digits and in words, in the order of their places."""
    fractions: list[Number] = []
    for match in _FRACTION.finditer(text):
        if int(match[3]):
            value = int(match[2]) / int(match[3])
            signed = -value if match[1] else value
            fractions.append(Number(signed, match.group(), match.start(), match.end(), grain=_GRAIN_OF_FRACTIONS))
    found = (
        *(_in_digits(match) for match in _DIGITS.finditer(text)),
        *fractions,
        *(_composed(match) for match in _COMPOSED.finditer(text)),
        *(_in_words(match) for match in _NAMED.finditer(text)),
        *(
            Number(_CHINESE[match[1]], match.group(), match.start(), match.end())
            for match in _NAMED_CHINESE.finditer(text)
        ),
    )
    # A fraction begins like the number above its line.
    by_place = sorted(found, key=lambda number: (number.start, -number.end))
    units = [_with_unit(number, text) for number in by_place]
    apart: list[Number] = []
    for number in units:
        if not apart or number.start >= apart[-1].end:
            apart.append(number)
    return tuple(_with_unit_of_partner(apart, text))


def _in_digits(match: re.Match[str]) -> Number:
    is_money = bool(match["currency"] or _MONEY_BEHIND.match(match.string, match.end()))
    written = match["value"]
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+,\d{1,2}", written):
        digits = written.replace(".", "").replace(",", ".")
    elif is_money and re.fullmatch(r"\d{1,3}(?:\.\d{3})+", written):
        digits = written.replace(".", "")
    elif re.fullmatch(r"\d+,\d{1,2}", written):
        digits = written.replace(",", ".")
    else:
        digits = written.replace(",", "").lower()
    word = match["scale"] or ""
    # `5m` and `5b` are metres and bits unless they are money.
    scale = 1.0 if word in ("m", "b") and not match["currency"] else _SCALES.get(word.lower(), 1.0)
    value = float(digits) * scale
    marks = (match["percent"], match["scale"], match["ordinal"], match["currency"])
    is_bare = not any(marks) and "." not in digits and "," not in match["value"]
    is_negative = (match["sign"] or "").strip() in ("-", "minus")
    return Number(
        value=-value if is_negative else value,
        text=match.group().strip(),
        start=match.start(),
        end=match.end(),
        is_percent=match["percent"] is not None,
        is_points=(match["percent"] or "").startswith(("percentage", "pp")),
        is_year=is_bare and 1500 <= value <= 2200,
        is_ordinal=match["ordinal"] is not None,
        grain=scale * 10.0 ** -len(digits.partition(".")[2].partition("e")[0]),
        unit=UNITS.get((match["currency"] or "").lower()),
    )


def _in_words(match: re.Match[str]) -> Number:
    word = match[2].lower()
    value = _ORDINALS.get(word, _WORDS.get(word, 0.0))
    signed = -value if match[1] else value
    return Number(signed, match.group(), match.start(), match.end(), is_ordinal=word in _ORDINALS)


def _composed(match: re.Match[str]) -> Number:
    """Return a number of several words: ``two hundred and five``, ``fourteen thousand``."""
    total = part = 0.0
    for word in re.split(r"[ -]", match.group().lower()):
        if word in _MULTIPLES:
            total, part = total + part * _MULTIPLES[word], 0.0
        elif word == "hundred":
            part *= 100
        elif word != "and":
            part += _COUNTING.get(word, 1.0)
    return Number(total + part, match.group(), match.start(), match.end())


def _with_unit(number: Number, text: str) -> Number:
    if number.unit is not None or number.is_percent or number.is_ordinal:
        return number
    end, unit = number.end, None
    if square := _SQUARE.match(text, number.end):
        end, unit = square.end(), UNITS["m²"]
    elif (degrees := _DEGREES.match(text, number.end)) and degrees["scale"]:
        end, unit = degrees.end(), UNITS["celsius" if degrees["scale"][0] in "cC" else "fahrenheit"]
    elif (match := _UNIT_BEHIND.match(text, number.end)) and match["unit"] not in ("a", "A", "an"):
        unit = UNITS.get(match["unit"].lower())
        end = match.end() if unit else number.end
    if number.text.endswith("m") and unit is None:
        end, unit = number.end, UNITS["m"]
    below = _BELOW_ZERO.match(text, end)
    if below:
        return replace(number, unit=unit, end=below.end(), value=-abs(number.value))
    return replace(number, unit=unit, end=end, is_year=number.is_year and unit is None)


def _with_unit_of_partner(found: list[Number], text: str) -> Iterator[Number]:
    """Give a number without a unit the one of the next: ``from 7 to 9 kg``."""
    for number, following in zip(found, [*found[1:], None], strict=False):
        between = text[number.end : following.start] if following else ""
        is_partner = following is not None and number.dimension == "number" and not number.is_ordinal
        if following and is_partner and _PARTNER.fullmatch(between):
            yield replace(number, unit=following.unit, is_percent=following.is_percent, is_year=False)
        else:
            yield number
